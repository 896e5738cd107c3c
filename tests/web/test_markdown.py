"""Descriptions in Markdown become HTML of a few harmless elements, and plain ones stay as they are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.web.markdown import MAX_LENGTH, REL, autolink, markdown

ELEMENTS = {"div", "p", "br", "em", "strong", "code", "a", "ul", "ol", "li", "blockquote", "hr", "h3", "h4", "h5", "h6"}
TAG = re.compile(r"<(/?)([a-z0-9]+)((?: [^<>]*)?)>")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**Doors** at _eight_", "<p><strong>Doors</strong> at <em>eight</em></p>"),
        ("- soup\n- bread", "<ul>\n<li>soup</li>\n<li>bread</li>\n</ul>"),
        ("# Programme", "<h3>Programme</h3>"),
        ("[Tickets](https://example.org/t)", f'<p><a href="https://example.org/t" rel="{REL}">Tickets</a></p>'),
        ("**At** https://example.org/t.", f"<p><strong>At</strong> {autolink('https://example.org/t')}.</p>"),
        ("[https://bank.example](https://example.org)", f'<p><a href="https://example.org" rel="{REL}">https://bank.example</a></p>'),
        ("*One*\ntwo", "<p><em>One</em><br />\ntwo</p>"),
    ],
)
def test_marks_become_elements(text: str, html: str) -> None:
    assert markdown(text) == f'<div class="marked">{html}\n</div>'


@pytest.mark.parametrize(
    "text", ["Two lines\nof text: 3 < 4 & 5", "Tickets: https://example.org/t.", "**long** " * MAX_LENGTH, "5 - 3 = 2"]
)
def test_plain_and_very_long_texts_stay_as_they_are(text: str) -> None:
    assert markdown(text) == autolink(text)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc", "//evil.example", "/sign-out", " javascript:x"]
)
def test_only_web_and_mail_addresses_are_links(url: str) -> None:
    assert "<a " not in markdown(f"[here]({url}) [there](<{url}>)")


PIECES = [
    "<",
    ">",
    '"',
    "'",
    "&",
    "*",
    "_",
    "[",
    "]",
    "(",
    ")",
    "!",
    "`",
    "#",
    "- ",
    "\n",
    " ",
    "javascript:",
    "https://a.example",
    "<b>",
    "x",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_text_becomes_anything_but_harmless_elements(text: str) -> None:
    html = str(markdown(text))
    assert html.count("<") == len(TAG.findall(html))
    for closing, name, attributes in TAG.findall(html):
        assert name in ELEMENTS, html
        allowed = (
            rf' href="(?:https?://|mailto:)[^"]*" rel="{REL}"' if name == "a" and not closing else r'( class="marked"| start="\d+"| /)?'
        )
        assert re.fullmatch(allowed, attributes), html

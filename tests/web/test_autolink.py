"""URLs in users' texts become links, and nothing else becomes markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from kalends.web.markdown import autolink


def _link(url: str) -> str:
    return Markup('<a href="{0}" rel="nofollow ugc noopener noreferrer">{0}</a>').format(url)


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("Tickets: https://example.org/a?b=1&c=2.", f"Tickets: {_link('https://example.org/a?b=1&c=2')}."),
        ("(see http://example.org/a_(b))", f"(see {_link('http://example.org/a_(b)')})"),
        ("HTTPS://EXAMPLE.ORG!", f"{_link('HTTPS://EXAMPLE.ORG')}!"),
        ("javascript:alert(1) <b>http</b>", "javascript:alert(1) &lt;b&gt;http&lt;/b&gt;"),
        ("two\nhttps://a.example\nhttps://b.example", f"two\n{_link('https://a.example')}\n{_link('https://b.example')}"),
        ('https://example.org/"onclick="x', f"{_link('https://example.org/')}&#34;onclick=&#34;x"),
    ],
)
def test_addresses_become_links(text: str, linked: str) -> None:
    assert autolink(text) == linked


@given(st.text(st.sampled_from("htps:/a.()<>\"'& \n"), max_size=60))
def test_the_text_stays_the_same(text: str) -> None:
    assert autolink(text).striptags() == Markup.escape(text).striptags()
    assert autolink(text).count("<") == 2 * autolink(text).count("<a href=")

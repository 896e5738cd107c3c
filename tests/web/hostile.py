"""Hostile texts for every field, and the marks by which tests find them on pages."""

import re
from typing import Any

from playwright.sync_api import Page

from tests.web.parsed import Parsed

SHORT = "\"'><x-hit onfocus=hit=1><script>hit=1</script>{{7*7}}&lt;"
LONG = [
    SHORT,
    "</textarea></title></style></script><x-hit autofocus tabindex=0 onfocus=hit=1>",
    '<img src=/nowhere onerror="hit=1"><svg onload=hit=1><x-hit></svg>',
    "<a href='javascript:hit=1'>here</a> javascript:hit=1 [here](javascript:hit=1)",
    "<iframe srcdoc='<script>parent.hit=1</script>'></iframe><base href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=//evil.example'><form action=//evil.example><x-hit></form>",
    "{{ 7*7 }} {% raw %} ${7*7} #{7*7} <%= 7*7 %>",
    "&lt;x-hit&gt; &amp;lt; &#60;x-hit&#62; %3Cx-hit%3E \\u003cx-hit\\u003e",
    "a \u202etxet desrever\u202c and \u200b\ufeff zero width, \u2028line and \u2029paragraph",
]
WITH_LINES = ("description", "comment")
# Hostile characters that an e-mail address and a phone number may contain.
ADDRESS = "{{7*7}}'onfocus=hit&lt"


def mark(field: str, number: int = 0) -> str:
    """The beginning of every text of the field, by which tests find it on pages."""
    return f"{field}{number}!"


def lines(field: str) -> list[str]:
    """The texts that the field holds."""
    # The name of a user has no angle brackets.
    texts = LONG if field.endswith(WITH_LINES) else [re.sub("[<>]", "", SHORT) if field == "user" else SHORT]
    return [mark(field, number) + text for number, text in enumerate(texts)]


def hostile(field: str, words: str) -> str:
    return ADDRESS if field == "email" else "\n".join(lines(field))


# A QR code as a file: a drawing and nothing else.
IS_DRAWING = r"""link => link.matches('a[download]') && link.href.startsWith('data:image/svg+xml;charset=utf-8,')
  && [...new DOMParser().parseFromString(decodeURIComponent(link.href.slice(33)), 'image/svg+xml').querySelectorAll('*')].every(part =>
      ['svg', 'g', 'path'].includes(part.localName) && [...part.attributes].every(({name}) => !/^on|href$/i.test(name)))"""
# The canary is a variable that nothing but an injected script sets; the rest is what such a script would have come in by.
WHAT_GOT_IN = rf"""() => [
  ...(window.hit ? ['a script ran'] : []),
  ...[...document.querySelectorAll('x-hit, base, iframe, meta[http-equiv]')].map(element => element.outerHTML),
  ...[...document.querySelectorAll('[readonly]')]
    .filter(field => new DOMParser().parseFromString(field.value, 'text/html').querySelector('x-hit, script, [onfocus]'))
    .map(field => field.value),
  ...[...document.scripts].filter(script => !script.src.startsWith(location.origin + '/static/'))
    .filter(script => script.type !== 'application/ld+json' || /[<>&]/.test(script.textContent)
      || JSON.parse(script.textContent)['@type'] !== 'Event')
    .map(script => script.outerHTML),
  ...[...document.querySelectorAll('*')].filter(each => [...each.attributes].some(attribute => /^on|^srcdoc$/i.test(attribute.name)))
    .map(each => each.outerHTML),
  ...[...document.querySelectorAll('[href], [src], [action], [formaction]')].filter(each =>
      ['href', 'src', 'action', 'formaction'].some(name => each.hasAttribute(name)
        && !['http:', 'https:', 'mailto:', 'tel:', 'webcal:', 'webcals:', 'caldav:', 'caldavs:'].includes(
          new URL(each.getAttribute(name), location).protocol)))
    .filter(each => !({IS_DRAWING})(each))
    .map(each => each.outerHTML),
]"""

# Everything on the page that someone reads, sees in a field, hears, or copies into a page of their own.
READ = """() => [
  document.title, document.body.textContent,
  ...[...document.querySelectorAll('input, textarea, option')].filter(field => !field.readOnly).map(field => field.value),
  ...[...document.querySelectorAll('[readonly]')].map(
    field => new DOMParser().parseFromString(field.value, 'text/html').body.textContent),
  ...['alt', 'title', 'aria-label', 'placeholder'].flatMap(
    name => [...document.querySelectorAll(`[${name}]`)].map(element => element.getAttribute(name))),
].join('\\n')"""


def what_got_in(page: Page | Parsed) -> Any:
    return page.evaluate(WHAT_GOT_IN)


def examine(page: Page | Parsed) -> tuple[list[str], str]:
    """What got in, and all that someone reads."""
    got_in, text = page.evaluate(f"() => [({WHAT_GOT_IN})(), ({READ})()]")
    return got_in, text

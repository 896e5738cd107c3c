"""Templates escape and translate what they show, as Jinja's own code would."""

from typing import Any

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from kalends.core.i18n import gettext
from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.web.environment import environment

HOSTILE = "<b>\"&'</b>"
ESCAPED = "&lt;b&gt;&#34;&amp;&#39;&lt;/b&gt;"


def show(template: str, locale: Locale = ENGLISH, **values: Any) -> str:
    return environment(locale).from_string(template).render(values)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ value }}", ESCAPED),
        ("{% for each in [value] %}{{ each }}{% endfor %}", ESCAPED),
        ("{% macro m(each) %}[{{ each }}]{% endmacro %}{{ m(value) }}", f"[{ESCAPED}]"),
        ("{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}{{ value }}{% endcall %}", f"[{ESCAPED}]"),
        ('{{ _("+%(number)s more", number=value) }}', f"+{ESCAPED} more"),
        ('{{ ngettext("1 more event on %(day)s", "%(num)s more events on %(day)s", 1400, day=value) }}', f"1,400 more events on {ESCAPED}"),
        ("{% autoescape false %}{{ value }}{% endautoescape %}", HOSTILE),
        ("{{ value|length }} {{ none }} {{ true }} {{ 1.5 }}", f"{len(HOSTILE)} None True 1.5"),
    ],
)
def test_values_are_escaped_once_wherever_they_are_shown(template: str, expected: str) -> None:
    assert show(template, value=HOSTILE) == expected


def test_markup_stays_and_what_is_no_text_is_escaped_too() -> None:
    assert show("{{ value }}", value=Markup("<b>")) == "<b>"
    assert show("{{ value }}", value=[HOSTILE[:3]]) == "[&#39;&lt;b&gt;&#39;]"


def test_messages_are_translated_and_their_values_escaped() -> None:
    message = gettext("+%(number)s more", number=HOSTILE)
    assert show("{{ message }}", message=message) == f"+{ESCAPED} more"
    assert show("{{ message }}", Locale("de"), message=gettext("Calendar")) == "Kalender"


def test_what_is_not_there_is_an_error() -> None:
    for template in ("{{ missing }}", "{{ missing() }}", "{{ value.missing }}"):
        with pytest.raises(UndefinedError):
            show(template, value="x")

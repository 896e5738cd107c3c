"""The environment of the templates, one for each language, with what all of them use."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, cast

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from kalends.i18n.catalogs import LANGUAGES, OFFERED
from kalends.i18n.locale import Locale
from kalends.i18n.text import Text
from kalends.values.picture import parse_path, parse_url
from kalends.web import labels
from kalends.web.autolink import autolink
from kalends.web.code_generator import QuickCodeGenerator
from kalends.web.cover import draw_cover
from kalends.web.escaping import escape_text
from kalends.web.guest_form import sign_time
from kalends.web.language_urls import language_urls
from kalends.web.markdown import markdown
from kalends.web.navigation import draw_link
from kalends.web.times import Times

# What the templates of every language use. The application adds to it before the first page.
GLOBALS: dict[str, Any] = {
    "LANGUAGES": LANGUAGES,
    "OFFERED": OFFERED,
    "draw_cover": draw_cover,
    "draw_link": draw_link,
    "labels": labels,
    "language_urls": language_urls,
    "parse_path": parse_path,
    "parse_url": parse_url,
    "sign_time": sign_time,
}

# Beyond the lone surrogates, which are replaced when a document is encoded.
_FORBIDDEN_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class QuickEnvironment(Environment):
    """An environment whose templates are compiled into quick code."""

    code_generator_class = QuickCodeGenerator
    to_html: Callable[[Any], str]

    def make_globals(self, d: Any) -> Any:
        """What all templates use. Jinja would chain it with those of one template, which has none, and a chain takes long to copy."""
        assert not d
        return self.globals


def environment(locale: Locale) -> Environment:
    """The environment of a locale. It differs in its functions alone, so all of them share the compiled templates."""
    return _environment(Locale(locale.language, locale.hour_cycle) if locale.week_start else locale)


# Each language with each hour cycle.
@lru_cache(maxsize=3 * len(LANGUAGES))
def _environment(locale: Locale) -> Environment:
    environment = QuickEnvironment(
        loader=PackageLoader("kalends", "web/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalizer(locale),
        # Otherwise each template's file is looked at for each page.
        auto_reload=False,
        bytecode_cache=_compiled,
    )
    environment.to_html = _to_html(locale)
    environment.globals |= GLOBALS | _of_locale(locale) | {"once": _once(environment)}
    environment.filters |= {"autolink": autolink, "markdown": markdown, "xml": _without_controls}
    return environment


def _of_locale(locale: Locale) -> dict[str, Any]:
    """What templates show in the language of the reader."""
    return {
        "locale": locale,
        "_": _gettext(locale),
        "ngettext": _ngettext(locale),
        "number": locale.formats.number,
        "times": Times(locale),
    }


def _once(environment: Environment) -> Callable[..., Markup]:
    """Renders a template that shows nothing but these few values, and caches what it shows."""

    @cache
    def once(template: str, **values: bool) -> Markup:
        return Markup(environment.get_template(template).render(values))  # noqa: S704 - templates escape what they show

    return once


def _without_controls(text: str) -> str:
    """The text without characters that XML forbids."""
    return _FORBIDDEN_IN_XML.sub("", text)


def _finalizer(locale: Locale) -> Callable[[Any], Any]:
    """Translates the messages that templates show."""

    def finalize(value: Any) -> Any:
        return locale.translate(value) if type(value) is Text else value

    return finalize


def _to_html(locale: Locale) -> Callable[[Any], str]:
    """Translates and escapes a value. Most texts need no escaping, and most values are texts or markup."""

    def to_html(value: Any) -> str:
        kind = type(value)
        if kind is str:
            return escape_text(value)
        if kind is Markup:
            return cast(Markup, value)
        return escape(locale.translate(value) if kind is Text else value)

    return to_html


def _gettext(locale: Locale) -> Callable[..., Markup]:
    """Translates what stands in templates. The msgid is HTML of ours, and the values are escaped."""
    marked: dict[str, Markup] = {}

    def gettext(msgid: str, /, **values: Any) -> Markup:
        text = marked.get(msgid)
        if text is None:
            text = marked[msgid] = Markup(locale.catalog.find(msgid))  # noqa: S704 - tests/i18n compares the markup of translations
        return Markup(str(text) % _escape_values(locale, values)) if values else text  # noqa: S704 - as above

    return gettext


def _ngettext(locale: Locale) -> Callable[..., Markup]:
    def ngettext(singular: str, plural: str, num: int, /, **values: Any) -> Markup:
        text = locale.catalog.find(singular, plural, num)
        return Markup(text % _escape_values(locale, {"num": num, **values}))  # noqa: S704 - as above

    return ngettext


def _escape_values(locale: Locale, values: dict[str, Any]) -> dict[str, Markup]:
    """The values of a message. Markup formats its own values, too, but takes three times as long."""
    return {name: escape(locale.show(value)) for name, value in values.items()}


class _Compiled(BytecodeCache):
    """Keeps compiled templates in memory."""

    def __init__(self) -> None:
        self._code: dict[str, Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get(bucket.key)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = bucket.code


_compiled = _Compiled()

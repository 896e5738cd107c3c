"""The environment of the templates, one for each language, with what all of them use."""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.runtime import Context as JinjaContext
from markupsafe import Markup, escape

from kalends.core.i18n.catalogs import LANGUAGES, OFFERED
from kalends.core.i18n.locale import Locale
from kalends.core.i18n.text import Text, pgettext
from kalends.core.values.picture import parse_path, parse_url
from kalends.http.context import Context
from kalends.web import labels
from kalends.web.drawings import ICONS, draw_cover, draw_qr_code, face_number, initials, qr_code_url
from kalends.web.forms import sign_time
from kalends.web.markdown import autolink, markdown, paragraphs
from kalends.web.times import Times
from kalends.web.without_email import WITHOUT_EMAIL


def language_urls(ctx: Context) -> list[tuple[str, str]]:
    """Each language with the URL of this page in it, and the URL that follows the reader's browser; none for a page of results."""
    if ctx.caller.query not in ("", f"lang={ctx.caller.language}"):
        return []
    url = ctx.settings.url + ctx.caller.path
    return [*((language, f"{url}?lang={language}") for language in OFFERED), ("x-default", url)]


# Messages that stand for others, by the msgid of these.
Messages = Mapping[str, Text]

# What the templates of every language use. The application adds to it before the first page.
GLOBALS: dict[str, Any] = {
    "ICONS": ICONS,
    "LANGUAGES": LANGUAGES,
    "OFFERED": OFFERED,
    "draw_cover": draw_cover,
    "draw_qr_code": draw_qr_code,
    "face_number": face_number,
    "initials": initials,
    "labels": labels,
    "language_urls": language_urls,
    "parse_path": parse_path,
    "parse_url": parse_url,
    "qr_code_url": qr_code_url,
    "sign_time": sign_time,
}

# Beyond the lone surrogates, which are replaced when a document is encoded.
_FORBIDDEN_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class _Context(JinjaContext):
    def call(self, function: Callable[..., Any], /, *args: Any, _block_vars: Any = None, _loop_vars: Any = None, **kwargs: Any) -> Any:
        """Call a function from a template. None of ours takes the context; Jinja asks each three times, a fifth of a page's time."""
        return function(*args, **kwargs)


class _Environment(Environment):
    context_class = _Context

    def make_globals(self, d: Any) -> Any:
        """What all templates use. Jinja would chain it with those of one template, which has none, and a chain takes long to copy."""
        assert not d
        return self.globals


def environment(locale: Locale, *, sends_email: bool = True) -> Environment:
    """The environment of a locale. It differs in its functions alone, so all of them share the compiled templates.

    sends_email: without it, what promises an email says that none is sent."""
    return _environment(Locale(locale.language, locale.hour_cycle) if locale.week_start else locale, sends_email)


# Each language with each hour cycle.
@lru_cache(maxsize=2 * 3 * len(LANGUAGES))
def _environment(locale: Locale, sends_email: bool) -> Environment:
    others: Messages = {} if sends_email else WITHOUT_EMAIL
    environment = _Environment(
        loader=PackageLoader("kalends", "web/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalizer(locale, others),
        # Otherwise each template's file is looked at for each page.
        auto_reload=False,
        bytecode_cache=_compiled,
    )
    environment.globals |= GLOBALS | _of_locale(locale, others) | {"once": _once(environment)}
    environment.filters |= {"autolink": autolink, "markdown": markdown, "paragraphs": paragraphs, "xml": _without_controls}
    return environment


def _of_locale(locale: Locale, others: Messages) -> dict[str, Any]:
    """What templates show in the language of the reader."""
    return {
        "locale": locale,
        "_": _gettext(locale, others),
        "ngettext": _ngettext(locale, others),
        "pgettext": pgettext,
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


def _finalizer(locale: Locale, others: Messages) -> Callable[[Any], Any]:
    """Translates the messages that templates show, before they are escaped."""

    def finalize(value: Any) -> Any:
        if type(value) is not Text:
            return value
        other = others.get(value.msgid)
        return locale.translate(Text(other.msgid, value.values, other.plural) if other else value)

    return finalize


def _gettext(locale: Locale, others: Messages) -> Callable[..., Markup]:
    """Translates what stands in templates. The msgid is HTML of ours, and the values are escaped."""
    marked: dict[str, Markup] = {}

    def gettext(msgid: str, /, **values: Any) -> Markup:
        text = marked.get(msgid)
        if text is None:
            text = marked[msgid] = Markup(locale.catalog.find(others[msgid].msgid if msgid in others else msgid))  # noqa: S704 - tests/i18n compares the markup of translations
        return Markup(str(text) % _escape_values(locale, values)) if values else text  # noqa: S704 - as above

    return gettext


def _ngettext(locale: Locale, others: Messages) -> Callable[..., Markup]:
    def ngettext(singular: str, plural: str, num: int, /, **values: Any) -> Markup:
        other = others.get(singular)
        text = locale.catalog.find(other.msgid, other.plural, num) if other else locale.catalog.find(singular, plural, num)
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

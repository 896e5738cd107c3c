"""The responses for resources of a calendar or address book, maybe ten thousand: what is the same for all is written once."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Protocol

from kalends.core.values import timestamps
from kalends.core.values.format_cache import FormatCache
from kalends.dav import paths
from kalends.dav.calendars.resources import Resource
from kalends.dav.calendars.text import MAX_CACHED_OCTETS
from kalends.dav.paths import Kind
from kalends.dav.properties import SCHEDULE_TAG, Subject, carddav, dav, write_owner, write_principal, write_privileges
from kalends.dav.xml import CALDAV, escape, name_element, propstat

DATA, CARD_DATA = f"{{{CALDAV}}}calendar-data", carddav("address-data")
_DATA_OF: dict[Kind, str] = {
    "calendar": DATA,
    "resource": DATA,
    "public-resource": DATA,
    "birthday": DATA,
    "book": CARD_DATA,
    "card": CARD_DATA,
    "message": DATA,
}
IN_ALLPROP = [dav(name) for name in ("resourcetype", "getcontenttype", "getetag", "getlastmodified", "getcontentlength")]
NAMES = [*IN_ALLPROP, dav("current-user-principal"), dav("current-user-privilege-set"), dav("owner"), dav("supported-report-set")]

# Of these characters, neither a path nor XML has another spelling.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]+")
# XML 1.0 cannot have control characters, not even escaped.
_WITHOUT_CONTROL = bytes(ord(" ") if code < 32 and chr(code) not in "\t\r\n" else code for code in range(256))
# Stands for the value of a resource in a template.
_VALUE = "\x00"


class Listed(Protocol):
    """A resource of a calendar or of an address book."""

    @property
    def name(self) -> str: ...
    @property
    def etag(self) -> str: ...
    @property
    def updated_at(self) -> int: ...
    @property
    def content_type(self) -> str: ...


_VALUES: dict[str, Callable[[Listed], Any]] = {
    dav("getetag"): attrgetter("etag"),
    dav("getcontenttype"): attrgetter("content_type"),
    dav("getlastmodified"): lambda resource: timestamps.format_http_date(resource.updated_at),
}


def describe_all(
    subject: Subject,
    folder: str,
    names: list[str],
    resources: Sequence[Listed],
    texts: Mapping[str, bytes] | None = None,
    *,
    is_brief: bool = False,
) -> Iterable[str]:
    """The responses of the resources with these properties; `texts` has the files by name."""
    template = f"<D:response><D:href>{_literal(escape(folder))}%s</D:href><D:propstat><D:prop>"
    # One match of all names together is faster than one of each.
    has_plain_names = _PLAIN_NAME.fullmatch("".join(resource.name for resource in resources))
    fields: list[Callable[[Listed], Any]] = [attrgetter("name") if has_plain_names else _write_name]
    missing = ""
    for name in names:
        part = _part(subject, name, texts)
        if part is None:
            missing += "" if is_brief else name_element(name)
        elif isinstance(part, str):
            template += _literal(part)
        elif name == SCHEDULE_TAG:
            # Most resources have none.
            template += "%s"
            fields.append(part)
        else:
            template += _literal(name_element(name, _VALUE)).replace(_VALUE, "%s")
            fields.append(part)
    tail = propstat(missing, 404) if missing else ""
    template += f"</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>{_literal(tail)}</D:response>"
    return map(template.__mod__, zip(*(map(field, resources) for field in fields), strict=True))


def _literal(text: str) -> str:
    """The text as a part of a template."""
    return text.replace("%", "%%")


def _write_name(resource: Listed) -> str:
    name = resource.name
    return name if _PLAIN_NAME.fullmatch(name) else escape(paths.quote_name(name))


def escape_text(content: bytes) -> str:
    """A file as the text of an element. Small files are cached escaped: many devices read the same ones (see `text`)."""
    return _ESCAPED[content] if len(content) <= MAX_CACHED_OCTETS else _escape(content)


def _escape(content: bytes) -> str:
    text = content.translate(_WITHOUT_CONTROL).decode("utf-8", "replace").replace("\ufffe", " ").replace("\uffff", " ")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # A parser of XML makes CRLF to LF, unless the CR is escaped.
    return text.replace("\r", "&#13;")


_ESCAPED = FormatCache(_escape)


def _part(subject: Subject, name: str, texts: Mapping[str, bytes] | None) -> str | Callable[[Listed], Any] | None:
    """The element if it is the same for all, else a function of the value in it; None if resources have no such property."""
    if name in _VALUES:
        return _VALUES[name]
    if name == dav("getcontentlength") and texts is not None:
        return lambda resource: len(texts[resource.name])
    if name == SCHEDULE_TAG and texts is not None:
        return lambda resource: _write_schedule_tag(resource, texts[resource.name])
    if name == _DATA_OF.get(subject.kind) and texts is not None:
        return lambda resource: escape_text(texts[resource.name])
    if name == dav("owner") and subject.actor is None:
        return None
    constants: dict[str, Callable[[], str]] = {
        dav("resourcetype"): lambda: "",
        dav("current-user-principal"): lambda: write_principal(subject),
        dav("current-user-privilege-set"): lambda: write_privileges(subject),
        dav("owner"): lambda: write_owner(subject),
        dav("supported-report-set"): lambda: "",
    }
    return name_element(name, constants[name]()) if name in constants else None


def _write_schedule_tag(resource: Listed, content: bytes) -> str:
    """Nothing, if the resource has no guests."""
    tag = resource.schedule_tag(content) if isinstance(resource, Resource) else ""
    return name_element(SCHEDULE_TAG, escape(tag)) if tag else ""

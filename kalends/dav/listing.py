"""The responses for resources of a calendar or address book, maybe ten thousand: what is the same for all is written once."""

import re
from collections.abc import Callable, Mapping
from typing import Protocol

from kalends.dav import paths
from kalends.dav.paths import Kind
from kalends.dav.properties import Subject, carddav, dav, write_owner, write_principal, write_privileges
from kalends.dav.xml import CALDAV, escape, name_element, propstat
from kalends.values import timestamps

DATA, CARD_DATA = f"{{{CALDAV}}}calendar-data", carddav("address-data")
_DATA_OF: dict[Kind, str] = {"calendar": DATA, "resource": DATA, "book": CARD_DATA, "card": CARD_DATA}
IN_ALLPROP = [dav(name) for name in ("resourcetype", "getcontenttype", "getetag", "getlastmodified", "getcontentlength")]
NAMES = [*IN_ALLPROP, dav("current-user-principal"), dav("current-user-privilege-set"), dav("owner"), dav("supported-report-set")]

# XML 1.0 cannot have control characters, not even escaped.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


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


def writer(
    subject: Subject, folder: str, names: list[str], texts: Mapping[str, bytes] | None = None, *, is_brief: bool = False
) -> Callable[[Listed], str]:
    """A function that writes the response of a resource with these properties; `texts` has the files by name."""
    parts: list[str | Callable[[Listed], str]] = []
    missing = ""
    for name in names:
        part = _part(subject, name, texts)
        if part is None:
            missing += "" if is_brief else name_element(name)
        else:
            parts.append(part)
    tail = propstat(missing, 404) if missing else ""
    ended = f"</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>{tail}</D:response>"
    begun = f"<D:response><D:href>{escape(folder)}"

    def write(resource: Listed) -> str:
        found = "".join([part if isinstance(part, str) else part(resource) for part in parts])
        return f"{begun}{escape(paths.quote_name(resource.name))}</D:href><D:propstat><D:prop>{found}{ended}"

    return write


def escape_text(text: bytes) -> str:
    # A parser of XML makes CRLF to LF, unless the CR is escaped.
    octets = text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;").replace(b"\r", b"&#13;")
    return _CONTROL.sub(" ", octets.decode("utf-8", "replace"))


def _part(subject: Subject, name: str, texts: Mapping[str, bytes] | None) -> str | Callable[[Listed], str] | None:
    if name == dav("getetag"):
        return lambda resource: f"<D:getetag>{escape(resource.etag)}</D:getetag>"
    if name == dav("getcontenttype"):
        return lambda resource: f"<D:getcontenttype>{resource.content_type}</D:getcontenttype>"
    if name == dav("getlastmodified"):
        return lambda resource: f"<D:getlastmodified>{timestamps.format_http_date(resource.updated_at)}</D:getlastmodified>"
    if name == dav("getcontentlength") and texts is not None:
        return lambda resource: f"<D:getcontentlength>{len(texts[resource.name])}</D:getcontentlength>"
    if name == _DATA_OF.get(subject.kind) and texts is not None:
        return lambda resource: name_element(name, escape_text(texts[resource.name]))
    constants: dict[str, Callable[[], str]] = {
        dav("resourcetype"): lambda: "",
        dav("current-user-principal"): lambda: write_principal(subject),
        dav("current-user-privilege-set"): lambda: write_privileges(subject),
        dav("owner"): lambda: write_owner(subject),
        dav("supported-report-set"): lambda: "",
    }
    return name_element(name, constants[name]()) if name in constants else None

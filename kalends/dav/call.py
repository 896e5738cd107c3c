"""A request of CalDAV and its reply, as the methods see them."""

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.dav import paths
from kalends.dav.calendars import calendar_store
from kalends.dav.paths import Target
from kalends.dav.xml import CONTENT_TYPE, DAV, DavError
from kalends.http.context import Context
from kalends.policy import Right

CALENDAR_TYPE = "text/calendar; charset=utf-8"
# A name of a resource that has one spelling.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}")


class Call(Struct):
    """A request: its context with the open transaction, what its path names, and its body."""

    ctx: Context
    target: Target
    headers: dict[str, str]
    body: bytes
    root: Element | None = None

    @property
    def depth(self) -> str:
        """The Depth of the request: 0, 1 or infinity, which is what a PROPFIND without it means."""
        depth = self.headers.get("depth", "infinity").strip().lower()
        if depth not in ("0", "1", "infinity"):
            raise DavError(400, "The Depth must be 0 or 1.")
        return depth

    @property
    def is_brief(self) -> bool:
        """Whether properties that a resource lacks are left out of the reply."""
        return self.headers.get("brief", "").lower() == "t" or "return=minimal" in self.headers.get("prefer", "").replace(" ", "")


class DavReply(Struct):
    """A reply; 207 has a multistatus as its body."""

    status: int
    body: bytes = b""
    content_type: str = CONTENT_TYPE
    headers: dict[str, str] = {}


def require_home(call: Call) -> None:
    """Users see their own principal and home, and nobody else's."""
    if call.target.user_id:
        policy.own_account(call.ctx, call.target.user_id)


def own_names(call: Call, hrefs: Iterable[str]) -> dict[str, str]:
    """The name that each href of the body has in the calendar or address book of the path; empty if it is not there."""
    write_folder = paths.book if call.target.kind == "book" else paths.calendar
    folder = write_folder(call.target.user_id, call.target.slug)
    return {href: _own_name(call, folder, href) for href in hrefs}


def _own_name(call: Call, folder: str, href: str) -> str:
    # Most clients send what our lists have.
    if href.startswith(folder) and _PLAIN_NAME.fullmatch(href, len(folder)):
        return href[len(folder) :]
    target = paths.parse_href(href)
    kind = "card" if call.target.kind == "book" else "resource"
    same = (target.kind, target.user_id, target.slug) == (kind, call.target.user_id, call.target.slug)
    return target.name if same else ""


def destination(call: Call) -> Target:
    """What the Destination of a COPY or MOVE names: a resource or a card of the same home."""
    target = paths.parse_href(call.headers.get("destination", ""))
    if (target.kind, target.user_id) != (call.target.kind, call.target.user_id):
        status = 403 if "destination" in call.headers else 400
        raise DavError(status, "The Destination must be in one of your calendars, or of your address books for a card.")
    return target


def children(element: Element | None, name: str) -> list[Element]:
    return [] if element is None else element.findall(name)


def find_calendar(call: Call, to: Right = Right.SEE) -> Calendar:
    """The calendar of the path, if the actor is a member of it and has this right."""
    require_home(call)
    return find_calendar_at(call.ctx, call.target, to)


def find_calendar_at(ctx: Context, target: Target, to: Right) -> Calendar:
    """The calendar of a path in the actor's own home."""
    calendar_id = target.calendar_id
    if calendar_id is None:
        calendar_id = calendar_store.find_by_slug(ctx, target.user_id, target.slug)
    return policy.home_calendar(ctx, calendar_id or 0, to=to)


ALLPROP, PROPNAME, PROP = f"{{{DAV}}}allprop", f"{{{DAV}}}propname", f"{{{DAV}}}prop"

"""The actor of a request, the rights that an action needs, and what opens an endpoint: a key needs one of its scopes, or none, and on a
site for members guests need a link. A key that names calendars opens these alone: without one, its conditions are empty."""

import re
from enum import Enum
from functools import cache

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.http.context import Actor, Context
from kalends.http.endpoint import READ_METHODS, Endpoint


class Right(Enum):
    SEE = "see"
    EDIT = "edit"
    # To delete an event, or to look at it as its editor, which is possible also while an admin hides it.
    DELETE = "delete"
    # To change the calendar itself and to share it.
    MANAGE = "manage"
    OWN = "own"


def user(ctx: Context) -> Actor:
    """The signed-in user."""
    if ctx.actor is None:
        raise errors.Unauthorized
    return ctx.actor


def me(ctx: Context) -> int:
    """The actor's user id, or 0 for a guest."""
    return ctx.actor.id if ctx.actor else 0


# An app password that changes nothing.
READ_ONLY = "read"
# What needs a key without limits: credentials, the account, shares, webhooks, undo.
UNLIMITED = "unlimited"
# What every key may do: ask who it is, and read what describes the service.
ANY = ""

# The scopes for reading and for writing, by the first segment of the path.
_BY_RESOURCE = {
    **dict.fromkeys(("calendars", "comments", "events"), ("events:read", "events:write")),
    **dict.fromkeys(("ownership_offers", "trash"), ("events:read", UNLIMITED)),
    "responses": ("responses:read", "responses:write"),
    **dict.fromkeys(("contacts", "subscribers"), ("contacts", "contacts")),
    "deliveries": ("messages", "messages"),
    **dict.fromkeys(("admin", "blocked_senders", "hidden_events", "reports"), ("admin", "admin")),
    "site": (ANY, "admin"),
    **dict.fromkeys(("", "openapi", "openapi.json"), (ANY, UNLIMITED)),
}
# The same for what is below one of these, by the last segment that is no id. Links, feeds and shares give access to others, and the history
# of an event has the addresses of its guests.
_BY_PART = {
    ("events", "invitations"): ("responses:read", "messages"),
    **dict.fromkeys((("events", each) for each in ("messages", "resend", "announce", "send_to_me")), ("messages", "messages")),
    ("events", "cohosts"): ("responses:read", UNLIMITED),
    ("events", "changes"): (UNLIMITED, UNLIMITED),
    ("calendars", "ownership_offers"): ("events:read", UNLIMITED),
    **dict.fromkeys((("calendars", each) for each in ("share", "unshare", "reset_feed")), (UNLIMITED, UNLIMITED)),
    **dict.fromkeys((("events", "reset_link"), ("responses", "reset_link"), ("responses", "link")), (UNLIMITED, UNLIMITED)),
    ("contacts", "reset_feed"): (UNLIMITED, UNLIMITED),
    ("users", "current"): (ANY, UNLIMITED),
}
# Of a key that names calendars: what leaves out other calendars without a scope of its own, and what is about more than these calendars.
_FOLLOWED = {"GET /api/changes", "GET /api/changes/stream"}
_BEYOND = {"POST /api/calendars", "GET /api/deliveries/suppressions", "DELETE /api/deliveries/suppressions/{suppression_id}"}


@cache
def required_scope(method: str, path: str) -> str:
    """The scope that a request needs; UNLIMITED where none is enough, ANY where none is needed."""
    _, first, *segments = f"{path}/".rstrip("/").split("/") if path.strip("/") else ("", "")
    if first != "api":
        return UNLIMITED
    names = [segment for segment in segments if not segment.startswith("{")]
    resource, part = (names[0] if names else ""), (names[-1] if names else "")
    scopes = _BY_PART.get((resource, part)) or _BY_RESOURCE.get(resource, (UNLIMITED, UNLIMITED))
    return scopes[0 if method in READ_METHODS else 1]


def require_scope(actor: Actor, endpoint: Endpoint) -> None:
    """Raise InsufficientScope if the key of the request does not open the endpoint."""
    if actor.scopes:
        _require(actor, required_scope(endpoint.method, endpoint.path))
    if actor.calendar_ids and not opens_with_calendars(endpoint.method, endpoint.path):
        raise errors.InsufficientScope(gettext("This needs a session, or a key that isn’t limited to calendars."))


@cache
def opens_with_calendars(method: str, path: str) -> bool:
    """Whether a key that names calendars opens the endpoint. Credentials, shares, webhooks, undo and administration reach beyond them."""
    name = f"{method} {path}"
    return name in _FOLLOWED or (name not in _BEYOND and required_scope(method, path) not in (UNLIMITED, "admin"))


def may_administer(actor: Actor) -> bool:
    """Whether the key of the request administers the site, if its user does."""
    return not actor.calendar_ids and (not actor.scopes or "admin" in actor.scopes.split())


def is_limited(ctx: Context) -> bool:
    """Whether the key of the request, or the one that opened its session, names the calendars that it opens."""
    return ctx.actor is not None and bool(ctx.actor.calendar_ids)


def opens_calendar(actor: Actor | None, calendar_id: int) -> bool:
    """Whether the key of the request opens the calendar, if its user may see it."""
    return actor is None or not actor.calendar_ids or str(calendar_id) in actor.calendar_ids.split()


def and_calendar_opened(ctx: Context, calendar_id: str) -> str:
    """SQL to follow a condition: and the key of the request opens the calendar with this id."""
    if ctx.actor is None or not ctx.actor.calendar_ids:
        return ""
    return f" AND {calendar_id} IN ({', '.join(str(int(each)) for each in ctx.actor.calendar_ids.split())})"


def and_event_opened(ctx: Context, event_id: str) -> str:
    """SQL to follow a condition: and the event with this id is on a calendar that the key of the request opens."""
    opened = and_calendar_opened(ctx, "l.calendar_id")
    return f" AND EXISTS (SELECT 1 FROM placements l WHERE l.event_id = {event_id}{opened})" if opened else ""


def require_device_scope(actor: Actor, method: str, *, of_contacts: bool, of_scheduling: bool = False) -> None:
    """Raise InsufficientScope if the key of the request does not open what CalDAV or CardDAV would do."""
    if actor.calendar_ids and (of_contacts or of_scheduling or method in ("MKCALENDAR", "MKCOL")):
        raise errors.InsufficientScope(gettext("This app password opens the calendars that it names, and nothing else."))
    if not actor.scopes:
        return
    is_read = method in READ_METHODS
    if actor.scopes == READ_ONLY:
        if not is_read:
            raise errors.InsufficientScope(gettext("This app password only reads. Create one that may also change things."))
        return
    _require(actor, "contacts" if of_contacts else "events:read" if is_read else "events:write")


def may_read_contacts(actor: Actor) -> bool:
    """Whether the key of the request shows contacts."""
    return not actor.scopes or actor.scopes == READ_ONLY or "contacts" in actor.scopes.split()


def _require(actor: Actor, scope: str) -> None:
    granted = actor.scopes.split()
    if scope == UNLIMITED:
        raise errors.InsufficientScope(gettext("This needs a session, or a key without scopes."))
    if scope != ANY and scope not in granted and scope.replace(":read", ":write") not in granted:
        raise errors.InsufficientScope(gettext("This key doesn’t have the scope %(scope)s.", scope=scope))


# The endpoints that guests reach in any case, by their URLs: each needs a secret that its holder was given, or has nothing of the events.
# A feed of a calendar needs its key, which `calendar_feed` requires.
_OPEN = re.compile(
    r"""
    /(sign-in|sign-out|sign-up|language|reset|verify|account/notices|deliveries/stop)(/.*)?   # the way to an account, and out of mail
    | /(e|i|r|u|c|unsubscribe|confirm)/.*                                                     # links to one event or one person
    | /api/(session|users|users/new|site|openapi) | /api | /docs.* | /openapi\.json           # signing in, and what the API is
    | /(static|pictures|accent)/.* | /api/calendars/\{calendar_id\}\.ics | /manifest\.json | /robots\.txt | /healthz | /readyz | /metrics
    """,
    re.VERBOSE,
)


def is_open_to_guests(url: str) -> bool:
    """Whether guests reach the endpoint of this URL also on a site for members."""
    return _OPEN.fullmatch(url) is not None


def require_member(ctx: Context) -> None:
    """Raise Unauthorized for guests of a site for members."""
    if ctx.actor is None and is_for_members(ctx):
        raise errors.Unauthorized


def is_for_members(ctx: Context) -> bool:
    with ctx.join_read() as tx:
        return bool(tx.rows("SELECT 1 FROM site WHERE visibility = 'members'"))

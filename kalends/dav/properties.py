"""The properties of each kind of resource: one table of name and kind, with what writes the value."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.values import datetimes, timestamps
from kalends.dav import paths
from kalends.dav.calendars.calendar_object import COMPONENTS
from kalends.dav.paths import Kind
from kalends.dav.push import web_push
from kalends.dav.xml import APPLE, CALDAV, CALENDAR_SERVER, CARDDAV, DAV, PUSH, Response, escape, href, name_element
from kalends.features.contacts.present import book_name
from kalends.features.events.feeds.steps import ical
from kalends.features.events.invitations.model import MAX_AT_ONCE
from kalends.http.context import Actor, Context
from kalends.http.input.params import BODY_LIMIT
from kalends.ical.parse import MAX_EVENTS

READ_PRIVILEGES = ("read", "read-current-user-privilege-set")
WRITE_PRIVILEGES = ("write", "write-content", "write-properties", "bind", "unbind")
CARD_PRIVILEGES = ("write-content", "bind", "unbind")
HOME_PRIVILEGES = ("bind", "unbind")
PRIVILEGES: dict[Kind, tuple[str, ...]] = {
    "home": HOME_PRIVILEGES,
    "books": HOME_PRIVILEGES,
    "book": WRITE_PRIVILEGES,
    "card": CARD_PRIVILEGES,
    "inbox": ("unbind",),
}
# RFC 6638, section 6.
SCHEDULING_PRIVILEGES: dict[Kind, tuple[str, ...]] = {
    "inbox": ("schedule-deliver", "schedule-deliver-invite", "schedule-query-freebusy"),
    "outbox": ("schedule-send", "schedule-send-invite", "schedule-send-reply", "schedule-send-freebusy"),
}
_SEARCH = ("D:principal-property-search",)
REPORTS: dict[Kind, tuple[str, ...]] = {
    "calendar": ("C:calendar-query", "C:calendar-multiget", "C:free-busy-query", "D:sync-collection"),
    "public": ("C:calendar-query", "C:calendar-multiget"),
    "birthdays": ("C:calendar-query", "C:calendar-multiget", "D:sync-collection"),
    "root": _SEARCH,
    "users": _SEARCH,
    "principal": _SEARCH,
    "inbox": ("C:calendar-multiget",),
    "book": ("CR:addressbook-query", "CR:addressbook-multiget", "D:sync-collection"),
}
CARD_COLLATIONS = ("i;ascii-casemap", "i;octet", "i;unicode-casemap")
CARD_VERSIONS = "".join(f'<CR:address-data-type content-type="text/vcard" version="{version}"/>' for version in ("3.0", "4.0"))


class Subject(Struct):
    """What properties are asked of: the user, and the calendar if it is one."""

    ctx: Context
    # None: a guest, who reads a public calendar.
    actor: Actor | None
    kind: Kind
    calendar: Calendar | None = None
    sync_token: str = ""
    # Of an address book or a public calendar: it changes when one of its resources does.
    ctag: str = ""
    # The components that may be in the calendar, with commas; empty for all.
    components: str = ""
    # Identifies the calendar or address book in push messages.
    push_topic: str = ""
    # Of an address book that a client made: the last segment of its path.
    book_name: str = ""
    # The elements that clients of the user have set on the calendar or address book, by name.
    stored: Mapping[str, str] = {}

    @property
    def user(self) -> Actor:
        assert self.actor
        return self.actor

    @property
    def own_calendar(self) -> Calendar:
        assert self.calendar
        return self.calendar


Writer = Callable[[Subject], str | None]


def dav(name: str) -> str:
    return f"{{{DAV}}}{name}"


def caldav(name: str) -> str:
    return f"{{{CALDAV}}}{name}"


def carddav(name: str) -> str:
    return f"{{{CARDDAV}}}{name}"


def write_principal(subject: Subject) -> str:
    """The principal of the actor; guests have none (RFC 5397)."""
    if subject.actor is None:
        return "<D:unauthenticated/>"
    return href(paths.principal(subject.user.id))


def write_owner(subject: Subject) -> str:
    """The owner is a principal that only they can open: others learn that it is not theirs."""
    owner_id = subject.calendar.owner_id if subject.calendar else subject.user.id
    return href(paths.principal(owner_id))


def _display_name(subject: Subject) -> str | None:
    if subject.calendar and subject.kind != "birthdays":
        name = subject.calendar.name
        return escape(name if subject.calendar.role == "owner" else f"{name} ({subject.calendar.owner_name})")
    if subject.kind == "birthdays":
        return escape(subject.own_calendar.name)
    if subject.kind == "book":
        return escape(subject.book_name or book_name(subject.ctx))
    return escape(subject.user.display_name) if subject.kind == "principal" else None


def _resource_type(subject: Subject) -> str:
    types: dict[Kind, str] = {
        "principal": "<D:principal/>",
        "calendar": "<D:collection/><C:calendar/>",
        "public": "<D:collection/><C:calendar/>",
        "birthdays": "<D:collection/><C:calendar/>",
        "book": "<D:collection/><CR:addressbook/>",
        "inbox": "<D:collection/><C:schedule-inbox/>",
        "outbox": "<D:collection/><C:schedule-outbox/>",
    }
    return types.get(subject.kind, "<D:collection/>")


def write_privileges(subject: Subject) -> str:
    """What the actor may do: a client offers no more than this."""
    names = list(READ_PRIVILEGES)
    if subject.calendar:
        names += WRITE_PRIVILEGES if policy.can_edit(subject.calendar) else ()
    else:
        names += PRIVILEGES.get(subject.kind, ())
    privileges = [f"<D:{name}/>" for name in names] + [f"<C:{name}/>" for name in SCHEDULING_PRIVILEGES.get(subject.kind, ())]
    return "".join(f"<D:privilege>{privilege}</D:privilege>" for privilege in privileges)


def _reports(subject: Subject) -> str:
    names = REPORTS.get(subject.kind, ())
    return "".join(f"<D:supported-report><D:report><{name}/></D:report></D:supported-report>" for name in names)


def _addresses(subject: Subject) -> str:
    return href(f"mailto:{subject.user.email_address}") + write_principal(subject)


def _time_zone(subject: Subject) -> str:
    year = datetimes.to_local(subject.ctx.now, "UTC").year
    return escape(ical.join_file([], {subject.own_calendar.time_zone: {year}}, method="").decode())


def _ctag(subject: Subject) -> str:
    is_known = subject.ctag or subject.calendar is None
    return subject.ctag if is_known else f"{subject.own_calendar.id}-{subject.own_calendar.revision}"


def _default_calendar(subject: Subject) -> str:
    return href(paths.calendar(subject.user.id, str(policy.primary_calendar(subject.ctx).id)))


def _transparency(subject: Subject) -> str | None:
    """Whether the calendar makes its owner busy, unless a client has said so."""
    return None if TRANSPARENCY in subject.stored else "<C:opaque/>"


def _push_transports(subject: Subject) -> str | None:
    if not web_push.is_on(subject.ctx.settings):
        return None
    key = web_push.public_key(subject.ctx.settings)
    return f'<P:web-push><P:vapid-public-key type="p256ecdsa">{key}</P:vapid-public-key></P:web-push>'


def _push_topic(subject: Subject) -> str | None:
    return subject.push_topic if web_push.is_on(subject.ctx.settings) else None


def _push_triggers(subject: Subject) -> str | None:
    triggers = "<P:content-update><D:depth>1</D:depth></P:content-update>"
    return triggers if web_push.is_on(subject.ctx.settings) else None


def _constant(value: str) -> Writer:
    return lambda subject: value


def _components(subject: Subject) -> str:
    names = subject.components.split(",") if subject.components else COMPONENTS
    return "".join(f'<C:comp name="{name}"/>' for name in names)


RESOURCE_TYPE, NAME, COLOR = dav("resourcetype"), dav("displayname"), f"{{{APPLE}}}calendar-color"
DESCRIPTION, COMPONENT_SET = caldav("calendar-description"), caldav("supported-calendar-component-set")
ZONE, ZONE_ID, HOME = caldav("calendar-timezone"), caldav("calendar-timezone-id"), caldav("calendar-home-set")

TRANSPARENCY, SCHEDULE_TAG = caldav("schedule-calendar-transp"), caldav("schedule-tag")
SYNC_TOKEN = dav("sync-token")

ALL: tuple[Kind, ...] = ("root", "users", "principal", "home", "calendar", "books", "book", "inbox", "outbox", "birthdays")
USER: tuple[Kind, ...] = ("root", "principal", "home", "books")
OWNED: tuple[Kind, ...] = ("principal", "home", "calendar", "books", "book", "inbox", "outbox", "birthdays")
COLLECTION: tuple[Kind, ...] = ("calendar", "book")
ONE: tuple[Kind, ...] = ("calendar",)
# Calendars of members, and public ones for guests.
EACH: tuple[Kind, ...] = ("calendar", "public", "birthdays")
BOOK: tuple[Kind, ...] = ("book",)

# Each property with the kinds that have it. Resources in calendars are written by `listing`, since there are many of them.
PROPERTIES: dict[str, tuple[tuple[Kind, ...], Writer]] = {
    RESOURCE_TYPE: ((*ALL, "public"), _resource_type),
    NAME: (("principal", "calendar", "public", "book", "birthdays"), _display_name),
    dav("current-user-principal"): ((*ALL, "public"), write_principal),
    dav("principal-URL"): (("principal",), write_principal),
    dav("owner"): (OWNED, write_owner),
    dav("principal-collection-set"): (ALL, _constant(href(f"{paths.ROOT}/users/"))),
    dav("current-user-privilege-set"): ((*OWNED, "public"), write_privileges),
    dav("supported-report-set"): ((*ALL, "public"), _reports),
    SYNC_TOKEN: ((*COLLECTION, "birthdays"), lambda subject: escape(subject.sync_token)),
    HOME: (USER, lambda subject: href(paths.home(subject.user.id))),
    caldav("calendar-user-address-set"): (("principal",), _addresses),
    caldav("calendar-user-type"): (("principal",), _constant("INDIVIDUAL")),
    caldav("schedule-inbox-URL"): (("principal",), lambda subject: href(paths.inbox(subject.user.id))),
    caldav("schedule-outbox-URL"): (("principal",), lambda subject: href(paths.outbox(subject.user.id))),
    caldav("schedule-default-calendar-URL"): (("inbox",), _default_calendar),
    TRANSPARENCY: (ONE, _transparency),
    caldav("max-attendees-per-instance"): (ONE, _constant(str(MAX_AT_ONCE))),
    DESCRIPTION: (EACH, lambda subject: escape(subject.own_calendar.description or "")),
    ZONE: (EACH, _time_zone),
    ZONE_ID: (EACH, lambda subject: escape(subject.own_calendar.time_zone)),
    COMPONENT_SET: (EACH, _components),
    caldav("supported-calendar-data"): (EACH, _constant('<C:calendar-data content-type="text/calendar" version="2.0"/>')),
    caldav("supported-collation-set"): (
        EACH,
        _constant("".join(f"<C:supported-collation>{name}</C:supported-collation>" for name in ("i;ascii-casemap", "i;octet"))),
    ),
    caldav("max-resource-size"): (ONE, _constant(str(BODY_LIMIT))),
    caldav("max-instances"): (ONE, _constant(str(MAX_EVENTS))),
    f"{{{CALENDAR_SERVER}}}getctag": ((*COLLECTION, "public", "birthdays"), _ctag),
    COLOR: (EACH, lambda subject: escape(subject.own_calendar.color)),
    carddav("addressbook-home-set"): (USER, lambda subject: href(paths.books(subject.user.id))),
    carddav("supported-address-data"): (BOOK, _constant(CARD_VERSIONS)),
    carddav("supported-collation-set"): (
        BOOK,
        _constant("".join(f"<CR:supported-collation>{name}</CR:supported-collation>" for name in CARD_COLLATIONS)),
    ),
    carddav("max-resource-size"): (BOOK, _constant(str(BODY_LIMIT))),
    f"{{{PUSH}}}transports": (COLLECTION, _push_transports),
    f"{{{PUSH}}}topic": (COLLECTION, _push_topic),
    f"{{{PUSH}}}supported-triggers": (COLLECTION, _push_triggers),
    dav("getcontenttype"): (EACH, _constant("text/calendar")),
    dav("creationdate"): (EACH, lambda subject: timestamps.format_utc(subject.own_calendar.created_at)),
    dav("getlastmodified"): (ONE, lambda subject: timestamps.format_http_date(subject.own_calendar.changed_at)),
}

# What allprop leaves out (RFC 4791 and RFC 6578 say so of their properties): names of RFC 4918 alone.
IN_ALLPROP = tuple(dav(name) for name in ("resourcetype", "displayname", "getcontenttype", "creationdate", "getlastmodified"))


_SETTABLE = {NAME, DESCRIPTION, COLOR, ZONE, ZONE_ID, TRANSPARENCY}
_OF_RESOURCES = [dav(name) for name in ("getetag", "getcontentlength", "lockdiscovery", "supportedlock")]
_OF_RESOURCES += [caldav("calendar-data"), SCHEDULE_TAG]
PROTECTED = frozenset([*(name for name in PROPERTIES if name not in _SETTABLE), *_OF_RESOURCES])


def describe(subject: Subject, path: str, names: list[str], *, is_brief: bool = False) -> Response:
    """The properties of these names, live ones and those that a client has set."""
    elements: list[str] = []
    missing: list[str] = []
    for name in names:
        kinds, write = PROPERTIES.get(name, ((), None))
        value = write(subject) if write and subject.kind in kinds else None
        stored = subject.stored.get(name)
        if name == COLOR and subject.calendar and stored == removed_color(subject.calendar):
            value = stored = None
        if stored is not None and (value is None or _overrides(subject, name)):
            elements.append(stored)
        elif value is not None:
            elements.append(name_element(name, value))
        elif not is_brief:
            missing.append(name_element(name))
    return Response(path, "".join(elements), "".join(missing))


def removed_color(calendar: Calendar) -> str:
    """What is kept for a user who has removed the colour: clients see none, until another is chosen here."""
    return f'<removed xmlns="urn:kalends" color="{calendar.color}"/>'


def _overrides(subject: Subject, name: str) -> bool:
    """Whether what the user has set counts more than what the calendar has: for those who do not own it. Owners get their colour as they
    wrote it, by its name or with transparency, until another is chosen here."""
    if subject.kind == "book":
        return name == NAME
    stored = subject.stored[name].lower()
    if name == COLOR and stored.startswith("<removed"):
        return False
    if subject.own_calendar.role != "owner":
        return name in (NAME, DESCRIPTION, COLOR)
    return name == COLOR and (">#" not in stored or subject.own_calendar.color.lower() in stored)


def names_of(kind: Kind) -> list[str]:
    """The names of all properties of a kind."""
    return [name for name, (kinds, _) in PROPERTIES.items() if kind in kinds]

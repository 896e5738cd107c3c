"""The paths of CalDAV and CardDAV: what a path names, and the path of each thing.

Granian decodes a path before anybody sees it, so `%2F` in a name cannot be told from a slash. Calendars and address books have no
folders, so a name is all that follows them."""

import re
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct

Kind = Literal[
    "unknown",
    "well-known",
    "root",
    "users",
    "principal",
    "home",
    "calendar",
    "resource",
    "birthdays",
    "birthday",
    "books",
    "book",
    "card",
    "inbox",
    "message",
    "outbox",
    "push",
    "public",
    "public-resource",
]

# What guests may read without a credential.
PUBLIC: tuple[Kind, ...] = ("public", "public-resource")
# What shows contacts: CardDAV's, and the calendar of their birthdays.
OF_CONTACTS: tuple[Kind, ...] = ("books", "book", "card", "birthdays", "birthday")
# Scheduling's.
SCHEDULING: tuple[Kind, ...] = ("inbox", "message", "outbox")
# The last segment of the path of the calendar of birthdays. No client can make another one of this name.
BIRTHDAYS = "contact_birthdays"
ROOT = "/dav"
# The path of a client that is given a bare host; it has a page, too.
BARE = "/"
# Where clients look for it (RFC 6764); programs of Apple ask for the last one, too.
WELL_KNOWN = ("/.well-known/caldav", "/.well-known/carddav", "/principals")
MAX_NAME_OCTETS = 255
MAX_DIGITS = 18
# The address book that each user has. Others are made by clients.
BOOK = "contacts"
# A home, what it holds, and what that holds.
_FOLDERS: dict[str, tuple[Kind, Kind, Kind]] = {"calendars": ("home", "calendar", "resource"), "books": ("books", "book", "card")}

# Characters that RFC 3986 has in a segment as they are: each name has one spelling in our replies.
_PLAIN = "@:!$&'()*+,;="
# A path that has one spelling.
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9_.-][A-Za-z0-9_./-]*")


class Target(Struct, frozen=True):
    """What a path names: a resource by its calendar or address book and its name there, these by the home of a user."""

    kind: Kind
    user_id: int = 0
    slug: str = ""
    name: str = ""

    @property
    def calendar_id(self) -> int | None:
        """The id of the calendar, if the path has it instead of a name that a client chose."""
        return int(self.slug) if _is_number(self.slug) else None


UNKNOWN = Target("unknown")


def parse(path: str) -> Target:
    """What a decoded path names; slashes at its ends mean nothing."""
    path = "/" + path.strip("/")
    if path in WELL_KNOWN:
        return Target("well-known")
    if path in (BARE, ROOT):
        return Target("root")
    first, _, rest = path.removeprefix(f"{ROOT}/").partition("/")
    if not path.startswith(f"{ROOT}/") or first not in ("users", "public"):
        return UNKNOWN
    if first == "public":
        return _parse_public(rest)
    number, _, rest = rest.partition("/")
    if not number:
        return Target("users")
    if not _is_number(number):
        return UNKNOWN
    user_id = int(number)
    folder, _, rest = rest.partition("/")
    if folder in ("inbox", "outbox"):
        return _parse_mailbox(folder, user_id, rest)
    if folder == "push":
        return Target("push", user_id, name=rest) if _is_number(rest) else UNKNOWN
    if folder not in _FOLDERS:
        return UNKNOWN if folder else Target("principal", user_id)
    home_kind, collection_kind, resource_kind = _FOLDERS[folder]
    slug, _, name = rest.partition("/")
    if not slug:
        return Target(home_kind, user_id)
    if not _is_name(slug) or (name and not _is_name(name)):
        return UNKNOWN
    if folder == "calendars" and slug == BIRTHDAYS:
        return Target("birthday" if name else "birthdays", user_id, slug, name)
    return Target(resource_kind, user_id, slug, name) if name else Target(collection_kind, user_id, slug)


def _parse_mailbox(folder: str, user_id: int, name: str) -> Target:
    if not name:
        return Target("inbox" if folder == "inbox" else "outbox", user_id)
    return Target("message", user_id, name=name) if folder == "inbox" and _is_name(name) else UNKNOWN


def _parse_public(path: str) -> Target:
    """A public calendar by its id, or what is in it."""
    slug, _, name = path.partition("/")
    if Target("public", slug=slug).calendar_id is None or (name and not _is_name(name)):
        return UNKNOWN
    return Target("public-resource", slug=slug, name=name) if name else Target("public", slug=slug)


def parse_href(href: str) -> Target:
    """What an href of a client names: a path or a whole URL, in any spelling."""
    if _PLAIN_PATH.fullmatch(href):
        return parse(href)
    try:
        return parse(unquote(urlsplit(href.strip()).path, errors="strict"))
    except ValueError:
        return UNKNOWN


def principal(user_id: int) -> str:
    return f"{ROOT}/users/{user_id}/"


def home(user_id: int) -> str:
    return f"{ROOT}/users/{user_id}/calendars/"


def calendar(user_id: int, slug: str) -> str:
    return f"{home(user_id)}{quote(slug, safe=_PLAIN)}/"


def public(calendar_id: int) -> str:
    return f"{ROOT}/public/{calendar_id}/"


def inbox(user_id: int) -> str:
    return f"{ROOT}/users/{user_id}/inbox/"


def outbox(user_id: int) -> str:
    return f"{ROOT}/users/{user_id}/outbox/"


def push(user_id: int, subscription_id: int) -> str:
    return f"{ROOT}/users/{user_id}/push/{subscription_id}"


def books(user_id: int) -> str:
    return f"{ROOT}/users/{user_id}/books/"


def book(user_id: int, slug: str) -> str:
    return f"{books(user_id)}{quote(slug, safe=_PLAIN)}/"


def quote_name(name: str) -> str:
    """The last segment of the path of a resource."""
    return quote(name, safe=_PLAIN)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


def _is_name(name: str) -> bool:
    """Whether a client may use the name. No database keeps the character 0, and no path has half of a character."""
    try:
        return len(name.encode()) <= MAX_NAME_OCTETS and "\x00" not in name and name not in (".", "..")
    except UnicodeEncodeError:
        return False

"""Entries of address books, independent of the format."""

from msgspec import Struct

from kalends.core.i18n import gettext

MAX_ENTRIES = 20_000
TOO_MANY = gettext("must have at most %(max)s contacts", max=MAX_ENTRIES)


class Entry(Struct, kw_only=True):
    """One person in a file or from a service, before validation."""

    line: int = 0
    first_name: str = ""
    last_name: str = ""
    phone_numbers: list[str] = []
    email_addresses: list[str] = []
    birthday: str = ""
    gender: str = ""
    country: str = ""
    zip_code: str = ""
    tags: list[str] = []
    unique_id: str = ""


def split_full_name(full_name: str) -> tuple[str, str]:
    """First and last name: the last word is the last name, unless it is the only one."""
    first, _, last = full_name.rpartition(" ")
    return (first.strip(), last) if first else (last, "")

"""One person as an address book describes them, whatever its format."""

from msgspec import Struct

MAX_ENTRIES = 20_000
TOO_MANY = f"must have at most {MAX_ENTRIES:,} contacts"


class Entry(Struct, kw_only=True):
    """One person as a file or a service describes them, before anything is checked."""

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


def first_and_last(shown: str) -> tuple[str, str]:
    """A whole name in two: its last word is the last name, unless it is the only one."""
    first, _, last = shown.rpartition(" ")
    return (first.strip(), last) if first else (last, "")

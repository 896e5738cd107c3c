"""What an address book hands us, whatever its format: entries that are read into contacts' fields."""

from msgspec import Struct


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

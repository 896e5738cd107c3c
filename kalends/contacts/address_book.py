"""What an address book hands us, whatever its format: entries that are read into contacts' fields."""

from collections.abc import Iterable
from typing import Any

from kalends import errors
from kalends.contacts import csv_table, vcard
from kalends.contacts.entry import Entry as Entry
from kalends.contacts.model import ContactFields
from kalends.http.input.fields import Field, fields_of
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.tags import readable_tags
from kalends.http.remarks import Remark
from kalends.values import text

# Far more than a person has, so that an entry cannot become a thousand contacts.
MAX_VALUES = 20

_FIELDS: dict[str, Field] = {field.name: field for field in fields_of(ContactFields)}
_GENDERS = {"m": "male", "male": "male", "f": "female", "female": "female"} | dict.fromkeys(["u", "n", "unspecified", "unknown"], "")


def read_file(filename: str, content: bytes) -> list[Entry]:
    """The people in a file that somebody sent: vCards or a table."""
    found, name = text.decode(content), filename.lower()
    try:
        if found.lstrip()[:11].upper() == "BEGIN:VCARD" or name.endswith((".vcf", ".vcard")):
            entries = vcard.read(found)
        elif name.endswith((".csv", ".tsv", ".txt")):
            entries = csv_table.read(found)
        else:
            raise ValueError("must be a .vcf file of vCards or a .csv file")
    except ValueError as error:
        raise errors.invalid("file", str(error), "invalid_format") from None
    if not entries:
        raise errors.invalid("file", "has no contacts in it", "invalid_format")
    return entries


def contacts_of(entry: Entry) -> tuple[list[ContactFields], list[Remark]]:
    """A contact for each address of the entry, of which the first has everything else too; and what cannot be kept."""
    reading = _Reading(entry.line)
    names = {name: reading.value(name, getattr(entry, name)) for name in ("first_name", "last_name")}
    addresses = reading.several("email_address", entry.email_addresses)
    numbers = reading.several("phone_number", entry.phone_numbers)
    first = ContactFields(
        **names,
        email_address=next(iter(addresses), None),
        phone_number=next(iter(numbers), None),
        birthday=reading.birthday(entry.birthday),
        gender=reading.value("gender", _GENDERS.get(entry.gender.strip().lower(), entry.gender)),
        country=reading.value("country", entry.country),
        zip_code=reading.value("zip_code", entry.zip_code),
        tag_list=reading.tags(entry.tags),
        unique_id=reading.value("unique_id", entry.unique_id),
    )
    for number in numbers[1:]:
        reading.remark("phone_number", f"“{number}” was left out: a contact has one number")
    if not (any(names.values()) or addresses or numbers):
        reading.remark("first_name", f"the entry was left out: {ContactFields.OPTIONS.rules['first_name']}")
        return [], reading.remarks
    return [first, *(ContactFields(**names, email_address=address) for address in addresses[1:])], reading.remarks


class _Reading:
    """The values of one entry, read as those that a client sends; what is refused is told, and left out."""

    def __init__(self, line: int):
        self.line = line
        self.remarks: list[Remark] = []

    def remark(self, field: str, message: str) -> None:
        self.remarks.append(Remark(self.line, field, message))

    def value(self, name: str, given: str) -> Any:
        field, spaced = _FIELDS[name], text.replace_control_characters(given)
        if field.is_empty(spaced):
            return None
        try:
            return field.read(spaced)
        except FieldInvalid as bad:
            self.remark(name, f"“{_short(spaced)}” was left out: {bad}")
            return None

    def several(self, name: str, given: list[str]) -> list[str]:
        """The values that can be kept, each once."""
        if len(given) > MAX_VALUES:
            self.remark(name, f"{len(given) - MAX_VALUES:,} were left out: at most {MAX_VALUES} are read")
        kept: dict[str, str] = {}
        for value in filter(None, (self.value(name, value) for value in given[:MAX_VALUES])):
            kept.setdefault(text.fold_case(value), value)
        return list(kept.values())

    def birthday(self, given: str) -> Any:
        if given.startswith("--"):
            self.remark("birthday", f"“{_short(given)}” was left out: it has no year")
            return None
        return self.value("birthday", given)

    def tags(self, given: Iterable[str]) -> str:
        """The tags that can be kept, as one text; of those that cannot, the reason is told."""
        kept, words = readable_tags(text.replace_control_characters(tag) for tag in dict.fromkeys(given))
        for each in words:
            self.remark("tag_list", each)
        return kept


def _short(value: str) -> str:
    return value if len(value) <= 60 else f"{value[:59]}…"

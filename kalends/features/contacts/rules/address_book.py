"""Address book files: detection of the format, and validation of entries as contacts."""

from collections.abc import Iterable
from typing import Any

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values import text
from kalends.features.contacts.model import ContactFields
from kalends.features.contacts.rules import csv_table, vcard
from kalends.features.contacts.rules.entry import Entry as Entry
from kalends.http.csv_file import Remark
from kalends.http.input.fields import Field, fields_of
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.tags import readable_tags

# More than any person has, so that an entry cannot become a thousand contacts.
MAX_VALUES = 20

_FIELDS: dict[str, Field] = {field.name: field for field in fields_of(ContactFields)}
_GENDERS = {"m": "male", "male": "male", "f": "female", "female": "female"} | dict.fromkeys(["u", "n", "unspecified", "unknown"], "")


def read_file(filename: str, content: bytes) -> list[Entry]:
    """Parse an uploaded file of vCards or CSV."""
    document, name = text.decode(content), filename.lower()
    try:
        if document.lstrip()[:11].upper() == "BEGIN:VCARD" or name.endswith((".vcf", ".vcard")):
            entries = vcard.read(document)
        elif name.endswith((".csv", ".tsv", ".txt")):
            entries = csv_table.read(document)
        else:
            raise ValueError(gettext("must be a .vcf file of vCards or a .csv file"))
    except ValueError as error:
        raise errors.invalid("file", error.args[0], "invalid_format") from None
    if not entries:
        raise errors.invalid("file", gettext("contains no contacts"), "invalid_format")
    return entries


def parse_entry(entry: Entry) -> tuple[list[ContactFields], list[Remark]]:
    """A contact for each address of the entry, the first with all other fields; and remarks on omitted values."""
    parser = _EntryParser(entry.line)
    names = {name: parser.value(name, getattr(entry, name)) for name in ("first_name", "last_name")}
    addresses = parser.values("email_address", entry.email_addresses)
    numbers = parser.values("phone_number", entry.phone_numbers)
    first = ContactFields(
        **names,
        email_address=next(iter(addresses), None),
        phone_number=next(iter(numbers), None),
        birthday=parser.birthday(entry.birthday),
        gender=parser.value("gender", _GENDERS.get(entry.gender.strip().lower(), entry.gender)),
        country=parser.value("country", entry.country),
        zip_code=parser.value("zip_code", entry.zip_code),
        tag_list=parser.tags(entry.tags),
        unique_id=parser.value("unique_id", entry.unique_id),
    )
    for number in numbers[1:]:
        parser.remark("phone_number", f"“{number}” was left out: a contact has one number")
    if not (any(names.values()) or addresses or numbers):
        parser.remark("first_name", f"the entry was left out: {ContactFields.OPTIONS.rules['first_name']}")
        return [], parser.remarks
    return [first, *(ContactFields(**names, email_address=address) for address in addresses[1:])], parser.remarks


class _EntryParser:
    """Validates the values of one entry like client input; invalid values are omitted with a remark."""

    def __init__(self, line: int):
        self.line = line
        self.remarks: list[Remark] = []

    def remark(self, field: str, message: str) -> None:
        self.remarks.append(Remark(self.line, field, message))

    def value(self, name: str, raw: str) -> Any:
        field, spaced = _FIELDS[name], text.replace_control_characters(raw)
        if field.is_empty(spaced):
            return None
        try:
            return field.read(spaced)
        except FieldInvalid as bad:
            self.remark(name, f"“{_short(spaced)}” was left out: {bad}")
            return None

    def values(self, name: str, raw: list[str]) -> list[str]:
        """The distinct valid values."""
        if len(raw) > MAX_VALUES:
            self.remark(name, f"{len(raw) - MAX_VALUES:,} were left out: at most {MAX_VALUES} are read")
        distinct: dict[str, str] = {}
        for value in filter(None, (self.value(name, value) for value in raw[:MAX_VALUES])):
            distinct.setdefault(text.fold_case(value), value)
        return list(distinct.values())

    def birthday(self, raw: str) -> Any:
        if raw.startswith("--"):
            self.remark("birthday", f"“{_short(raw)}” was left out: it has no year")
            return None
        return self.value("birthday", raw)

    def tags(self, raw: Iterable[str]) -> str:
        """The valid tags as a tag list; invalid ones get a remark."""
        tag_list, messages = readable_tags(text.replace_control_characters(tag) for tag in dict.fromkeys(raw))
        for message in messages:
            self.remark("tag_list", message)
        return tag_list


def _short(value: str) -> str:
    return value if len(value) <= 60 else f"{value[:59]}…"

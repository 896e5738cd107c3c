"""Contacts as CSV: our own format, and those that Google, Outlook and Yahoo export."""

import csv
import io
import re
from collections.abc import Iterator
from functools import lru_cache

from kalends.core.i18n import gettext
from kalends.core.records.people import Contact
from kalends.features.contacts.rules.entry import MAX_ENTRIES, TOO_MANY, Entry, split_full_name
from kalends.http.csv_file import original

COLUMNS = "first_name last_name phone_number email_address birthday gender country zip_code tag_list unique_id".split()
# Columns that only our own format has.
_OURS = {column for column in COLUMNS if "_" in column}
MAX_COLUMNS, MAX_KNOWN_COLUMNS = 1_000, 100
MAX_COLUMN_NAME = 100

_FIRST, _MIDDLE, _LAST = ("firstname", "givenname", "first"), ("middlename", "additionalname", "middle"), ("lastname", "familyname", "last")
_WHOLE, _COMPANY = ("name", "fullname", "displayname", "fileas"), ("company", "organizationname", "organization1-name")
_TAGS = ("labels", "groupmembership", "categories", "category", "tags")
_TEXT = {*_FIRST, *_MIDDLE, *_LAST, *_WHOLE, *_COMPANY, *_TAGS, "birthday", "gender"}
_BARE_PHONES = {"mobile", "home", "work", "other", "primary", "yahoophone"}
_EMAIL = re.compile(r"(?:alternate)?e-?mail\d{0,3}(?:address|-value)?\d{0,3}", re.ASCII)
_PHONE = re.compile(r"(?:primary|home|work|business|other|car|company|mobile)?(?:tele)?phone\d{0,3}(?:number|-value)?", re.ASCII)
_PLACE = re.compile(r"(home|business|work|other|address\d{1,3}-|)(country(?:/region)?|postalcode|zip|zipcode)", re.ASCII)
_PLACES = ("home", "", "address", "other", "work", "business")
_US_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})", re.ASCII)

_UNDERSTOOD = gettext(
    "must name its columns in the first line: %(columns)s; "
    "or those that Google, Outlook and Yahoo export in English, such as First Name and E-mail Address",
    columns=", ".join(COLUMNS),
)

Row = dict[str, str]


def row(contact: Contact) -> list[str | None]:
    """The contact as a row of our own format."""
    return [getattr(contact, "tags" if column == "tag_list" else column) for column in COLUMNS]


def read(content: str) -> list[Entry]:
    """Parse a CSV file. Raises ValueError with a message for users."""
    rows = _rows(content, _delimiter(content))
    names = [_key(cell) for cell in next(rows)[1]]
    parse_row = _own_entry if _OURS & set(names) else _parse_entry
    entries: list[Entry] = []
    for line, cells in rows:
        record: Row = {}
        for name, cell in zip(names, cells, strict=False):
            if cell.strip():
                record.setdefault(name, cell)
        entries.append(parse_row(line, record))
        if len(entries) > MAX_ENTRIES:
            raise ValueError(TOO_MANY)
    return entries


def _delimiter(content: str) -> str:
    """The delimiter with which most columns have a known name."""
    best_count, best = 0, ""
    for delimiter in (",", ";", "\t"):
        header = next(_rows(content, delimiter), (0, []))[1]
        known = sum(bool(_kind(_key(cell))) for cell in header[:MAX_COLUMNS])
        if len(header) > MAX_COLUMNS or known > MAX_KNOWN_COLUMNS:
            raise ValueError(gettext("has more columns than any address book"))
        if known > best_count:
            best_count, best = known, delimiter
    if not best_count:
        raise ValueError(_UNDERSTOOD)
    return best


def _rows(content: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, with their first line numbers."""
    reader = csv.reader(io.StringIO(content.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
    line = 1
    try:
        for cells in reader:
            if cells and any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error:
        raise ValueError(gettext("cannot be read from line %(line)s on; maybe a quotation mark is missing there", line=str(line))) from None


def _key(cell: str) -> str:
    return "".join(cell[:MAX_COLUMN_NAME].lower().split())


@lru_cache(maxsize=MAX_COLUMNS)
def _kind(name: str) -> str:
    """The kind of a column by its name, or "" if it is unknown."""
    if name in _BARE_PHONES or _PHONE.fullmatch(name):
        return "phone"
    if _EMAIL.fullmatch(name):
        return "email"
    if _PLACE.fullmatch(name):
        return "place"
    return "text" if name in _TEXT or name in COLUMNS else ""


def _own_entry(line: int, record: Row) -> Entry:
    value = {name: original(cell) for name, cell in record.items()}
    return Entry(
        line=line,
        phone_numbers=[value["phone_number"]] if "phone_number" in value else [],
        email_addresses=[value["email_address"]] if "email_address" in value else [],
        tags=value.get("tag_list", "").split(","),
        **{name: value.get(name, "") for name in ("first_name", "last_name", "birthday", "gender", "country", "zip_code", "unique_id")},
    )


def _parse_entry(line: int, record: Row) -> Entry:
    email_addresses = _email_addresses(record)
    first_name, last_name = _name(record, email_addresses)
    zip_code, country = _place(record)
    return Entry(
        line=line,
        first_name=first_name,
        last_name=last_name,
        phone_numbers=_phone_numbers(record),
        email_addresses=email_addresses,
        birthday=_birthday(record.get("birthday", "").strip()),
        gender=record.get("gender", "").strip(),
        country=country,
        zip_code=zip_code,
        tags=_tags(record),
    )


def _name(record: Row, email_addresses: list[str]) -> tuple[str, str]:
    first = " ".join(filter(None, (_first_value(record, _FIRST), _first_value(record, _MIDDLE))))
    last = _first_value(record, _LAST)
    if first or last:
        return first, last
    whole = _first_value(record, _WHOLE)
    if whole and whole not in email_addresses:
        return split_full_name(whole)
    return _first_value(record, _COMPANY), ""


def _email_addresses(record: Row) -> list[str]:
    """The addresses, the preferred one first, which Google marks with a star."""
    columns = [name for name in record if _kind(name) == "email"]
    columns.sort(key=lambda name: not _label(record, name).startswith("*"))
    return [value for name in columns for value in _split_cell(record[name])]


def _phone_numbers(record: Row) -> list[str]:
    """The phone numbers: mobile phones first, faxes last."""
    columns = [name for name in record if _kind(name) == "phone"]
    columns.sort(key=lambda name: ("mobile" not in name + _label(record, name), "fax" in _label(record, name)))
    return [value for name in columns for value in _split_cell(record[name])]


def _label(record: Row, name: str) -> str:
    """Google's label of a value: home, work, mobile…"""
    stem = name.removesuffix("value")
    return (record.get(f"{stem}label") or record.get(f"{stem}type") or "").strip().lower()


def _place(record: Row) -> tuple[str, str]:
    """Postal code and country, of the home address if there are several."""
    places: dict[str, dict[str, str]] = {}
    for name, cell in record.items():
        if _kind(name) == "place" and (match := _PLACE.fullmatch(name)):
            places.setdefault(match[1], {})["country" if match[2].startswith("country") else "zip_code"] = _split_cell(cell)[0]
    for which in sorted(places, key=lambda which: _PLACES.index(which.rstrip("0123456789-"))):
        return places[which].get("zip_code", ""), places[which].get("country", "")
    return "", ""


def _tags(record: Row) -> list[str]:
    """The tags, without Google's group of all contacts; Google marks predefined groups with a star."""
    tags = [tag.strip() for name in _TAGS for tag in re.split(":::|;|,", record.get(name, ""))]
    return [tag.removeprefix("* ") for tag in tags if tag and tag.replace(" ", "").lower() != "*mycontacts"]


def _birthday(value: str) -> str:
    """The birthday in ISO format; Outlook writes the month first, and zeros for none."""
    if re.fullmatch("[0/]+", value):
        return ""
    match = _US_DATE.fullmatch(value)
    if match is None or int(match[1]) > 12:
        return value
    return f"{match[3]}-{int(match[1]):02}-{int(match[2]):02}"


def _first_value(record: Row, names: tuple[str, ...]) -> str:
    return next((record[name].strip() for name in names if name in record), "")


def _split_cell(cell: str) -> list[str]:
    """The values in a cell; Google joins several with `:::`."""
    return [value.strip() for value in cell.split(":::") if value.strip()] or [""]

"""Contacts as a table: our own, and those that Google, Outlook and Yahoo export."""

import csv
import io
import re
from collections.abc import Iterator
from functools import lru_cache

from kalends.contacts.entry import MAX_ENTRIES, TOO_MANY, Entry, first_and_last
from kalends.contacts.model import Contact
from kalends.http.csv_file import original

COLUMNS = "first_name last_name phone_number email_address birthday gender country zip_code tag_list unique_id".split()
# Those that no other program's table has.
_OURS = {column for column in COLUMNS if "_" in column}
MOST_COLUMNS, MOST_KNOWN = 1_000, 100
MOST_IN_A_NAME = 100

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

_UNDERSTOOD = (
    f"must name its columns in the first line: {', '.join(COLUMNS)}; "
    "or those that Google, Outlook and Yahoo export in English, such as First Name and E-mail Address"
)

Row = dict[str, str]


def row(contact: Contact) -> list[str | None]:
    """The contact as a row of our own table."""
    return [getattr(contact, "tags" if column == "tag_list" else column) for column in COLUMNS]


def read(content: str) -> list[Entry]:
    """The people in a table. Raises ValueError with words for people."""
    rows = _rows(content, _delimiter(content))
    names = [_key(cell) for cell in next(rows)[1]]
    read_row = _our_entry if _OURS & set(names) else _entry
    entries: list[Entry] = []
    for line, cells in rows:
        given: Row = {}
        for name, cell in zip(names, cells, strict=False):
            if cell.strip():
                given.setdefault(name, cell)
        entries.append(read_row(line, given))
        if len(entries) > MAX_ENTRIES:
            raise ValueError(TOO_MANY)
    return entries


def _delimiter(content: str) -> str:
    """What parts the cells: that with which most columns have a name that is understood."""
    most, best = 0, ""
    for delimiter in (",", ";", "\t"):
        header = next(_rows(content, delimiter), (0, []))[1]
        known = sum(bool(_kind(_key(cell))) for cell in header[:MOST_COLUMNS])
        if len(header) > MOST_COLUMNS or known > MOST_KNOWN:
            raise ValueError("has more columns than any address book")
        if known > most:
            most, best = known, delimiter
    if not most:
        raise ValueError(_UNDERSTOOD)
    return best


def _rows(content: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not empty, with the number of its first line."""
    reader = csv.reader(io.StringIO(content.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
    line = 1
    try:
        for cells in reader:
            if cells and any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error:
        raise ValueError(f"cannot be read from line {line} on; maybe a quotation mark is missing there") from None


def _key(cell: str) -> str:
    return "".join(cell[:MOST_IN_A_NAME].lower().split())


@lru_cache(maxsize=MOST_COLUMNS)
def _kind(name: str) -> str:
    """What a column holds, or nothing if it is not understood."""
    if name in _BARE_PHONES or _PHONE.fullmatch(name):
        return "phone"
    if _EMAIL.fullmatch(name):
        return "email"
    if _PLACE.fullmatch(name):
        return "place"
    return "text" if name in _TEXT or name in COLUMNS else ""


def _our_entry(line: int, given: Row) -> Entry:
    value = {name: original(cell) for name, cell in given.items()}
    return Entry(
        line=line,
        phone_numbers=[value["phone_number"]] if "phone_number" in value else [],
        email_addresses=[value["email_address"]] if "email_address" in value else [],
        tags=value.get("tag_list", "").split(","),
        **{name: value.get(name, "") for name in ("first_name", "last_name", "birthday", "gender", "country", "zip_code", "unique_id")},
    )


def _entry(line: int, given: Row) -> Entry:
    email_addresses = _email_addresses(given)
    first_name, last_name = _name(given, email_addresses)
    zip_code, country = _place(given)
    return Entry(
        line=line,
        first_name=first_name,
        last_name=last_name,
        phone_numbers=_phone_numbers(given),
        email_addresses=email_addresses,
        birthday=_birthday(given.get("birthday", "").strip()),
        gender=given.get("gender", "").strip(),
        country=country,
        zip_code=zip_code,
        tags=_tags(given),
    )


def _name(given: Row, email_addresses: list[str]) -> tuple[str, str]:
    first = " ".join(filter(None, (_one(given, _FIRST), _one(given, _MIDDLE))))
    last = _one(given, _LAST)
    if first or last:
        return first, last
    whole = _one(given, _WHOLE)
    if whole and whole not in email_addresses:
        return first_and_last(whole)
    return _one(given, _COMPANY), ""


def _email_addresses(given: Row) -> list[str]:
    """Google marks the one that is preferred with a star."""
    columns = [name for name in given if _kind(name) == "email"]
    columns.sort(key=lambda name: not _label(given, name).startswith("*"))
    return [value for name in columns for value in _several(given[name])]


def _phone_numbers(given: Row) -> list[str]:
    """A mobile phone comes first, a fax last."""
    columns = [name for name in given if _kind(name) == "phone"]
    columns.sort(key=lambda name: ("mobile" not in name + _label(given, name), "fax" in _label(given, name)))
    return [value for name in columns for value in _several(given[name])]


def _label(given: Row, name: str) -> str:
    """What Google says beside a value: home, work, mobile…"""
    stem = name.removesuffix("value")
    return (given.get(f"{stem}label") or given.get(f"{stem}type") or "").strip().lower()


def _place(given: Row) -> tuple[str, str]:
    """Postal code and country, of the address at home if there are several."""
    places: dict[str, dict[str, str]] = {}
    for name, cell in given.items():
        if _kind(name) == "place" and (found := _PLACE.fullmatch(name)):
            places.setdefault(found[1], {})["country" if found[2].startswith("country") else "zip_code"] = _several(cell)[0]
    for which in sorted(places, key=lambda which: _PLACES.index(which.rstrip("0123456789-"))):
        return places[which].get("zip_code", ""), places[which].get("country", "")
    return "", ""


def _tags(given: Row) -> list[str]:
    """Google puts a star before the groups that everybody has, of which one holds all contacts."""
    tags = [tag.strip() for name in _TAGS for tag in re.split(":::|;|,", given.get(name, ""))]
    return [tag.removeprefix("* ") for tag in tags if tag and tag.replace(" ", "").lower() != "*mycontacts"]


def _birthday(value: str) -> str:
    """Outlook writes the month first, and zeros for none."""
    if re.fullmatch("[0/]+", value):
        return ""
    found = _US_DATE.fullmatch(value)
    if found is None or int(found[1]) > 12:
        return value
    return f"{found[3]}-{int(found[1]):02}-{int(found[2]):02}"


def _one(given: Row, names: tuple[str, ...]) -> str:
    return next((given[name].strip() for name in names if name in given), "")


def _several(cell: str) -> list[str]:
    """The values in a cell, of which Google joins several."""
    return [value.strip() for value in cell.split(":::") if value.strip()] or [""]

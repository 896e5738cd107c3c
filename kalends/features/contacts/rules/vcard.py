"""vCard: reads versions 2.1, 3.0 and 4.0, and writes 3.0, which every program understands."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from kalends.core.i18n import gettext
from kalends.core.records.people import Contact
from kalends.features.contacts.rules.entry import MAX_ENTRIES, TOO_MANY, Entry, split_full_name
from kalends.ical.lines import Property, escape, fold, parse_property, split_escaped, unfold

# More than any real card has, to bound the work for hostile files.
MAX_PROPERTIES = 1_000

_PROPERTIES = set("VERSION KIND X-ADDRESSBOOKSERVER-KIND N FN ORG EMAIL TEL BDAY GENDER X-GENDER ADR CATEGORIES UID".split())
_NAME = re.compile(r"(?:[\w-]{1,100}\.)?([\w-]{1,100})(?=[;:])", re.ASCII)
_MOBILE, _LAST = {"CELL", "MOBILE", "IPHONE"}, {"FAX", "PAGER"}

Card = dict[str, list[Property]]


def read(content: str) -> list[Entry]:
    """Parse a file of vCards, without the cards of groups. Raises ValueError with a message for users."""
    entries: list[Entry] = []
    for line, card in _cards(content):
        if _text(card, "KIND", "X-ADDRESSBOOKSERVER-KIND").lower() == "group":
            continue
        entries.append(_parse_entry(line, card))
        if len(entries) > MAX_ENTRIES:
            raise ValueError(TOO_MANY)
    return entries


def write(contacts: Iterable[Contact]) -> str:
    """The contacts as a file, which `read` parses without loss."""
    return "".join(fold(line) for contact in contacts for line in _card_lines(contact, contact.unique_id))


def write_card(contact: Contact, uid: str) -> str:
    """The card of one contact; `uid` is its UID if it has no unique_id."""
    return "".join(fold(line) for line in _card_lines(contact, contact.unique_id or uid))


def _cards(content: str) -> Iterator[tuple[int, Card]]:
    """The cards with their first line numbers. Nested cards of agents are skipped."""
    begin, depth, before = 0, 0, ""
    card: Card = {}
    for number, line in unfold(content):
        match = _NAME.match(line)
        if match is None:
            continue
        name = match[1].upper()
        is_card = name in ("BEGIN", "END") and line[match.end() + 1 :].strip().upper() == "VCARD"
        if is_card and name == "END":
            if depth == 1:
                yield begin, card
            depth = max(0, depth - 1)
        elif is_card and depth and before == "AGENT":
            depth += 1
        elif is_card:
            if depth:
                yield begin, card
            begin, depth, card = number, 1, {}
        elif depth == 1 and name in _PROPERTIES:
            card.setdefault(name, []).append(parse_property(number, line))
            if len(card[name]) > MAX_PROPERTIES:
                raise ValueError(
                    gettext(
                        "the card that begins in line %(line)s has %(name)s more than %(max)s times",
                        line=str(begin),
                        name=name,
                        max=MAX_PROPERTIES,
                    )
                )
        before = name
    if depth:
        raise ValueError(gettext("the card that begins in line %(line)s has no END:VCARD; the file looks cut off", line=str(begin)))


def _parse_entry(line: int, card: Card) -> Entry:
    phone_numbers, email_addresses = _phone_numbers(card), _email_addresses(card)
    first_name, last_name = _name(card, {*phone_numbers, *email_addresses})
    zip_code, country = _address(card)
    return Entry(
        line=line,
        first_name=first_name,
        last_name=last_name,
        phone_numbers=phone_numbers,
        email_addresses=email_addresses,
        birthday=_birthday(card),
        gender=_gender(card),
        country=country,
        zip_code=zip_code,
        tags=[tag for item in card.get("CATEGORIES", []) for tag in split_escaped(item.value, ",") if tag],
        unique_id=_text(card, "UID"),
    )


def _name(card: Card, addresses: set[str]) -> tuple[str, str]:
    """First and last name. Some cards have only FN, which may be an address or number instead of a name."""
    for item in card.get("N", []):
        last, first, middle = item.parts(3)
        if first or middle or last:
            return " ".join(filter(None, (first, middle))), last
    full_name = _text(card, "FN")
    if full_name in addresses:
        return "", ""
    if full_name in [item.parts(1)[0] for item in card.get("ORG", [])]:
        return full_name, ""
    return split_full_name(full_name)


def _phone_numbers(card: Card) -> list[str]:
    """The phone numbers: mobile phones first, faxes last."""
    items = sorted(card.get("TEL", []), key=lambda item: (not item.types & _MOBILE, bool(item.types & _LAST), item.preference))
    is_new = _text(card, "VERSION") == "4.0"
    return _distinct(_telephone(item.text) if is_new or item.parameters.get("VALUE") == "URI" else item.text for item in items)


def _telephone(uri: str) -> str:
    number = _without(uri, "tel:")
    return number if number == uri else number.split(";")[0]


def _email_addresses(card: Card) -> list[str]:
    items = sorted(card.get("EMAIL", []), key=lambda item: item.preference)
    return _distinct(_without(item.text, "mailto:") for item in items)


def _birthday(card: Card) -> str:
    for item in card.get("BDAY", []):
        omitted = item.parameters.get("X-APPLE-OMIT-YEAR")
        return f"-{item.text.removeprefix(omitted)}" if omitted and item.text.startswith(omitted) else item.text
    return ""


def _gender(card: Card) -> str:
    for item in [*card.get("GENDER", []), *card.get("X-GENDER", [])]:
        return item.parts(1)[0]
    return ""


def _address(card: Card) -> tuple[str, str]:
    """Postal code and country, of the home address if there are several."""
    items = sorted(card.get("ADR", []), key=lambda item: ("HOME" not in item.types, item.preference))
    for item in items:
        zip_code, country = item.parts(7)[5:]
        if zip_code or country:
            return zip_code, country
    return "", ""


def _text(card: Card, *names: str) -> str:
    return next((item.text for name in names for item in card.get(name, [])), "")


def _distinct(values: Iterable[str]) -> list[str]:
    return [value for value in dict.fromkeys(values) if value]


def _without(value: str, scheme: str) -> str:
    return value[len(scheme) :] if value[: len(scheme)].lower() == scheme else value


def _card_lines(contact: Contact, uid: str | None) -> Iterator[str]:
    first_name, last_name = contact.first_name or "", contact.last_name or ""
    full_name = " ".join(filter(None, (first_name, last_name))) or contact.email_address or contact.phone_number or ""
    yield from ("BEGIN:VCARD", "VERSION:3.0", f"N:{escape(last_name)};{escape(first_name)};;;", f"FN:{escape(full_name)}")
    if contact.email_address:
        yield f"EMAIL;TYPE=INTERNET:{escape(contact.email_address)}"
    if contact.phone_number:
        yield f"TEL;TYPE=CELL:{escape(contact.phone_number)}"
    if contact.birthday:
        yield f"BDAY:{contact.birthday}"
    if contact.gender:
        yield f"X-GENDER:{contact.gender.capitalize()}"
    if contact.zip_code or contact.country:
        yield f"ADR;TYPE=HOME:;;;;;{escape(contact.zip_code or '')};{escape(contact.country or '')}"
    if contact.tags:
        yield "CATEGORIES:" + ",".join(escape(tag) for tag in contact.tags.split(","))
    if uid:
        yield f"UID:{escape(uid)}"
    yield f"REV:{datetime.fromtimestamp(contact.updated_at, UTC):%Y-%m-%dT%H:%M:%SZ}"
    yield "END:VCARD"

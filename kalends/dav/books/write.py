"""PUT and DELETE of cards. The file is kept byte for byte; what a contact can have of it is written to the contact."""

import re
import zlib
from itertools import islice

from msgspec import json, structs

from kalends import policy
from kalends.core.records.people import Contact
from kalends.dav import paths
from kalends.dav.books import cards, store
from kalends.dav.books.book_store import PRIMARY, Book
from kalends.dav.books.cards import DERIVED_NAME, Card
from kalends.dav.books.propfind import require_book, require_card
from kalends.dav.books.text import derived_uid
from kalends.dav.calendars.write import require_match
from kalends.dav.call import Call, DavReply
from kalends.dav.properties import carddav
from kalends.dav.xml import DavError, href
from kalends.features.contacts import present
from kalends.features.contacts import store as contact_store
from kalends.features.contacts.model import ContactFields
from kalends.features.contacts.rules import address_book, vcard
from kalends.http.context import Context
from kalends.ical.lines import parse_property
from kalends.ical.raw_lines import Line, split_lines
from kalends.policy import quotas

TYPES = ("text/vcard", "text/x-vcard", "text/directory", "")
MAX_UID = 1_000
# A group has a line for each member.
MAX_LINES = 10_000
# More than any person has: a longer card is kept as a file alone, since each reading of a changed contact merges it.
MAX_CONTACT_LINES = 1_000
# As many as a unique_id may have.
MAX_UNIQUE_ID = 200


def put(call: Call) -> DavReply:
    """Create or replace a card."""
    with call.ctx.read():
        require_book(call)
    # Outside of the write transaction, because it may take a while and others want to write.
    _require_type(call.headers.get("content-type", ""))
    text = _decode(call.body)
    lines = list(islice((line for line in split_lines(text) if line.text.strip()), MAX_LINES + 1))
    uid = _require_card(text, lines)
    fields = read_fields(text) if len(lines) <= MAX_CONTACT_LINES else None
    with call.ctx.write():
        return _write(call, uid, fields, zlib.compress(call.body, 1))


def _write(call: Call, uid: str, fields: ContactFields | None, original: bytes) -> DavReply:
    name, ctx = call.target.name, call.ctx
    contact_store.lock(ctx)
    book = require_book(call)
    card = cards.find(ctx, book.id, name)
    require_match(call, card)
    if card is None and book.id == PRIMARY:
        require_name(name)
    written = save(ctx, book, name, card, uid, fields, original)
    return DavReply(204 if card else 201, content_type="", headers={"ETag": written.etag})


def save(ctx: Context, book: Book, name: str, card: Card | None, uid: str, fields: ContactFields | None, original: bytes) -> Card:
    """Write the file, and the contact that it becomes, instead of the card that has the name."""
    require_uid(ctx, book, name, uid, card)
    contact = _write_contact(ctx, card, uid, fields) if fields else None
    if contact is None and card and card.row.contact_id is not None:
        # A card that became a group has no contact any more.
        contact_store.delete(ctx, card.row.contact_id)
    quotas.reserve(ctx, policy.user(ctx).id, "contacts", 0, len(original))
    base = json.encode(present.editable(contact)).decode() if contact else ""
    store.upsert(ctx, book.id, name, uid, contact, original, base)
    return require_saved(ctx, book, name)


def require_saved(ctx: Context, book: Book, name: str) -> Card:
    """The card that has just been written."""
    card = cards.find(ctx, book.id, name)
    assert card
    return card


def delete(call: Call) -> DavReply:
    contact_store.lock(call.ctx)
    card = require_card(call)
    require_match(call, card)
    delete_card(call.ctx, card)
    return DavReply(204, content_type="")


def delete_card(ctx: Context, card: Card) -> None:
    """Delete a card, and its contact."""
    if card.row.contact_id is not None:
        contact_store.delete(ctx, card.row.contact_id)
    elif card.row.card_id is not None:
        store.delete(ctx, card.row.card_id)


def require_name(name: str) -> None:
    """Raise an error for a name that a contact has, or will get."""
    if DERIVED_NAME.fullmatch(name):
        raise DavError(403, "Names such as contact-1.vcf are those of contacts that were created here. Choose another name.")


def _require_type(content_type: str) -> None:
    if content_type.partition(";")[0].strip().lower() not in TYPES:
        raise DavError(415, "A card is a vCard: send it as text/vcard.", carddav("supported-address-data"))


def _decode(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise _invalid("A vCard must be UTF-8.") from None


def _invalid(detail: str) -> DavError:
    return DavError(403, detail, carddav("valid-address-data"))


def _require_card(text: str, lines: list[Line]) -> str:
    """The UID of the one card in the file; empty if it has none."""
    if len(lines) > MAX_LINES:
        raise _invalid(f"A vCard may have at most {MAX_LINES:,} properties.")
    if [line.name for line in lines].count("BEGIN") != 1 or not (_is(lines[0], "BEGIN") and _is(lines[-1], "END")):
        raise _invalid("The file must have exactly one vCard.")
    version = next((line.value.strip() for line in lines if line.name == "VERSION"), "")
    if version not in ("3.0", "4.0"):
        raise DavError(403, "The vCard must be of version 3.0 or 4.0.", carddav("supported-address-data"))
    try:
        uids = [parse_property(0, line.text).text for line in lines if line.name == "UID"]
        # What the fields are read from must be readable, too.
        vcard.read(text)
    except ValueError as error:
        raise _invalid(f"The vCard cannot be read: {error}.") from None
    uid = uids[0] if uids else ""
    if len(uid) > MAX_UID or not uid.isprintable():
        raise _invalid(f"The UID must be text of at most {MAX_UID:,} characters.")
    return uid


def uid_of(content: bytes) -> str:
    """The UID of a card that was valid when it was written; empty if it has none."""
    uids = (parse_property(0, line.text).text for line in split_lines(content.decode()) if line.name == "UID")
    return next(uids, "")


def _is(line: Line, name: str) -> bool:
    return re.fullmatch(rf"\ufeff?{name}\s*:\s*VCARD\s*", line.text, re.IGNORECASE) is not None


def require_uid(ctx: Context, book: Book, name: str, uid: str, card: Card | None) -> None:
    """Refuse a UID that another card of the address book has: clients know a card by it."""
    if not uid:
        return
    rows = store.find_by_uid(ctx, book.id, uid)
    if book.id == PRIMARY:
        rows += [row for row in store.find_by_unique_id(ctx, uid) if row.card_id is None]
    match = re.match(r"contact-([1-9][0-9]{0,17})\.", uid)
    if match and uid == derived_uid(ctx, int(match[1])):
        rows += [row for row in store.find_by_contacts(ctx, book.id, [int(match[1])]) if row.card_id is None]
    other = next((each for each in map(Card, rows) if each.name != name), None)
    if other:
        raise DavError(409, "Another card has this UID.", carddav("no-uid-conflict"), _href(ctx, book, other.name))
    if card and card.row.uid and card.row.uid != uid:
        raise DavError(409, "The UID of a card does not change.", carddav("no-uid-conflict"), _href(ctx, book, name))


def _href(ctx: Context, book: Book, name: str) -> str:
    return href(f"{paths.book(policy.user(ctx).id, book.slug)}{paths.quote_name(name)}")


def read_fields(text: str) -> ContactFields | None:
    """What a contact has of the card; None for a group, and for a card that says nothing that a contact needs."""
    entries = vcard.read(text)
    contacts = address_book.parse_entry(entries[0])[0] if entries else []
    return contacts[0] if contacts else None


def _write_contact(ctx: Context, card: Card | None, uid: str, fields: ContactFields) -> Contact:
    contact = policy.contact(ctx, card.row.contact_id) if card and card.row.contact_id else None
    if contact is None:
        is_taken = not uid or len(uid) > MAX_UNIQUE_ID or bool(store.find_by_unique_id(ctx, uid))
        fields = structs.replace(fields, unique_id=None if is_taken else uid)
        return policy.contact(ctx, contact_store.insert(ctx, fields))
    # Programs that know no gender leave it out.
    fields = structs.replace(fields, unique_id=contact.unique_id, gender=fields.gender or contact.gender)
    if fields == present.editable(contact):
        return contact
    contact_store.update(ctx, contact.id, fields)
    return policy.contact(ctx, contact.id)

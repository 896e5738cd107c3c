"""The content of cards: what a client wrote, byte for byte, until its contact is changed here; else what the service writes."""

import zlib
from collections.abc import Iterable

from msgspec import json

from kalends.core.records.people import Contact
from kalends.dav.books import store, vcard_merge, vcard_version
from kalends.dav.books.cards import Card
from kalends.dav.books.vcard_version import Version
from kalends.features.contacts import present
from kalends.features.contacts import store as contact_store
from kalends.features.contacts.model import ContactFields
from kalends.features.contacts.rules import vcard
from kalends.features.events.rules.uid import own_uid
from kalends.http.context import Context
from kalends.ical.raw_lines import split_lines


def read(ctx: Context, card: Card, version: Version | None = None) -> bytes:
    return read_all(ctx, [card], version)[card.name]


def read_all(ctx: Context, cards: Iterable[Card], version: Version | None = None) -> dict[str, bytes]:
    """The files of the cards by name, in a few statements for all; in the version that is asked for, else as they were written."""
    rows = {card.name: card.row for card in cards}
    files = store.find_files(ctx, [row.card_id for row in rows.values() if row.card_id])
    ids = [card.row.contact_id for card in cards if card.row.contact_id and (card.is_changed or not card.row.card_id)]
    contacts = {contact.id: contact for contact in contact_store.find_by_ids(ctx, ids)} if ids else {}
    texts: dict[str, bytes] = {}
    for name, row in rows.items():
        contact = contacts.get(row.contact_id) if row.contact_id else None
        text = _read_file(files[row.card_id], contact) if row.card_id else _build(ctx, contact)
        texts[name] = _convert(text, version) if version else text
    return texts


def _read_file(file: store.File, contact: Contact | None) -> bytes:
    original = zlib.decompress(file.original)
    if contact is None:
        return original
    base = json.decode(file.base, type=ContactFields)
    return vcard_merge.merge(original.decode(), base, present.editable(contact), contact.updated_at).encode()


def _build(ctx: Context, contact: Contact | None) -> bytes:
    assert contact
    return vcard.write_card(contact, derived_uid(ctx, contact.id)).encode()


def derived_uid(ctx: Context, contact_id: int) -> str:
    """The UID of a contact that has no unique_id."""
    return own_uid(ctx.settings, contact_id, "contact")


def _convert(text: bytes, version: Version) -> bytes:
    return vcard_version.convert(text.decode(), version).encode()


def select(text: bytes, names: set[str]) -> bytes:
    """These properties of a card alone, and what makes it a card."""
    selected_names = {name.upper() for name in names} | {"BEGIN", "VERSION", "END"}
    return "".join(line.raw for line in split_lines(text.decode()) if line.name in selected_names).encode()

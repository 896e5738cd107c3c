"""The cards of an address book: each is a contact, or a file that became none, such as a group.

What no client wrote is named for the contact's id, `contact-12.vcf`, and has no row of its own."""

import re

from kalends.dav.books import store
from kalends.dav.books.book_store import PRIMARY
from kalends.dav.books.store import Row
from kalends.http.context import Context

DERIVED_NAME = re.compile(r"contact-([1-9][0-9]{0,17})\.vcf")


class Card:
    """A card with its ETag in quotation marks; `is_changed` if its contact was changed since a client wrote it."""

    content_type = "text/vcard; charset=utf-8"

    def __init__(self, row: Row):
        self.row = row
        self.name = row.name or f"contact-{row.contact_id}.vcf"
        self.is_changed = row.card_id is not None and row.contact_id is not None and row.contact_version != row.base_version
        self.updated_at = max(row.contact_updated_at or 0, row.written_at or 0)
        changed = f"-{row.contact_version}" if self.is_changed else ""
        self.etag = f'"k{row.card_id}-{row.version}{changed}"' if row.card_id else f'"c{row.contact_id}-{row.contact_version}"'


def find_all(ctx: Context, book_id: int) -> list[Card]:
    return list(map(Card, store.find_all(ctx, book_id)))


def find(ctx: Context, book_id: int, name: str) -> Card | None:
    return find_by_names(ctx, book_id, [name]).get(name)


def find_by_names(ctx: Context, book_id: int, names: list[str]) -> dict[str, Card]:
    """The given cards that exist, by name."""
    by_name = {card.name: card for card in map(Card, store.find_by_names(ctx, book_id, names))}
    if book_id != PRIMARY:
        return by_name
    ids = [int(match[1]) for name in names if name not in by_name and (match := DERIVED_NAME.fullmatch(name))]
    derived = [row for row in store.find_by_contacts(ctx, book_id, ids) if row.card_id is None]
    return by_name | {card.name: card for card in map(Card, derived)}


def find_by_ids(ctx: Context, book_id: int, contact_ids: list[int], card_ids: list[int]) -> dict[str, Card]:
    """The cards of these contacts and rows that exist in the address book, by name."""
    rows = store.find_by_contacts(ctx, book_id, contact_ids) + store.find_by_ids(ctx, book_id, card_ids)
    return {card.name: card for card in map(Card, rows)}

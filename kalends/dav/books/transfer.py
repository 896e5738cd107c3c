"""COPY and MOVE of cards within an address book and between those of a user."""

import zlib

from msgspec import json

from kalends import policy
from kalends.core import errors
from kalends.dav.books import book_store, cards, store, text, write
from kalends.dav.books.book_store import PRIMARY, Book
from kalends.dav.books.cards import Card
from kalends.dav.books.propfind import require_book, require_card
from kalends.dav.call import Call, DavReply, destination
from kalends.dav.xml import DavError
from kalends.features.contacts import present
from kalends.features.contacts import store as contact_store
from kalends.http.context import Context


def copy_card(call: Call) -> DavReply:
    return _transfer(call, is_move=False)


def move_card(call: Call) -> DavReply:
    return _transfer(call, is_move=True)


def _transfer(call: Call, *, is_move: bool) -> DavReply:
    ctx = call.ctx
    contact_store.lock(ctx)
    source, card, target = require_book(call), require_card(call), destination(call)
    ctx.require_version(card.etag.strip('"'))
    book = book_store.find(ctx, target.slug)
    if book is None:
        raise DavError(409, "There is no address book at the Destination.")
    if (source.id, card.name) == (book.id, target.name):
        raise DavError(403, "The card is there already.")
    replaced = cards.find(ctx, book.id, target.name)
    if replaced and call.headers.get("overwrite", "T").strip().upper() == "F":
        raise errors.Stale("There is a card at the Destination already.")
    if replaced:
        write.delete_card(ctx, replaced)
    saved = _move(ctx, source, card, book, target.name) if is_move else _copy(ctx, card, book, target.name)
    return DavReply(204 if replaced else 201, content_type="", headers={"ETag": saved.etag})


def _copy(ctx: Context, card: Card, book: Book, name: str) -> Card:
    file = text.read(ctx, card)
    if book.id == PRIMARY:
        write.require_name(name)
    fields = write.read_fields(file.decode()) if card.row.contact_id is not None else None
    return write.save(ctx, book, name, None, write.uid_of(file), fields, zlib.compress(file, 1))


def _move(ctx: Context, source: Book, card: Card, book: Book, name: str) -> Card:
    """Move the card. Its contact stays what it is."""
    file = text.read(ctx, card)
    contact = policy.contact(ctx, card.row.contact_id) if card.row.contact_id is not None else None
    # A contact may come back under the name that it had.
    if book.id == PRIMARY and not (contact and name == f"contact-{contact.id}.vcf"):
        write.require_name(name)
    uid = write.uid_of(file)
    if source.id != book.id:
        write.require_uid(ctx, book, name, uid, None)
    # Followers learn that the name of old is gone.
    store.upsert(ctx, source.id, card.name, uid, None, b"", "")
    store.delete_by_name(ctx, source.id, card.name)
    base = json.encode(present.editable(contact)).decode() if contact else ""
    store.upsert(ctx, book.id, name, uid, contact, zlib.compress(file, 1), base)
    return write.require_saved(ctx, book, name)

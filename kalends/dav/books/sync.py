"""sync-collection of an address book, on the journal: which cards changed since a position of the user's entries."""

from msgspec import Struct

from kalends import policy
from kalends.dav.books import cards, store
from kalends.dav.books.book_store import PRIMARY
from kalends.dav.books.cards import Card
from kalends.dav.calendars.sync import Token, parse_token, read_entries
from kalends.features.changes import journal_store
from kalends.features.changes.journal_store import Entry
from kalends.http.context import Context

KINDS = ("contact", "card")


class Changes(Struct):
    """Cards that changed, names of those that are gone, and the token to go on from; is_cut: there are more."""

    cards: list[Card]
    gone: list[str]
    token: str
    is_cut: bool


def current_token(ctx: Context, book_id: int) -> str:
    journal = journal_store.find_journal(ctx)
    return Token(_collection(ctx, book_id), journal.epoch, journal.end).text


def current_ctag(ctx: Context) -> str:
    """The position of the last entry: it changes when a card of any of the address books does, and with nothing else."""
    journal = journal_store.find_journal(ctx)
    tx, entry_id = store.find_last_entry(ctx, journal.end)
    return f"{journal.epoch}-{tx}-{entry_id}"


def read(ctx: Context, book_id: int, token_text: str, limit: int | None) -> Changes:
    """What changed since the token; without one, all cards."""
    journal = journal_store.find_journal(ctx)
    if not token_text:
        return _list(ctx, book_id, Token(_collection(ctx, book_id), journal.epoch, journal.end), limit)
    token = parse_token(journal, _collection(ctx, book_id), token_text)
    if token.last:
        return _list(ctx, book_id, token, limit)
    end = max(token.position, journal.end)
    entries, position = read_entries(ctx, None, KINDS, token.position, end, limit)
    changed, gone = _resolve(ctx, book_id, entries)
    return Changes(changed, gone, Token(token.collection, journal.epoch, position).text, is_cut=position != end)


def _collection(ctx: Context, book_id: int) -> str:
    own = f"book-{policy.user(ctx).id}"
    return own if book_id == PRIMARY else f"{own}-{book_id}"


def _list(ctx: Context, book_id: int, token: Token, limit: int | None) -> Changes:
    """All cards in the order of their names, from the last one on that the client has."""
    rest = [card for card in cards.find_all(ctx, book_id) if card.name > token.last]
    if limit is None or len(rest) <= limit:
        return Changes(rest, [], Token(token.collection, token.epoch, token.position).text, is_cut=False)
    page = sorted(rest, key=lambda card: card.name)[:limit]
    return Changes(page, [], Token(token.collection, token.epoch, token.position, page[-1].name).text, is_cut=True)


def _resolve(ctx: Context, book_id: int, entries: list[Entry]) -> tuple[list[Card], list[str]]:
    """The cards of the entries as they are now, and the names of those that are gone."""
    contact_ids = sorted({entry.record_id for entry in entries if entry.kind == "contact"})
    card_ids = sorted({entry.record_id for entry in entries if entry.kind == "card"})
    by_name = cards.find_by_ids(ctx, book_id, contact_ids, card_ids)
    named = store.find_names(ctx, contact_ids, card_ids)
    names = {name for _, each, name in named if each == book_id}
    with_cards = {contact_id for contact_id, _, _ in named}
    if book_id == PRIMARY:
        names |= {f"contact-{contact_id}.vcf" for contact_id in contact_ids if contact_id not in with_cards}
    return list(by_name.values()), sorted(names - by_name.keys())

"""sync-collection of an address book, on the journal: which cards changed since a position of the user's entries."""

from msgspec import Struct

from kalends import policy
from kalends.context import Context
from kalends.dav.books import cards, store
from kalends.dav.books.cards import Card
from kalends.dav.sync import Token, parse_token, read_entries
from kalends.journal import store as journal_store
from kalends.journal.store import Entry

KINDS = ("contact", "card")


class Changes(Struct):
    """Cards that changed, names of those that are gone, and the token to go on from; is_cut: there are more."""

    cards: list[Card]
    gone: list[str]
    token: str
    is_cut: bool


def current_token(ctx: Context) -> str:
    journal = journal_store.find_journal(ctx)
    return Token(_collection(ctx), journal.epoch, journal.end).text


def current_ctag(ctx: Context) -> str:
    """The position of the last entry: it changes when a card does, and with nothing else."""
    journal = journal_store.find_journal(ctx)
    tx, entry_id = store.find_last_entry(ctx, journal.end)
    return f"{journal.epoch}-{tx}-{entry_id}"


def read(ctx: Context, token_text: str, limit: int | None) -> Changes:
    """What changed since the token; without one, all cards."""
    journal = journal_store.find_journal(ctx)
    if not token_text:
        return _list(ctx, Token(_collection(ctx), journal.epoch, journal.end), limit)
    token = parse_token(journal, _collection(ctx), token_text)
    if token.last:
        return _list(ctx, token, limit)
    end = max(token.position, journal.end)
    entries, position = read_entries(ctx, [], KINDS, token.position, end, limit)
    changed, gone = _resolve(ctx, entries)
    return Changes(changed, gone, Token(token.collection, journal.epoch, position).text, is_cut=position != end)


def _collection(ctx: Context) -> str:
    return f"book-{policy.user(ctx).id}"


def _list(ctx: Context, token: Token, limit: int | None) -> Changes:
    """All cards in the order of their names, from the last one on that the client has."""
    found = [card for card in cards.find_all(ctx) if card.name > token.last]
    if limit is None or len(found) <= limit:
        return Changes(found, [], Token(token.collection, token.epoch, token.position).text, is_cut=False)
    page = sorted(found, key=lambda card: card.name)[:limit]
    return Changes(page, [], Token(token.collection, token.epoch, token.position, page[-1].name).text, is_cut=True)


def _resolve(ctx: Context, entries: list[Entry]) -> tuple[list[Card], list[str]]:
    """The cards of the entries as they are now, and the names of those that are gone."""
    contact_ids = sorted({entry.record_id for entry in entries if entry.kind == "contact"})
    card_ids = sorted({entry.record_id for entry in entries if entry.kind == "card"})
    found = cards.find_by_ids(ctx, contact_ids, card_ids)
    of_contacts, of_cards = store.find_names(ctx, contact_ids, card_ids)
    names = {of_contacts.get(contact_id, f"contact-{contact_id}.vcf") for contact_id in contact_ids} | set(of_cards)
    return list(found.values()), sorted(names - found.keys())

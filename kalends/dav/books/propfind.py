"""PROPFIND and GET of an address book and its cards."""

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element

from kalends import policy
from kalends.core.values import timestamps
from kalends.dav import listing, paths
from kalends.dav.books import book_store, cards, sync, text
from kalends.dav.books.book_store import Book
from kalends.dav.books.cards import Card
from kalends.dav.books.vcard_version import Version
from kalends.dav.call import Call, DavReply, require_home
from kalends.dav.properties import Subject, carddav, dav
from kalends.dav.propfind import describe, requested_names, require_finite, resource_names
from kalends.dav.push.web_push import book_topic
from kalends.dav.xml import CALENDAR_SERVER, DavError, multistatus, write_response


def propfind_home(call: Call) -> DavReply:
    require_home(call)
    depth, actor = require_finite(call), policy.user(call.ctx)
    responses = [describe(call, Subject(call.ctx, actor, "books"), paths.books(actor.id))]
    if depth == "1":
        stored = book_store.find_properties(call.ctx)
        responses += [
            describe(call, _book_subject(call, book, stored), paths.book(actor.id, book.slug)) for book in book_store.find_all(call.ctx)
        ]
    return DavReply(207, multistatus(map(write_response, responses)))


def propfind_book(call: Call) -> DavReply:
    book, depth = require_book(call), require_finite(call)
    subject = _book_subject(call, book, book_store.find_properties(call.ctx))
    responses = [write_response(describe(call, subject, paths.book(subject.user.id, book.slug)))]
    if depth == "1":
        responses += describe_cards(call, cards.find_all(call.ctx, book.id), resource_names(call.root))
    return DavReply(207, multistatus(responses))


def propfind_card(call: Call) -> DavReply:
    card = require_card(call)
    require_finite(call)
    return DavReply(207, multistatus(describe_cards(call, [card], resource_names(call.root))))


def get_card(call: Call) -> DavReply:
    card = require_card(call)
    headers = {"ETag": card.etag, "Last-Modified": timestamps.format_http_date(card.updated_at), "Vary": "Accept"}
    if call.ctx.caller.has_version(card.etag):
        return DavReply(304, content_type="", headers=headers)
    return DavReply(200, text.read(call.ctx, card, _accepted_version(call)), card.content_type, headers)


def require_book(call: Call) -> Book:
    """The address book of the path. Users see nobody else's."""
    require_home(call)
    book = book_store.find(call.ctx, call.target.slug)
    if book is None:
        raise DavError(404, "There is no such address book.")
    return book


def require_card(call: Call) -> Card:
    card = cards.find(call.ctx, require_book(call).id, call.target.name)
    if card is None:
        raise DavError(404, "There is no such card in the address book.")
    return card


def describe_cards(call: Call, items: list[Card], names: list[str], data: Element | None = None) -> Iterable[str]:
    """The responses of cards; `data` says in which version their files are to be, and what of them."""
    subject = Subject(call.ctx, policy.user(call.ctx), "card")
    needs_text = listing.CARD_DATA in names or dav("getcontentlength") in names
    texts = text.read_all(call.ctx, items, asked_version(data)) if needs_text else None
    if texts and data is not None and (wanted := data.findall(carddav("prop"))):
        texts = {name: text.select(content, {each.get("name", "") for each in wanted}) for name, content in texts.items()}
    folder = paths.book(subject.user.id, call.target.slug)
    return listing.describe_all(subject, folder, names, items, texts, is_brief=call.is_brief)


def asked_version(data: Element | None) -> Version | None:
    """The version of vCard that an address-data element asks for."""
    version = data.get("version") if data is not None else None
    kind = data.get("content-type", "text/vcard") if data is not None else "text/vcard"
    if kind.lower() != "text/vcard" or version not in (None, "3.0", "4.0"):
        raise DavError(403, "Cards are vCards of version 3.0 or 4.0.", carddav("supported-address-data"))
    return "3.0" if version == "3.0" else "4.0" if version == "4.0" else None


def _accepted_version(call: Call) -> Version | None:
    match = re.search(r'text/vcard\s*;\s*version="?([34])\.0', call.headers.get("accept", ""), re.IGNORECASE)
    return None if match is None else "4.0" if match[1] == "4" else "3.0"


def _book_subject(call: Call, book: Book, stored: dict[int, dict[str, str]]) -> Subject:
    names = requested_names(call.root) or []
    token = sync.current_token(call.ctx, book.id) if dav("sync-token") in names else ""
    ctag = sync.current_ctag(call.ctx) if f"{{{CALENDAR_SERVER}}}getctag" in names else ""
    name = "" if book.id == book_store.PRIMARY else book.slug
    stored_here = stored.get(book.id, {})
    user = policy.user(call.ctx)
    topic = book_topic(call.ctx.settings, user.id, book.id)
    return Subject(call.ctx, user, "book", sync_token=token, ctag=ctag, push_topic=topic, book_name=name, stored=stored_here)

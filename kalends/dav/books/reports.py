"""REPORT on an address book: addressbook-query, addressbook-multiget and sync-collection."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from kalends import policy
from kalends.dav import listing, paths
from kalends.dav.books import cards, filters, sync, text
from kalends.dav.books.book_store import Book
from kalends.dav.books.cards import Card
from kalends.dav.books.propfind import describe_cards, require_book
from kalends.dav.call import Call, DavReply, own_names
from kalends.dav.properties import carddav, dav
from kalends.dav.propfind import resource_names
from kalends.dav.reports import MAX_HREFS, read_limit
from kalends.dav.xml import DavError, Response, escape, multistatus, write_response

_CUT = "<D:number-of-matches-within-limits/>"


def report(call: Call) -> DavReply:
    """A report on the address book, by the name of the root element."""
    reports = {
        carddav("addressbook-query"): _addressbook_query,
        carddav("addressbook-multiget"): _multiget,
        dav("sync-collection"): _sync_collection,
    }
    root = call.root
    if root is None:
        raise DavError(400, "The body must name a report.")
    if root.tag not in reports:
        raise DavError(403, "This report is not supported here.", dav("supported-report"))
    return reports[root.tag](call, require_book(call), root)


def _addressbook_query(call: Call, book: Book, root: Element) -> DavReply:
    filter_element = root.find(carddav("filter"))
    if filter_element is None:
        raise DavError(400, "An addressbook-query must have a filter.")
    filters.require_valid(filter_element)
    limit = read_limit(root, carddav("limit"), carddav("nresults"))
    if call.headers.get("depth", "1").strip() == "0":
        return DavReply(207, multistatus([]))
    matches = cards.find_all(call.ctx, book.id)
    if len(filter_element):
        texts, is_match = text.read_all(call.ctx, matches), filters.matcher(filter_element)
        matches = [card for card in matches if is_match(texts[card.name].decode())]
    cut = [_cut(call)] if limit is not None and len(matches) > limit else []
    return DavReply(207, multistatus([*_describe(call, root, matches[:limit]), *cut]))


def _multiget(call: Call, book: Book, root: Element) -> DavReply:
    hrefs = [each.text or "" for each in root.findall(dav("href"))]
    if len(hrefs) > MAX_HREFS:
        raise DavError(403, f"Ask for at most {MAX_HREFS:,} cards in one request.", dav("number-of-matches-within-limits"))
    names = own_names(call, hrefs)
    by_name = cards.find_by_names(call.ctx, book.id, [name for name in names.values() if name])
    missing = [write_response(Response(href, status=404)) for href, name in names.items() if name not in by_name]
    return DavReply(207, multistatus([*_describe(call, root, list(by_name.values())), *missing]))


def _sync_collection(call: Call, book: Book, root: Element) -> DavReply:
    if (root.findtext(dav("sync-level")) or "1").strip() != "1":
        raise DavError(403, "Ask for sync-level 1.", dav("sync-traversal-supported"))
    limit = read_limit(root, dav("limit"), dav("nresults"))
    changes = sync.read(call.ctx, book.id, (root.findtext(dav("sync-token")) or "").strip(), limit)
    folder = paths.book(policy.user(call.ctx).id, call.target.slug)
    gone = [write_response(Response(f"{folder}{paths.quote_name(name)}", status=404)) for name in changes.gone]
    cut = [_cut(call)] if changes.is_cut else []
    responses = [*_describe(call, root, changes.cards), *gone, *cut]
    return DavReply(207, multistatus(responses, f"<D:sync-token>{escape(changes.token)}</D:sync-token>"))


def _cut(call: Call) -> str:
    return write_response(Response(paths.book(policy.user(call.ctx).id, call.target.slug), status=507, error=_CUT))


def _describe(call: Call, root: Element, items: list[Card]) -> Iterable[str]:
    prop = root.find(dav("prop"))
    names = resource_names(root) if prop is not None and len(prop) else listing.IN_ALLPROP
    data = prop.find(listing.CARD_DATA) if prop is not None else None
    return describe_cards(call, items, names, data)

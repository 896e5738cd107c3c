"""Address books as clients make, name and delete them: extended MKCOL (RFC 5689), PROPPATCH and DELETE."""

from kalends.core import errors
from kalends.dav import paths
from kalends.dav import proppatch as assigning
from kalends.dav.books import book_store
from kalends.dav.books.propfind import require_book
from kalends.dav.call import PROP, Call, DavReply, require_home
from kalends.dav.properties import RESOURCE_TYPE, carddav, dav
from kalends.dav.proppatch import MAX_PROPERTIES, Assignments
from kalends.dav.xml import DavError, multistatus
from kalends.features.contacts import store as contact_store
from kalends.http.context import Context

MAX_BOOKS = 100


def make_book(call: Call) -> DavReply:
    """Make an address book under the name that the client chose."""
    ctx, slug = call.ctx, call.target.slug
    require_home(call)
    contact_store.lock(ctx)
    if book_store.find(ctx, slug):
        raise DavError(405, "There is an address book of this name.", dav("resource-must-be-null"))
    types = call.root.find(f"{dav('set')}/{PROP}/{RESOURCE_TYPE}") if call.root is not None else None
    if call.root is None or types is None or types.find(carddav("addressbook")) is None:
        raise DavError(403, "Only address books can be made here.", dav("valid-resourcetype"))
    if len(book_store.find_all(ctx)) >= MAX_BOOKS:
        raise DavError(507, f"There may be at most {MAX_BOOKS} address books.", dav("quota-not-exceeded"))
    assignments = assigning.read(call.root, passed_over=(RESOURCE_TYPE,))
    assigning.require_accepted(assignments)
    _apply(ctx, book_store.insert(ctx, slug), assignments)
    return DavReply(201, headers={"Cache-Control": "no-cache"})


def proppatch(call: Call) -> DavReply:
    """Set and remove properties of an address book: all of them, or none."""
    contact_store.lock(call.ctx)
    book = require_book(call)
    assignments = assigning.read(assigning.require_update(call.root))
    if not assignments.refused:
        _apply(call.ctx, book.id, assignments)
    return DavReply(207, multistatus([assigning.describe(paths.book(call.target.user_id, book.slug), assignments)]))


def delete_book(call: Call) -> DavReply:
    """Delete an address book that a client made, and the contacts in it."""
    contact_store.lock(call.ctx)
    book = require_book(call)
    if book.id == book_store.PRIMARY:
        raise errors.Forbidden("This is your list of contacts, and every user has one. Delete its contacts instead.")
    book_store.delete(call.ctx, book.id)
    return DavReply(204)


def _apply(ctx: Context, book_id: int, assignments: Assignments) -> None:
    for name, element in assignments.elements.items():
        if element is None:
            book_store.delete_property(ctx, book_id, name)
        else:
            book_store.upsert_property(ctx, book_id, name, element)
    if len(book_store.find_properties(ctx).get(book_id, {})) > MAX_PROPERTIES:
        raise DavError(507, f"An address book has at most {MAX_PROPERTIES} properties.")

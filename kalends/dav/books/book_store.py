"""The SQL of address books: those that clients made, and the properties that they have set."""

from msgspec import Struct

from kalends import policy
from kalends.dav import paths
from kalends.db import columns
from kalends.http.context import Context

# The address book that every user has: all contacts that are in no other.
PRIMARY = 0


class Book(Struct, frozen=True, array_like=True):
    """An address book of the actor, by the last segment of its path."""

    id: int
    slug: str


_FIRST = Book(PRIMARY, paths.BOOK)
_BOOKS = f"SELECT {columns(Book)} FROM dav_books WHERE user_id = :me"


def find_all(ctx: Context) -> list[Book]:
    """The address books of the actor. The one that everybody has comes first: some programs use the first one alone."""
    return [_FIRST, *ctx.tx.all(Book, f"{_BOOKS} ORDER BY id", me=policy.user(ctx).id)]


def find(ctx: Context, slug: str) -> Book | None:
    return _FIRST if slug == paths.BOOK else ctx.tx.one(Book, f"{_BOOKS} AND slug = :slug", me=policy.user(ctx).id, slug=slug)


def insert(ctx: Context, slug: str) -> int:
    sql = "INSERT INTO dav_books (user_id, slug) VALUES (:me, :slug) RETURNING id"
    book_id: int = ctx.tx.value(sql, me=policy.user(ctx).id, slug=slug)
    return book_id


def delete(ctx: Context, book_id: int) -> None:
    """Delete an address book with its contacts. A contact that is restored is in the first book, with its file."""
    params = {"me": policy.user(ctx).id, "book_id": book_id}
    cards = "dav_cards WHERE user_id = :me AND book_id = :book_id"
    ctx.tx.run(f"DELETE FROM contacts WHERE user_id = :me AND id IN (SELECT contact_id FROM {cards} AND contact_id IS NOT NULL)", **params)
    ctx.tx.run(f"DELETE FROM {cards} AND contact_id IS NULL", **params)
    # A card that was moved here from the first book has left its name there.
    names = f"SELECT 'contact-' || contact_id || '.vcf' FROM {cards}"
    ctx.tx.run(f"DELETE FROM dav_cards WHERE user_id = :me AND book_id = {PRIMARY} AND contact_id IS NULL AND name IN ({names})", **params)
    renamed = f"book_id = {PRIMARY}, name = 'contact-' || contact_id || '.vcf'"
    ctx.tx.run(f"UPDATE dav_cards SET {renamed} WHERE user_id = :me AND book_id = :book_id", **params)
    ctx.tx.run("DELETE FROM dav_book_properties WHERE user_id = :me AND book_id = :book_id", **params)
    ctx.tx.run("DELETE FROM dav_books WHERE user_id = :me AND id = :book_id", **params)


def find_properties(ctx: Context) -> dict[int, dict[str, str]]:
    """The elements that clients of the actor have set, by address book and name."""
    properties: dict[int, dict[str, str]] = {}
    sql = "SELECT book_id, name, element FROM dav_book_properties WHERE user_id = :me ORDER BY name"
    for book_id, name, element in ctx.tx.rows(sql, me=policy.user(ctx).id):
        properties.setdefault(book_id, {})[name] = element
    return properties


def upsert_property(ctx: Context, book_id: int, name: str, element: str) -> None:
    ctx.tx.run(
        """INSERT INTO dav_book_properties (user_id, book_id, name, element) VALUES (:me, :book_id, :name, :element)
           ON CONFLICT (user_id, book_id, name) DO UPDATE SET element = excluded.element""",
        me=policy.user(ctx).id,
        book_id=book_id,
        name=name,
        element=element,
    )


def delete_property(ctx: Context, book_id: int, name: str) -> None:
    sql = "DELETE FROM dav_book_properties WHERE user_id = :me AND book_id = :book_id AND name = :name"
    ctx.tx.run(sql, me=policy.user(ctx).id, book_id=book_id, name=name)

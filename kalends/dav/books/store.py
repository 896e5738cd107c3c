"""The SQL of the cards of an address book: the contacts of the user, and what clients wrote of them."""

from typing import Any

from msgspec import Struct, json

from kalends import policy
from kalends.core.records.people import Contact
from kalends.dav.books.book_store import PRIMARY
from kalends.features.changes.journal_store import DAY
from kalends.http.context import Context


class Row(Struct, frozen=True, array_like=True):
    """A contact with its version, and the card that a client wrote of it; either may be missing."""

    contact_id: int | None
    contact_version: int | None
    contact_updated_at: int | None
    card_id: int | None
    name: str | None
    uid: str | None
    version: int | None
    # The version that the contact had when the card was written.
    base_version: int | None
    written_at: int | None


class File(Struct, frozen=True):
    """The compressed file that a client wrote, and the fields of its contact then, as JSON."""

    id: int
    original: bytes
    base: str


_ROW = "k.id, k.version, k.updated_at, d.id, d.name, d.uid, d.version, d.contact_version, d.written_at"
_CONTACTS = f"""
SELECT {_ROW} FROM {{source}} LEFT JOIN dav_cards d ON d.user_id = k.user_id AND d.contact_id = k.id
WHERE {policy.CONTACT_LISTS["primary"]} AND {{condition}}
"""
_OF_CARDS = f"""
LEFT JOIN contacts k ON k.id = d.contact_id AND {policy.CONTACT_LISTS["primary"]} WHERE d.user_id = :me AND d.book_id = :book_id
"""
# A card is there as long as its contact is; one without a contact until it is deleted.
_IS_THERE = "(k.id IS NOT NULL OR (d.contact_id IS NULL AND d.deleted_at IS NULL))"


def find_all(ctx: Context, book_id: int) -> list[Row]:
    """All cards of an address book of the actor."""
    me = policy.user(ctx).id
    rows = ctx.tx.all(Row, f"SELECT {_ROW} FROM dav_cards d {_OF_CARDS} AND {_IS_THERE}", me=me, book_id=book_id)
    if book_id == PRIMARY:
        rows += ctx.tx.all(Row, _CONTACTS.format(source="contacts k", condition="d.id IS NULL"), me=me)
    return rows


def find_by_contacts(ctx: Context, book_id: int, ids: list[int]) -> list[Row]:
    # CROSS JOIN: otherwise, all contacts of the user are read to find a few.
    source = f"{ctx.db.records('asked', {'id': 'BIGINT'})} CROSS JOIN contacts k"
    sql = _CONTACTS.format(source=source, condition=f"k.id = asked.id AND coalesce(d.book_id, {PRIMARY}) = :book_id")
    asked = json.encode([{"id": each} for each in dict.fromkeys(ids)]).decode()
    return ctx.tx.all(Row, sql, me=policy.user(ctx).id, book_id=book_id, asked=asked) if ids else []


def find_by_ids(ctx: Context, book_id: int, card_ids: list[int]) -> list[Row]:
    """The cards that clients wrote and that are still there."""
    sql = f"SELECT {_ROW} FROM dav_cards d {_OF_CARDS} AND d.id {ctx.db.in_list('ids')} AND {_IS_THERE}"
    return ctx.tx.all(Row, sql, me=policy.user(ctx).id, book_id=book_id, ids=card_ids) if card_ids else []


def find_by_names(ctx: Context, book_id: int, names: list[str]) -> list[Row]:
    """The cards that clients wrote by these names and that are still there."""
    records = ctx.db.records("named", {"name": "TEXT"})
    sql = f"SELECT {_ROW} FROM {records} CROSS JOIN dav_cards d {_OF_CARDS} AND d.name = named.name AND {_IS_THERE}"
    named = json.encode([{"name": name} for name in dict.fromkeys(names)]).decode()
    return ctx.tx.all(Row, sql, me=policy.user(ctx).id, book_id=book_id, named=named) if names else []


def find_by_uid(ctx: Context, book_id: int, uid: str) -> list[Row]:
    """The cards that clients wrote with this UID that are still there."""
    sql = f"SELECT {_ROW} FROM dav_cards d {_OF_CARDS} AND d.uid = :uid AND {_IS_THERE}"
    return ctx.tx.all(Row, sql, me=policy.user(ctx).id, book_id=book_id, uid=uid)


def find_by_unique_id(ctx: Context, unique_id: str) -> list[Row]:
    """The contact that has it, in whichever address book it is."""
    sql = _CONTACTS.format(source="contacts k", condition="k.unique_id = :unique_id")
    return ctx.tx.all(Row, sql, me=policy.user(ctx).id, unique_id=unique_id)


def find_names(ctx: Context, contact_ids: list[int], card_ids: list[int]) -> list[tuple[int | None, int, str]]:
    """The contact, the address book and the name of each card of these contacts and of these ids, whether or not it is still there."""
    rows: list[tuple[int | None, int, str]] = []
    for column, ids in (("contact_id", contact_ids), ("id", card_ids)):
        sql = f"SELECT contact_id, book_id, name FROM dav_cards WHERE user_id = :me AND {column} {ctx.db.in_list('ids')}"
        rows += ctx.tx.rows(sql, me=policy.user(ctx).id, ids=ids) if ids else []
    return rows


def find_files(ctx: Context, card_ids: list[int]) -> dict[int, File]:
    sql = f"SELECT id, original, base FROM dav_cards WHERE id {ctx.db.in_list('ids')}"
    return {file.id: file for file in ctx.tx.all(File, sql, ids=card_ids)} if card_ids else {}


def find_last_entry(ctx: Context, end: tuple[int, int]) -> tuple[int, int]:
    """The position of the last entry of the actor up to a position."""
    rows = ctx.tx.rows(
        """SELECT tx, id FROM sync_entries WHERE user_id = :me AND kind IN ('contact', 'card')
           AND (tx < :tx OR (tx = :tx AND id <= :id)) ORDER BY tx DESC, id DESC LIMIT 1""",
        me=policy.user(ctx).id,
        tx=end[0],
        id=end[1],
    )
    return (rows[0][0], rows[0][1]) if rows else (0, 0)


def upsert(ctx: Context, book_id: int, name: str, uid: str, contact: Contact | None, original: bytes, base: str) -> None:
    """Store the file of a card. A row of the name may be left of a card that was deleted."""
    params: dict[str, Any] = {"uid": uid, "contact_id": contact.id if contact else None, "original": original, "base": base}
    ctx.tx.run(
        """INSERT INTO dav_cards (user_id, book_id, name, uid, contact_id, version, original, base, contact_version, written_at)
           VALUES (:me, :book_id, :name, :uid, :contact_id, 1, :original, :base, :contact_version, :now)
           ON CONFLICT (user_id, book_id, name) DO UPDATE SET uid = excluded.uid, contact_id = excluded.contact_id,
           version = dav_cards.version + 1, original = excluded.original, base = excluded.base,
           contact_version = excluded.contact_version, written_at = excluded.written_at, deleted_at = NULL""",
        me=policy.user(ctx).id,
        book_id=book_id,
        name=name,
        contact_version=contact.version if contact else 0,
        now=ctx.now,
        **params,
    )


def delete(ctx: Context, card_id: int) -> None:
    """Delete a card that has no contact. The row stays for a while, so that followers learn its name."""
    sql = "UPDATE dav_cards SET deleted_at = :now WHERE id = :id AND user_id = :me"
    ctx.tx.run(sql, now=ctx.now, id=card_id, me=policy.user(ctx).id)


def delete_by_name(ctx: Context, book_id: int, name: str) -> None:
    """Delete the file of a card that is elsewhere now. The row stays for a while, so that followers learn its name."""
    sql = "UPDATE dav_cards SET deleted_at = :now WHERE user_id = :me AND book_id = :book_id AND name = :name"
    ctx.tx.run(sql, now=ctx.now, me=policy.user(ctx).id, book_id=book_id, name=name)


def clean_up(ctx: Context) -> None:
    """Delete the files of cards that were deleted longer ago than the history goes, if their contacts were not restored."""
    ctx.tx.run(
        """DELETE FROM dav_cards WHERE deleted_at < :old
           AND (contact_id IS NULL OR NOT EXISTS (SELECT 1 FROM contacts k WHERE k.id = dav_cards.contact_id))""",
        old=ctx.now - ctx.settings.history_days * DAY,
    )

"""The SQL of calendars: their rows, the search for them, and the programs that read their feeds."""

from collections import Counter

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.db import Transaction, text_search
from kalends.features.calendars.model import PALETTE, CalendarInput
from kalends.features.events.placements import store as placements
from kalends.http.context import Context
from kalends.http.paging import Paging

MAX_HITS = 6

# A program is counted once in this time, so that a feed that many fetch is written to once a minute for each program.
COUNTED_EACH = 60


def index(ctx: Context, user_id: int, paging: Paging) -> list[Calendar]:
    """The calendars that the user owns or that are shared with them."""
    return ctx.tx.all(
        Calendar,
        f"{policy.SELECT_CALENDARS} WHERE {policy.in_my_calendars(ctx)} ORDER BY c.id LIMIT :limit OFFSET :offset",
        me=user_id,
        limit=paging.fetch,
        offset=paging.offset,
    )


def count(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM calendars c WHERE {policy.in_my_calendars(ctx)}", me=user_id))


def find_color(ctx: Context, calendar_id: int) -> str:
    return str(ctx.tx.value("SELECT color FROM calendars WHERE id = :id", id=calendar_id))


def find_reader_color(ctx: Context, calendar_id: int) -> str | None:
    """The colour that the actor has chosen for the calendar."""
    sql = "SELECT color FROM calendar_colors WHERE user_id = :me AND calendar_id = :id"
    color: str | None = ctx.tx.value(sql, me=policy.me(ctx), id=calendar_id)
    return color


def set_reader_color(ctx: Context, calendar_id: int, color: str | None) -> None:
    """Record the colour in which the actor sees the calendar; None: that of its owner."""
    key = {"me": policy.user(ctx).id, "id": calendar_id}
    if color is None:
        ctx.tx.run("DELETE FROM calendar_colors WHERE user_id = :me AND calendar_id = :id", **key)
        return
    ctx.tx.run(
        """INSERT INTO calendar_colors (user_id, calendar_id, color) VALUES (:me, :id, :color)
           ON CONFLICT (user_id, calendar_id) DO UPDATE SET color = excluded.color""",
        color=color,
        **key,
    )


def find_free_color(ctx: Context, owner_id: int) -> str:
    """The first colour of the palette that none of the owner's calendars has; with all of them in use, that of fewest."""
    rows = ctx.tx.rows("SELECT color FROM calendars WHERE owner_id = :id", id=owner_id)
    used = Counter(color.lower() for (color,) in rows)
    return min(PALETTE, key=lambda color: used[color])


def find_public_color(ctx: Context, calendar_id: int) -> str | None:
    """The colour of the calendar, if it is public."""
    color: str | None = ctx.tx.value("SELECT color FROM calendars WHERE id = :id AND public", id=calendar_id)
    return color


def insert(ctx: Context, owner_id: int, params: CalendarInput, *, is_primary: bool = False) -> int:
    calendar_id: int = ctx.tx.value(
        """INSERT INTO calendars (owner_id, name, description, color, time_zone, public, moderation, party_max,
                                  confirmations, confirm_responses, confirm_above, hold_minutes, scheduling,
                                  keep_responses_days, is_primary, created_at,
                                  updated_at)
           VALUES (:owner_id, :name, :description, :color, :time_zone, :public, :moderation, :party_max,
                   :confirmations, :confirm_responses, :confirm_above, :hold_minutes, :scheduling,
                   :keep_responses_days, :is_primary, :now, :now)
           RETURNING id""",
        owner_id=owner_id,
        is_primary=is_primary,
        now=ctx.now,
        **_columns(params),
    )
    refresh(ctx, calendar_id=calendar_id)
    return calendar_id


def update(ctx: Context, calendar_id: int, params: CalendarInput) -> None:
    ctx.tx.run(
        """UPDATE calendars SET name = :name, description = :description, color = :color, time_zone = :time_zone,
           public = :public, moderation = :moderation, party_max = :party_max,
           confirmations = :confirmations, confirm_responses = :confirm_responses, confirm_above = :confirm_above,
           hold_minutes = :hold_minutes, scheduling = :scheduling, keep_responses_days = :keep_responses_days, updated_at = :now,
           revision = revision + 1, changed_at = :now, public_revision = revision + 1, public_changed_at = :now WHERE id = :id""",
        id=calendar_id,
        now=ctx.now,
        **_columns(params),
    )
    refresh(ctx, calendar_id=calendar_id)


def delete(ctx: Context, calendar_id: int) -> None:
    ctx.tx.run("DELETE FROM calendars WHERE id = :id", id=calendar_id)


def empty_all(ctx: Context, owner_id: int) -> None:
    """Remove every event from the calendars of the user, and delete those that no other calendar can be the home of."""
    for (calendar_id,) in ctx.tx.rows("SELECT id FROM calendars WHERE owner_id = :id", id=owner_id):
        placements.remove_all(ctx, calendar_id)


def _columns(params: CalendarInput) -> dict[str, object]:
    return {name: getattr(params, name) for name in CalendarInput.__struct_fields__}


class CalendarHit(Struct, frozen=True):
    """A public calendar that a search found."""

    id: int
    name: str
    owner_id: int
    owner_name: str
    color: str


def refresh(ctx: Context, *, calendar_id: int | None = None, owner_id: int | None = None) -> None:
    """Update the search column of a calendar, or of all calendars of an owner."""
    where = "c.id = :id" if calendar_id is not None else "c.owner_id = :id"
    names = ctx.tx.rows(
        f"SELECT c.id, c.public, c.name, coalesce(u.name, u.user_name) FROM calendars c JOIN users u ON u.id = c.owner_id WHERE {where}",
        id=calendar_id if calendar_id is not None else owner_id,
    )
    for row_id, public, name, owner in names:
        search = text_search.fold(f"{name} {owner}") if public else ""
        ctx.tx.run("UPDATE calendars SET search = :search WHERE id = :id AND search <> :search", search=search, id=row_id)


def find(ctx: Context, text: str) -> list[CalendarHit]:
    """The first public calendars whose names have every word. A query of only one- and two-letter words has no results."""
    terms = list(text_search.parse_terms(text))
    literals = [literal for pieces in terms for literal in text_search.literals(pieces)]
    if not literals:
        return []
    hits, params = ctx.db.ids_containing("calendars", "search", literals)
    conditions = [text_search.Condition((f"%{'%'.join(map(text_search.escape_like, pieces))}%",)) for pieces in terms]
    where = " AND ".join(["c.public", *text_search.where(ctx.db, "c.search || ''", conditions, params)])
    return ctx.tx.all(
        CalendarHit,
        f"""WITH hits AS MATERIALIZED ({hits} LIMIT 500)
            SELECT c.id, c.name, u.id, coalesce(u.name, u.user_name), c.color
            FROM hits CROSS JOIN calendars c JOIN users u ON u.id = c.owner_id
            WHERE c.id = hits.id AND {where} ORDER BY c.id LIMIT {MAX_HITS}""",
        **params,
    )


class ReaderRow(Struct, frozen=True):
    """A program that fetched the feed of a calendar."""

    program: str
    fetches: int
    first_at: int
    last_at: int


def readers(ctx: Context, calendar_id: int) -> list[ReaderRow]:
    """The programs of the calendar, the last one first."""
    sql = "SELECT program, fetches, first_at, last_at FROM calendar_readers WHERE calendar_id = :id ORDER BY last_at DESC, program"
    return ctx.tx.all(ReaderRow, sql, id=calendar_id)


def count_later(ctx: Context, calendar_id: int, program: str) -> None:
    """Count a fetch after the commit: a read stays a read, and takes no longer."""
    sql = "SELECT last_at FROM calendar_readers WHERE calendar_id = :id AND program = :program"
    last_at = ctx.tx.value(sql, id=calendar_id, program=program)
    if last_at is None or ctx.now - last_at >= COUNTED_EACH:
        ctx.after_commit.append(lambda tx: _count(tx, calendar_id, program, ctx.now))


def _count(tx: Transaction, calendar_id: int, program: str, now: int) -> None:
    # The calendar may have been deleted since.
    tx.run(
        """INSERT INTO calendar_readers (calendar_id, program, fetches, first_at, last_at)
           SELECT id, :program, 1, :now, :now FROM calendars WHERE id = :id
           ON CONFLICT (calendar_id, program) DO UPDATE SET fetches = calendar_readers.fetches + 1, last_at = excluded.last_at""",
        id=calendar_id,
        program=program,
        now=now,
    )

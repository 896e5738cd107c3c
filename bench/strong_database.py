"""The SQL of the strong stack, on asyncpg and aiosqlite: one statement for a read, with the session, the rights and the calendars."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import aiosqlite
import asyncpg
import orjson

Row = Any
Params = Sequence[object]

# Who asks: the session must have been used and opened recently enough.
ME = """me AS MATERIALIZED (
    SELECT s.user_id AS id FROM sessions s WHERE s.token_hash = $1 AND s.last_used_at > $2 AND s.created_at > $3
)"""
# Evaluated once, so that the planner need not join it.
_ME = "(SELECT id FROM me)"


def _member(calendar_id: str) -> str:
    return f"""(
        EXISTS (SELECT 1 FROM calendars own WHERE own.id = {calendar_id} AND own.owner_id = {_ME})
        OR EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = {calendar_id} AND s.user_id = {_ME})
    )"""


_CALENDAR_VISIBLE = f"(c.public OR {_member('c.id')})"
_CALENDAR_EDITABLE = f"""(
    c.owner_id = {_ME}
    OR EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = c.id AND s.user_id = {_ME} AND s.role IN ('editor', 'manager'))
)"""
_EVENT_VISIBLE = f"""(
    e.public OR e.owner_id = {_ME}
    OR EXISTS (SELECT 1 FROM placements g WHERE g.event_id = e.id AND g.grants AND {_member("g.calendar_id")})
)"""
_EVENT_EDITABLE = f"(e.owner_id = {_ME} OR {_CALENDAR_EDITABLE.replace('c.', 'home.')})"
_MY_CALENDARS = f"""(
    SELECT id FROM calendars WHERE owner_id = {_ME} UNION SELECT calendar_id FROM calendar_shares WHERE user_id = {_ME}
)"""
_CALENDARS_OF_EVENT = "FROM placements p JOIN calendars c ON c.id = p.calendar_id WHERE p.event_id = e.id"
_ITEM_COLUMNS = (
    "id title start_at end_at all_day time_zone location image_url tags public status status_note series_id uid updated_at".split()
)
_ITEM = ", ".join(f"e.{name}" for name in _ITEM_COLUMNS)
_JSON_ITEM = ", ".join(f"'{name}', {name}" for name in _ITEM_COLUMNS) + ", 'calendar_ids', calendar_ids"
ACCESS = "online_url online_for place_for price ticket_url latitude longitude".split()
_ACCESS = ", ".join(f"e.{name}" for name in ACCESS)
SETTINGS = "responses_open responses_until capacity waiting_list waiting_order show_counts approval offer_hours".split()
_SETTINGS = ", ".join(f"w.{name}" for name in SETTINGS)
_NEW = f"""INSERT INTO events (owner_id, calendar_id, title, description, start_at, end_at, until_at, all_day, time_zone, location, tags,
    public, search, version, created_at, updated_at)
SELECT {_ME}, c.id, $5, $6, $7, $8, coalesce(CAST($8 AS BIGINT), $7), FALSE, c.time_zone, $9, $10, c.public, $11, 1, $12, $12
FROM calendars c WHERE c.id = $4 AND {_CALENDAR_EDITABLE}"""
_NEW_COLUMNS = """owner_id, calendar_id, start_at, public, time_zone,
    (SELECT name FROM calendars WHERE id = calendar_id) AS calendar_name,
    (SELECT party_max FROM calendars WHERE id = calendar_id) AS party_max,
    (SELECT coalesce(name, user_name) FROM users WHERE id = owner_id) AS owner_name"""
_PLACEMENT = "INSERT INTO placements (event_id, calendar_id, start_at, public, grants, created_at)"


class Database(Protocol):
    """What the endpoints need of a database."""

    json_list: str
    json_pair: str

    async def rows(self, sql: str, params: Params) -> list[Row]: ...

    async def items(self, sql: str, params: Params) -> list[Row]:
        """The rows of a list."""

    async def create(self, params: Params) -> Row | None: ...

    def matches(self, param: str) -> str: ...


class Postgres:
    """A pool of connections, each with its prepared statements."""

    json_list, json_pair = "json_agg", "json_build_array"

    def __init__(self, pool: Any):
        self._pool = pool

    @classmethod
    async def open(cls, address: str) -> "Postgres":
        # Single statements leave nothing behind, so the reset, which is a round trip, is left out.
        return cls(await asyncpg.create_pool(address, min_size=8, max_size=8, reset=_no_reset))

    async def rows(self, sql: str, params: Params) -> list[Row]:
        rows: list[Row] = await self._pool.fetch(sql, *params)
        return rows

    items = rows

    async def create(self, params: Params) -> Row | None:
        rows = await self.rows(
            f"""WITH {ME}, event AS ({_NEW} RETURNING id, {_NEW_COLUMNS}),
                placement AS ({_PLACEMENT} SELECT id, calendar_id, start_at, public, TRUE, $12 FROM event)
                SELECT * FROM event""",
            params,
        )
        return rows[0] if rows else None

    def matches(self, param: str) -> str:
        return f"e.search LIKE '%' || {param} || '%'"


class Sqlite:
    """One connection that reads and one that writes, each on its thread: on one core, more would only take turns."""

    json_list, json_pair = "json_group_array", "json_array"

    def __init__(self, reader: aiosqlite.Connection, writer: aiosqlite.Connection):
        self._reader, self._writer = reader, writer
        self._lock = asyncio.Lock()

    @classmethod
    async def open(cls, data: str) -> "Sqlite":
        return cls(await _connect(data), await _connect(data))

    async def rows(self, sql: str, params: Params) -> list[Row]:
        return list(await self._reader.execute_fetchall(_numbered(sql), params))

    async def items(self, sql: str, params: Params) -> list[Row]:
        """As one row of JSON: for each row, Python's sqlite3 would give up the interpreter's lock and wait for it again."""
        [row] = await self.rows(f"SELECT json_group_array(json_object({_JSON_ITEM})) FROM ({sql})", params)
        items: list[Row] = orjson.loads(row[0])
        return items

    async def create(self, params: Params) -> Row | None:
        async with self._lock:
            try:
                rows = list(await self._writer.execute_fetchall(_numbered(f"WITH {ME} {_NEW} RETURNING id, {_NEW_COLUMNS}"), params))
                if rows:
                    event = rows[0]
                    placement = event["id"], event["calendar_id"], event["start_at"], event["public"], params[-1]
                    await self._writer.execute(f"{_PLACEMENT} VALUES (?, ?, ?, ?, TRUE, ?)", placement)
            except BaseException:
                await self._writer.rollback()
                raise
            await self._writer.commit()
            return rows[0] if rows else None

    def matches(self, param: str) -> str:
        return f"e.id IN (SELECT rowid FROM events_text WHERE events_text MATCH '\"' || {param} || '\"')"


async def _connect(data: str) -> aiosqlite.Connection:
    connection = await aiosqlite.connect(Path(data) / "kalends.sqlite3", cached_statements=512)
    connection.row_factory = aiosqlite.Row
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000", "foreign_keys=ON", "mmap_size=268435456"):
        await connection.execute(f"PRAGMA {pragma}")
    return connection


async def _no_reset(connection: object) -> None:
    pass


def _numbered(sql: str) -> str:
    """SQLite writes ?1 where PostgreSQL writes $1."""
    return sql.replace("$", "?")


def show_sql(db: Database) -> str:
    """The event of $4 with all that its reply has. No row: nobody is signed in; a row without an id: there is no such event to see."""
    return f"""
    WITH {ME}
    SELECT {_ITEM}, e.description, e.location_name, e.street, e.city, e.state, e.zip, e.country, e.owner_id, e.created_at, {_ACCESS},
        coalesce(u.name, u.user_name) AS owner_name, coalesce(e.party_max, home.party_max) AS party_max,
        r.rrule, r.start_date, {_EVENT_EDITABLE} AS can_edit, e.by_link, {_SETTINGS},
        EXISTS (SELECT 1 FROM questions q WHERE q.event_id = e.id OR q.calendar_id = e.calendar_id) AS has_questions,
        (SELECT {db.json_list}({db.json_pair}(id, name)) FROM (
            SELECT c.id, c.name {_CALENDARS_OF_EVENT} AND (p.grants AND {_EVENT_EDITABLE} OR {_CALENDAR_VISIBLE}) ORDER BY p.calendar_id
        ) AS calendar) AS calendars,
        (SELECT {db.json_list}({db.json_pair}(response, number, people)) FROM (
            SELECT response, count(*) AS number, sum(number + plus_n) AS people FROM responses WHERE event_id = e.id GROUP BY response
        ) AS response) AS responses,
        (SELECT count(*) FROM comments c
            WHERE c.event_id = e.id AND ({_EVENT_EDITABLE} OR c.approved OR c.user_id = {_ME})) AS comments_count
    FROM me
    LEFT JOIN events e ON e.id = $4 AND {_EVENT_VISIBLE}
    LEFT JOIN users u ON u.id = e.owner_id
    LEFT JOIN calendars home ON home.id = e.calendar_id
    LEFT JOIN series r ON r.id = e.series_id
    LEFT JOIN response_settings w ON w.event_id = e.id
    """


def index_sql(
    db: Database, session: Params, calendar_id: int | None, start_at: int | None, text: str | None, limit: int
) -> tuple[str, Params]:
    """The events of one calendar or of all of the user's, from a time on, with a text. No row may also mean that nobody is signed in."""
    params = list(session)

    def param(value: object) -> str:
        params.append(value)
        return f"${len(params)}"

    where = ["EXISTS (SELECT 1 FROM me)", _EVENT_VISIBLE]
    if calendar_id is None:
        source, start, event_id = "events e", "e.start_at", "e.id"
        where += [f"EXISTS (SELECT 1 FROM placements q WHERE q.event_id = e.id AND q.calendar_id IN {_MY_CALENDARS})"]
    else:
        source, start, event_id = "placements q CROSS JOIN events e", "q.start_at", "q.event_id"
        calendar = param(calendar_id)
        visible = f"EXISTS (SELECT 1 FROM calendars c WHERE c.id = {calendar} AND {_CALENDAR_VISIBLE})"
        where += [f"q.calendar_id = {calendar}", "e.id = q.event_id", visible]
    if start_at is not None:
        where.append(f"{start} >= {param(start_at)}")
    if text is not None:
        where.append(db.matches(param(text.lower())))
    seen = f"SELECT c.id {_CALENDARS_OF_EVENT} AND {_CALENDAR_VISIBLE} ORDER BY p.calendar_id"
    sql = f"""
    WITH {ME}
    SELECT {_ITEM}, (SELECT {db.json_list}(id) FROM ({seen}) AS seen) AS calendar_ids
    FROM {source} WHERE {" AND ".join(where)} ORDER BY {start}, {event_id} LIMIT {param(limit)}
    """
    return sql, params


# Why there was no row: whether the calendar of $4 can be seen; and no row again if nobody is signed in.
RIGHTS_SQL = f"WITH {ME} SELECT EXISTS (SELECT 1 FROM calendars c WHERE c.id = $4 AND {_CALENDAR_VISIBLE}) AS visible FROM me"

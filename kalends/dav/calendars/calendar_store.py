"""The SQL of calendars as clients made them: their names, components and properties."""

from typing import Any

from msgspec import Struct

from kalends.core.records.calendar import Calendar
from kalends.db import columns
from kalends.http.context import Context


class DavCalendar(Struct, frozen=True, array_like=True):
    """The name of a calendar that a client made, and the components that may be in it."""

    calendar_id: int
    slug: str
    components: str


_COLUMNS = columns(DavCalendar)


def find_by_slug(ctx: Context, owner_id: int, slug: str) -> int | None:
    """The id of the calendar that a client of the owner made under this name."""
    sql = "SELECT calendar_id FROM dav_calendars WHERE owner_id = :owner_id AND slug = :slug"
    calendar_id: int | None = ctx.tx.value(sql, owner_id=owner_id, slug=slug)
    return calendar_id


def find_of_owner(ctx: Context, owner_id: int) -> dict[int, DavCalendar]:
    """The calendars that clients of the owner made, by their ids."""
    rows = ctx.tx.all(DavCalendar, f"SELECT {_COLUMNS} FROM dav_calendars WHERE owner_id = :owner_id", owner_id=owner_id)
    return {row.calendar_id: row for row in rows}


def find_components(ctx: Context, calendar: Calendar) -> str:
    """The components that may be in the calendar, with commas; empty for all."""
    return ctx.tx.value("SELECT components FROM dav_calendars WHERE calendar_id = :id", id=calendar.id) or ""


def insert(ctx: Context, calendar_id: int, owner_id: int, slug: str, components: str) -> None:
    """Name a new calendar. A deleted one that had this name would come back under its id."""
    ctx.tx.run(
        """UPDATE dav_calendars SET slug = CAST(calendar_id AS TEXT) WHERE owner_id = :owner_id AND slug = :slug
           AND NOT EXISTS (SELECT 1 FROM calendars c WHERE c.id = dav_calendars.calendar_id)""",
        owner_id=owner_id,
        slug=slug,
    )
    ctx.tx.run(
        "INSERT INTO dav_calendars (calendar_id, owner_id, slug, components) VALUES (:calendar_id, :owner_id, :slug, :components)",
        calendar_id=calendar_id,
        owner_id=owner_id,
        slug=slug,
        components=components,
    )


def find_properties(ctx: Context, user_id: int, calendar_id: int | None = None) -> dict[int, dict[str, str]]:
    """The elements that clients of the user have set, by calendar and name: of all calendars, or of one."""
    condition, params = "", dict[str, Any]()
    if calendar_id is not None:
        condition, params = "AND calendar_id = :calendar_id", {"calendar_id": calendar_id}
    properties: dict[int, dict[str, str]] = {}
    sql = f"SELECT calendar_id, name, element FROM dav_properties WHERE user_id = :user_id {condition} ORDER BY name"
    for each, name, element in ctx.tx.rows(sql, user_id=user_id, **params):
        properties.setdefault(each, {})[name] = element
    return properties


def upsert_property(ctx: Context, calendar_id: int, user_id: int, name: str, element: str) -> None:
    ctx.tx.run(
        """INSERT INTO dav_properties (calendar_id, user_id, name, element) VALUES (:calendar_id, :user_id, :name, :element)
           ON CONFLICT (calendar_id, user_id, name) DO UPDATE SET element = excluded.element""",
        calendar_id=calendar_id,
        user_id=user_id,
        name=name,
        element=element,
    )


def delete_property(ctx: Context, calendar_id: int, user_id: int, name: str) -> None:
    ctx.tx.run(
        "DELETE FROM dav_properties WHERE calendar_id = :calendar_id AND user_id = :user_id AND name = :name",
        calendar_id=calendar_id,
        user_id=user_id,
        name=name,
    )

"""The SQL of standing responses to series, and of the responses to the other dates of a series."""

from typing import Literal

from msgspec import Struct

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.features.responses.model import Author, ResponseInput
from kalends.http.context import Context


class StandingResponse(Struct, frozen=True):
    """A row of the table `series_responses`."""

    series_id: int
    email_address: str
    name: str | None
    response: Literal["YES", "MAYBE", "NO"]
    number: int
    plus_n: int
    from_date: str
    proven: bool
    added: bool
    added_by: int | None


def find(ctx: Context, series_id: int) -> list[StandingResponse]:
    """The responses to the series, in the order in which they were given."""
    sql = f"SELECT {columns(StandingResponse)} FROM series_responses WHERE series_id = :id ORDER BY id"
    return ctx.tx.all(StandingResponse, sql, id=series_id)


def of_address(ctx: Context, series_id: int, email_address: str) -> StandingResponse | None:
    """The response of the address to the series."""
    sql = f"SELECT {columns(StandingResponse)} FROM series_responses WHERE series_id = :id AND email_key = :key"
    return ctx.tx.one(StandingResponse, sql, id=series_id, key=fold_case(email_address))


def is_guarded(ctx: Context, series_id: int, who: Author) -> bool:
    """Whether the address has responded to the series, or to one of its dates, with proof or elsewhere, so that the author does not
    change that without proof."""
    rows = ctx.tx.rows(
        """SELECT 1 FROM series_responses WHERE series_id = :id AND email_key = :key AND proven
           UNION SELECT 1 FROM events e JOIN responses r ON r.event_id = e.id AND r.email_key = :key
           WHERE e.series_id = :id AND (r.proven OR r.browser <> CAST(:browser AS TEXT) OR r.user_id <> CAST(:me AS BIGINT))""",
        id=series_id,
        key=fold_case(who.email_address),
        browser=who.browser or "",
        me=policy.me(ctx),
    )
    return bool(rows)


def upsert(
    ctx: Context,
    event: Event,
    who: Author,
    value: ResponseInput,
    from_date: str,
    *,
    is_proven: bool,
    is_added: bool,
    keeps_proven: bool,
) -> None:
    """Store the response to the series of the event, from a date on.

    is_added: the actor gives it for a guest, as an editor.
    keeps_proven: one that was given with proof stays as it is.
    """
    names = ("email_address", "name", "response", "number", "plus_n", "from_date")
    is_unchanged = "series_responses.proven" if keeps_proven else "FALSE"
    assignments = ", ".join(f"{name} = CASE WHEN {is_unchanged} THEN series_responses.{name} ELSE excluded.{name} END" for name in names)
    ctx.tx.run(
        f"""INSERT INTO series_responses (series_id, email_address, email_key, name, response, number, plus_n, from_date, proven, added,
                                          added_by, created_at, updated_at)
            VALUES (:series_id, :email_address, :email_key, :name, :response, :number, :plus_n, :from_date, :proven, :added,
                    :added_by, :now, :now)
            ON CONFLICT (series_id, email_key) DO UPDATE
            SET {assignments}, proven = series_responses.proven OR excluded.proven,
                added = series_responses.added OR excluded.added, added_by = coalesce(excluded.added_by, series_responses.added_by),
                updated_at = excluded.updated_at""",
        series_id=event.series_id,
        email_address=who.email_address,
        email_key=fold_case(who.email_address),
        name=value.name or who.name,
        response=value.response,
        number=value.number,
        plus_n=value.plus_n,
        from_date=from_date,
        proven=is_proven,
        added=is_added,
        added_by=policy.me(ctx) if is_added else None,
        now=ctx.now,
    )


def withdraw(ctx: Context, series_id: int, email_key: str) -> None:
    """End what the address will see of later dates of the series because an editor added it."""
    sql = "UPDATE series_responses SET added = FALSE, added_by = NULL WHERE series_id = :id AND email_key = :key AND added"
    ctx.tx.run(sql, id=series_id, key=email_key)


def delete(ctx: Context, response: Response) -> None:
    """Delete the standing response of the address to the series of the event."""
    ctx.tx.run(
        """DELETE FROM series_responses WHERE email_key = :key
           AND series_id = (SELECT e.series_id FROM events e WHERE e.id = :event_id)""",
        key=fold_case(response.email_address),
        event_id=response.event_id,
    )


def unconfirmed_dates(ctx: Context, event: Event, email_address: str) -> list[Response]:
    """The responses of the address to other dates of the series, made by its response to the series, that wait for confirmation."""
    return ctx.tx.all(
        Response,
        f"""SELECT {columns(Response, "r")} FROM events e JOIN responses r ON r.event_id = e.id AND r.email_key = :key
            WHERE e.series_id = :series_id AND e.id <> :id AND r.by_series AND r.confirm_until IS NOT NULL ORDER BY r.id""",
        key=fold_case(email_address),
        series_id=event.series_id,
        id=event.id,
    )


def of_dates(ctx: Context, series_id: int, email_address: str) -> list[Response]:
    """The responses of the address to the dates of the series."""
    return ctx.tx.all(
        Response,
        f"""SELECT {columns(Response, "r")} FROM events e JOIN responses r ON r.event_id = e.id AND r.email_key = :key
            WHERE e.series_id = :series_id ORDER BY r.id""",
        key=fold_case(email_address),
        series_id=series_id,
    )


def confirm(ctx: Context, event: Event, email_address: str) -> None:
    """Record that the address has confirmed its response to the series of the event."""
    sql = "UPDATE series_responses SET proven = TRUE WHERE series_id = :series_id AND email_key = :key AND NOT proven"
    ctx.tx.run(sql, series_id=event.series_id, key=fold_case(email_address))

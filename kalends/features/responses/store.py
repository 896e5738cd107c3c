"""The SQL of responses: one for each event and address, also under concurrent requests."""

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.response import EventTally, Response, Tally
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.features.responses.model import PARTY, Author, ResponseFields, ResponseInput
from kalends.http.context import Context
from kalends.http.input.fields import Params

_RESPONSE = columns(Response)
_NUMBER = "CAST(sum(CASE WHEN {} THEN 1 ELSE 0 END) AS BIGINT)"
_OPTIONAL_FIELDS = ("name", "comment", "number", "plus_n", "opt_in", "min_party")
_INSERT = """INSERT INTO responses (event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in,
                                   min_party, by_series, version, proven, added, added_by, created_at, updated_at, confirm_until, browser)
            VALUES (:event_id, :user_id, :email_address, :email_key, :name, :response, :number, :plus_n, :comment, :opt_in,
                    :min_party, :by_series, 1, :proven, :added, :added_by, :now, :now, :confirm_until, :browser)"""

# A response stays linked to an account that changes it or has verified its address.
_STILL_LINKED = """CASE WHEN responses.user_id = CAST(:me AS BIGINT) THEN responses.user_id ELSE
    (SELECT u.id FROM users u WHERE u.id = responses.user_id AND u.verified_at IS NOT NULL AND u.email_key = responses.email_key) END"""


# Whether a caller without proof may change the stored response: it was made without proof, and in their browser or session, or in neither.
_IS_OPEN = """NOT responses.proven AND (responses.browser IS NULL OR responses.browser = CAST(:browser AS TEXT))
    AND (responses.user_id IS NULL OR responses.user_id = CAST(:me AS BIGINT))"""
# A number that the update omits is reduced to fit the party limit: an error would disclose the stored number.
_REDUCED_PLUS_N = """CASE WHEN responses.plus_n > CAST(:party_limit AS BIGINT) - excluded.number
    THEN CAST(:party_limit AS BIGINT) - excluded.number ELSE responses.plus_n END"""
_REDUCED_NUMBER = """CASE WHEN responses.number > CAST(:party_limit AS BIGINT) - excluded.plus_n
    THEN CAST(:party_limit AS BIGINT) - excluded.plus_n ELSE responses.number END"""
# The time counts from the first request: who repeats it must not hold places for longer.
_CONFIRM_UNTIL = """CASE WHEN responses.proven OR excluded.response <> 'YES' THEN NULL
    WHEN {people} > CAST(:confirm_above AS BIGINT) THEN 0
    WHEN responses.created_at + CAST(:hold_seconds AS BIGINT) <= :now THEN 0
    WHEN responses.created_at + CAST(:hold_seconds AS BIGINT) < :hold_until THEN responses.created_at + CAST(:hold_seconds AS BIGINT)
    ELSE CAST(:hold_until AS BIGINT) END"""
# Whether a YES `r` counts: an editor has accepted it where that is needed, and it does not wait for its confirmation or for places.
_COUNTS = """r.response = 'YES' AND (r.accepted_for IS NULL OR r.accepted_for >= r.number + r.plus_n)
    AND (r.confirm_until IS NULL OR r.confirm_until > 0) AND (r.held > 0 OR r.queued_at IS NULL AND r.offer_until IS NULL)"""
# How many of its people have places.
_SEATED = "CASE WHEN r.held > 0 THEN r.held ELSE r.number + r.plus_n END"


class EventState(Struct, frozen=True):
    """The fields of an event that decide whether it takes responses."""

    status: str
    version: int
    # The settings of its calendar.
    confirmations: str
    confirm_responses: str
    confirm_above: int
    hold_minutes: int


class Hold(Struct, frozen=True):
    """What a response without proof has until it is confirmed."""

    # A response for more people has nothing, and does not count.
    above: int
    # For how long another one has its places and options, and until when a new one has them; None if the event has no capacity and no
    # option with a limit.
    seconds: int | None
    until: int | None

    def confirm_until(self, fields: ResponseFields) -> int | None:
        """The column of a new response."""
        if fields.response != "YES":
            return None
        return 0 if fields.number + fields.plus_n > self.above else self.until


def find_state(ctx: Context, event_id: int, lock: str = "") -> EventState | None:
    """The state of the event; None if it was deleted."""
    return ctx.tx.one(
        EventState,
        f"""SELECT e.status, e.version, (SELECT c.confirmations FROM calendars c WHERE c.id = e.calendar_id),
                   (SELECT c.confirm_responses FROM calendars c WHERE c.id = e.calendar_id),
                   (SELECT c.confirm_above FROM calendars c WHERE c.id = e.calendar_id),
                   (SELECT c.hold_minutes FROM calendars c WHERE c.id = e.calendar_id)
            FROM events e WHERE e.id = :id {lock}""",
        id=event_id,
    )


def lock_event(ctx: Context, event_id: int, *, exclusive: bool) -> EventState | None:
    """Lock the event, so that nobody changes it until the transaction ends.

    exclusive: nobody else responds to it either. A transaction must not lock it so after it has locked it without: two that do would
    wait for each other.
    """
    return find_state(ctx, event_id, ctx.db.for_update if exclusive else ctx.db.for_share)


def email_keys_of_event(ctx: Context, event_id: int) -> set[str]:
    """The keys of the addresses that have responded to the event."""
    return {key for (key,) in ctx.tx.rows("SELECT email_key FROM responses WHERE event_id = :id", id=event_id)}


def set_accepted(ctx: Context, response_id: int, people: int | None) -> None:
    """Record how many people of the response an editor has accepted."""
    ctx.tx.run("UPDATE responses SET accepted_for = :people WHERE id = :id", id=response_id, people=people)


def upsert(
    ctx: Context,
    fields: Params[ResponseInput],
    author: Author,
    *,
    proven: bool,
    added: bool,
    added_by: int | None,
    party_limit: int | None,
    hold: Hold | None,
    by_series: bool = False,
    keeps_own: bool = False,
) -> Response:
    """Insert or update the address's response to the event; only `fields.names` are updated.

    hold: what the response has without proof; None: it asks for nothing, and has what it had.
    by_series: it is one date of a response to a series. keeps_own: one that the address gave to the date alone stays.
    Without proof, a response that others made (`is_guarded`) stays as it is: only its version is counted up, so that it costs the
    caller as much time as another one.
    """
    is_limited = party_limit is not None and len(fields.names & PARTY) == 1
    conditions = ([] if proven or author.may_change else [_IS_OPEN]) + (["responses.by_series"] if keeps_own else [])
    values = _assignments(fields.names, author, is_limited=is_limited)
    people = f"{values.get('number', 'responses.number')} + {values.get('plus_n', 'responses.plus_n')}"
    if proven:
        values["confirm_until"] = "NULL"
    elif hold:
        values["confirm_until"] = _CONFIRM_UNTIL.format(people=people)
    assignments = _only_if(conditions, values)
    row = ctx.tx.one(
        Response,
        f"""{_INSERT}
            ON CONFLICT (event_id, email_key) DO UPDATE
            SET {", ".join(assignments)}, version = responses.version + 1, proven = responses.proven OR excluded.proven,
                added = responses.added OR excluded.added, added_by = coalesce(excluded.added_by, responses.added_by)
            RETURNING {_RESPONSE}""",
        **_values(fields.value, author),
        by_series=by_series,
        confirm_until=hold.confirm_until(fields.value) if hold and not proven else None,
        proven=proven,
        added=added,
        added_by=added_by,
        now=ctx.now,
        browser=author.browser,
        **({} if author.is_proven and author.user_id else {"me": policy.me(ctx)}),
        **({"party_limit": party_limit} if is_limited else {}),
        **({"confirm_above": hold.above, "hold_seconds": hold.seconds, "hold_until": hold.until} if hold and not proven else {}),
    )
    assert row is not None
    return row


def _values(value: ResponseInput, author: Author) -> dict[str, Any]:
    return {
        "event_id": value.event_id,
        "user_id": author.user_id,
        "email_address": author.email_address,
        "email_key": fold_case(author.email_address),
        "name": value.name if author.may_change else author.name,
        "response": value.response,
        "number": value.number,
        "plus_n": value.plus_n,
        "comment": value.comment,
        "opt_in": value.opt_in,
        "min_party": value.min_party,
    }


def _assignments(names: Collection[str], author: Author, *, is_limited: bool) -> dict[str, str]:
    """What an update of these fields sets: the values by their columns.

    is_limited: the other part of the party is reduced, so that both are within the limit."""
    updated = ["response", "email_address", "updated_at", "by_series", "browser", *(name for name in _OPTIONAL_FIELDS if name in names)]
    values = {name: f"excluded.{name}" for name in updated}
    if is_limited:
        values |= {"plus_n": _REDUCED_PLUS_N} if "number" in names else {"number": _REDUCED_NUMBER}
    values["user_id"] = "excluded.user_id" if author.is_proven and author.user_id else _STILL_LINKED
    return values


def _only_if(conditions: list[str], values: dict[str, str]) -> list[str]:
    """The assignments, for stored responses of which the conditions are true."""
    if not conditions:
        return [f"{column} = {value}" for column, value in values.items()]
    is_true = " AND ".join(conditions)
    return [f"{column} = CASE WHEN {is_true} THEN {value} ELSE responses.{column} END" for column, value in values.items()]


def is_guarded(ctx: Context, row: Response, author: Author) -> bool:
    """Whether the stored response is not the author's to change without proof; `_IS_OPEN` says so in SQL."""
    by_others = row.browser is not None and row.browser != author.browser
    return row.proven or by_others or (row.user_id is not None and row.user_id != policy.me(ctx))


def reset_link(ctx: Context, response_id: int) -> Response:
    """Make the personal link of the response void, so that it has another one."""
    sql = f"UPDATE responses SET link_version = link_version + 1, updated_at = :now WHERE id = :id RETURNING {_RESPONSE}"
    row = ctx.tx.one(Response, sql, id=response_id, now=ctx.now)
    assert row is not None
    return row


def withdraw_guest(ctx: Context, event_ids: list[int], email_key: str) -> None:
    """End what the address sees of the events because an editor added it. Its responses stay."""
    added = f"event_id {ctx.db.in_list('ids')} AND email_key = :key AND added"
    ctx.tx.run(f"UPDATE responses SET added = FALSE, added_by = NULL WHERE {added}", ids=event_ids, key=email_key)


def erase(ctx: Context, ids: list[int]) -> None:
    """Erase the personal data of the responses. Their keys are no addresses, so that nobody can respond with them."""
    ctx.tx.run(
        f"""UPDATE responses SET user_id = NULL, email_address = '', email_key = 'erased ' || CAST(id AS TEXT), name = NULL, comment = NULL,
               opt_in = FALSE, browser = NULL, link_version = link_version + 1, version = version + 1, updated_at = :now
            WHERE id {ctx.db.in_list("ids")}""",
        ids=ids,
        now=ctx.now,
    )


def confirm(ctx: Context, response_id: int) -> None:
    """Record that the response is confirmed: it changes only with proof from now on."""
    ctx.tx.run("UPDATE responses SET confirm_until = NULL, proven = TRUE WHERE id = :id", id=response_id)


def set_no(ctx: Context, response_id: int) -> None:
    """Change the response to NO, with no seat and no place in the queue."""
    ctx.tx.run(
        """UPDATE responses SET response = 'NO', held = 0, offered = 0, offer_until = NULL, queued_at = NULL, queued_for = 0,
               forced = FALSE, confirm_until = NULL WHERE id = :id""",
        id=response_id,
    )


def delete(ctx: Context, response_id: int) -> None:
    ctx.tx.run("DELETE FROM responses WHERE id = :id", id=response_id)


def of_event(ctx: Context, event_id: int, limit: int, offset: int = 0) -> list[Response]:
    return ctx.tx.all(
        Response,
        f"SELECT {_RESPONSE} FROM responses WHERE event_id = :event_id ORDER BY id LIMIT :limit OFFSET :offset",
        event_id=event_id,
        limit=limit,
        offset=offset,
    )


def find_answers(ctx: Context, event_id: int, email_keys: Collection[str]) -> dict[str, str]:
    """What those of these addresses have said who have responded to the event, by the keys of their addresses."""
    sql = f"SELECT email_key, response FROM responses WHERE event_id = :event_id AND email_key {ctx.db.in_list('email_keys')}"
    return dict(ctx.tx.rows(sql, event_id=event_id, email_keys=sorted(email_keys)))


def find_by_ids(ctx: Context, ids: list[int]) -> list[Response]:
    """The given responses that exist, without a permission check."""
    return ctx.tx.all(Response, f"SELECT {_RESPONSE} FROM responses WHERE id {ctx.db.in_list('ids')}", ids=ids) if ids else []


def of_address(ctx: Context, event_id: int, email_address: str) -> list[Response]:
    """The response of the address to the event, if there is one, without a permission check."""
    sql = f"SELECT {_RESPONSE} FROM responses WHERE event_id = :event_id AND email_key = :key"
    return ctx.tx.all(Response, sql, event_id=event_id, key=fold_case(email_address))


def of_address_to_events(ctx: Context, event_ids: list[int], email_address: str) -> list[Response]:
    """The responses of the address to these events, without a permission check."""
    sql = f"SELECT {_RESPONSE} FROM responses WHERE event_id {ctx.db.in_list('ids')} AND email_key = :key"
    return ctx.tx.all(Response, sql, ids=event_ids, key=fold_case(email_address)) if event_ids else []


def by_event(ctx: Context, limit: int, offset: int = 0) -> list[EventTally]:
    """The tallies of the events with responses that the actor may edit, by latest response."""
    return ctx.tx.all(
        EventTally,
        f"""SELECT r.event_id, {", ".join(map(_NUMBER.format, (_COUNTS, "r.response = 'MAYBE'", "r.response = 'NO'")))},
                   CAST(sum(CASE WHEN {_COUNTS} THEN {_SEATED} ELSE 0 END) AS BIGINT), max(r.updated_at)
            FROM responses r WHERE r.event_id IN {policy.editable_event_ids(ctx)}
            GROUP BY r.event_id ORDER BY max(r.updated_at) DESC, r.event_id DESC LIMIT :limit OFFSET :offset""",
        me=policy.user(ctx).id,
        limit=limit,
        offset=offset,
    )


def count_of_event(ctx: Context, event_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM responses WHERE event_id = :event_id", event_id=event_id))


def of_user(ctx: Context, user_id: int, event_id: int | None, limit: int, offset: int) -> list[Response]:
    """The user's own responses, to one event or to all."""
    return ctx.tx.all(
        Response,
        f"SELECT {_RESPONSE} FROM responses WHERE {_own(ctx, event_id)} ORDER BY id LIMIT :limit OFFSET :offset",
        user_id=user_id,
        event_id=event_id,
        limit=limit,
        offset=offset,
    )


def count_of_user(ctx: Context, user_id: int, event_id: int | None) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM responses WHERE {_own(ctx, event_id)}", user_id=user_id, event_id=event_id))


def _own(ctx: Context, event_id: int | None) -> str:
    own = "user_id = :user_id" if event_id is None else "user_id = :user_id AND event_id = :event_id"
    return f"{own}{policy.and_event_opened(ctx, 'responses.event_id')}"


def tally(ctx: Context, event: Event) -> Tally:
    """The numbers of responses to the event."""
    counts = ctx.tx.one(Tally, f"SELECT {columns(Tally)} FROM response_tallies WHERE event_id = :id", id=event.id)
    return counts or Tally()

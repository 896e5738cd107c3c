"""The SQL of the seats of an event with a capacity. Anyone who changes them locks the event first."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.db import columns
from kalends.features.responses.rules.seating import Capacity
from kalends.features.responses.rules.waiting_list import Grant, Mode, Party
from kalends.http.context import Context

# Places in the queue are times in microseconds: two responses in one second have different ones.
MICROSECONDS = 1_000_000
# The parties that wait; the index `responses_waiting` has the same condition.
IS_WAITING = "queued_at IS NOT NULL AND queued_for > held + offered"
# The parties that do not hold all their places: they wait for them, or are offered them.
ON_LIST = "queued_at IS NOT NULL AND queued_for > held"
# Unconfirmed responses whose places are not held any longer; the index `responses_held_until` has the first condition.
HOLD_IS_OVER = "confirm_until > 0 AND confirm_until <= :now"
# The seats of the event `e` that are offered: the index `responses_offered` has those of all events.
OFFERED_SEATS = "(SELECT coalesce(sum(o.offered), 0) FROM responses o WHERE o.offered > 0 AND o.offer_until > 0 AND o.event_id + 0 = e.id)"
# The fewest seats of use to a party, as `waiting_list.smallest_gain` computes it.
_SMALLEST_GAIN = """CASE WHEN min_party IS NULL OR min_party >= queued_for THEN queued_for - held
    WHEN min_party > held + 1 THEN min_party - held ELSE 1 END"""
_PARTY = "id, queued_for, held, queued_at, queued_for, min_party, offered, forced"
BATCH = 200
_RESPONSE = columns(Response)
_CAPACITY = columns(Capacity, "q", seats="q.capacity", status="e.status", start_at="e.start_at", time_zone="e.time_zone")
# What is before the waiting response `r` in the queue, and the seats that were given to others behind it.
_BEFORE = f"FROM responses w WHERE w.event_id = r.event_id AND {IS_WAITING} AND w.queued_at < r.queued_at"
_PASSES = "FROM seat_grants g WHERE g.event_id = r.event_id AND g.queued_at > r.queued_at"


class QueuePlace(Struct, frozen=True):
    """What is known of the queue before and behind a response that waits."""

    id: int
    parties: int
    people: int
    times: int
    last_at: int | None
    # None if the event does not show counts.
    last_free: int | None


def find_capacity(ctx: Context, event_id: int) -> Capacity | None:
    """The capacity of an event that is locked; None if it has none."""
    return ctx.tx.one(
        Capacity,
        f"""SELECT {_CAPACITY} FROM response_settings q JOIN events e ON e.id = q.event_id
            WHERE q.event_id = :id AND q.capacity IS NOT NULL""",
        id=event_id,
    )


def hold_all(ctx: Context, event_id: int) -> None:
    """Seat everybody who has said YES before there was a capacity, in the order in which they responded."""
    ctx.tx.run(
        f"""UPDATE responses SET held = number + plus_n, queued_for = number + plus_n,
                queued_at = created_at * {MICROSECONDS} + id % {MICROSECONDS}
            WHERE event_id = :id AND response = 'YES' AND (accepted_for IS NULL OR accepted_for >= number + plus_n)
                AND confirm_until IS NULL""",
        id=event_id,
    )


def find_waiting_ids(ctx: Context, event_id: int) -> list[int]:
    rows = ctx.tx.rows(f"SELECT id FROM responses WHERE event_id = :id AND {IS_WAITING}", id=event_id)
    return [response_id for (response_id,) in rows]


def count_waiting(ctx: Context, event_id: int) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM responses WHERE event_id = :id AND {IS_WAITING}", id=event_id))


def clear_all(ctx: Context, event_id: int) -> None:
    """Forget the seats and the places in the queue."""
    ctx.tx.run(
        """UPDATE responses SET held = 0, offered = 0, offer_until = NULL, queued_at = NULL, queued_for = 0, forced = FALSE
           WHERE event_id = :id AND (queued_at IS NOT NULL OR held > 0 OR offer_until IS NOT NULL)""",
        id=event_id,
    )


def confirm_small_parties(ctx: Context, event_id: int) -> None:
    """Count the parties as confirmed that need not be without a capacity."""
    ctx.tx.run(
        """UPDATE responses SET confirm_until = NULL WHERE event_id = :id AND confirm_until IS NOT NULL AND number + plus_n <=
           (SELECT c.confirm_above FROM events e JOIN calendars c ON c.id = e.calendar_id WHERE e.id = :id)""",
        id=event_id,
    )


def accept_present(ctx: Context, event: Event) -> None:
    """Count those as accepted who have said YES before editors began to accept responses."""
    ctx.tx.run(
        """UPDATE responses SET accepted_for = number + plus_n
           WHERE event_id = :id AND response = 'YES' AND (confirm_until IS NULL OR confirm_until > 0)""",
        id=event.id,
    )


def find_pending(ctx: Context, event_id: int) -> list[Response]:
    """The responses that wait for an editor to accept them, in the order in which they were made."""
    sql = f"""SELECT {_RESPONSE} FROM responses
              WHERE event_id = :id AND response = 'YES' AND accepted_for < number + plus_n ORDER BY id"""
    return ctx.tx.all(Response, sql, id=event_id)


def end_acceptance(ctx: Context, event_id: int) -> None:
    """Let no response need an editor's acceptance."""
    ctx.tx.run("UPDATE responses SET accepted_for = NULL WHERE event_id = :id AND accepted_for IS NOT NULL", id=event_id)


def find_lapsed_events(ctx: Context) -> list[int]:
    """Events with an offer, or with places of an unconfirmed response, whose time is over."""
    rows = ctx.tx.rows(
        f"""SELECT event_id FROM responses WHERE offered > 0 AND offer_until <= :now
            UNION SELECT event_id FROM responses WHERE {HOLD_IS_OVER}""",
        now=ctx.now,
    )
    return [event_id for (event_id,) in rows]


def end_holds(ctx: Context, event_id: int) -> list[int]:
    """Take back the places of unconfirmed responses whose time is over; return their ids."""
    rows = ctx.tx.rows(
        f"""UPDATE responses SET held = 0, offered = 0, offer_until = NULL, queued_at = NULL, queued_for = 0, forced = FALSE,
                confirm_until = 0 WHERE {HOLD_IS_OVER} AND event_id + 0 = :event_id RETURNING id""",
        event_id=event_id,
        now=ctx.now,
    )
    return [response_id for (response_id,) in rows]


def end_offers(ctx: Context, event_id: int) -> list[int]:
    """Take back the offers whose time is over; return the ids of the responses."""
    rows = ctx.tx.rows(
        """UPDATE responses SET offered = 0, queued_at = NULL, queued_for = 0
           WHERE offered > 0 AND offer_until <= :now AND event_id + 0 = :event_id RETURNING id""",
        event_id=event_id,
        now=ctx.now,
    )
    return [response_id for (response_id,) in rows]


def has_others_before(ctx: Context, event_id: int, queued_at: int | None) -> bool:
    """Whether a party waits that came before this place in the queue."""
    sql = f"SELECT 1 FROM responses WHERE event_id = :id AND {IS_WAITING} AND queued_at < :queued_at AND offered = 0 LIMIT 1"
    return bool(ctx.tx.rows(sql, id=event_id, queued_at=queued_at))


def find_queue(ctx: Context, capacity: Capacity, mode: Mode, present: int | None) -> Iterator[Party]:
    """The waiting parties in their order, read in batches: the free seats are often gone after the first. Where parties are passed
    over, the database leaves out those that are too large for all the seats together."""
    fitting = f"AND {_SMALLEST_GAIN} <= :free" if capacity.waiting_order == "fit" else ""
    only = "AND id = :present" if mode == "closed" else ""
    last = 0
    while True:
        rows = ctx.tx.all(
            Party,
            f"""SELECT {_PARTY} FROM responses WHERE event_id = :id AND {IS_WAITING} AND offered = 0 AND queued_at > :last {fitting} {only}
                ORDER BY queued_at, id LIMIT {BATCH}""",
            id=capacity.event_id,
            last=last,
            **({"free": capacity.free} if fitting else {}),
            **({"present": present or 0} if only else {}),
        )
        yield from rows
        if len(rows) < BATCH:
            return
        last = rows[-1].queued_at or 0


def insert_grants(ctx: Context, event_id: int, grants: Iterable[Grant]) -> None:
    """Record to whom seats were given, for those who were passed over."""
    ctx.tx.many(
        "INSERT INTO seat_grants (event_id, at, queued_at, seats, free) VALUES (:event_id, :at, :queued_at, :seats, :free)",
        [
            {"event_id": event_id, "at": ctx.now, "queued_at": grant.party.queued_at, "seats": grant.seats, "free": grant.free}
            for grant in grants
        ],
    )


def update(ctx: Context, parties: list[Party], offer_until: int | None = None) -> None:
    """Store the seats of the parties and their places in the queue."""
    ctx.tx.many(
        """UPDATE responses SET held = :held, offered = :offered, offer_until = :offer_until, queued_at = :queued_at,
               queued_for = :queued_for, forced = :forced WHERE id = :id""",
        [
            {
                "id": party.id,
                "held": party.held,
                "offered": party.offered,
                "offer_until": offer_until if party.offered else None,
                "queued_at": party.queued_at,
                "queued_for": party.queued_for,
                "forced": party.forced,
            }
            for party in parties
        ],
    )


def find_queue_places(ctx: Context, ids: Sequence[int]) -> dict[int, QueuePlace]:
    """The places in the queue of the responses that wait, by their ids."""
    if not ids:
        return {}
    rows = ctx.tx.all(
        QueuePlace,
        f"""SELECT r.id, (SELECT count(*) {_BEFORE}),
                   (SELECT CAST(coalesce(sum(w.queued_for - w.held - w.offered), 0) AS BIGINT) {_BEFORE}),
                   (SELECT count(*) {_PASSES}), (SELECT g.at {_PASSES} ORDER BY g.id DESC LIMIT 1),
                   (SELECT g.free {_PASSES} AND s.show_counts ORDER BY g.id DESC LIMIT 1)
            FROM responses r JOIN response_settings s ON s.event_id = r.event_id
            WHERE r.id {ctx.db.in_list("ids")} AND r.queued_at IS NOT NULL""",
        ids=ids,
    )
    return {row.id: row for row in rows}

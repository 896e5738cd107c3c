"""The places of responses: what they hold of an event with a capacity, who is ahead of them, and when they were passed over."""

from collections.abc import Sequence

from msgspec import Struct

from kalends.context import Context
from kalends.records.response import Response
from kalends.responses.model import Ahead, PassedOver, PlaceState, SeatPlace
from kalends.responses.seats import IS_WAITING
from kalends.values.timestamps import format_utc


class _Queue(Struct, frozen=True):
    """What is known of the queue before and behind a response that waits."""

    id: int
    parties: int
    people: int
    times: int
    last_at: int | None
    # None if the event does not show counts.
    last_free: int | None


_BEFORE = f"FROM responses w WHERE w.event_id = r.event_id AND {IS_WAITING} AND w.queued_at < r.queued_at"
_PASSES = "FROM seat_grants g WHERE g.event_id = r.event_id AND g.queued_at > r.queued_at"


def is_asked(place: SeatPlace | None) -> bool:
    """Whether a YES again takes offered seats, or a new place in the queue."""
    return place is not None and place.place in ("offered", "lapsed")


def find(ctx: Context, responses: Sequence[Response]) -> dict[int, SeatPlace]:
    """The places by the ids of the responses; none for those that need none."""
    states = {response.id: state for response in responses if (state := _state(ctx, response))}
    queues = _find_queues(ctx, [response_id for response_id, state in states.items() if state in ("waiting", "partly")])
    return {response.id: _place(response, states[response.id], queues.get(response.id)) for response in responses if response.id in states}


def _state(ctx: Context, response: Response) -> PlaceState | None:
    if response.response != "YES":
        return None
    if response.is_pending:
        return "pending"
    if response.is_unconfirmed(ctx.now):
        return "unconfirmed"
    if response.held == response.people:
        return "held"
    if response.offered and response.offer_until and ctx.now < response.offer_until:
        return "offered"
    if response.held:
        return "partly"
    if response.offer_until:
        return "lapsed"
    return None if response.queued_at is None else "waiting"


def _find_queues(ctx: Context, ids: list[int]) -> dict[int, _Queue]:
    if not ids:
        return {}
    rows = ctx.tx.all(
        _Queue,
        f"""SELECT r.id, (SELECT count(*) {_BEFORE}),
                   (SELECT CAST(coalesce(sum(w.queued_for - w.held - w.offered), 0) AS BIGINT) {_BEFORE}),
                   (SELECT count(*) {_PASSES}), (SELECT g.at {_PASSES} ORDER BY g.id DESC LIMIT 1),
                   (SELECT g.free {_PASSES} AND s.show_counts ORDER BY g.id DESC LIMIT 1)
            FROM responses r JOIN response_settings s ON s.event_id = r.event_id
            WHERE r.id {ctx.db.in_list("ids")} AND r.queued_at IS NOT NULL""",
        ids=ids,
    )
    return {row.id: row for row in rows}


def _place(response: Response, state: PlaceState, queue: _Queue | None) -> SeatPlace:
    is_offered = state == "offered"
    return SeatPlace(
        place=state,
        held=0 if state == "unconfirmed" else response.held,
        offered=response.offered if is_offered else 0,
        offer_until=format_utc(response.offer_until) if is_offered and response.offer_until else None,
        confirm_until=format_utc(response.confirm_until) if response.confirm_until and state != "unconfirmed" else None,
        ahead=Ahead(queue.parties, queue.people) if queue else None,
        passed_over=PassedOver(queue.times, format_utc(queue.last_at), queue.last_free) if queue and queue.last_at is not None else None,
    )

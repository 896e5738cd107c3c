"""The waiting list under concurrent requests: the invariant holds, and the result follows from the recorded order of the requests."""

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec import json

from kalends.db import Database, Transaction
from kalends.features.responses.rules import waiting_list
from kalends.features.responses.rules.waiting_list import Order, Party
from kalends.http import run_endpoint
from tests.cast import Cast, Person, a_calendar, a_response, an_event
from tests.conftest import Clock

CAPACITY = 12
START = "2026-08-01T20:00"


@pytest.mark.parametrize(("waiting", "order"), [("auto", "fit"), ("auto", "strict"), ("offer", "fit")])
def test_concurrent_requests_keep_the_invariant(
    cast: Cast, db: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch, waiting: str, order: Order, soak: bool
) -> None:
    # Each request locks the event first, so none is the victim of a deadlock, which would be tried again.
    monkeypatch.setattr(run_endpoint, "ATTEMPTS", 1)
    threads, each = (200, 10) if soak else (10, 6)
    # Responses that lapse without a request are not in the journal, from which they are replayed.
    calendar = a_calendar(cast.alice, hold_minutes=10_080)["id"]
    event = an_event(
        cast.alice,
        calendar_id=calendar,
        public=True,
        start_time=START,
        capacity=CAPACITY,
        waiting_list=waiting,
        waiting_order=order,
        offer_hours=1,
    )
    members: list[tuple[Person, int]] = [(person, a_response(person, event)["id"]) for person in (cast.bob, cast.carol)]

    def work(number: int) -> set[int]:
        chance = random.Random(number)
        return {_request(cast, clock, event, chance, members) for _ in range(each)}

    with ThreadPoolExecutor(threads) as pool:
        statuses = set().union(*pool.map(work, range(threads)))
    # 200 threads may wait longer for the lock than a statement may take.
    assert statuses <= {200, 201, 404, 409} | ({503} if soak else set())
    assert {200, 201} <= statuses
    # What is over by time is settled by the next request.
    cast.alice.put(f"/api/events/{event['id']}", json={"description": "Settled"})
    with db.read() as tx:
        _check_counts(tx, event["id"])
        if waiting == "auto":
            assert _held(tx, event["id"]) == _replay(tx, event["id"], order)


def _request(cast: Cast, clock: Clock, event: dict[str, Any], chance: random.Random, members: list[tuple[Person, int]]) -> int:
    """One random request; its status."""
    kind = chance.choice(["ask"] * 6 + ["leave", "delete", "capacity", "member", "member", "time"])
    address = f"guest-{chance.randrange(20)}@example.org"
    sent = {"event_id": event["id"], "email_address": address, "response": "YES", "number": chance.randint(1, 5)}
    if kind == "time":
        clock.ahead(1800)
        return 200
    if kind == "capacity":
        return cast.alice.put(f"/api/events/{event['id']}", json={"capacity": chance.randint(4, 2 * CAPACITY)}).status
    if kind == "member":
        person, number = chance.choice(members)
        return person.put(f"/api/responses/{number}", json={"response": chance.choice(["YES", "YES", "NO"])}).status
    if kind == "leave":
        return cast.alice.post("/api/responses", json=sent | {"response": "NO"}).status
    reply = (cast.alice if kind == "delete" or chance.random() < 0.3 else cast.anonymous).post(
        "/api/responses", json=sent | ({"min_party": chance.randint(1, 3)} if chance.random() < 0.3 else {})
    )
    if kind == "delete" and reply.status in (200, 201):
        return cast.alice.delete(f"/api/responses/{reply.json['id']}").status
    return reply.status


def _check_counts(tx: Transaction, event_id: int) -> None:
    """The counts are the sums of the responses, and nobody holds more than they asked for."""
    [(taken, waiting, ceiling)] = tx.rows("SELECT taken, waiting, ceiling FROM response_settings WHERE event_id = :id", id=event_id)
    rows = tx.rows(
        "SELECT held + offered, CASE WHEN queued_at IS NULL THEN 0 ELSE queued_for - held - offered END, number + plus_n, response "
        "FROM responses WHERE event_id = :id",
        id=event_id,
    )
    assert (taken, waiting) == (sum(row[0] for row in rows), sum(row[1] for row in rows))
    assert taken <= ceiling
    assert all(seats <= people if response == "YES" else seats == 0 for seats, _, people, response in rows)


def _held(tx: Transaction, event_id: int) -> dict[int, int]:
    rows = tx.rows("SELECT id, held FROM responses WHERE event_id = :id AND response = 'YES'", id=event_id)
    return dict(rows)


def _replay(tx: Transaction, event_id: int, order: Order) -> dict[int, int]:
    """What the pure functions give, from the journal alone."""
    changes = tx.rows(
        "SELECT kind, record_id, op, before FROM changes WHERE event_id = :id AND kind IN ('response', 'settings') ORDER BY id", id=event_id
    )
    current: dict[tuple[str, int], dict[str, Any]] = {}
    names = ("response", "number", "plus_n", "min_party")
    for row in tx.rows(f"SELECT id, {', '.join(names)} FROM responses WHERE event_id = :id", id=event_id):
        current["response", row[0]] = dict(zip(names, row[1:], strict=True))
    [(capacity,)] = tx.rows("SELECT capacity FROM response_settings WHERE event_id = :id", id=event_id)
    current["settings", event_id] = {"capacity": capacity}
    steps: list[tuple[str, int, dict[str, Any] | None]] = []
    for kind, record_id, op, before in reversed(changes):
        steps.append((kind, record_id, None if op == "delete" else current[kind, record_id]))
        if before:
            current[kind, record_id] = json.decode(before)
    parties: dict[int, Party] = {}
    seats = CAPACITY
    for place, (kind, number, after) in enumerate(reversed(steps), start=1):
        if kind == "settings":
            assert after is not None
            seats = after["capacity"]
        else:
            wanted = after["number"] + after["plus_n"] if after and after["response"] == "YES" else 0
            parties[number] = waiting_list.ask(parties.get(number, Party(number, 0)), wanted, after and after["min_party"], place)
        queue = sorted((party for party in parties.values() if party.is_waiting), key=lambda party: party.queued_at or 0)
        free = seats - sum(party.held for party in parties.values())
        for grant in waiting_list.walk(free, order, queue):
            parties[grant.party.id] = grant.result
    return {party.id: party.held for party in parties.values() if party.wanted}

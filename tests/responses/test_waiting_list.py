"""The walk through the waiting list: properties for all sequences of requests, and a naive oracle."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kalends.features.responses.rules import waiting_list
from kalends.features.responses.rules.waiting_list import Grant, Order, Party

SIZES = st.integers(1, 6)
ASKED = st.tuples(st.just("ask"), st.integers(1, 7), SIZES, st.none() | st.integers(1, 6))
LEFT = st.tuples(st.just("leave"), st.integers(1, 7))
RESIZED = st.tuples(st.just("capacity"), st.integers(0, 12))
ACCEPTED = st.tuples(st.just("accept"), st.integers(1, 7))
LAPSED = st.tuples(st.just("lapse"), st.integers(1, 7))
REQUESTS: st.SearchStrategy[list[tuple[Any, ...]]] = st.lists(st.one_of(ASKED, ASKED, LEFT, RESIZED, ACCEPTED, LAPSED), max_size=30)
ORDERS: st.SearchStrategy[Order] = st.sampled_from(("fit", "strict"))
MODES: st.SearchStrategy[waiting_list.Mode] = st.sampled_from(("seat", "offer"))


class Hall:
    """An event in memory: each request changes one party or the capacity, then one walk settles the queue."""

    def __init__(self, order: Order, mode: waiting_list.Mode) -> None:
        self.order, self.mode, self.capacity, self.place = order, mode, 5, 0
        self.parties: dict[int, Party] = {}

    @property
    def taken(self) -> int:
        return sum(party.held + party.offered for party in self.parties.values())

    @property
    def queue(self) -> list[Party]:
        return sorted((party for party in self.parties.values() if party.is_waiting), key=lambda party: party.queued_at or 0)

    def request(self, kind: str, number: int, *details: Any) -> list[Grant]:
        self.place += 1
        party = self.parties.get(number, Party(number, 0))
        if kind == "ask":
            wanted, min_party = details
            self.parties[number] = waiting_list.ask(party, wanted, min_party, self.place)
        elif kind == "leave":
            self.parties[number] = waiting_list.ask(party, 0, None, self.place)
        elif kind == "capacity":
            self.capacity = number
        elif party.offered:
            self.parties[number] = waiting_list.accept(party) if kind == "accept" else waiting_list.lapse(party)
        present = number if kind == "ask" else None
        grants = list(waiting_list.walk(self.capacity - self.taken, self.order, self.queue, mode=self.mode, present=present))
        for grant in grants:
            self.parties[grant.party.id] = grant.result
        return grants


@given(REQUESTS, ORDERS, MODES)
def test_no_request_seats_more_people_than_fit(requests: list[tuple[Any, ...]], order: Order, mode: waiting_list.Mode) -> None:
    hall = Hall(order, mode)
    for request in requests:
        taken = hall.taken
        hall.request(*request)
        assert hall.taken <= max(hall.capacity, taken)


@given(REQUESTS, ORDERS, MODES)
def test_a_party_is_split_only_down_to_its_smallest_size(requests: list[tuple[Any, ...]], order: Order, mode: waiting_list.Mode) -> None:
    hall = Hall(order, mode)
    for request in requests:
        for grant in hall.request(*request):
            total = grant.party.held + grant.seats
            assert total == grant.party.wanted or (grant.party.min_party is not None and total >= grant.party.min_party)


@given(REQUESTS, ORDERS, MODES)
def test_nobody_overtakes_a_party_that_would_fit(requests: list[tuple[Any, ...]], order: Order, mode: waiting_list.Mode) -> None:
    hall = Hall(order, mode)
    for request in requests:
        for grant in hall.request(*request):
            ahead = [party for party in hall.queue if (party.queued_at or 0) < (grant.party.queued_at or 0) and not party.offered]
            if order == "strict":
                assert not ahead
            assert all(waiting_list.smallest_gain(party) > grant.free for party in ahead)
        # The walk has left nobody waiting who would fit.
        free = hall.capacity - hall.taken
        waiting = [party for party in hall.queue if not party.offered][: 1 if order == "strict" else None]
        assert all(waiting_list.smallest_gain(party) > free for party in waiting) or free <= 0


@given(REQUESTS, ORDERS, MODES, st.integers(1, 6))
def test_asking_for_more_loses_no_seat_and_asking_for_less_keeps_the_place(
    requests: list[tuple[Any, ...]], order: Order, mode: waiting_list.Mode, wanted: int
) -> None:
    hall = Hall(order, mode)
    for request in requests:
        hall.request(*request)
    for before in list(hall.parties.values()):
        if before.wanted:
            hall.request("ask", before.id, wanted, before.min_party)
            after = hall.parties[before.id]
            assert after.held >= min(before.held, wanted)
            if wanted <= before.wanted and before.queued_at is not None:
                assert after.queued_at == before.queued_at


@given(REQUESTS, ORDERS, MODES, st.integers(0, 12))
def test_less_capacity_unseats_nobody(requests: list[tuple[Any, ...]], order: Order, mode: waiting_list.Mode, capacity: int) -> None:
    hall = Hall(order, mode)
    for request in requests:
        hall.request(*request)
    before = dict(hall.parties)
    hall.request("capacity", min(capacity, hall.capacity))
    assert hall.parties == before


@given(REQUESTS, ORDERS)
def test_the_walk_agrees_with_a_naive_one(requests: list[tuple[Any, ...]], order: Order) -> None:
    hall, naive = Hall(order, "seat"), NaiveHall(order)
    for request in requests:
        hall.request(*request)
        naive.request(*request)
        assert {party.id: party.held for party in hall.parties.values() if party.wanted} == naive.held


class NaiveHall:
    """The rules once more, seat by seat and without the functions under test."""

    def __init__(self, order: Order) -> None:
        self.order, self.capacity = order, 5
        self.queue: list[int] = []
        self.wanted: dict[int, int] = {}
        self.smallest: dict[int, int] = {}
        self.held: dict[int, int] = {}

    def request(self, kind: str, number: int, *details: Any) -> None:
        if kind == "capacity":
            self.capacity = number
        elif kind == "leave" or (kind == "ask" and details[0] > self.wanted.get(number, 0)):
            self.queue = [each for each in self.queue if each != number]
        if kind == "leave":
            self.wanted.pop(number, None)
            self.held.pop(number, None)
        elif kind == "ask":
            wanted, min_party = details
            self.queue += [] if number in self.queue else [number]
            self.wanted[number], self.smallest[number] = wanted, wanted if min_party is None else min(min_party, wanted)
            self.held[number] = min(self.held.get(number, 0), wanted)
        self._seat()

    def _seat(self) -> None:
        for number in self.queue:
            free, wanted, held = self.capacity - sum(self.held.values()), self.wanted[number], self.held[number]
            sizes = [size for size in range(held + 1, wanted + 1) if size - held <= free and size >= self.smallest[number]]
            if held < wanted and not sizes and self.order == "strict":
                return
            self.held[number] = max(sizes, default=held)


def test_a_seated_party_of_two_that_asks_for_four_with_one_seat_free_waits_for_two() -> None:
    [seated] = waiting_list.walk(3, "fit", [waiting_list.ask(Party(1, 0), 2, None, 1)])
    party = waiting_list.ask(seated.result, 4, None, 2)
    assert list(waiting_list.walk(1, "fit", [party])) == []
    assert (party.held, party.wanted, party.is_waiting) == (2, 4, True)
    [grant] = waiting_list.walk(2, "fit", [party])
    assert grant.result.held == 4


def test_a_lapsed_offer_leaves_the_queue_and_asking_again_goes_to_its_end() -> None:
    waiting = waiting_list.ask(Party(1, 0), 2, None, 1)
    [offer] = waiting_list.walk(2, "fit", [waiting], mode="offer")
    assert (offer.is_offer, offer.result.offered, offer.result.held) == (True, 2, 0)
    lapsed = waiting_list.lapse(offer.result)
    assert not lapsed.is_waiting
    assert waiting_list.ask(lapsed, 2, None, 9).queued_at == 9
    assert waiting_list.accept(offer.result) == structs.replace(waiting, held=2)


def test_the_closed_list_seats_only_the_guest_who_asks() -> None:
    queue = [waiting_list.ask(Party(1, 0), 1, None, 1), waiting_list.ask(Party(2, 0), 1, None, 2)]
    assert [grant.party.id for grant in waiting_list.walk(2, "fit", queue, mode="closed", present=2)] == [2]

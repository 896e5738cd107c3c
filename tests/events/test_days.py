"""Days of the start page: what each choice means, and the events by day."""

import re
from datetime import date, datetime
from uuid import uuid4

import pytest

from kalends.core.values import datetimes
from kalends.features.events.rules import days
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.conftest import Clock

pytestmark = pytest.mark.on_one_database


@pytest.mark.parametrize(
    ("when", "today", "first", "last"),
    [
        ("today", 29, 29, 29),
        ("tomorrow", 29, 30, 30),
        ("weekend", 25, 30, 31),
        ("weekend", 29, 30, 31),
        ("weekend", 31, 31, 31),
        ("next-week", 18, 25, 31),
        ("next-week", 24, 25, 31),
        ("2026-05-03", 29, 3, 3),
    ],
)
def test_a_choice_means_these_days(when: str, today: int, first: int, last: int) -> None:
    assert days.choose(when, date(2026, 5, today)) == (date(2026, 5, first), date(2026, 5, last))


def _sections(page: str) -> dict[str, list[str]]:
    """The headings of the days, and the titles below each."""
    sections: dict[str, list[str]] = {}
    for heading, cards in re.findall(r'<h2 id="day-\d+">(.*?)</h2>(.*?)</section>', page, re.S):
        sections[re.sub(r"<[^>]*>", "", heading)] = re.findall(r'dir="auto">([^<]*)</a></h3>', cards)
    return sections


def test_events_stand_below_their_days(cast: Cast, client: Client, clock: Clock) -> None:
    name = uuid4().hex
    clock.now = datetimes.to_instant(datetime(2026, 5, 29, 12), "Europe/Paris")
    for title, start_time, end_time in [
        ("fair", "2026-05-20", "2026-06-02"),
        ("night", "2026-05-30T23:30-04:00", None),
        ("brunch", "2026-05-31T11:00", None),
        ("later", "2027-02-01T20:00", None),
    ]:
        an_event(cast.alice, title=f"{title} {name}", start_time=start_time, end_time=end_time, time_zone="Europe/Paris", public=True)

    def titles(**query: str) -> dict[str, list[str]]:
        page = client.get("/", query={"text": name} | query, headers={"Cookie": "kalends_zone=Europe/Paris"})
        assert page.status == 200, page.text
        return {day: [title.removesuffix(f" {name}") for title in each] for day, each in _sections(page.text).items()}

    assert titles() == {"Today 29 May": ["fair"], "Sunday 31 May": ["night", "brunch"], "Monday 1 February 2027": ["later"]}
    assert titles(when="weekend") == {"Tomorrow 30 May": ["fair"], "Sunday 31 May": ["night", "brunch"]}
    assert titles(when="2027-02-01") == {"Monday 1 February 2027": ["later"]}
    assert titles(when="2026-05-25") == {"Monday 25 May": ["fair"]}
    assert "<p>Nothing found. <a" in client.get("/", query={"text": name, "when": "2028-01-01"}).text


def test_a_day_that_is_none_is_refused(client: Client) -> None:
    assert client.get("/", query={"when": "someday"}).status == 422


def test_cards_tell_only_what_everyone_may_know(cast: Cast, client: Client) -> None:
    name = uuid4().hex
    private = a_calendar(cast.alice, name=f"Secret {name}", color="#123456")
    public = a_calendar(cast.alice, name=f"Open {name}", color="#654321", public=True)
    event = an_event(cast.alice, title=f"Hidden counts {name}", start_time="2027-02-01T20:00", public=True, calendar_id=private["id"])
    full = an_event(
        cast.alice,
        title=f"Full {name}",
        start_time="2027-02-02T20:00",
        public=True,
        calendar_id=public["id"],
        capacity=2,
        waiting_list="auto",
    )
    cast.alice.put(f"/api/events/{event['id']}", json={"show_counts": False})
    for each in (event, full):
        reply = client.post(
            "/api/responses", json={"event_id": each["id"], "email_address": "g@example.org", "response": "YES", "plus_n": 1}
        )
        assert reply.status == 201
    waits = {"event_id": full["id"], "email_address": "waits@example.org", "response": "YES"}
    assert client.post("/api/responses", json=waits).status == 201
    hidden_card, open_card = re.findall(r'<li class="card">.*?</li>', client.get("/", query={"text": name}).text, re.S)
    assert "Secret" not in hidden_card
    assert "#123456" not in hidden_card
    assert "going" not in hidden_card
    assert "#654321" in open_card
    assert "2 going" in open_card
    assert "Full</strong>" in open_card

"""POST /api/reports and the page: anybody tells the administrators about what they see."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_calendar, a_comment, an_event
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.http.test_guest_writes import an_address

pytestmark = pytest.mark.on_one_database


def report(guest: Client, **fields: Any) -> Reply:
    return guest.post("/api/reports", json={"reason": "spam"} | fields, remote_addr=an_address())


def stored(db: Database, report_id: int) -> tuple[Any, ...]:
    with db.read() as tx:
        [row] = tx.rows(
            "SELECT event_id, comment_id, calendar_id, user_id, email_address, reason, text FROM reports WHERE id = :id", id=report_id
        )
    return row


def test_a_guest_reports_an_event_a_comment_and_a_calendar(cast: Cast, db: Database) -> None:
    event, calendar = an_event(cast.alice, public=True), a_calendar(cast.alice, public=True)
    comment = a_comment(cast.alice, event)
    created = report(cast.anonymous, event_id=event["id"], text="It sells pills", email_address="gus@example.org")
    assert created.status == 201
    assert created.json["reason"] == "spam"
    assert stored(db, created.json["id"]) == (event["id"], None, None, None, "gus@example.org", "spam", "It sells pills")
    created = report(cast.anonymous, comment_id=comment["id"], reason="abuse")
    assert stored(db, created.json["id"]) == (None, comment["id"], None, None, None, "abuse", None)
    created = report(cast.bob, calendar_id=calendar["id"], reason="other")
    assert stored(db, created.json["id"]) == (None, None, calendar["id"], cast.bob.id, None, "other", None)


def test_what_is_not_seen_cannot_be_reported(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    waiting = cast.anonymous.post("/api/comments", json={"event_id": event["id"], "email_address": "g@example.org", "comment": "Hi"}).json
    private = an_event(cast.alice)
    hidden: list[dict[str, int]] = [
        {"event_id": private["id"]},
        {"comment_id": a_comment(cast.alice, private)["id"]},
        {"comment_id": waiting["id"]},
        {"calendar_id": a_calendar(cast.alice, public=False)["id"]},
    ]
    assert [report(cast.carol, **fields).status for fields in [*hidden, {"event_id": 9_999_999}, {"comment_id": 9_999_999}]] == [404] * 6


@pytest.mark.parametrize(
    "fields", [{}, {"event_id": 1, "calendar_id": 1}, {"event_id": 1, "reason": "boring"}, {"event_id": 1, "text": "x" * 2001}]
)
def test_a_report_is_about_one_thing_and_has_a_reason(cast: Cast, fields: dict[str, Any]) -> None:
    assert report(cast.anonymous, **fields).status == 422


def test_reports_on_an_event_count_against_its_limit(cast: Cast, db: Database, settings: Settings, limited: Client, clock: Clock) -> None:
    guest = Client(application(db, structs.replace(settings, rate_limits="on", guest_writes_per_event_per_hour=2), clock))
    event = an_event(cast.alice, public=True)
    comment = a_comment(cast.alice, event)
    subjects: list[dict[str, int]] = [{"event_id": event["id"]}, {"comment_id": comment["id"]}, {"event_id": event["id"]}]
    assert [report(guest, **fields).status for fields in subjects] == [201, 201, 429]


def test_visitors_are_offered_to_report_what_is_public(cast: Cast) -> None:
    event, calendar = an_event(cast.alice, public=True), a_calendar(cast.alice, public=True)
    comment = a_comment(cast.alice, event)
    page = cast.anonymous.get(f"/events/{event['id']}").text
    assert f'href="/reports/new?event_id={event["id"]}"' in page
    assert f'href="/reports/new?comment_id={comment["id"]}"' in page
    assert f'href="/reports/new?calendar_id={calendar["id"]}"' in cast.anonymous.get(f"/calendars/{calendar['id']}").text
    assert "/reports/new" not in cast.alice.get(f"/events/{event['id']}").text
    assert "/reports/new" not in cast.alice.get(f"/calendars/{calendar['id']}").text


def test_the_page_sends_a_report_and_shows_what_was_typed_if_something_is_missing(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True, title="Pills & more")
    assert "Pills &amp; more" in cast.anonymous.get(f"/reports/new?event_id={event['id']}").text
    typed = {"event_id": str(event["id"]), "text": "It sells <pills>"}
    again = cast.anonymous.post("/reports/new", data=typed)
    assert again.status == 422
    assert "It sells &lt;pills&gt;" in again.text
    assert f'name="event_id" value="{event["id"]}"' in again.text
    assert cast.anonymous.post("/reports/new", data=typed | {"reason": "spam", "email_address": ""}).redirect == (
        f"/events/{event['id']}",
        "reported",
    )
    with db.read() as tx:
        assert tx.rows("SELECT text FROM reports WHERE event_id = :id", id=event["id"]) == [("It sells <pills>",)]

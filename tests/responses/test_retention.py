"""A calendar keeps for some days after an event who its guests were, and then only how many."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time
from typing import Any
from uuid import uuid4

import pytest

from kalends.app.worker import forget_guests
from kalends.core.settings import Settings
from kalends.db import Database, Transaction
from kalends.http.context import Context
from tests.cast import Cast, a_calendar, a_comment, a_question, a_response, an_event, verified
from tests.conftest import NOON, Clock
from tests.dav.clients import calendar_path
from tests.dav.test_write import ics, put
from tests.responses.mail import mails_about
from tests.stored_data import find_texts

DAY = 86_400
# The events end at 23:00 on the day after the clock's.
START, END = "2026-05-29T20:00", "2026-05-29T23:00"
MAX_SECONDS = 0.5


def _guest() -> str:
    return f"gus-{uuid4().hex}@example.org"


def _work(db: Database, settings: Settings, days: float) -> None:
    forget_guests(Context(db, settings, NOON + int(days * DAY)))


def _counts(cast: Cast, event: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = cast.alice.get(f"/api/events/{event['id']}").json
    return {name: value for name, value in shown.items() if "count" in name or "response" in name}


def _visited(cast: Cast, db: Database, settings: Settings, guest: str, **calendar: Any) -> dict[str, Any]:
    """An event to which the guest was invited, responded, answered, commented and got mail."""
    home = a_calendar(verified(db, cast.alice), public=True, moderation="none", **calendar)
    event = an_event(cast.alice, calendar_id=home["id"], start_time=START, end_time=END)
    question = a_question(cast.alice, f"/api/events/{event['id']}", label="Which menu?", kind="text")
    assert cast.alice.post(f"/api/events/{event['id']}/invitations", json={"addresses": [guest], "message": "Come"}).status == 202
    answers = [{"question_id": question["id"], "answer": f"the menu of {guest}"}]
    a_response(cast.anonymous, event, email_address=guest, name="Gus Kept", comment="Yes", number=2, answers=answers)
    a_comment(cast.anonymous, event, email_address=guest, name=f"Guest {guest}", comment="See you")
    assert cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": guest}).status == 202
    mails_about(db, settings, event["id"])
    return event


def test_after_the_days_no_column_has_the_address_and_the_counts_stay(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    guest = _guest()
    event = _visited(cast, db, settings, guest, keep_responses_days=30)
    before = _counts(cast, event)
    assert before
    clock.ahead(2 * DAY)
    _work(db, settings, 31)
    assert find_texts(db, guest) != set()
    _work(db, settings, 32.1)
    assert find_texts(db, guest) == set()
    assert _counts(cast, event) == before
    [response] = cast.alice.get("/api/responses", query={"event_id": event["id"]}).json["responses"]
    assert (response["response"], response["number"], response["email_address"]) == ("YES", 2, "")
    for path in ("", "/responses", "/invitations", "/history"):
        assert cast.alice.get(f"/events/{event['id']}{path}").status in (200, 404), path
    assert cast.anonymous.get(f"/events/{event['id']}").status == 200
    assert guest.encode() not in cast.alice.get(f"/api/users/{cast.alice.id}/export").content


def test_other_calendars_and_later_events_keep_their_guests(cast: Cast, db: Database, settings: Settings) -> None:
    kept, later = _guest(), _guest()
    _visited(cast, db, settings, kept)
    home = a_calendar(cast.alice, public=True, keep_responses_days=30)
    event = an_event(cast.alice, calendar_id=home["id"], start_time="2026-06-20T20:00", end_time="2026-06-20T23:00")
    a_response(cast.anonymous, event, email_address=later)
    _work(db, settings, 40)
    assert {table for table, _ in find_texts(db, kept)} >= {"responses", "comments", "question_answers", "invitations"}
    assert ("responses", "email_address") in find_texts(db, later)
    # The next day, and no sooner: it is looked at once a day.
    _work(db, settings, 54)
    assert find_texts(db, later) == set()
    assert find_texts(db, kept) != set()


def test_a_series_forgets_each_date_and_in_the_end_who_came_to_all(cast: Cast, db: Database, settings: Settings) -> None:
    guest = _guest()
    home = a_calendar(verified(db, cast.alice), public=True, keep_responses_days=30)
    event = an_event(cast.alice, calendar_id=home["id"], start_time=START, end_time=END)
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    a_response(cast.anonymous, event, email_address=guest, scope="all")
    _work(db, settings, 34)
    with db.read() as tx:
        assert tx.value("SELECT count(*) FROM responses WHERE email_address = :guest", guest=guest) == 2
    _work(db, settings, 47)
    assert find_texts(db, guest) == set()


def test_the_files_of_devices_forget_too(cast: Cast, db: Database, settings: Settings) -> None:
    guest = _guest()
    home = a_calendar(verified(db, cast.alice), keep_responses_days=30, scheduling="off")
    path = calendar_path(cast.alice, home["id"])
    file = ics(start="20260529T180000Z", more=f"ORGANIZER:mailto:{cast.alice.email_address}\r\nATTENDEE:mailto:{guest}\r\n")
    assert put(cast.alice, f"{path}a.ics", file).status == 201
    event = cast.alice.get("/api/events", query={"calendar_id": home["id"], "start_time": "2026-05-01"}).json["events"][0]
    a_response(cast.alice, event, email_address=guest)
    _work(db, settings, 40)
    assert guest not in cast.alice.get(f"{path}a.ics").text


@pytest.mark.on_sqlite
def test_it_never_holds_the_writer_for_long(cast: Cast, db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    home = a_calendar(cast.alice, public=True, keep_responses_days=30)
    event = an_event(cast.alice, calendar_id=home["id"], start_time=START, end_time=END)
    with db.write() as tx:
        tx.run(
            """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
               INSERT INTO responses (event_id, email_address, email_key, response, number, plus_n, opt_in, version, created_at, updated_at)
               SELECT :id, 'g' || i || '@many.example.org', 'g' || i || '@many.example.org', 'YES', 1, 0, FALSE, 1, 1, 1 FROM n""",
            id=event["id"],
        )
    write, held = type(db).write, []

    @contextmanager
    def timed(self: Database, *, alone: bool = False) -> Iterator[Transaction]:
        with write(self, alone=alone) as tx:
            began = thread_time()
            yield tx
            held.append(thread_time() - began)

    monkeypatch.setattr(type(db), "write", timed)
    _work(db, settings, 40)
    assert len(held) > 25
    assert max(held) < MAX_SECONDS
    assert find_texts(db, "@many.example.org") == set()

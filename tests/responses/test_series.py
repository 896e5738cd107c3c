"""Responses to the dates of a series: `scope`, the standing response, and the dates that are created later."""

from typing import Any

import pytest

from kalends.app import worker
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import Cast, Person, a_response, an_event, verified
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.events.importing import a_file, an_entry, imported
from tests.events.series import events_of_series
from tests.responses.guest_browser import GuestBrowser
from tests.responses.mail import a_proposal_token, mails_about, token_of

DAY = 86_400
Event = dict[str, Any]


def _a_series(owner: Person, **fields: Any) -> list[Event]:
    """A public event on Tuesdays, three of them in the past, if nothing else is said."""
    event = an_event(owner, public=True, start_time="2026-05-12T20:00", time_zone="UTC")
    repeat = {"frequency": "WEEKLY", "count": 15} | fields
    assert owner.put(f"/api/events/{event['id']}/repeat", json=repeat).status == 200
    return sorted(events_of_series(owner, event["id"]), key=lambda each: str(each["start_time"]))


def _responses(owner: Client, dates: list[Event]) -> list[str]:
    """What one address responded to each date."""
    listed = [owner.get(f"/api/responses?event_id={date['id']}").json["responses"] for date in dates]
    return ["".join(each["response"] for each in responses) for responses in listed]


def test_all_coming_dates_get_the_response_and_a_dates_own_survives(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _a_series(cast.alice)
    carol = verified(db, cast.carol)
    a_response(carol, dates[5], response="NO")
    created = carol.post("/api/responses", json={"event_id": dates[4]["id"], "response": "YES", "number": 2, "scope": "all"})
    assert (created.status, created.json["event_id"], created.json["series"]) == (
        201,
        dates[4]["id"],
        {"dates": 12, "held": 11, "waiting": 0},
    )
    assert _responses(cast.alice, dates) == ["", "", "", "YES", "YES", "NO", *["YES"] * 9]
    later = carol.post("/api/responses", json={"event_id": dates[8]["id"], "response": "MAYBE", "scope": "following"})
    assert (later.status, later.json["series"]["dates"]) == (200, 7)
    assert _responses(cast.alice, dates) == ["", "", "", "YES", "YES", "NO", *["YES"] * 2, *["MAYBE"] * 7]


def test_a_full_date_waits_and_the_others_are_held(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _a_series(cast.alice)[3:]
    assert cast.alice.put(f"/api/events/{dates[2]['id']}", json={"capacity": 1, "waiting_list": "auto"}).status == 200
    a_response(verified(db, cast.bob), dates[2])
    created = verified(db, cast.carol).post("/api/responses", json={"event_id": dates[0]["id"], "response": "YES", "scope": "all"})
    assert created.json["series"] == {"dates": 12, "held": 11, "waiting": 1}
    messages = [mail for date in dates for mail in mails_about(db, settings, date["id"]) if cast.carol.email_address in mail["To"]]
    assert [message["Subject"] for message in messages] == ["You’re going: Concert"]


def test_the_page_names_the_reach_and_the_feed_has_the_dates(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _a_series(cast.alice)[3:]
    path = f"/events/{dates[1]['id']}"
    page = cast.anonymous.get(path).text
    assert [text in page for text in ("This date<small>Tue 9 Jun</small>", "All Tuesdays<small>from Tue 2 Jun</small>")] == [True] * 2
    form, gus = {"response": "YES", "email_address": "gus@example.org"}, GuestBrowser(cast.anonymous)
    assert gus.post(f"{path}/respond", **form, scope="following").status == 303
    assert _responses(cast.alice, dates) == ["", *["YES"] * 11]
    assert gus.post(f"{path}/respond", **form, scope="all").status == 303
    assert _responses(cast.alice, dates) == ["YES"] * 12
    a_response(cast.alice, dates[3], email_address="gus@example.org", response="NO")
    response_id = cast.alice.get(f"/api/responses?event_id={dates[1]['id']}").json["responses"][0]["id"]
    feed = cast.anonymous.get(f"/r/{token_of(db, settings, response_id)}.ics")
    assert (feed.status, feed.text.count("BEGIN:VEVENT"), feed.headers["Cache-Control"]) == (200, 1, "no-store")
    assert [text in feed.text for text in ("RRULE:FREQ=WEEKLY;COUNT=12", "EXDATE:20260623T200000Z")] == [True] * 2
    assert cast.anonymous.get("/r/1-x.ics").status == 404


def test_closed_dates_are_left_out(cast: Cast, db: Database) -> None:
    dates = _a_series(cast.alice)[3:]
    cast.alice.put(f"/api/events/{dates[1]['id']}", json={"status": "cancelled"})
    created = verified(db, cast.carol).post("/api/responses", json={"event_id": dates[0]["id"], "response": "YES", "scope": "all"})
    assert created.json["series"]["dates"] == 11
    assert _responses(cast.alice, dates)[:3] == ["YES", "", "YES"]


def test_a_guest_without_proof_gets_an_echo_and_only_proposes_to_who_has_proof(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _a_series(cast.alice)[3:]
    a_response(verified(db, cast.carol), dates[1])
    body = {"event_id": dates[0]["id"], "response": "NO", "scope": "all"}
    replies = [
        cast.anonymous.post("/api/responses", json=body | {"email_address": address})
        for address in (cast.carol.email_address, "x@example.org")
    ]
    assert [reply.status for reply in replies] == [201, 201]
    assert replies[0].json | {"email_address": ""} == replies[1].json | {"email_address": ""}
    assert _responses(cast.alice, dates)[:3] == ["NO", "YESNO", "NO"]
    with db.read() as tx:
        keys = tx.rows("SELECT email_key FROM series_responses WHERE series_id = :id", id=dates[0]["series_id"])
    assert keys == [("x@example.org",)]
    assert cast.anonymous.post(f"/r/confirm/{a_proposal_token(settings, NOON)}").status == 303
    assert _responses(cast.alice, dates)[:3] == ["NONO", "YESNO", "NONO"]


def test_the_limits_do_not_tell_who_has_responded_to_a_series_with_proof(cast: Cast, limited: Client, db: Database) -> None:
    dates = _a_series(cast.alice)[3:]
    a_response(verified(db, cast.carol), dates[1])
    body = {"event_id": dates[0]["id"], "response": "NO", "scope": "all", "opt_in": True}
    uses = [0]
    for address in (cast.carol.email_address, "y@example.org"):
        assert limited.post("/api/responses", json=body | {"email_address": address}).status == 201
        with db.read() as tx:
            uses.append(int(tx.value("SELECT sum(uses) FROM rate_counters")))
    assert uses[1] - uses[0] == uses[2] - uses[1]


def test_ids_do_not_tell_who_has_responded_to_a_series_with_proof(cast: Cast, db: Database) -> None:
    dates = _a_series(cast.alice)[3:]
    a_response(verified(db, cast.carol), dates[1])
    body = {"event_id": dates[0]["id"], "response": "NO", "scope": "all"}
    ids = []
    for address in (cast.carol.email_address, "y@example.org", None):
        ids.append(int(a_response(verified(db, cast.bob), an_event(cast.bob))["id"]))
        if address:
            assert cast.anonymous.post("/api/responses", json=body | {"email_address": address}).status == 201
    assert ids[1] - ids[0] == ids[2] - ids[1]


def _a_file(count: int) -> str:
    return a_file(an_entry("class@example.org", "DTSTART:20260512T200000Z", f"RRULE:FREQ=WEEKLY;COUNT={count}"))


@pytest.mark.parametrize("way", ["worker", "rule", "page", "import"])
def test_standing_responses_are_written_to_new_dates_in_their_order(
    cast: Cast, db: Database, settings: Settings, clock: Clock, way: str
) -> None:
    if way == "import":
        first = imported(cast.alice, _a_file(5), public=True)["events"][0]["id"]
        dates = sorted(events_of_series(cast.alice, first), key=lambda each: str(each["start_time"]))
    else:
        dates = _a_series(cast.alice, **({"count": None, "frequency": "MONTHLY"} if way == "worker" else {"count": 5}))
    # The last one gives no proof, and none comes from the owner, who extends the series.
    for person, response in ((verified(db, cast.carol), "YES"), (verified(db, cast.bob), "NO"), (cast.dave, "YES")):
        a_response(person, dates[-1], response=response, number=2, scope="all")
    if way == "worker":
        clock.now += 70 * DAY
        worker.extend_series(Context(db, settings, clock.now))
    elif way == "rule":
        assert cast.alice.put(f"/api/events/{dates[0]['id']}/repeat", json={"frequency": "WEEKLY", "count": 7}).status == 200
    elif way == "page":
        form = {"repeat": "weekly", "ends": "after", "count": "7"}
        assert cast.alice.post(f"/events/{dates[0]['id']}/repeat", data=form).status == 303
    else:
        imported(cast.alice, _a_file(7), public=True)
    with db.read() as tx:
        rows = tx.rows(
            """SELECT r.email_address, r.response, r.number, r.by_series, r.proven FROM responses r JOIN events e ON e.id = r.event_id
               WHERE e.id > :last AND e.series_id = :series_id ORDER BY r.id""",
            last=max(date["id"] for date in dates),
            series_id=dates[0]["series_id"],
        )
    assert len(rows) >= 6
    expected = [(cast.carol, "YES", True), (cast.bob, "NO", True), (cast.dave, "YES", False)]
    assert [(*row[:3], bool(row[3]), bool(row[4])) for row in rows[:3]] == [
        (person.email_address, response, 2, True, proven) for person, response, proven in expected
    ]


def test_forgetting_ends_the_standing_response(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _a_series(cast.alice)[3:]
    created = verified(db, cast.carol).post("/api/responses", json={"event_id": dates[0]["id"], "response": "YES", "scope": "all"})
    assert cast.anonymous.post(f"/r/{token_of(db, settings, created.json['id'])}/forget").status == 200
    with db.read() as tx:
        assert tx.rows("SELECT 1 FROM series_responses WHERE email_address = :address", address=cast.carol.email_address) == []


def test_a_full_option_refuses_the_whole_response_to_a_series(cast: Cast, db: Database) -> None:
    dates = _a_series(cast.alice)[3:]
    fields = {"label": "Meal", "kind": "one", "required": True, "options": [{"label": "Soup", "limit": 1}, {"label": "Pie"}]}
    question = cast.alice.post(f"/api/events/{dates[0]['id']}/questions", json=fields).json["id"]
    soup = [{"question_id": question, "answer": "Soup"}]
    a_response(verified(db, cast.bob), dates[0], answers=soup)
    body = {"event_id": dates[0]["id"], "response": "YES", "scope": "all", "answers": soup}
    reply = verified(db, cast.carol).post("/api/responses", json=body)
    assert (reply.status, reply.json["errors"][0]["field"]) == (409, "answers[0].answer")
    assert _responses(cast.alice, dates) == ["YES", *[""] * 11]


def test_an_editor_may_respond_to_a_series_for_a_guest_without_notifying(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _a_series(cast.alice)[3:]
    body = {"event_id": dates[0]["id"], "email_address": "dana@example.org", "response": "YES", "scope": "all", "notify": False}
    assert cast.alice.post("/api/responses", json=body).status == 201
    assert mails_about(db, settings, dates[0]["id"]) == []
    assert cast.alice.post("/api/responses", json=body | {"notify": True, "response": "MAYBE"}).status == 200
    assert [mail["Subject"] for mail in mails_about(db, settings, dates[0]["id"])] == ["Your RSVP was changed: Concert"]

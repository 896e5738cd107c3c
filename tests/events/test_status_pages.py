"""Pages, mails and responses tell the status of an event, and responses are closed while it does not take place."""

import re
from typing import Any

import pytest

from kalends.deliveries import message
from kalends.settings import Settings
from tests.cast import Cast, Person, an_event
from tests.client import Client
from tests.deliveries.samples import a_delivery, a_row
from tests.events.series import five_mondays
from tests.openapi import page as html

SETTINGS = Settings(base_url="https://calendar.example.org", secret="s" * 32)


def _text(reader: Client, path: str) -> str:
    reply = reader.get(path, headers={"Accept": "text/html"})
    assert reply.status == 200, reply
    return " ".join(html.read(reply.text).text.split())


def _respond(who: Client, event_id: int, **fields: Any) -> Any:
    values = {"event_id": event_id, "email_address": "gus@example.org", "response": "YES"}
    return who.post("/api/responses", json=values | fields)


def _version(owner: Person, event_id: int) -> str:
    match = re.search('name="version" value="([^"]+)"', owner.get(f"/events/{event_id}/edit").text)
    assert match
    return match[1]


def _set(owner: Person, event_id: int, **fields: Any) -> None:
    assert owner.put(f"/api/events/{event_id}", json=fields).status == 200


@pytest.mark.parametrize(("status", "word"), [("cancelled", "Cancelled"), ("postponed", "Postponed")])
def test_every_page_with_the_event_says_its_status(cast: Cast, status: str, word: str) -> None:
    day = {"start_time": "2026-06-01T20:00", "end_time": "2026-06-01T21:00"}
    event = an_event(cast.alice, public=True, title="Moonrise", status=status, status_note="The hall is flooded.", **day)
    calendar = cast.alice.primary_calendar_id
    cast.alice.put(f"/api/calendars/{calendar}", json={"public": True})
    for path in [
        "/?text=moonrise",
        f"/events/{event['id']}",
        f"/calendars/{calendar}",
        f"/embed/events/{event['id']}",
        f"/embed/calendars/{calendar}?date=2026-06-01",
        f"/embed/calendars/{calendar}?view=agenda&date=2026-06-01",
    ]:
        assert word in _text(cast.anonymous, path), path
    for view in ("month", "week", "agenda"):
        assert word in _text(cast.alice, f"/calendar?view={view}&date=2026-06-01"), view
    page = _text(cast.anonymous, f"/events/{event['id']}")
    assert "The hall is flooded." in page
    assert "Responses are closed" in page
    assert f'action="/events/{event["id"]}/respond"' not in cast.anonymous.get(f"/events/{event['id']}").text


def test_a_postponed_event_shows_its_old_date_as_old(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, title="Moonrise", status="postponed")["id"]
    for path in (f"/events/{event}", "/?text=moonrise"):
        assert "was Monday, 1 June 2026" in _text(cast.anonymous, path)
    _set(cast.alice, event, start_time="2026-06-08T20:00")
    page = _text(cast.anonymous, f"/events/{event}")
    assert "was Monday" not in page
    assert "Monday, 8 June 2026" in page


@pytest.mark.parametrize("status", ["cancelled", "postponed"])
def test_responses_are_closed_until_the_event_is_planned_again(cast: Cast, status: str) -> None:
    event = an_event(cast.alice, public=True)["id"]
    own = _respond(cast.bob, event, email_address=cast.bob.email_address).json["id"]
    _set(cast.alice, event, status=status)
    comment = {"event_id": event, "comment": "Pity", "email_address": "gus@example.org", "response": "NO"}
    for reply in (
        _respond(cast.anonymous, event),
        _respond(cast.carol, event, email_address=cast.carol.email_address),
        cast.bob.put(f"/api/responses/{own}", json={"response": "NO"}),
        cast.anonymous.post("/api/comments", json=comment),
    ):
        assert reply.status == 409
        assert f"This event is {status}: responses are closed" in reply.json["detail"]
    assert cast.alice.get(f"/api/events/{event}").json["responses"]["yes"] == 1
    _set(cast.alice, event, status="planned")
    assert _respond(cast.anonymous, event).status == 201


def test_the_form_cancels_one_date_of_a_series(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    form = {"version": _version(cast.alice, ids[1]), "status": "cancelled", "status_note": "Ill", "scope": "this"}
    assert cast.alice.post(f"/events/{ids[1]}", data=form).redirect == (f"/events/{ids[1]}", "saved")
    assert [cast.alice.get(f"/api/events/{each}").json["status"] for each in ids[:3]] == ["planned", "cancelled", "planned"]
    edit = cast.alice.get(f"/events/{ids[1]}/edit").text
    assert '<option value="cancelled" selected>' in edit


def test_a_new_date_in_the_form_plans_a_postponed_event(cast: Cast) -> None:
    event = an_event(cast.alice, status="postponed", status_note="Later")["id"]
    form = {"version": _version(cast.alice, event), "status": "postponed", "status_note": "Later"}
    form |= {"start_time": "2026-09-01", "start_clock": "20:00"}
    assert cast.alice.post(f"/events/{event}", data=form).redirect == (f"/events/{event}", "saved")
    after = cast.alice.get(f"/api/events/{event}").json
    assert (after["status"], after["status_note"], after["start_time"][:10]) == ("planned", None, "2026-09-01")


def test_deleting_an_event_with_responses_offers_to_cancel_it_first(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    assert "Cancel it instead?" not in _text(cast.alice, f"/events/{event}/delete")
    _respond(cast.anonymous, event)
    page = _text(cast.alice, f"/events/{event}/delete")
    assert "1 person has responded." in page
    assert page.index("Cancel it instead?") < page.index("Delete it all the same")
    _set(cast.alice, event, status="cancelled")
    assert "Cancel it instead?" not in _text(cast.alice, f"/events/{event}/delete")


def test_mails_and_texts_say_the_status() -> None:
    cancelled = a_row(status="cancelled", status_note="The hall is flooded.")
    mail = message.mail(SETTINGS, a_delivery(), cancelled)
    assert mail["Subject"] == "Cancelled: Jazz"
    for subtype in ("plain", "html"):
        body = mail.get_body((subtype,))
        assert body is not None
        assert "This event is cancelled. The hall is flooded." in body.get_content()
    assert message.text(SETTINGS, a_delivery(), cancelled).startswith("Cancelled: Jazz")
    postponed = a_row(status="postponed")
    assert "was Monday, 11 May 2026" in message.preview(SETTINGS, postponed)
    assert message.text(SETTINGS, a_delivery(), postponed).startswith("Postponed: Jazz, was Mon 11 May 2026")

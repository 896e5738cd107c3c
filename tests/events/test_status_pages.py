"""Pages, mails and responses tell the status of an event, and responses are closed while it does not take place."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest

from kalends.core.settings import Settings
from kalends.features.deliveries.messages import message
from tests.cast import Cast, Person, a_calendar, an_event
from tests.client import Client
from tests.deliveries.samples import a_delivery, a_row
from tests.events.series import five_mondays
from tests.openapi import page as html

pytestmark = pytest.mark.on_one_database

SETTINGS = Settings(base_url="https://calendar.example.org", secret="s" * 32)


def _text(reader: Client, path: str) -> str:
    reply = reader.get(path, headers={"Accept": "text/html"})
    assert reply.status == 200, reply
    [body] = html.read(reply.text).all("body")
    return " ".join(body.text.split())


def _respond(who: Client, event_id: int, **fields: Any) -> Any:
    values = {"event_id": event_id, "email_address": "gus@example.org", "response": "YES"}
    return who.post("/api/responses", json=values | fields)


def _version(owner: Person, event_id: int) -> str:
    match = re.search('name="version" value="([^"]+)"', owner.get(f"/events/{event_id}/edit").text)
    assert match
    return match[1]


def _set(owner: Person, event_id: int, **fields: Any) -> None:
    assert owner.put(f"/api/events/{event_id}", json=fields).status == 200


@pytest.mark.parametrize("of_series", [False, True], ids=["single event", "a date of a series"])
@pytest.mark.parametrize(("status", "in_feeds"), [("cancelled", "CANCELLED"), ("postponed", "TENTATIVE")])
def test_pages_embeds_json_feeds_and_structured_data_say_the_status(cast: Cast, status: str, in_feeds: str, of_series: bool) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    day = {"start_time": "2026-06-01T20:00", "end_time": "2026-06-01T21:00", "time_zone": "UTC"}
    title = f"Moonrise {uuid4().hex}"
    event = an_event(cast.alice, calendar_id=calendar, title=title, **day)["id"]
    if of_series:
        assert cast.alice.put(f"/api/events/{event}/repeat", json={"frequency": "WEEKLY", "count": 2}).status == 200
    before = _sequence(cast.anonymous, event)
    _set(cast.alice, event, status=status, status_note="The hall is flooded.")
    for path in [
        f"/?text={title.replace(' ', '+')}",
        f"/events/{event}",
        f"/calendars/{calendar}",
        f"/embed/events/{event}",
        f"/embed/calendars/{calendar}?date=2026-06-01",
        f"/embed/calendars/{calendar}?view=agenda&date=2026-06-01",
        *(f"/calendar?view={view}&date=2026-06-01&calendar_ids={calendar}" for view in ("month", "week", "agenda")),
    ]:
        for reader in (cast.anonymous, cast.alice):
            # The month has the events of the chosen day below its dots, too, for phones.
            assert _text(reader, path).count(status.capitalize()) == (2 if "/calendar?view=month" in path else 1), path
    page = _text(cast.anonymous, f"/events/{event}")
    assert "The hall is flooded." in page
    assert "RSVPs are closed" in page
    assert f'action="/events/{event}/respond"' not in cast.anonymous.get(f"/events/{event}").text
    assert _structured_data(cast.anonymous, event)["eventStatus"] == f"https://schema.org/Event{status.capitalize()}"
    listed = cast.anonymous.get(f"/api/events?calendar_id={calendar}").json["events"]
    for record in (cast.anonymous.get(f"/api/events/{event}").json, listed[0]):
        assert (record["id"], record["status"], record["status_note"]) == (event, status, "The hall is flooded.")
    assert [each["status"] for each in listed[1:]] == ["planned"] * of_series
    assert _sequence(cast.anonymous, event) > before
    for path in (f"/api/events/{event}.ics", f"/api/calendars/{calendar}.ics", f"/api/events.ics?calendar_id={calendar}"):
        entries = cast.anonymous.get(path).text.split("BEGIN:VEVENT")[1:]
        [entry] = [entry for entry in entries if "STATUS:" in entry]
        assert f"STATUS:{in_feeds}\r\n" in entry
        assert "COMMENT:The hall is flooded.\r\n" in entry


def _sequence(reader: Client, event_id: int) -> int:
    match = re.search(r"\r\nSEQUENCE:(\d+)\r\n", reader.get(f"/api/events/{event_id}.ics").text)
    return int(match[1]) if match else 0


def _structured_data(reader: Client, event_id: int) -> Any:
    [data] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', reader.get(f"/events/{event_id}").text, re.DOTALL)
    return json.loads(data)


def test_a_public_event_has_structured_data_that_no_text_of_it_can_leave(cast: Cast) -> None:
    hostile = "</script><script>alert(1)</script><!-- & 'quoted'\u2028."
    place = "Blue Note, 131 W 3rd St, New York, NY 10012, USA"
    day = {"start_time": "2027-03-09T19:00", "end_time": "2027-03-09T21:00", "time_zone": "Europe/Paris"}
    event = an_event(cast.alice, public=True, title="Moonrise", description=hostile, location=place, **day)
    text = cast.anonymous.get(f"/events/{event['id']}").text
    assert "<script>alert" not in text
    [share_picture] = re.findall('<meta property="og:image" content="([^"]*)">', text)
    assert _structured_data(cast.anonymous, event["id"]) == {
        "@context": "https://schema.org",
        "@type": "Event",
        "name": "Moonrise",
        "startDate": "2027-03-09T19:00:00+01:00",
        "endDate": "2027-03-09T21:00:00+01:00",
        "eventStatus": "https://schema.org/EventScheduled",
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "description": hostile,
        "location": {
            "@type": "Place",
            "name": "Blue Note",
            "address": {
                **{"@type": "PostalAddress", "streetAddress": "131 W 3rd St", "addressLocality": "New York"},
                **{"addressRegion": "NY", "postalCode": "10012", "addressCountry": "USA"},
            },
        },
        "organizer": {"@type": "Person", "name": event["owner"]["name"]},
        "offers": {"@type": "Offer", "url": event["url"], "availability": "https://schema.org/InStock"},
        "image": [share_picture],
        "url": event["url"],
    }
    _set(cast.alice, event["id"], location="https://meet.example.org/jazz")
    online = _structured_data(cast.anonymous, event["id"])
    assert online["eventAttendanceMode"] == "https://schema.org/OnlineEventAttendanceMode"
    assert online["location"] == {"@type": "VirtualLocation", "url": "https://meet.example.org/jazz"}
    _set(cast.alice, event["id"], public=False)
    assert "ld+json" not in cast.alice.get(f"/events/{event['id']}").text


def test_a_postponed_event_shows_its_old_date_as_old(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, title="Moonrise", status="postponed")["id"]
    assert "was Monday, 1 June 2026" in _text(cast.anonymous, f"/events/{event}")
    assert "was 20:00 Moonrise" in _text(cast.anonymous, "/?text=moonrise")
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
        cast.bob.put(f"/api/responses/{own}", json={"response": "YES", "plus_n": 1}),
        cast.anonymous.post("/api/comments", json=comment),
    ):
        assert reply.status == 409
        assert f"This event has been {status}" in reply.json["detail"]
    assert cast.alice.get(f"/api/events/{event}").json["responses"]["yes"] == 1
    _set(cast.alice, event, status="planned")
    assert _respond(cast.anonymous, event).status == 201


def test_the_form_cancels_one_date_of_a_series(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    form = {"version": _version(cast.alice, ids[1]), "status": "cancelled", "status_note": "Ill", "scope": "this"}
    assert cast.alice.post(f"/events/{ids[1]}", data=form).redirect == (f"/events/{ids[1]}", "event-saved")
    assert [cast.alice.get(f"/api/events/{each}").json["status"] for each in ids[:3]] == ["planned", "cancelled", "planned"]
    edit = cast.alice.get(f"/events/{ids[1]}/edit").text
    assert '<option value="cancelled" selected>' in edit


def test_a_new_date_in_the_form_plans_a_postponed_event(cast: Cast) -> None:
    event = an_event(cast.alice, status="postponed", status_note="Later")["id"]
    form = {"version": _version(cast.alice, event), "status": "postponed", "status_note": "Later"}
    form |= {"start_time": "2026-09-01", "start_clock": "20:00"}
    assert cast.alice.post(f"/events/{event}", data=form).redirect == (f"/events/{event}", "event-saved")
    after = cast.alice.get(f"/api/events/{event}").json
    assert (after["status"], after["status_note"], after["start_time"][:10]) == ("planned", None, "2026-09-01")


def test_cancelling_and_deleting_are_two_questions_which_say_who_is_emailed(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2037-06-01T20:00")["id"]
    for action in ("cancel", "delete"):
        question = _text(cast.alice, f"/events/{event}/{action}").partition(" “Concert”? ")[2].partition("Keep it")[0]
        assert question
        assert "email" not in question.replace("in the email", "")
    _respond(cast.anonymous, event)
    for action in ("cancel", "delete"):
        assert "Email 1 person 1 person would be emailed: 1 going." in _text(cast.alice, f"/events/{event}/{action}")
    assert cast.alice.post(f"/events/{event}/cancel", data={"status_note": "Flu", "notify": "none"}).redirect == (
        f"/events/{event}",
        "event-cancelled.0",
    )
    stored = cast.alice.get(f"/api/events/{event}").json
    assert (stored["status"], stored["status_note"]) == ("cancelled", "Flu")
    assert cast.alice.get(f"/events/{event}/cancel").status == 303


def test_mails_and_texts_say_the_status() -> None:
    cancelled = a_row(status="cancelled", status_note="The hall is flooded.")
    mail = message.mail(SETTINGS, a_delivery(), cancelled)
    assert mail["Subject"] == "Cancelled: Jazz"
    for subtype in ("plain", "html"):
        body = mail.get_body((subtype,))
        assert body is not None
        assert "This event has been cancelled. The hall is flooded." in body.get_content()
    assert message.text(SETTINGS, a_delivery(), cancelled).startswith("Cancelled: Jazz")
    postponed = a_row(status="postponed")
    assert "was Monday, 11 May 2026" in message.preview(SETTINGS, postponed)
    assert message.text(SETTINGS, a_delivery(), postponed).startswith("Postponed: Jazz, was Mon 11 May 2026")

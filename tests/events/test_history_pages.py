"""The history of an event in words."""

import re

from tests.cast import Cast, Person, a_response, an_event


def _history(person: Person, event_id: int) -> str:
    page = person.get(f"/events/{event_id}/history").text
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.partition('<ul class="rows">')[2].partition("</ul>")[0]))


def test_times_and_choices_are_written_as_people_read_them(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00", time_zone="Europe/Paris", capacity=10)
    changes = {"start_time": "2031-06-01T19:00", "waiting_list": "offer", "visibility": "link"}
    assert cast.alice.put(f"/api/events/{event['id']}", json=changes).status == 200
    text = _history(cast.alice, event["id"])
    assert "1 June 2031, 20:00 → 1 June 2031, 19:00" in text
    assert "No waiting list → Waiting list with offers" in text
    assert "Public → Anyone with the link" in text
    assert "+02:00" not in text


def test_the_history_names_the_guest_and_leaves_what_guests_said_to_them(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00")
    a_response(cast.anonymous, event, email_address="ida@example.org", name="Ida Berg")
    text = _history(cast.alice, event["id"])
    assert "RSVP added · Ida Berg" in text
    assert "Undo" not in text.partition("Ida Berg")[2].partition("Created")[0]


def test_the_creation_of_an_event_is_one_entry(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00", capacity=10)
    text = _history(cast.alice, event["id"])
    assert text.count("Undo") == 1
    assert "Created" in text


def test_who_has_no_subscribers_learns_that_when_announcing(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00")
    assert "You have no subscribers yet." in cast.alice.get(f"/events/{event['id']}/announce").text
    a_response(cast.alice, event, email_address="dana@example.org", opt_in=True)
    assert "You have no subscribers yet." in cast.alice.get(f"/events/{event['id']}/announce").text

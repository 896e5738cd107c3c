"""The form of an event: it is created once, shows who will see it, and a conflict shows both versions."""

import re
from html import unescape

import pytest

from tests.cast import Cast, Person, a_calendar, an_event, shared
from tests.client import Reply

pytestmark = pytest.mark.on_one_database

BROWSER = {"Accept": "text/html"}
TYPED = {"title": "Backed", "start_time": "2026-07-01", "start_clock": "20:00", "public": "false"}


def field(page: Reply, name: str) -> str:
    match = re.search(rf'name="{name}" value="([^"]*)"', page.text)
    assert match, name
    return unescape(match[1])


def token(person: Person) -> str:
    form = person.get("/events/new")
    return field(person.get(form.redirect[0]), "form_token")


def event_titles(person: Person) -> list[str]:
    events = person.get("/api/events", query={"calendar_id": person.primary_calendar_id}).json["events"]
    return [event["title"] for event in events]


def test_a_form_submitted_again_leads_to_the_event_that_it_created(cast: Cast) -> None:
    typed = TYPED | {"form_token": token(cast.alice)}
    first = cast.alice.post("/events", data=typed)
    again = cast.alice.post("/events", data=typed)
    assert first.redirect[1] == "published"
    assert again.redirect == (first.redirect[0], "created-already")
    assert event_titles(cast.alice) == ["Backed"]
    assert cast.alice.post("/events", data=typed | {"title": "Another"}).redirect[1] == "published"
    assert sorted(event_titles(cast.alice)) == ["Another", "Backed"]


def test_each_form_has_a_token_of_its_own_which_it_keeps_when_it_is_loaded_again(cast: Cast) -> None:
    first, second = (cast.alice.get("/events/new?start_time=2026-07-01").redirect[0] for _ in range(2))
    tokens = [field(cast.alice.get(path), "form_token") for path in (first, first, second)]
    assert tokens[0] == tokens[1] != tokens[2]
    assert 'value="2026-07-01"' in cast.alice.get(first).text


def test_a_form_that_failed_can_be_sent_again(cast: Cast) -> None:
    typed = TYPED | {"form_token": token(cast.alice)}
    failed = cast.alice.post("/events", data=typed | {"title": ""}, headers=BROWSER)
    assert failed.status == 422
    assert cast.alice.post("/events", data=typed | {"form_token": field(failed, "form_token")}).redirect[1] == "published"


def test_the_token_of_one_person_leads_nobody_else(cast: Cast) -> None:
    typed = TYPED | {"form_token": token(cast.alice)}
    first = cast.alice.post("/events", data=typed)
    other = cast.bob.post("/events", data=typed)
    assert other.redirect[1] == "published"
    assert other.redirect[0] != first.redirect[0]


def test_the_form_says_who_will_see_the_event(cast: Cast) -> None:
    assert '<option value="link" selected>' in cast.alice.get("/events/new?form_token=1").text
    event = an_event(cast.alice, public=True)
    assert re.search(r'name="visibility" value="public" checked', cast.alice.get(f"/events/{event['id']}/edit").text)


def test_guests_open_the_address_with_which_a_new_event_is_shared(cast: Cast) -> None:
    form = cast.alice.get("/events/new?form_token=1").text
    visibility = re.search(r'<option value="(public|link|members)" selected>', form)
    assert visibility
    created = cast.alice.post("/events", data={"title": "First one", "start_time": "2031-07-01", "visibility": visibility[1]})
    page = cast.alice.get(created.redirect[0]).redirect[0]
    address = re.search(r'<input id="address" readonly value="http://testserver([^"]+)"', cast.alice.get(page).text)
    assert address
    assert address[1] == page
    guest = cast.anonymous.get(address[1])
    assert (guest.status, "First one" in guest.text) == (200, True)


def test_a_private_event_is_not_offered_for_sharing_with_everyone(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Band <b>")
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    path = f"/events/{event['id']}"
    page = cast.alice.get(path).text
    assert "Only people on the calendar Band &lt;b&gt; can see this event." in page
    assert f'href="{path}/edit#visibility"' in page
    assert f'href="{path}/edit#visibility"' not in cast.vera.get(path).text
    replies = cast.alice.get(f"{path}/responses").text
    assert "send people the link" not in replies
    assert f'href="{path}/edit#visibility"' in replies
    public = f"/events/{an_event(cast.alice, public=True)['id']}"
    assert "Only people on" not in cast.alice.get(public).text
    assert "send people the link" in cast.alice.get(f"{public}/responses").text


def test_the_form_says_who_the_people_on_each_calendar_are(cast: Cast) -> None:
    band, own = a_calendar(cast.alice, name="Band"), cast.alice.primary_calendar_id
    shared(cast.alice, band, cast.vera, "viewer")
    shared(cast.alice, band, cast.bob, "editor")
    mine, others = cast.alice.get("/events/new?form_token=1").text, cast.bob.get(f"/events/new?form_token=1&calendar_id={band['id']}").text
    assert '<option value="members">Only me</option>' in mine
    assert f'<option value="{own}" selected data-people="Only me">Personal</option>' in mine
    assert 'data-people="People on this calendar (3)">Band</option>' in mine
    assert '<option value="members">People on this calendar</option>' in others
    alone, band_event = an_event(cast.alice), an_event(cast.alice, calendar_id=band["id"])
    assert "Only people on the calendar Personal can see this event." in cast.alice.get(f"/events/{alone['id']}").text
    assert "People on its calendars. Nobody else" in cast.alice.get(f"/events/{band_event['id']}/edit").text
    vera = an_event(cast.vera)
    assert "Only me. Nobody else" in cast.vera.get(f"/events/{vera['id']}/edit").text


def test_a_conflict_shows_what_differs_and_what_saving_will_do(cast: Cast) -> None:
    event = an_event(cast.alice, title="Gig", location="Old hall", description="One\nTwo", public=True)
    path = f"/events/{event['id']}"
    form = cast.alice.get(f"{path}/edit")
    typed = {"title": "Gig by Alice", "start_time": "2026-06-01", "start_clock": "20:00", "time_zone": "UTC", "location": "Old hall"}
    typed |= {"description": "One\r\nTwo", "visibility": "public", "version": field(form, "version")}
    assert cast.alice.put(f"/api{path}", json={"location": "New <hall>"}).status == 200
    refused = cast.alice.post(path, data=typed, headers=BROWSER)
    assert refused.status == 409
    assert "If you save now, your version replaces theirs." in refused.text
    rows = re.findall(r'<th scope="row">([^<]+)</th><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>', refused.text)
    assert [tuple(map(unescape, row)) for row in rows] == [("Title", "Gig", "Gig by Alice"), ("Location", "New <hall>", "Old hall")]
    saved = cast.alice.post(path, data=typed | {"version": field(refused, "version")})
    assert saved.redirect == (path, "event-saved")
    current = cast.alice.get(f"/api{path}").json
    assert (current["title"], current["location"]) == ("Gig by Alice", "Old hall")


def test_what_was_typed_is_saved_on_the_way_to_the_rule(cast: Cast) -> None:
    """A form of the rule beside that of the event would drop it."""
    event = an_event(cast.alice, title="Choir")
    path = f"/events/{event['id']}"
    form = cast.alice.get(f"{path}/edit")
    assert f'action="{path}/repeat' not in form.text
    assert 'name="then" value="repeat"' in form.text
    typed = {"title": "Choir practice", "version": field(form, "version"), "then": "repeat"}
    assert cast.alice.post(path, data=typed).redirect == (f"{path}/repeat", "event-saved")
    assert "Choir practice" in cast.alice.get(f"{path}/repeat").text


def test_the_form_moves_an_event_to_another_calendar_of_its_owner(cast: Cast) -> None:
    home, other = cast.alice.primary_calendar_id, a_calendar(cast.alice, name="Choir")["id"]
    event = an_event(cast.alice, title="Rehearsal")
    path = f"/events/{event['id']}"
    form = cast.alice.get(f"{path}/edit")
    assert re.search(rf'<option value="{home}" selected>', form.text)
    typed = {"title": "Rehearsal", "version": field(form, "version"), "calendar_id": str(other)}
    assert cast.alice.post(path, data=typed).redirect == (path, "event-saved")
    assert cast.alice.get(f"/api{path}").json["calendar_ids"] == [other]
    assert re.search(rf'<option value="{other}" selected>', cast.alice.get(f"{path}/edit").text)


def test_the_form_of_an_editor_offers_no_calendar_that_the_owner_cannot_edit(cast: Cast) -> None:
    home = a_calendar(cast.alice, name="Choir")
    shared(cast.alice, home, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])
    path = f"/events/{event['id']}"
    form = cast.bob.get(f"{path}/edit")
    assert 'name="calendar_id"' not in form.text
    typed = {"title": "Mine", "version": field(form, "version"), "calendar_id": str(cast.bob.primary_calendar_id)}
    assert cast.bob.post(path, data=typed).redirect == (path, "event-saved")
    assert cast.alice.get(f"/api{path}").json["calendar_ids"] == [home["id"]]


def test_the_form_moves_all_dates_of_a_series_together(cast: Cast) -> None:
    other = a_calendar(cast.alice, name="Choir")["id"]
    event = an_event(cast.alice, start_time="2026-07-01T20:00")
    path = f"/events/{event['id']}"
    assert cast.alice.put(f"/api{path}/repeat", json={"frequency": "DAILY", "count": 3}).status == 200
    typed = {"title": "Concert", "version": field(cast.alice.get(f"{path}/edit"), "version"), "calendar_id": str(other)}
    refused = cast.alice.post(path, data=typed | {"scope": "this"})
    assert refused.status == 422
    assert "moves the dates of a series together" in refused.text
    assert cast.alice.post(path, data=typed | {"scope": "all"}).redirect == (path, "event-saved")
    assert len(cast.alice.get("/api/events", query={"calendar_id": other}).json["events"]) == 3

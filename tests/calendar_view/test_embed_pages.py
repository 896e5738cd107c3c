"""Calendars and events that other sites embed."""

import re

import pytest

from tests.calendar_view.reading import agenda, day, words
from tests.cast import Cast, a_calendar, an_event

pytestmark = pytest.mark.on_one_database

MAY = "2026-05-11"


def test_a_public_calendar_can_be_embedded(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Jazz & more", public=True, time_zone="Europe/Paris")
    an_event(cast.alice, title="Gig", start_time=f"{MAY}T20:00", calendar_id=calendar["id"])
    an_event(cast.alice, title="Soundcheck", start_time=f"{MAY}T16:00", calendar_id=calendar["id"], public=False)
    month = cast.anonymous.get(f"/embed/calendars/{calendar['id']}?date={MAY}")
    assert words(day(month.text, MAY)) == "11 20:00 Gig"
    assert "Jazz &amp; more" in month.text
    assert "Soundcheck" not in month.text
    listed = cast.anonymous.get(f"/embed/calendars/{calendar['id']}?date={MAY}&view=agenda")
    assert agenda(listed) == {MAY: "20:00 Gig"}


def test_a_public_event_can_be_embedded(cast: Cast) -> None:
    event = an_event(cast.alice, title="Gig <3", start_time=f"{MAY}T20:00", location="Le Sunset", public=True)
    page = cast.anonymous.get(f"/embed/events/{event['id']}").text
    assert "Gig &lt;3" in page
    assert "Le Sunset" in page
    assert "Monday, 11 May 2026, 20:00" in page


@pytest.mark.parametrize("path", ["/embed/calendars/{calendar_id}", "/embed/events/{event_id}"])
def test_any_site_may_show_what_is_embedded_and_nothing_else(cast: Cast, path: str) -> None:
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    reply = cast.anonymous.get(path.format(calendar_id=calendar["id"], event_id=event["id"]))
    assert "frame-ancestors *" in reply.headers["Content-Security-Policy"]
    assert reply.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    for other in ("/", "/calendar", f"/calendars/{calendar['id']}", f"/events/{event['id']}"):
        refused = cast.anonymous.get(other)
        assert "frame-ancestors 'none'" in refused.headers["Content-Security-Policy"], other
        assert refused.headers["Cross-Origin-Resource-Policy"] == "same-origin", other


def test_signing_in_shows_no_more_inside_another_site(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    for path in (f"/embed/calendars/{calendar['id']}", f"/embed/events/{event['id']}"):
        assert cast.alice.get(path).status == 404
    public = a_calendar(cast.alice, public=True)
    an_event(cast.alice, title="Secret", start_time=f"{MAY}T20:00", calendar_id=public["id"], public=False)
    page = cast.alice.get(f"/embed/calendars/{public['id']}?date={MAY}").text
    assert "Secret" not in page
    assert "/events/new" not in page
    assert cast.alice.user_name not in page


@pytest.mark.parametrize("view", ["month", "agenda"])
def test_events_open_in_a_window_of_their_own_and_days_stay_inside(cast: Cast, view: str) -> None:
    calendar = a_calendar(cast.alice, public=True)
    for hour in range(10, 16):
        an_event(cast.alice, start_time=f"{MAY}T{hour}:00", calendar_id=calendar["id"])
    page = cast.anonymous.get(f"/embed/calendars/{calendar['id']}?date={MAY}&view={view}").text
    links = re.findall(r"<a [^>]*>", page)
    assert links
    for link in links:
        stays = f'href="/embed/calendars/{calendar["id"]}?' in link
        assert stays is ('target="_blank" rel="noopener"' not in link), link

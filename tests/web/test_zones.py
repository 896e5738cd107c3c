"""Time zones of pages: all pages agree, and a time that differs in the reader's zone names its zone."""

from pathlib import Path
from uuid import uuid4

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings, WrongSetting, load
from kalends.db import Database
from tests.cast import Cast, Person, an_event, an_inhabitant
from tests.client import Client
from tests.http.stored_rows import fresh_service
from tests.web.windows import Windows, go

pytestmark = pytest.mark.on_one_database

PARIS = "Europe/Paris"


@pytest.fixture
def site(db: Database, settings: Settings, app: tuple[object, object]) -> Client:
    """A guest of a site in Paris."""
    return Client(application(db, structs.replace(settings, time_zone=PARIS), app[1]))  # type: ignore[arg-type]


def a_night(owner: Person, **fields: str) -> tuple[str, str]:
    title = f"Night{uuid4().hex[:8]}"
    event = an_event(owner, title=title, start_time="2026-11-16T20:00", time_zone="America/New_York", public="true", **fields)
    return title, f"/events/{event['id']}"


def test_pages_agree_on_the_time_of_an_event(site: Client, cast: Cast) -> None:
    title, path = a_night(cast.alice, location="Blue Note")
    here = "Tuesday, 17 November 2026, 02:00 (Europe/Paris)"
    page = site.get(path).text
    assert "Monday, 16 November 2026, 20:00" in page
    assert "(America/New_York)" in page
    assert here in page
    home = site.get(f"/?text={title}").text
    assert "Tuesday <small>17 November" in home
    assert "02:00</time> · Mon 20:00 in New York" in home
    agenda = site.get("/calendar?view=agenda&date=2026-11-17").text
    assert "Times are in Europe/Paris." in agenda
    row = agenda[: agenda.index("</li>", agenda.index(title))].rpartition("<li>")[2]
    assert "02:00" in row
    assert 'Blue Note</bdi></span> · <span class="meta">20:00 in New York' in row


def test_a_time_that_is_the_same_in_the_readers_zone_has_no_zone(site: Client, cast: Cast) -> None:
    title = f"Night{uuid4().hex[:8]}"
    an_event(cast.alice, title=title, start_time="2026-11-16T20:00", time_zone="Europe/Berlin", public="true")
    assert "Berlin" not in site.get(f"/?text={title}").text


def test_a_selected_time_zone_is_remembered(site: Client, cast: Cast) -> None:
    _, path = a_night(cast.alice)
    reply = site.get("/calendar?time_zone=Asia/Tokyo")
    assert reply.cookies == {"kalends_zone": "Asia/Tokyo"}
    cookie = {"Cookie": "kalends_zone=Asia/Tokyo"}
    assert "Times are in Asia/Tokyo." in site.get("/calendar", headers=cookie).text
    assert "10:00 (Asia/Tokyo)" in site.get(path, headers=cookie).text
    assert "Times are in Europe/Paris." in site.get("/calendar", headers={"Cookie": "kalends_zone=Mars/Olympus"}).text
    assert cast.alice.get("/calendar?time_zone=Asia/Tokyo").cookies == {}


def test_an_unknown_time_zone_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KALENDS_TIME_ZONE", "Europe/Atlantis")
    with pytest.raises(WrongSetting, match="KALENDS_TIME_ZONE is 'Europe/Atlantis'"):
        load()


def test_a_guest_in_another_zone_reads_local_times_in_the_language_of_the_page(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, public=True, start_time="2040-11-16T20:00", end_time="2040-11-16T23:00", time_zone="America/New_York")
    # A language that no page is in: this one is in English.
    page = windows.open(locale="pl-PL")
    go(page, f"/events/{event['id']}")
    assert page.locator("[data-local]").inner_text() == "For you: Saturday 17 November, 02:00–05:00 (Europe/Paris)"


def test_with_registration_closed_no_page_links_to_it(settings: Settings, tmp_path: Path) -> None:
    # With an administrator: a site without one lets them create their account, whatever is set.
    with fresh_service(settings, tmp_path, is_new=True, registration="closed") as closed:
        an_inhabitant(closed.db, closed.settings, role="admin")
        for path in ("/", "/sign-in", "/calendar", "/nowhere"):
            assert "/sign-up" not in closed.guest.get(path, headers={"Accept": "text/html"}).text
        page = closed.guest.get("/sign-up", headers={"Accept": "text/html"})
        assert (page.status, "Sign-up is by invitation" in page.text) == (403, True)

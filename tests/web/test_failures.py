"""Pages for people when a request fails: they say what to do next, in people's words."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, an_event
from tests.client import Client

pytestmark = pytest.mark.on_one_database

BROWSER = {"Accept": "text/html"}


@pytest.mark.parametrize("path", ["/nowhere", "/events/999999999", "/events/x"])
def test_a_missing_page_offers_links_to_others(cast: Cast, path: str) -> None:
    page = cast.anonymous.get(path, headers=BROWSER)
    assert page.status == 404
    assert 'role="search"' in page.text
    assert f'href="/sign-in?next={path}"' in page.text
    assert "record" not in page.text


def test_a_missing_page_shows_who_is_signed_in(cast: Cast) -> None:
    known = cast.alice.get("/events/999999999", headers=BROWSER)
    assert "/sign-in" not in known.text
    assert "Alice" in known.text
    assert known.headers["Cache-Control"] == "no-store"


def test_a_url_that_only_accepts_forms_is_a_missing_page_in_a_browser(cast: Cast) -> None:
    page = cast.anonymous.get(f"/events/{an_event(cast.alice, public=True)['id']}/respond", headers=BROWSER)
    assert (page.status, "Page not found" in page.text) == (405, True)


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/?text=jazz&after=nonsense", "/?text=jazz"),
        ("/?after=nonsense", "/"),
        ("/calendar?view=week&date=soon&time_zone=Mars", "/calendar?view=week"),
        ("/calendar?date=9999-12-31&view=week", "/calendar?view=week"),
        ("/calendar?calendar_ids[]=x&view=month", "/calendar?view=month"),
        ("//calendar?date=soon", "/calendar"),
    ],
)
def test_invalid_parameters_of_a_url_are_ignored(client: Client, path: str, target: str) -> None:
    reply = client.get(path, headers=BROWSER)
    assert reply.redirect == (target, "unreadable")
    assert client.get(target, headers=BROWSER).status == 200


def test_messages_name_fields_as_the_form_does(cast: Cast) -> None:
    typed = {"title": "Gig", "start_time": "2026-06-02", "start_clock": "20:00", "end_time": "2026-06-01", "end_clock": "20:00"}
    page = cast.alice.post("/events", data=typed, headers=BROWSER)
    assert page.status == 422
    assert '<a href="#end_time">End</a> must not be before the start</li>' in page.text


def test_a_rate_limited_form_keeps_its_values(db: Database, settings: Settings, cast: Cast) -> None:
    limited = Client(application(db, structs.replace(settings, rate_limits="on", guest_writes_per_minute=2)))
    path = f"/events/{an_event(cast.alice, public=True)['id']}/comment"
    typed: dict[str, Any] = {"comment": "Hello <b>", "email_address": "gus@example.org"}
    for _ in range(3):
        page = limited.post(path, data=typed, headers=BROWSER)
        if page.status == 429:
            break
    assert page.status == 429
    assert "Retry-After" in page.headers
    assert f'action="{path}"' in page.text
    assert "Hello &lt;b&gt;" in page.text

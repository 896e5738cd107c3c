"""PUT /api/site: admins change the settings, and every page shows them."""

import re
from typing import Any

import pytest

from kalends.core.values import timestamps
from kalends.features.deliveries import language_store as languages
from kalends.http.context import Context
from tests.cast import Cast, an_event
from tests.dav.clients import book_path, propfind
from tests.http.stored_rows import FreshService
from tests.site.administrator import Admin

pytestmark = pytest.mark.on_one_database

SETTINGS = {
    "name": "Jazz in Lyon",
    "headline": "Tonight and later",
    "tagline": "Concerts, big and small.",
    "accent_color": "#2a5db0",
    "time_zone": "Europe/Paris",
    "language": "fr",
    "imprint_url": "https://jazz.example/imprint",
    "privacy_url": "https://jazz.example/privacy",
    "registration": "closed",
    "visibility": "everyone",
    "introduction": "We play **every** night.",
}


def test_pages_show_what_an_admin_has_set(site: FreshService, admin: Admin) -> None:
    assert admin.put("/api/site", json=SETTINGS).status == 200
    page = site.guest.get("/").text
    for text in (
        "<title>Tonight and later · Jazz in Lyon</title>",
        "Concerts, big and small.",
        "We play <strong>every</strong> night.",
        'href="/accent/2a5db0"',
        'href="https://jazz.example/imprint"',
        'href="https://jazz.example/privacy"',
    ):
        assert text in page
    assert "/sign-up" not in page
    assert "<title>Jazz in Lyon</title>" in site.guest.get("/feed.xml").text
    manifest = site.guest.get("/manifest.json").json
    assert (manifest["name"], manifest["theme_color"]) == ("Jazz in Lyon", "#2a5db0")
    assert "Jazz in Lyon" in site.guest.get("/nowhere", headers={"Accept": "text/html"}).text
    assert "Europe/Paris" in site.guest.get("/calendar").text


def test_a_reader_without_a_language_reads_the_month_in_that_of_the_site(site: FreshService, admin: Admin) -> None:
    admin.put("/api/site", json={"language": "fr"})
    page = admin.get("/calendar?date=2026-11-17").text
    assert "novembre 2026" in page
    assert "November" not in page


def test_pages_that_list_events_have_dates_in_the_language_of_the_site(site: FreshService, admin: Admin) -> None:
    event = an_event(admin, title="Trio", start_time="2026-11-24T20:00", public=True)
    calendar = f"/calendars/{event['calendar_ids'][0]}"
    admin.put(f"/api{calendar}", json={"public": True})
    admin.put("/api/site", json={"language": "fr"})
    for path in (calendar, f"/organisers/{event['owner']['id']}", f"/embed{calendar}?date=2026-11-17"):
        page = admin.get(path).text
        assert "nov" in page, path
        assert "November" not in page, path
        assert "Tuesday" not in page, path


def test_a_guest_whose_language_is_not_offered_gets_mail_in_that_of_the_site(site: FreshService, admin: Admin) -> None:
    event = an_event(admin, public=True)
    admin.put("/api/site", json={"language": "fr"})
    fields = {"event_id": event["id"], "response": "YES", "name": "Ola", "email_address": "ola@example.org"}
    assert site.guest.post("/api/responses", json=fields, headers={"accept-language": "pl"}).status in (200, 201)
    ctx = Context(site.db, site.settings, timestamps.now())
    with ctx.read():
        assert languages.find_locale(ctx, "ola@example.org").language == "fr"


def test_an_address_book_has_its_name_in_the_language_of_the_site(site: FreshService, admin: Admin) -> None:
    admin.put("/api/site", json={"language": "de"})
    assert "Kontakte" in propfind(admin, book_path(admin), "D:displayname").text


def test_the_shared_picture_has_the_date_in_the_language_of_the_site_if_it_can_be_spelled(site: FreshService, admin: Admin) -> None:
    event = an_event(admin, title="Trio", public=True)["id"]
    pictures, urls = {}, set()
    for language in ("en", "fr", "ja"):
        admin.put("/api/site", json={"language": language})
        pictures[language] = site.guest.get(f"/events/{event}/share_picture.png").content
        urls |= set(re.findall(r"share_picture\.png\?v=\w+", site.guest.get(f"/events/{event}").text))
    assert pictures["fr"] != pictures["en"] == pictures["ja"]
    assert len(urls) == 3


def test_a_setting_that_is_not_sent_stays_and_null_means_the_default(site: FreshService, admin: Admin) -> None:
    admin.put("/api/site", json=SETTINGS)
    reply = admin.put("/api/site", json={"name": None, "tagline": "Other words"}).json
    assert reply == SETTINGS | {"name": "Kalends", "tagline": "Other words", "logo_url": None, "style_url": None, "fixed": []}
    assert site.guest.get("/api/site").json["tagline"] == "Other words"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("accent_color", "red"),
        ("accent_color", "#12345"),
        ("time_zone", "Paris"),
        ("language", "français"),
        ("imprint_url", "javascript:alert(1)"),
        ("privacy_url", "https:// x"),
        ("registration", "sometimes"),
        ("name", "x" * 61),
    ],
)
@pytest.mark.on_one_database
def test_an_invalid_setting_is_refused(admin: Admin, field: str, value: Any) -> None:
    reply = admin.put("/api/site", json={field: value})
    assert (reply.status, [error["field"] for error in reply.json["errors"]]) == (422, [field])


def test_only_admins_change_the_settings(cast: Cast) -> None:
    assert [client.put("/api/site", json={"name": "Mine"}).status for client in (cast.anonymous, cast.alice)] == [401, 403]

"""/admin: admins change the settings of the site and its logo on a page."""

import re
from pathlib import Path

from kalends.core.settings import Settings
from tests.client import Client, Reply
from tests.http.multipart import multipart
from tests.http.stored_rows import FreshService, fresh_service
from tests.pictures.files import SMALL_PICTURE
from tests.site.administrator import Admin

FORM = {
    "name": "Jazz in Lyon",
    "headline": "",
    "tagline": "Every night",
    "accent_color": "#2a5db0",
    "time_zone": "Europe/Paris",
    "language": "fr",
    "registration": "closed",
    "imprint_url": "",
    "privacy_url": "https://jazz.example/privacy",
}


def _send(who: Client, fields: dict[str, str], content: bytes | None = None) -> Reply:
    """Send the form as a browser does: without a choice, the file is empty and has no name."""
    return who.post("/admin", **multipart(fields, [("file", "a.png", content) if content else ("file", "", b"")]))


def test_the_page_changes_the_settings_and_shows_them(site: FreshService, admin: Admin) -> None:
    assert _send(admin, FORM).status == 303
    settings = admin.get("/api/site").json
    assert {name: settings[name] or "" for name in FORM} == FORM | {"headline": "What’s on"}
    page = admin.get("/admin").text
    assert 'value="Jazz in Lyon"' in page
    assert 'value="#2a5db0"' in page
    assert '<option value="closed" selected>' in page


def test_the_colour_of_kalends_is_no_setting(admin: Admin) -> None:
    assert 'value="#9c3318"' in admin.get("/admin").text
    _send(admin, FORM | {"accent_color": "#9c3318"})
    assert admin.get("/api/site").json["accent_color"] is None


def test_a_logo_is_shown_on_every_page_until_it_is_removed(site: FreshService, admin: Admin) -> None:
    assert _send(admin, FORM, SMALL_PICTURE).status == 303
    logo = admin.get("/api/site").json["logo_url"]
    [logo_path] = re.findall(r'<a class="brand" href="/"><img src="(/pictures/[^"]+)"', site.guest.get("/").text)
    assert site.guest.get(logo_path).headers["Content-Type"] == "image/webp"
    assert _send(admin, FORM | {"remove_logo": "false"}).status == 303
    assert admin.get("/api/site").json["logo_url"] == logo
    assert _send(admin, FORM | {"remove_logo": "true"}).status == 303
    assert admin.get("/api/site").json["logo_url"] is None
    assert "mark.svg" in site.guest.get("/").text


def test_a_wrong_value_is_shown_again_with_its_reason(admin: Admin) -> None:
    reply = _send(admin, FORM | {"imprint_url": "ftp://x"})
    assert reply.status == 422
    assert 'value="ftp://x"' in reply.text
    assert "Must begin with http:// or https://." in reply.text
    assert admin.get("/api/site").json["name"] == "Kalends"


def test_what_the_operator_has_set_can_be_read_and_not_changed(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path, site_name="Jazz in Lyon") as service:
        admin = Admin(service.guest, "ada")
        page = admin.get("/admin").text
        assert "KALENDS_SITE_NAME" in page
        assert 'name="name"' not in page
        assert _send(admin, {name: value for name, value in FORM.items() if name != "name"}).status == 303
        assert _send(admin, FORM | {"name": "Another"}).status == 409


def test_only_admins_see_the_way_to_the_page(site: FreshService, admin: Admin) -> None:
    assert 'href="/admin"' in admin.get("/").text
    assert 'href="/admin"' not in site.guest.get("/").text

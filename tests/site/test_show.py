"""GET /api/site: the settings in force, for everybody."""

from pathlib import Path

import pytest

from kalends.core.settings import Settings
from tests.http.stored_rows import FreshService, fresh_service
from tests.site.administrator import Admin

pytestmark = pytest.mark.on_one_database

DEFAULTS = {
    "name": "Kalends",
    "headline": "What’s on",
    "tagline": None,
    "logo_url": None,
    "accent_color": None,
    "introduction": None,
    "style_url": None,
    "time_zone": "UTC",
    "language": "en",
    "imprint_url": None,
    "privacy_url": None,
    "registration": "open",
    "visibility": "everyone",
}


def test_everybody_reads_the_settings_and_admins_see_which_are_fixed(site: FreshService, admin: Admin) -> None:
    assert site.guest.get("/api/site").json == DEFAULTS
    assert admin.get("/api/site").json == DEFAULTS | {"fixed": []}


def test_what_the_operator_has_set_wins_and_is_fixed(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path, site_name="Jazz in Lyon", registration="closed") as service:
        admin = Admin(service.guest, "ada")
        reply = admin.get("/api/site").json
        assert (reply["name"], reply["registration"], reply["fixed"]) == ("Jazz in Lyon", "closed", ["name", "registration"])
        refused = admin.put("/api/site", json={"name": "Another", "tagline": "Every night"})
        assert (refused.status, [error["field"] for error in refused.json["errors"]]) == (409, ["name"])
        assert "KALENDS_SITE_NAME" in refused.json["detail"]
        assert admin.put("/api/site", json={"name": "Jazz in Lyon", "tagline": "Every night"}).json["tagline"] == "Every night"
        assert "Jazz in Lyon" in service.guest.get("/").text

"""KALENDS_LIMITS: limits for a family, a club and a site for everyone."""

import os
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

import pytest
from msgspec import structs

from kalends.core.limit_presets import PRESETS, Preset
from kalends.core.settings import Settings, WrongSetting, export, load
from tests.http.stored_rows import fresh_service
from tests.site.administrator import Admin


def _load(**variables: Any) -> Settings:
    with patch.dict(os.environ, {f"KALENDS_{name.upper()}": str(value) for name, value in variables.items()}):
        return load()


@pytest.mark.parametrize("preset", get_args(Preset))
def test_a_preset_sets_limits_that_are_valid(preset: Preset) -> None:
    settings = _load(limits=preset)
    assert {name: getattr(settings, name) for name in PRESETS[preset]} == PRESETS[preset]
    assert _load(**structs.asdict(settings)) == settings


def test_without_a_preset_the_limits_are_those_of_a_club() -> None:
    assert structs.replace(_load(limits="club"), limits="") == _load()


def test_a_limit_that_is_set_by_itself_wins_over_the_preset() -> None:
    assert (_load(limits="public", quota_events=7).quota_events, _load(limits="public").quota_events) == (7, 5_000)


def test_processes_that_are_started_have_the_same_limits() -> None:
    settings = _load(limits="family", emails_per_day=9)
    with patch.dict(os.environ):
        export(settings)
        assert load() == settings


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(WrongSetting, match=r"KALENDS_LIMITS is 'town', and must be family \| club \| public"):
        _load(limits="town")


@pytest.mark.parametrize(("preset", "registration"), [("family", "invitation"), ("club", "approval"), ("public", "open")])
def test_a_preset_says_who_can_register_until_an_admin_does(settings: Settings, tmp_path: Path, preset: Preset, registration: str) -> None:
    with fresh_service(settings, tmp_path, limits=preset) as service:
        admin = Admin(service.guest, "ada")
        assert (admin.get("/api/site").json["registration"], admin.get("/api/site").json["fixed"]) == (registration, [])
        assert admin.put("/api/site", json={"registration": "closed"}).json["registration"] == "closed"
    with fresh_service(settings, tmp_path / "fixed", limits=preset, registration="closed") as service:
        assert Admin(service.guest, "ada").get("/api/site").json["registration"] == "closed"

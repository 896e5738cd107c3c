"""Accent colours: whatever an admin chooses can be read, on light and on dark pages."""

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies

from kalends.web import accent_pages
from kalends.web.accent_pages import ON_DARK_ACCENT, ON_LIGHT_ACCENT, TINT, contrast, mix, parse
from tests.client import Client

READABLE = 4.5
STYLE = (Path(accent_pages.__file__).parent / "static" / "style.css").read_text()
COLORS = strategies.from_regex(r"#[0-9a-f]{6}", fullmatch=True)


def _variables(text: str) -> list[dict[str, str]]:
    """The colours of light pages, and those of dark ones."""
    light, dark = re.findall(r":root \{(.*?)\}", text, re.DOTALL)[:2]
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in (light, dark)]


@given(COLORS)
def test_any_accent_can_be_read_on_each_surface_and_on_its_own_tint(color: str) -> None:
    for variables, accents in zip(_variables(STYLE), _variables(accent_pages.style_sheet(color)), strict=True):
        accent_color = parse(accents["accent"])
        tint = mix(parse(variables["card"]), accent_color, TINT)
        surfaces = [parse(variables[name]) for name in ("paper", "card", "shade")]
        assert min(contrast(accent_color, surface) for surface in [*surfaces, tint]) >= READABLE
        assert contrast(accent_color, parse(accents["on-accent"])) >= READABLE
        assert contrast(parse(variables["ink"]), tint) >= READABLE


def test_a_colour_that_can_be_read_stays_as_it_is() -> None:
    assert accent_pages.style_sheet("#7a1f5c").startswith(f":root {{ --accent: #7a1f5c; --on-accent: {ON_LIGHT_ACCENT};")
    assert f"--accent: #ffcc80; --on-accent: {ON_DARK_ACCENT};" in accent_pages.style_sheet("#ffcc80")


def test_what_is_chosen_has_a_tint_of_the_accent() -> None:
    assert "--tint: color-mix(in srgb, var(--accent) 10%, var(--card))" in accent_pages.style_sheet("#2a5db0")


@pytest.mark.on_one_database
def test_the_style_sheet_of_a_colour_may_be_stored_by_caches(client: Client) -> None:
    reply = client.get("/accent/2A5DB0")
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/css; charset=utf-8")
    assert reply.headers["Cache-Control"].startswith("public")
    assert reply.text == accent_pages.style_sheet("#2a5db0")
    assert [client.get(f"/accent/{name}").status for name in ("red", "2a5db", "2a5db0;}", "2a5db00")] == [404] * 4

"""The first minute of a new site: from its first page to the first event, and the banner until the address is confirmed."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.features.users.steps import first_admin
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast
from tests.migrated import put_sqlite
from tests.openapi.serving import serving
from tests.web.windows import ON_PHONE_AND_LAPTOP, Windows, go


@pytest.fixture
def new_site(browser: Browser, tmp_path: Path) -> Iterator[Windows]:
    """Windows on a site without accounts."""
    put_sqlite(tmp_path)
    with serving(tmp_path, is_new=True) as service:
        opened = Windows(browser, service.url)
        yield opened
        opened.close()
        opened.check()


def _code(folder: Path) -> str:
    settings = Settings(data=str(folder))
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, 0)
        with ctx.read():
            return first_admin.find_code(ctx) or ""


@ON_PHONE_AND_LAPTOP
def test_from_the_first_page_to_the_first_event_in_at_most_eight_clicks(
    new_site: Windows, tmp_path: Path, width: int, script: bool
) -> None:
    page = new_site.open(width=width, script=script)
    go(page, "/")
    expect(page.get_by_role("heading", level=1)).to_have_text("This Kalends is new")
    fields = {"invitation": _code(tmp_path).lower(), "name": "Nora Klein", "user_name": "nora", "email_address": "nora@example.org"}
    for name, value in (fields | {"password": PASSWORD}).items():
        page.fill(f"[name={name}]", value)
    clicks = [_click(page, "Create account")]
    page.fill("[name=name]", "Kiez Calendar")
    clicks.append(_click(page, "Continue"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Who can join?")
    expect(page.locator(".brand")).to_contain_text("Kiez Calendar")
    clicks.append(_click(page, "Continue"))
    expect(page.get_by_text("Email isn’t set up.", exact=True)).to_be_visible()
    clicks += [_click(page, "Do this later", "link"), _click(page, "Create your first event", "link")]
    page.fill("[name=title]", "Board game night")
    clicks.append(_click(page, "Publish"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Board game night")
    assert len(clicks) <= 8


def test_the_terminal_s_link_has_the_code_and_a_wrong_code_is_named(new_site: Windows, tmp_path: Path) -> None:
    page = new_site.open()
    go(page, f"/sign-up/{_code(tmp_path)}")
    expect(page.locator("[name=invitation]")).to_have_value(_code(tmp_path))
    for name, value in {"invitation": "ABCD-EFGH", "user_name": "eve", "email_address": "eve@example.org", "password": PASSWORD}.items():
        page.fill(f"[name={name}]", value)
    _click(page, "Create account")
    expect(page.get_by_role("alert")).to_contain_text("That is not the code")
    expect(page.locator("[name=user_name]")).to_have_value("eve")


def test_the_banner_sends_the_link_again_and_stays_on_the_page(windows: Windows, people: Cast) -> None:
    page = windows.open(people.carol)
    go(page, "/contacts")
    expect(page.locator(".verify")).to_contain_text("This site sends no email.")
    _click(page, "Resend")
    assert page.url.endswith("/contacts")
    expect(page.locator(".notice")).to_be_visible()


def _click(page: Page, name: str, role: str = "button") -> str:
    page.get_by_role(role, name=re.compile(f"^{name}")).click()  # type: ignore[arg-type]
    return name

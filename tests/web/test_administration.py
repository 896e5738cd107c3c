"""The administration, clicked through: the site is set up, people are let in by invitation and by approval, and suspended."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.cast import PASSWORD, Registered
from tests.client import Client
from tests.migrated import put_sqlite
from tests.openapi.serving import serving
from tests.pictures.files import SMALL_PICTURE
from tests.serve.running import run
from tests.web.through import Through
from tests.web.windows import NO_STREAM, Windows, go


@pytest.fixture
def own_windows(browser: Browser, tmp_path: Path) -> Iterator[Windows]:
    """Windows of a service of its own: the settings of a site are those of all who read it."""
    put_sqlite(tmp_path)
    with serving(tmp_path) as service:
        opened = Windows(browser, service.url)
        yield opened
        opened.close()
        opened.check()


def _register_admin(windows: Windows, data: Path) -> Registered:
    admin = Registered(Client(Through(windows.url)), "ada")
    done = run("users", "role", admin.user_name, "admin", folder=data, data=data)
    assert done.returncode == 0, done
    return admin


def _open_tab(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Administration").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=name, level=2)).to_be_visible()


def _let_in(page: Page, who: str) -> None:
    """Choose who can make an account, and save the page Site."""
    page.get_by_label("Who can create an account?").select_option(label=who)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status").locator("p")).to_have_text("Saved.")


def _sign_in(page: Page, user_name: str) -> None:
    go(page, "/sign-in")
    page.get_by_label("Username").fill(user_name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()


def _sign_up(page: Page, user_name: str, address: str = "") -> None:
    page.get_by_label("Username").fill(user_name)
    if address:
        page.get_by_label("Email address").fill(address)
    page.get_by_label("Password").fill(PASSWORD)
    # It is that of the browser.
    expect(page.get_by_label("Time zone")).to_have_value("Europe/Paris")
    page.get_by_role("button", name="Create account").click()


def test_an_admin_gives_the_site_its_look_and_lets_people_in(own_windows: Windows, tmp_path: Path) -> None:
    ada = own_windows.open(_register_admin(own_windows, tmp_path))
    go(ada, "/")
    ada.get_by_label("Menu of Ada").click()
    ada.get_by_role("link", name="Administration").click()
    ada.get_by_label("Name (optional)", exact=True).fill("Jazz in Lyon")
    ada.get_by_label("Link and button colour").fill("#7a1f5c")
    ada.get_by_label("Time zone for guests").fill("Asia/Tokyo")
    ada.get_by_label("Logo").set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": SMALL_PICTURE})
    _let_in(ada, "People who are invited")

    visitor = own_windows.open()
    go(visitor, "/calendar")
    brand = visitor.get_by_role("link", name="Jazz in Lyon")
    expect(brand).to_be_visible()
    assert brand.locator("img").evaluate("image => image.naturalWidth") > 0
    assert visitor.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent')") == "#7a1f5c"
    expect(visitor.get_by_role("main")).to_contain_text("Asia/Tokyo")
    assert go(visitor, "/sign-up").status == 403

    _open_tab(ada, "People")
    ada.get_by_label("Email address").fill("ines@example.org")
    ada.get_by_role("button", name="Invite", exact=True).click()
    expect(ada.get_by_role("status").locator("p")).to_contain_text("copy the link below and send it yourself")
    go(visitor, ada.get_by_label("ines@example.org, until").input_value())
    _sign_up(visitor, "ines")
    expect(visitor).to_have_url(f"{own_windows.url}/welcome")
    _open_tab(ada, "Moderation")


def test_an_admin_approves_and_suspends_somebody(own_windows: Windows, tmp_path: Path) -> None:
    ada, walter = own_windows.open(_register_admin(own_windows, tmp_path)), own_windows.open()
    # The stream of changes refuses who is suspended, and his page may ask once more before it is left.
    walter.add_init_script(NO_STREAM)
    go(ada, "/admin")
    _let_in(ada, "Everyone an administrator approves")
    go(walter, "/sign-up")
    _sign_up(walter, "walter", "walter@example.org")
    expect(walter.get_by_role("status")).to_contain_text("An administrator will review your account")
    _sign_in(walter, "walter")
    expect(walter.get_by_role("alert")).to_contain_text("waits for the approval")

    _open_tab(ada, "People")
    ada.get_by_role("link", name="1 awaiting approval").click()
    ada.get_by_role("button", name="Approve walter").click()
    _sign_in(walter, "walter")
    expect(walter).to_have_url(f"{own_windows.url}/calendar")

    ada.get_by_role("button", name="Suspend walter").click()
    expect(ada.get_by_role("status")).to_contain_text("Suspended.")
    go(walter, "/account")
    expect(walter).to_have_url(f"{own_windows.url}/sign-in?next=%2Faccount")
    _sign_in(walter, "walter")
    expect(walter.get_by_role("alert")).to_contain_text("Your account is suspended.")
    ada.get_by_role("button", name="Unsuspend walter").click()
    expect(ada.get_by_role("button", name="Suspend walter")).to_be_visible()

"""Signing in with a certified provider in Chromium: the button, and linking an account on the settings page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.cast import Cast, Person
from tests.client import Client
from tests.identities.real_provider import free_port, needs_provider, providing, table
from tests.migrated import put_sqlite
from tests.openapi.serving import serving
from tests.web.axe import violations
from tests.web.through import Through

pytestmark = needs_provider


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    own, theirs = free_port(), free_port()
    folder: Path = tmp_path_factory.mktemp("linked")
    put_sqlite(folder)
    site = f"http://localhost:{own}"
    with (
        serving(folder, PORT=str(own), BASE_URL=site, OIDC=table(theirs)),
        providing(theirs, [f"{site}/sign-in/oidc/club/callback"], {}),
    ):
        yield site


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A window that may visit the provider, too."""
    context = browser.new_context(base_url=url, locale="en-GB")
    yield context.new_page()
    context.close()


def _continue_as(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Continue").click()


def test_the_button_signs_a_newcomer_in(page: Page) -> None:
    page.goto("/sign-in?next=/contacts")
    assert violations(page) == []
    page.get_by_role("link", name="Sign in with Club account").click()
    _continue_as(page, "zoe")
    page.wait_for_url("/contacts")
    expect(page.get_by_label("Menu of zoe")).to_have_count(1)
    page.goto("/account/identities")
    expect(page.locator(".rows")).to_contain_text("Club account")
    assert violations(page) == []
    page.get_by_role("button", name="Unlink Club account").click()
    expect(page.get_by_text("This is your only way to sign in.")).to_be_visible()


def test_a_member_links_an_account_and_signs_in_with_it(page: Page, url: str) -> None:
    alice: Person = Cast(Client(Through(url.replace("localhost", "127.0.0.1")))).alice
    page.context.add_cookies([{"name": "kalends_session", "value": str(alice.token), "url": url, "httpOnly": True, "sameSite": "Lax"}])
    page.goto("/account/identities")
    page.get_by_role("button", name="Link Club account").click()
    page.get_by_role("link", name="Continue to Club account").click()
    _continue_as(page, alice.user_name)
    expect(page.get_by_text("Linked. You can sign in with it from now on.")).to_be_visible()
    page.context.clear_cookies(name="kalends_session")
    page.goto("/sign-in?next=/contacts")
    page.get_by_role("link", name="Sign in with Club account").click()
    page.wait_for_url("/contacts")
    expect(page.get_by_label(f"Menu of {alice.user['name']}")).to_have_count(1)
    page.goto("/account/identities")
    page.get_by_role("button", name="Unlink Club account").click()
    expect(page.get_by_text("Unlinked. It no longer signs you in.")).to_be_visible()

"""Passkeys in Chromium, with its virtual authenticator: registration, the button, the list below the field, and a copied key."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.cast import Cast, Person
from tests.client import Client
from tests.migrated import put_sqlite
from tests.openapi.serving import serving
from tests.web.through import Through
from tests.web.windows import Windows

AUTHENTICATOR = {
    "protocol": "ctap2",
    "ctap2Version": "ctap2_1",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}

# A browser that does not list passkeys below a field: there is the button alone.
WITHOUT_LIST = "PublicKeyCredential.isConditionalMediationAvailable = async () => false"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service at a name: passkeys are never for IP addresses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder: Path = tmp_path_factory.mktemp("passkeys")
    put_sqlite(folder)
    with serving(folder, PORT=str(port), BASE_URL=f"http://localhost:{port}"):
        yield f"http://localhost:{port}"


@pytest.fixture
def alice(url: str) -> Person:
    return Cast(Client(Through(url.replace("localhost", "127.0.0.1")))).alice


@pytest.fixture
def opened(browser: Browser, url: str) -> Iterator[Windows]:
    windows = Windows(browser, url)
    yield windows
    windows.close()
    windows.check()


class Device:
    """A window on a device with an authenticator."""

    def __init__(self, page: Page, **options: Any):
        self.page = page
        self.cdp: CDPSession = page.context.new_cdp_session(page)
        self.cdp.send("WebAuthn.enable", {"enableUI": False})
        self.authenticator = self.cdp.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR | options})["authenticatorId"]

    def set(self, command: str, **fields: Any) -> Any:
        return self.cdp.send(f"WebAuthn.{command}", {"authenticatorId": self.authenticator, **fields})

    def register(self) -> None:
        self.page.goto("/account/passkeys")
        self.page.get_by_label("Where is it?").fill("laptop")
        self.page.get_by_role("button", name="Add a passkey").click()

    def sign_out(self) -> None:
        self.page.context.clear_cookies()


def _name(alice: Person) -> str:
    return str(alice.user["name"])


def _expect_signed_in(page: Page, alice: Person) -> None:
    expect(page.get_by_label(f"Menu of {_name(alice)}")).to_have_count(1)


def test_a_passkey_is_added_signs_in_by_the_button_and_is_removed(opened: Windows, alice: Person) -> None:
    device = Device(opened.open(alice))
    device.register()
    expect(device.page.get_by_text("Passkey added.")).to_be_visible()
    expect(device.page.locator(".rows")).to_contain_text("laptop")
    device.sign_out()
    device.page.add_init_script(WITHOUT_LIST)
    device.page.goto("/sign-in?next=/contacts", wait_until="commit")
    device.page.get_by_role("button", name="Sign in with a passkey").click()
    device.page.wait_for_url("/contacts")
    _expect_signed_in(device.page, alice)
    device.page.goto("/account/passkeys")
    device.page.get_by_role("button", name="Remove the passkey laptop").click()
    expect(device.page.get_by_text("You have no passkeys yet.")).to_be_visible()
    opened.may_fail = True
    device.sign_out()
    device.page.goto("/sign-in")
    device.page.get_by_role("button", name="Sign in with a passkey").click()
    expect(device.page.get_by_text("it was removed here")).to_be_visible()


def test_the_browser_offers_the_passkey_below_the_user_name(opened: Windows, alice: Person) -> None:
    device = Device(opened.open(alice))
    device.register()
    expect(device.page.get_by_text("Passkey added.")).to_be_visible()
    device.sign_out()
    # Nobody clicks: the authenticator answers the conditional question, as when a person chooses from the list.
    device.page.goto("/sign-in?next=/contacts", wait_until="commit")
    device.page.wait_for_url("/contacts")
    _expect_signed_in(device.page, alice)


def test_a_device_that_does_not_verify_its_user_adds_no_passkey(opened: Windows, alice: Person) -> None:
    device = Device(opened.open(alice), isUserVerified=False)
    device.register()
    expect(device.page.get_by_text("No passkey was made.")).to_be_visible()
    device.page.reload()
    expect(device.page.get_by_text("You have no passkeys yet.")).to_be_visible()


def test_a_cloned_key_does_not_sign_in(opened: Windows, alice: Person) -> None:
    device = Device(opened.open(alice))
    device.register()
    expect(device.page.get_by_text("Passkey added.")).to_be_visible()
    [credential] = device.set("getCredentials")["credentials"]
    device.sign_out()
    for _ in range(2):
        device.page.goto("/sign-in?next=/contacts", wait_until="commit")
        device.page.wait_for_url("/contacts")
        device.sign_out()
    opened.may_fail = True
    clone = Device(opened.open())
    clone.set("addCredential", credential=credential)
    clone.page.add_init_script(WITHOUT_LIST)
    clone.page.goto("/sign-in")
    clone.page.get_by_role("button", name="Sign in with a passkey").click()
    expect(clone.page.get_by_text("may have been copied")).to_be_visible()


def test_without_scripts_the_form_of_the_password_is_all_there_is(opened: Windows, alice: Person) -> None:
    page = opened.open(script=False)
    page.goto("/sign-in")
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()

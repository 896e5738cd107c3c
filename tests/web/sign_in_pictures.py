"""The pictures of signing in: the ways in, a phone's app for codes, and a key with limits."""

import socket
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page

from kalends.http.origin import COOKIE
from tests.openapi.serving import serving

# Nobody signs in with it here: the button is all that is shown.
PROVIDER = (
    '[club]\nissuer = "https://id.example.org/realms/club"\nclient_id = "kalends"\nclient_secret = "secret"\nlabel = "Club account"\n'
)
SIZES = {1280: 860, 390: 844}
Save = Callable[[bytes, Path], None]


def take(browser: Browser, data: Path, token: str, folder: Path, save: Save) -> None:
    """The pictures of the service with these data, whose user has this session: at a name, since browsers have no passkeys elsewhere."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://localhost:{port}"
    with serving(data, is_new=True, PORT=str(port), BASE_URL=url, OIDC=PROVIDER):
        save(picture_of_ways(_window(browser, url, 390)), folder / "sign-in-390-light.webp")
        save(picture_of_codes(_window(browser, url, 390, token)), folder / "codes-390-light.webp")
        save(picture_of_keys(_window(browser, url, 1280, token)), folder / "keys-1280-light.webp")


def picture_of_ways(page: Page) -> bytes:
    page.goto("/sign-in")
    page.wait_for_selector("form[data-passkey]:not([hidden])")
    return page.screenshot()


def picture_of_codes(page: Page) -> bytes:
    """The secret as a QR code; the next request makes another one."""
    page.goto("/account/codes")
    page.locator("form[action='/account/codes'] button").click()
    page.wait_for_selector(".qr svg")
    return page.screenshot()


def picture_of_keys(page: Page) -> bytes:
    page.goto("/account")
    page.locator("#key-name").fill("website")
    page.locator("input[value='events:read']").check()
    page.locator("input[name='calendar_ids[]']").first.check()
    page.locator("#key-days").select_option("90")
    return page.locator("section[aria-labelledby=keys]").screenshot()


def _window(browser: Browser, url: str, width: int, token: str = "") -> Page:
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": SIZES[width]}, reduced_motion="reduce", locale="en-GB", timezone_id="Europe/Paris"
    )
    if token:
        context.add_cookies([{"name": COOKIE, "value": token, "url": url}])
    return context.new_page()

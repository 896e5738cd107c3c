"""Browser windows that watch their pages: an error on a page fails the test that opened the window."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request, Response, expect

from kalends.http.origin import COOKIE
from tests.cast import Person

# For actions and expectations on the busiest machine: where nothing is wrong, nobody waits for it.
TIMEOUT = 180_000
expect.set_options(timeout=TIMEOUT)
WIDE, PHONE, NARROW = 1280, 390, 360
HEIGHT = 800
# With scripts on a phone and without them on a laptop; with `--soak` the other way round, too.
_IN_SOAK = [pytest.param(PHONE, False, marks=pytest.mark.soak), pytest.param(WIDE, True, marks=pytest.mark.soak)]
ON_PHONE_AND_LAPTOP = pytest.mark.parametrize(("width", "script"), [(PHONE, True), (WIDE, False), *_IN_SOAK])
# A form, in either encoding, by which `question.js` learns what is to be asked.
ASKS = re.compile(r"\bask(?:=|\"\s+)true")
# Pages with it do not refresh themselves. A route of Playwright would do the same, but all requests would pass through it.
NO_STREAM = "EventSource = class { addEventListener() {} close() {} }"


class Windows:
    """Windows, each of a person of the cast or of a guest, and the errors in any of them."""

    def __init__(self, browser: Browser, url: str):
        self.url = url
        self.faults: list[str] = []
        # Tests that are about failures of the service expect them.
        self.may_fail = False
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._cached: dict[int, Page] = {}

    def cached(self, person: Person | None = None, *, width: int = WIDE) -> Page:
        """The window of this width that tests share, with the cookies of this person alone. Its pages do not refresh themselves:
        tests make them out of date."""
        if width not in self._cached:
            self._cached[width] = self.open(width=width)
            self._cached[width].add_init_script(NO_STREAM)
        page = self._cached[width]
        page.context.clear_cookies()
        self._sign_in(page.context, person)
        return page

    def open(
        self, person: Person | None = None, *, width: int = WIDE, dark: bool = False, script: bool = True, locale: str = "en-GB"
    ) -> Page:
        """A window with cookies of its own."""
        context = self._browser.new_context(
            base_url=self.url,
            viewport={"width": width, "height": HEIGHT},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            reduced_motion="reduce",
            locale=locale,
            timezone_id="Europe/Paris",
            accept_downloads=True,
        )
        self._contexts.append(context)
        context.set_default_timeout(TIMEOUT)
        self._sign_in(context, person)
        page = context.new_page()
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.faults.append(f"a script failed on {page.url}: {error}"))
        page.on("dialog", self._on_dialog)
        return page

    def _sign_in(self, context: BrowserContext, person: Person | None) -> None:
        if person is not None:
            context.add_cookies([{"name": COOKIE, "value": str(person.token), "url": self.url, "httpOnly": True, "sameSite": "Lax"}])

    def check(self) -> None:
        """Fail for errors since the last call."""
        faults, self.faults = self.faults, []
        assert not faults, "\n".join(faults)

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _on_request(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme != "data" and url.netloc != urlsplit(self.url).netloc:
            self.faults.append(f"requested another host: {request.url}")

    def _on_response(self, response: Response) -> None:
        is_page = response.request.resource_type == "document"
        # A form that is invalid is sent once more, as a page.
        is_sent_again = response.status == 422 and ASKS.search(response.request.post_data or "") is not None
        if (response.status >= 500 and not self.may_fail) or (response.status >= 400 and not is_page and not is_sent_again):
            self.faults.append(f"{response.status} for {response.request.method} {response.url}")

    def _on_console(self, message: ConsoleMessage) -> None:
        # Failed loads are known from their HTTP responses.
        if message.type == "error" and not message.text.startswith("Failed to load resource: the server responded"):
            self.faults.append(f"an error on {message.location.get('url')}: {message.text}")

    def _on_dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()


def go(page: Page, path: str) -> Response:
    """Open the path, and wait until all of it is there."""
    reply = page.goto(path, wait_until="load")
    assert reply is not None, path
    return reply

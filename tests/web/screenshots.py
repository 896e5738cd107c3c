"""The pictures of the documentation: the lively example as people see it, wide and narrow, light and dark."""

import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from kalends.http.origin import COOKIE
from tests.cast import PASSWORD
from tests.client import Client
from tests.openapi.serving import serving
from tests.serve.running import run
from tests.web import chromium, mail_pictures
from tests.web.through import Through

PAGES = {
    "home": "/",
    "month": "/calendar",
    "week": "/calendar?view=week",
    "event": "/events/{event}",
    "form": "/events/{event}/edit",
    "contacts": "/contacts",
}
SIZES = {1280: 860, 360: 740}
# Pictures of parts of the guide, in one look.
PHONE = 390
SCHEMES = ("light", "dark")
COLOURS = 128


def take(folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="kalends-screenshots-") as scratch, sync_playwright() as playwright:
        filled = run("demo", "--password", PASSWORD, folder=Path(scratch), data=scratch)
        assert filled.returncode == 0, filled.stderr
        with serving(Path(scratch)) as service:
            guest = Client(Through(service.url))
            session = guest.post("/api/session", json={"user_name": "demo", "password": PASSWORD}).json
            event = _liveliest(guest)
            browser = chromium.launch(playwright)
            for width in SIZES:
                for scheme in SCHEMES:
                    page = _window(browser, service.url, session["token"], width, scheme)
                    for name, path in PAGES.items():
                        page.goto(path.format(event=event))
                        _save(page.screenshot(), folder / f"{name}-{width}-{scheme}.png")
            cancelled = guest.get("/api/events?status=cancelled").json["events"][0]["id"]
            for width in (1280, PHONE):
                page = _window(browser, service.url, session["token"], width, "light")
                _save(_picture_of_repetition(page), folder / f"repeat-{width}-light.png")
                _save(_picture_of_device(page), folder / f"device-{width}-light.png")
                page.goto(f"/events/{cancelled}")
                _save(page.screenshot(), folder / f"cancelled-{width}-light.png")
            mail_pictures.take(browser, folder, _save)
            browser.close()


def _picture_of_repetition(page: Page) -> bytes:
    """The form that repeats a new event, with the next dates."""
    page.goto("/events/new?start_time=2027-03-09T19:00")
    page.get_by_label("Every second Tuesday of the month").check()
    page.get_by_label("Number of times").fill("6")
    page.wait_for_selector(".dates :text('6 times')")
    page.get_by_label("Number of times").blur()
    return page.locator(".repetition").screenshot()


def _picture_of_device(page: Page) -> bytes:
    """What a user types into a new device, or scans with it."""
    page.goto("/account/devices")
    page.get_by_label("Which device is it?").fill("phone")
    page.get_by_role("button", name="Make an app password").click()
    page.wait_for_selector(".qr svg")
    return page.screenshot(full_page=True)


def _liveliest(guest: Client) -> int:
    """The coming event with the most comments and guests."""
    listed = guest.get("/api/events?limit=50&start_time=2026-01-01").json["events"]
    events: list[dict[str, Any]] = [guest.get(f"/api/events/{event['id']}?comments=true").json for event in listed]
    return int(max(events, key=lambda event: (len(event["comments"]), event["responses"]["people"]))["id"])


def _window(browser: Browser, url: str, token: str, width: int, scheme: Any) -> Page:
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": SIZES.get(width, 844)},
        color_scheme=scheme,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="Europe/Paris",
    )
    context.add_cookies([{"name": COOKIE, "value": token, "url": url}])
    return context.new_page()


def _save(screenshot: bytes, file: Path) -> None:
    """A palette of few colours makes a picture of few bytes."""
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file} {file.stat().st_size // 1000} KB")


if __name__ == "__main__":
    take(Path(sys.argv[1]))

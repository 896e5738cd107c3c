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
from tests.web import chromium
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
                        _save(page, folder / f"{name}-{width}-{scheme}.png")
            browser.close()


def _liveliest(guest: Client) -> int:
    """The coming event with the most comments and guests."""
    listed = guest.get("/api/events?limit=50&start_time=2026-01-01").json["events"]
    events: list[dict[str, Any]] = [guest.get(f"/api/events/{event['id']}?comments=true").json for event in listed]
    return int(max(events, key=lambda event: (len(event["comments"]), event["responses"]["people"]))["id"])


def _window(browser: Browser, url: str, token: str, width: int, scheme: Any) -> Page:
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": SIZES[width]},
        color_scheme=scheme,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="Europe/Paris",
    )
    context.add_cookies([{"name": COOKIE, "value": token, "url": url}])
    return context.new_page()


def _save(page: Page, file: Path) -> None:
    """A palette of few colours makes a picture of few bytes."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file} {file.stat().st_size // 1000} KB")


if __name__ == "__main__":
    take(Path(sys.argv[1]))

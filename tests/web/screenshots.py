"""The pictures of the documentation: the example data as people see it, wide and narrow, light and dark.

The pages that ask before they delete something, and those that links in mails open, show the records of the tests, in light alone."""

import io
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from kalends.http.origin import COOKIE
from kalends.settings import Settings
from tests.cast import PASSWORD, Cast, a_question, a_reminder, a_webhook, an_event
from tests.client import Client
from tests.openapi.serving import serving
from tests.serve.running import run
from tests.web import chromium, mail_pictures, pages
from tests.web.scene import Scene
from tests.web.through import Through

# The pages of guests, and those of the organiser, who administers the site as well.
GUEST_PAGES = {
    "home": "/",
    "home-search": "/?text=jazz",
    "guest-month": "/calendar",
    "organisers": "/organisers",
    "organiser": "/organisers/1",
    "guest-event": "/events/{event}",
    "guest-calendar": "/calendars/{calendar}",
    "cancelled": "/events/{cancelled}",
    "embedded-month": "/embed/calendars/{calendar}",
    "embedded-event": "/embed/events/{event}",
    "report": "/reports/new?event_id={event}",
    "sign-in": "/sign-in",
    "sign-up": "/sign-up",
    "reset": "/reset",
    "docs": "/docs",
    "errors": "/docs/errors",
    "guide": "/docs/guide",
    "not-found": "/events/999999",
}
PAGES = {
    "month": "/calendar",
    "week": "/calendar?view=week",
    "day": "/calendar?view=day",
    "agenda": "/calendar?view=agenda",
    "event": "/events/{event}",
    "new-event": "/events/new",
    "form": "/events/{event}/edit",
    "duplicate": "/events/{event}/duplicate",
    "history": "/events/{event}/history",
    "announce": "/events/{event}/announce",
    "delete": "/events/{event}/delete",
    "responses-of-event": "/events/{event}/responses",
    "new-response": "/events/{event}/responses/new",
    "invitations": "/events/{event}/invitations",
    "messages": "/events/{event}/messages",
    "questions": "/events/{event}/questions",
    "reminders": "/events/{event}/reminders",
    "calendars": "/calendars",
    "new-calendar": "/calendars/new",
    "calendar": "/calendars/{calendar}",
    "calendar-settings": "/calendars/{calendar}/edit",
    "import-calendar": "/calendars/{calendar}/import",
    "contacts": "/contacts",
    "new-contact": "/contacts/new",
    "import-contacts": "/contacts/import",
    "responses": "/responses",
    "subscribers": "/subscribers",
    "deliveries": "/deliveries",
    "trash": "/trash",
    "account": "/account",
    "devices": "/account/devices",
    "webhooks": "/webhooks",
    "admin": "/admin",
    "people": "/admin/people",
    "reports": "/reports",
}
SIZES = {1280: 860, 390: 844}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# Text stays readable, and all pictures together take about as much as two photographs.
QUALITY = 30


def take(folder: Path, *names: str) -> None:
    """Take all pictures, or those of the named pages."""
    with tempfile.TemporaryDirectory(prefix="kalends-screenshots-") as scratch, sync_playwright() as playwright:
        filled = run("demo", "--password", PASSWORD, folder=Path(scratch), data=scratch)
        assert filled.returncode == 0, filled.stderr
        with serving(Path(scratch)) as service:
            guest = Client(Through(service.url))
            token = guest.post("/api/session", json={"user_name": "demo", "password": PASSWORD}).json["token"]
            records = _add_records(guest.signed_in(token))
            browser = chromium.launch(playwright)
            for width in SIZES:
                for scheme in SCHEMES:
                    for paths, cookie in ((GUEST_PAGES, None), (PAGES, token)):
                        page = _window(browser, service.url, cookie, width, scheme)
                        for name in [name for name in paths if not names or name in names]:
                            _save(_picture_of(page, paths[name].format(**records)), folder / f"{name}-{width}-{scheme}.webp")
                        page.context.close()
                if not names:
                    page = _window(browser, service.url, token, width, "light")
                    _save(_picture_of_repetition(page), folder / f"repeat-{width}-light.webp")
                    _save(_picture_of_device(page), folder / f"device-{width}-light.webp")
            if not names:
                mail_pictures.take(browser, folder, _save)
            _take_others(browser, folder, names)
            browser.close()


def _take_others(browser: Browser, folder: Path, names: tuple[str, ...]) -> None:
    """The pages of the table of all pages that are not in the lists above."""
    others = {re.sub("[^a-z]+", "-", path).strip("-"): visit for path, visit in _other_pages()}
    with tempfile.TemporaryDirectory(prefix="kalends-screenshots-") as scratch, serving(Path(scratch)) as service:
        scene = Scene(Cast(Client(Through(service.url))), Settings(data=scratch, base_url=service.url))
        for width in SIZES:
            for name, visit in others.items():
                if names and name not in names:
                    continue
                reader = pages.reader(scene, visit.reader)
                page = _window(browser, service.url, reader.token if reader else None, width, "light")
                _save(_picture_of(page, pages.url_of(scene, visit.path)), folder / f"{name}-{width}-light.webp")
                page.context.close()


def _other_pages() -> list[tuple[str, pages.Visit]]:
    """The path and the first visit of each page that the example data does not show."""
    paths = [path.partition("?")[0].format(event=1, calendar=1, cancelled=1) for path in (*GUEST_PAGES.values(), *PAGES.values())]
    table = [(name.partition(" ")[2], visits[0]) for name, visits in pages.PAGES.items()]
    return [(path, visit) for path, visit in table if not any(re.fullmatch(re.sub(r"{\w+}", r"\\d+", path), each) for each in paths)]


def _picture_of(page: Page, path: str) -> bytes:
    page.goto(path)
    # Pictures are loaded when they come into view.
    page.evaluate(
        "Promise.allSettled([...document.images].filter(each => each.getBoundingClientRect().top < innerHeight).map(each => each.decode()))"
    )
    return page.screenshot()


def _add_records(organiser: Client) -> dict[str, int]:
    """What the example lacks, and the ids of the records whose pages are shown: of the event with the most comments and guests."""
    listed = organiser.get("/api/events?limit=50&start_time=2026-01-01&scope=public").json["events"]
    events: list[dict[str, Any]] = [organiser.get(f"/api/events/{event['id']}?comments=true").json for event in listed]
    events = [event for event in events if event["can_edit"]]
    event = max(events, key=lambda event: (len(event["comments"]), event["responses"]["people"]))
    path = f"/api/events/{event['id']}"
    a_question(organiser, path, label="Do you eat with us?", kind="one", options=["Meat", "Vegetarian", "I eat before"], per="person")
    a_question(organiser, path, label="Do you need a seat near the stage?", kind="yes_no")
    a_reminder(organiser, path, days_before=1, at="18:00", text="Doors open at 20:00.")
    a_webhook(organiser)
    assert organiser.put(f"{path}/send_to_me", json={"email": "ines.duarte@example.org"}).status == 202
    assert organiser.delete(f"/api/events/{an_event(organiser, title='Garden party')['id']}").status == 200
    cancelled = organiser.get("/api/events?status=cancelled").json["events"][0]["id"]
    return {"event": event["id"], "calendar": event["calendars"][0]["id"], "cancelled": cancelled}


def _picture_of_repetition(page: Page) -> bytes:
    """The form that repeats a new event, with the next dates."""
    page.goto("/events/new?start_time=2027-03-09T19:00")
    page.get_by_text("More options").click()
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


def _window(browser: Browser, url: str, token: str | None, width: int, scheme: Literal["light", "dark"]) -> Page:
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": SIZES[width]},
        color_scheme=scheme,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="Europe/Paris",
    )
    if token:
        context.add_cookies([{"name": COOKIE, "value": token, "url": url}])
    return context.new_page()


def _save(screenshot: bytes, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(screenshot)).convert("RGB").save(file, quality=QUALITY, method=6)
    print(f"{file} {file.stat().st_size // 1000} KB")


if __name__ == "__main__":
    take(Path(sys.argv[1]), *sys.argv[2:])

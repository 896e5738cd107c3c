"""The pictures that the documentation shows: the example data as people see it."""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from kalends.http.origin import COOKIE
from tests.cast import PASSWORD
from tests.client import Client
from tests.openapi.serving import serving
from tests.serve.running import run
from tests.web import chromium, mail_pictures, sign_in_pictures
from tests.web.through import Through

SIZES = {1280: 860, 390: 844}
# Text stays readable, and the files stay small.
QUALITY = 30


def take(folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="kalends-screenshots-") as scratch, sync_playwright() as playwright:
        filled = run("demo", "--password", PASSWORD, folder=Path(scratch), data=scratch)
        assert filled.returncode == 0, filled.stderr
        with serving(Path(scratch)) as service:
            guest = Client(Through(service.url))
            token = guest.post("/api/session", json={"user_name": "demo", "password": PASSWORD}).json["token"]
            cancelled = guest.signed_in(token).get("/api/events?status=cancelled").json["events"][0]["id"]
            concert = guest.signed_in(token).get("/api/events?title=Blue%20Hour").json["events"][0]["id"]
            browser = chromium.launch(playwright)
            _save(_picture_of(_window(browser, service.url, None, 1280), "/"), folder / "home-1280-light.webp")
            _save(_picture_of(_window(browser, service.url, None, 390), f"/events/{concert}"), folder / "event-390-light.webp")
            organiser = _window(browser, service.url, token, 1280)
            _save(_picture_of(organiser, "/calendar?view=week"), folder / "week-1280-light.webp")
            _save(_picture_of(organiser, f"/events/{concert}/responses"), folder / "guests-1280-light.webp")
            for width in SIZES:
                page = _window(browser, service.url, None, width)
                _save(_picture_of(page, f"/events/{cancelled}"), folder / f"cancelled-{width}-light.webp")
                page = _window(browser, service.url, token, width)
                _save(_picture_of_repetition(page), folder / f"repeat-{width}-light.webp")
                _save(_picture_of_device(page), folder / f"device-{width}-light.webp")
            owner = guest.signed_in(token)
            add_birthdays(owner)
            phone = _window(browser, service.url, token, 390)
            _save(_picture_of(phone, "/contacts/birthdays"), folder / "birthdays-390-light.webp")
            _save(
                _picture_of(_window(browser, service.url, token, 1280), "/calendar?date=2026-12-09"), folder / "birthdays-1280-light.webp"
            )
            _save(_picture_of_link(phone), folder / "online-390-light.webp")
            assert (
                run("users", "create", "mona", "mona@example.org", "--password", PASSWORD, folder=Path(scratch), data=scratch).returncode
                == 0
            )
            calendar_id = owner.post("/api/calendars", json={"name": "Choir", "public": True, "keep_responses_days": 30}).json["id"]
            _save(_picture_of_retention(phone, calendar_id), folder / "retention-390-light.webp")
            assert owner.post(f"/api/calendars/{calendar_id}/ownership_offers", json={"user_name": "mona"}).status == 201
            mona = guest.post("/api/session", json={"user_name": "mona", "password": PASSWORD}).json["token"]
            offers = _window(browser, service.url, mona, 390)
            _save(_picture_of(offers, "/calendars/offers"), folder / "offer-390-light.webp")
            _save(_picture_of_export(phone), folder / "export-390-light.webp")
            assert run("users", "role", "demo", "admin", folder=Path(scratch), data=scratch).returncode == 0
            _save(_picture_of_style(_window(browser, service.url, token, 1280)), folder / "style-1280-light.webp")
            _leave(guest)
            _save(_picture_of(phone, "/admin/deleted_calendars"), folder / "deleted-calendars-390-light.webp")
            mail_pictures.take(browser, folder, _save)
        sign_in_pictures.take(browser, Path(scratch), token, folder, _save)
        browser.close()


def _picture_of(page: Page, path: str) -> bytes:
    page.goto(path)
    # Pictures are loaded when they come into view.
    page.evaluate(
        "Promise.allSettled([...document.images].filter(each => each.getBoundingClientRect().top < innerHeight).map(each => each.decode()))"
    )
    return page.screenshot()


def _picture_of_repetition(page: Page) -> bytes:
    """The form that repeats a new event, with the next dates."""
    page.goto("/events/new?start_time=2027-03-09T19:00")
    page.get_by_text("More options").first.click()
    page.get_by_label("Every second Tuesday of the month").check()
    page.get_by_label("Number of dates").fill("6")
    page.wait_for_selector(".dates :text('6 times')")
    page.get_by_label("Number of dates").blur()
    return page.locator(".repetition").screenshot()


def _picture_of_device(page: Page) -> bytes:
    """What a user types into a new device, or scans with it."""
    page.goto("/account/devices")
    page.get_by_label("Which device?").fill("phone")
    page.get_by_role("button", name="Create app password").click()
    page.wait_for_selector(".qr svg")
    return page.screenshot(full_page=True)


def add_birthdays(user: Client) -> None:
    for name, birthday in (("Ada Byron", "1985-12-10"), ("Grace Murray", "1976-12-09"), ("Emmy Noether", "1992-03-23")):
        first_name, last_name = name.split()
        fields = {"first_name": first_name, "last_name": last_name, "birthday": birthday}
        assert user.post("/api/contacts", json=fields).status == 201


def _picture_of_link(page: Page) -> bytes:
    """Where the link of an online event is set, and for whom."""
    page.goto("/events/new")
    field = page.locator("[name=online_url]")
    _unfold(field)
    field.fill("https://meet.example.org/choir")
    field.blur()
    return _picture_around(field)


def _picture_of_retention(page: Page, calendar_id: int) -> bytes:
    """For how long a calendar keeps who its guests were."""
    page.goto(f"/calendars/{calendar_id}/edit")
    field = page.locator("[name=keep_responses_days]")
    _unfold(field)
    return _picture_around(field)


def _picture_of_export(page: Page) -> bytes:
    """Where one downloads all that is one's own."""
    page.goto("/account")
    return _picture_around(page.locator("a[href$='/export']").first)


def _unfold(field: Locator) -> None:
    """Open what the field is folded into."""
    field.evaluate("each => { while ((each = each.parentElement?.closest('details:not([open])'))) each.open = true }")


def _picture_around(field: Locator) -> bytes:
    """The window with the field in its middle."""
    field.evaluate("each => each.scrollIntoView({ block: 'center' })")
    return field.page.screenshot()


def _leave(guest: Client) -> None:
    """An account with a calendar that nobody shares is deleted."""
    fields = {"user_name": "ravi", "email_address": "ravi@example.org", "password": PASSWORD}
    assert guest.post("/api/users", json=fields).status == 201
    ravi = guest.signed_in(guest.post("/api/session", json={"user_name": "ravi", "password": PASSWORD}).json["token"])
    calendar_id = ravi.post("/api/calendars", json={"name": "Rehearsals"}).json["id"]
    for day in ("2026-12-03", "2026-12-10"):
        event = {"title": "Rehearsal", "start_time": f"{day}T19:00", "calendar_id": calendar_id}
        assert ravi.post("/api/events", json=event).status == 201
    assert ravi.delete(f"/api/users/{ravi.get('/api/users/current').json['id']}", json={"current_password": PASSWORD}).status == 200


def _picture_of_style(page: Page) -> bytes:
    """The introduction and the style sheet of the site, with a preview of both."""
    page.goto("/admin/style")
    page.get_by_role("textbox", name="Introduction").fill(
        "Concerts, workshops and **open evenings** in our house.\n\n- free, unless it says otherwise\n- all ages"
    )
    page.get_by_role("textbox", name="Style sheet").fill(":root { --accent: #12467b; }\n.home-title { letter-spacing: -0.02em; }")
    page.get_by_role("button", name="Preview").click()
    return page.screenshot(full_page=True)


def _window(browser: Browser, url: str, token: str | None, width: int) -> Page:
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": SIZES[width]},
        color_scheme="light",
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
    take(Path(sys.argv[1]))

"""Cancelled and postponed events in a browser: their status is readable for everyone, in light and in dark, on a phone too."""

from playwright.sync_api import Page

from tests.cast import Person, a_calendar, a_response, an_event
from tests.client import Client
from tests.web.axe import COLOURS, violations
from tests.web.windows import HEIGHT, NARROW, WIDE, Windows, go

DAY = "2031-05-06"


def _problems(page: Page, path: str, *words: str, scan: bool = True) -> list[str]:
    """Which of these words the page does not say, and what axe finds on it."""
    assert go(page, path).status == 200
    text = page.locator("main").inner_text()
    problems = [f"{path} does not say {word}" for word in words if word not in text]
    if not scan:
        return problems
    page.emulate_media(color_scheme="light")
    problems += violations(page, within="main")
    page.emulate_media(color_scheme="dark")
    return problems + violations(page, COLOURS, within="main")


def test_the_status_is_accessible_wherever_the_event_is_shown(scans: Windows, guest: Client, soak: bool) -> None:
    owner = Person(guest, "nora")
    calendar = a_calendar(owner, public=True)["id"]
    cancelled = an_event(owner, calendar_id=calendar, title="Nocturne", start_time=f"{DAY}T18:00", end_time=f"{DAY}T21:00")
    a_response(guest, cancelled, email_address="gus@example.org")
    changes = {"status": "cancelled", "status_note": "The hall is flooded."}
    assert owner.put(f"/api/events/{cancelled['id']}", json=changes).status == 200
    page = scans.cached(owner)
    fields = {"status": "postponed", "status_note": "A new date follows.", "start_time": DAY}
    postponed = an_event(owner, calendar_id=calendar, title="Aubade", **fields)["id"]
    # For the organiser, and as guests see it.
    problems = _problems(page, f"/events/{cancelled['id']}", "Cancelled", "The hall is flooded.")
    problems += _problems(page, f"/events/{postponed}", "Postponed", "was Tuesday, 6 May 2031", "A new date follows.")
    problems += _problems(page, f"/events/{cancelled['id']}/preview", "Cancelled", "The hall is flooded.", "RSVPs are closed")
    problems += _problems(page, f"/events/{postponed}/preview", "Postponed", "was Tuesday, 6 May 2031", "A new date follows.")
    for view in ("month", "week", "agenda"):
        problems += _problems(page, f"/calendar?view={view}&date={DAY}", "Cancelled", "Postponed", scan=soak)
    problems += _problems(page, f"/embed/events/{cancelled['id']}", "Cancelled", scan=soak)
    problems += _problems(page, "/?text=nocturne", "Cancelled", scan=soak)
    page.set_viewport_size({"width": NARROW, "height": HEIGHT})
    problems += _problems(page, f"/embed/calendars/{calendar}?view=agenda&date={DAY}", "Cancelled", "Postponed", scan=soak)
    problems += _problems(page, f"/events/{postponed}/edit", "Status", scan=soak)
    page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    page.emulate_media(color_scheme="light")
    assert not problems, "\n".join(problems)

"""The calendar in a browser: events are moved and stretched by mouse and by keyboard, and stay where they were when that fails."""

from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.cast import Cast, Person, a_calendar, a_response, an_event, shared
from tests.web.windows import Windows, go

MONDAY, TUESDAY, FRIDAY = "2026-05-11", "2026-05-12", "2026-05-15"
# Two days that are not over.
COMING = ("2037-05-11", "2037-05-12")
# An hour among the hours of a week, in pixels.
HOUR = 48


@pytest.fixture
def alice(people: Cast) -> Person:
    assert people.alice.put(f"/api/users/{people.alice.id}", json={"time_zone": "Europe/Paris"}).status == 200
    return people.alice


def an_evening(owner: Person, **fields: Any) -> dict[str, Any]:
    values = {"title": "Gig", "start_time": f"{MONDAY}T18:00", "end_time": f"{MONDAY}T19:00", "time_zone": "Europe/Paris"}
    return an_event(owner, **values | fields)


def times(owner: Person, event: dict[str, Any]) -> list[str]:
    """Its start and its end, as they are now, without their offset."""
    stored = owner.get(f"/api/events/{event['id']}").json
    return [str(stored[name])[:16] for name in ("start_time", "end_time")]


def box(element: Locator) -> FloatRect:
    element.scroll_into_view_if_needed()
    size = element.bounding_box()
    assert size
    return size


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


def to_day(page: Page, entry: Locator, day: str) -> None:
    """Drag an event of a month to another day."""
    start, end = box(entry), box(page.locator(f"[data-day='{day}']"))
    drag(page, (start["x"] + 20, start["y"] + 10), (end["x"] + 20, end["y"] + end["height"] - 10))


def entry(page: Page, title: str = "Gig") -> Locator:
    return page.locator(".entry", has_text=title)


def test_an_event_of_several_days_can_be_dragged_by_any_of_its_days(looks: Windows, alice: Person) -> None:
    fair = an_event(alice, title="Fair", start_time=MONDAY, end_time="2026-05-13")
    page = looks.cached(alice)
    go(page, f"/calendar?date={MONDAY}")
    to_day(page, page.locator(f"[data-day='{TUESDAY}'] .entry"), FRIDAY)
    expect(page.get_by_role("status")).to_contain_text("Moved to Thursday 14 May.")
    expect(page.locator("[data-day='2026-05-16'] .entry")).to_contain_text("Fair")
    assert times(alice, fair) == ["2026-05-14", "2026-05-16"]


def test_in_a_week_an_event_is_dragged_to_another_hour_and_day(looks: Windows, alice: Person) -> None:
    event = an_evening(alice)
    page = looks.cached(alice)
    go(page, f"/calendar?view=week&date={MONDAY}")
    column, start = box(page.locator(f"[data-day='{TUESDAY}'] .blocks")), box(entry(page))
    drag(page, (start["x"] + 20, start["y"] + 10), (column["x"] + 20, start["y"] + 10 - 2.25 * HOUR))
    expect(page.get_by_role("status")).to_contain_text("Moved to Tuesday 12 May at 15:45.")
    assert times(alice, event) == [f"{TUESDAY}T15:45", f"{TUESDAY}T16:45"]


def test_in_a_week_an_event_is_stretched_by_its_edge(looks: Windows, alice: Person) -> None:
    event = an_evening(alice)
    page = looks.cached(alice)
    go(page, f"/calendar?view=week&date={MONDAY}")
    # Near an edge, the hours would scroll.
    page.locator(".week").evaluate("week => { week.scrollTop = 600 }")
    size = box(entry(page))
    edge = (size["x"] + 20, size["y"] + size["height"] - 3)
    drag(page, edge, (edge[0], edge[1] + HOUR))
    expect(page.get_by_role("status")).to_contain_text("Now ends at Monday 11 May at 20:00.")
    assert times(alice, event) == [f"{MONDAY}T18:00", f"{MONDAY}T20:00"]


@pytest.mark.parametrize(
    ("view", "key", "moved"),
    [
        ("month", "ArrowRight", [f"{TUESDAY}T18:00", f"{TUESDAY}T19:00"]),
        pytest.param("month", "ArrowDown", ["2026-05-18T18:00", "2026-05-18T19:00"], marks=pytest.mark.soak),
        ("week", "ArrowUp", [f"{MONDAY}T17:45", f"{MONDAY}T18:45"]),
        pytest.param("week", "ArrowRight", [f"{TUESDAY}T18:00", f"{TUESDAY}T19:00"], marks=pytest.mark.soak),
    ],
)
def test_the_keyboard_moves_an_event_and_keeps_it_in_focus(looks: Windows, alice: Person, view: str, key: str, moved: list[str]) -> None:
    event = an_evening(alice)
    page = looks.cached(alice)
    go(page, f"/calendar?view={view}&date={MONDAY}")
    entry(page).focus()
    page.keyboard.press(f"Shift+{key}")
    expect(page.get_by_role("status")).to_contain_text("Moved to")
    expect(entry(page)).to_be_focused()
    assert times(alice, event) == moved


@pytest.mark.parametrize(
    ("choice", "moved"),
    [
        pytest.param("This date only", 1, marks=pytest.mark.soak),
        ("This and later dates", 2),
        pytest.param("All dates", 3, marks=pytest.mark.soak),
        ("Don’t move it", 0),
    ],
)
def test_moving_an_occurrence_asks_for_the_scope(looks: Windows, alice: Person, choice: str, moved: int) -> None:
    first = an_evening(alice, start_time="2026-05-04T18:00", end_time="2026-05-04T19:00")
    repeated = alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "end_date": "2026-05-18"})
    assert repeated.status == 200, repeated
    page = looks.cached(alice)
    go(page, f"/calendar?date={MONDAY}")
    to_day(page, page.locator(f"[data-day='{MONDAY}'] .entry"), TUESDAY)
    page.get_by_role("dialog").get_by_role("button", name=choice).click()
    expect(page.locator(f"[data-day='{TUESDAY if moved else MONDAY}'] .entry")).to_have_count(1)
    starts = [event["start_time"][:10] for event in alice.get("/api/events").json["events"]]
    assert len({"2026-05-05", TUESDAY, "2026-05-19"} & set(starts)) == moved


@pytest.mark.parametrize(
    ("choice", "moved", "notified"),
    [
        pytest.param("Save and email 1 person", True, 1, marks=pytest.mark.soak),
        ("Save without emailing", True, 0),
        ("Keep editing", False, 0),
    ],
)
def test_moving_an_event_with_guests_shows_first_how_many_it_notifies(
    looks: Windows, people: Cast, alice: Person, choice: str, moved: bool, notified: int
) -> None:
    event = an_evening(alice, public=True, start_time=f"{COMING[0]}T18:00", end_time=f"{COMING[0]}T19:00")
    a_response(people.bob, event)
    page = looks.cached(alice)
    go(page, f"/calendar?date={COMING[0]}")
    to_day(page, entry(page), COMING[1])
    dialog = page.get_by_role("dialog", name="Email 1 person about the new time?")
    expect(dialog).to_be_visible()
    assert times(alice, event)[0] == f"{COMING[0]}T18:00"
    dialog.get_by_role("button", name=choice).click()
    expect(page.locator(f"[data-day='{COMING[moved]}'] .entry")).to_have_count(1)
    assert times(alice, event)[0] == f"{COMING[moved]}T18:00"
    assert _count_notices(alice, event) == notified


def test_the_keyboard_chooses_whether_a_moved_event_notifies_its_guests(looks: Windows, people: Cast, alice: Person) -> None:
    event = an_evening(alice, public=True, start_time=f"{COMING[0]}T18:00", end_time=f"{COMING[0]}T19:00")
    a_response(people.bob, event)
    page = looks.cached(alice)
    go(page, f"/calendar?date={COMING[0]}")
    dialog = page.get_by_role("dialog", name="Email 1 person about the new time?")
    for key, day in (("Escape", COMING[0]), ("Enter", COMING[1])):
        entry(page).focus()
        page.keyboard.press("Shift+ArrowRight")
        expect(dialog.get_by_role("button", name="Save and email 1 person")).to_be_focused()
        page.keyboard.press(key)
        expect(dialog).to_be_hidden()
        expect(entry(page)).to_be_focused()
        expect(page.locator(f"[data-day='{day}'] .entry")).to_have_count(1)
        assert times(alice, event)[0] == f"{day}T18:00"
    assert _count_notices(alice, event) == 1


def _count_notices(owner: Person, event: dict[str, Any]) -> int:
    deliveries = owner.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    return sum(delivery["kind"] == "change" for delivery in deliveries)


@pytest.mark.parametrize("by", ["click", "Control+z"])
def test_a_moved_event_is_put_back_by_undo(looks: Windows, people: Cast, alice: Person, by: str) -> None:
    event = an_evening(alice, public=True, start_time=f"{COMING[0]}T18:00", end_time=f"{COMING[0]}T19:00")
    a_response(people.bob, event)
    page = looks.cached(alice)
    go(page, f"/calendar?date={COMING[0]}")
    to_day(page, entry(page), COMING[1])
    page.get_by_role("dialog").get_by_role("button", name="Save and email 1 person").click()
    notice = page.get_by_role("status").filter(has_text="Moved to")
    expect(notice).to_contain_text(
        "Moved to Tuesday 12 May at 18:00. 1 person should know, but this site sends no email. Let your guests know yourself."
    )
    undo = notice.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    if by == "click":
        undo.click()
    else:
        page.keyboard.press(by)
    expect(page.get_by_role("status").filter(has_text="Change undone.")).to_be_visible()
    expect(page.locator(f"[data-day='{COMING[0]}'] .entry")).to_have_count(1)
    assert times(alice, event)[0] == f"{COMING[0]}T18:00"


def test_an_event_in_another_zone_moves_in_its_own_local_time(looks: Windows, alice: Person) -> None:
    event = an_evening(alice, time_zone="America/New_York", start_time=f"{MONDAY}T12:00", end_time=f"{MONDAY}T13:00")
    page = looks.cached(alice)
    go(page, f"/calendar?date={MONDAY}")
    expect(entry(page)).to_contain_text("18:00")
    to_day(page, entry(page), FRIDAY)
    expect(page.get_by_role("status")).to_contain_text("Moved to Friday 15 May at 18:00.")
    assert times(alice, event) == [f"{FRIDAY}T12:00", f"{FRIDAY}T13:00"]
    assert alice.get(f"/api/events/{event['id']}").json["time_zone"] == "America/New_York"


def test_an_event_that_may_not_be_moved_stays_and_the_page_says_why(looks: Windows, people: Cast, alice: Person) -> None:
    calendar = a_calendar(alice)
    shared(alice, calendar, people.bob, "editor")
    an_evening(alice, calendar_id=calendar["id"])
    page = looks.cached(people.bob)
    go(page, f"/calendar?date={MONDAY}")
    shared(alice, calendar, people.bob, "viewer")
    to_day(page, entry(page), FRIDAY)
    expect(page.get_by_role("status")).to_contain_text("The event wasn’t moved. Only the owner and editors")
    expect(page.locator(f"[data-day='{MONDAY}'] .entry")).to_have_count(1)
    expect(page.locator(".lifted, .ghost")).to_have_count(0)
    assert [fault.partition(" ")[0] for fault in looks.faults] == ["403"]
    looks.faults.clear()


def test_an_event_without_edit_permission_cannot_be_dragged(looks: Windows, people: Cast, alice: Person) -> None:
    calendar = a_calendar(alice)
    shared(alice, calendar, people.vera, "viewer")
    event = an_evening(alice, calendar_id=calendar["id"])
    page = looks.cached(people.vera)
    go(page, f"/calendar?date={MONDAY}")
    to_day(page, entry(page), FRIDAY)
    expect(page.locator(f"[data-day='{MONDAY}'] .entry")).to_have_count(1)
    assert times(alice, event) == [f"{MONDAY}T18:00", f"{MONDAY}T19:00"]


def test_escape_puts_an_event_back(looks: Windows, alice: Person) -> None:
    event = an_evening(alice)
    page = looks.cached(alice)
    go(page, f"/calendar?date={MONDAY}")
    start, end = box(entry(page)), box(page.locator(f"[data-day='{FRIDAY}']"))
    page.mouse.move(start["x"] + 20, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 50, steps=5)
    expect(page.locator(".ghost")).to_have_count(1)
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(page.locator(".ghost, .lifted, .target")).to_have_count(0)
    assert times(alice, event) == [f"{MONDAY}T18:00", f"{MONDAY}T19:00"]


@pytest.mark.parametrize("is_public", [pytest.param(True, marks=pytest.mark.soak), False])
def test_dragging_after_the_session_ended_leads_to_sign_in_and_back(looks: Windows, alice: Person, is_public: bool) -> None:
    an_evening(alice, public=is_public)
    page = looks.cached(alice)
    go(page, f"/calendar?date={MONDAY}")
    page.context.clear_cookies()
    to_day(page, entry(page), FRIDAY)
    status = page.get_by_role("status")
    expect(status).to_contain_text("you’ve been signed out")
    expect(status.get_by_role("link", name="Sign in again")).to_have_attribute("href", f"/sign-in?next=%2Fcalendar%3Fdate%3D{MONDAY}")
    assert {fault.partition(" ")[0] for fault in looks.faults} <= {"401", "404"}
    looks.faults.clear()

"""The calendar: by month, by week and as an agenda."""

import re
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from kalends.features.calendar_view import calendar_pages, store
from kalends.features.calendar_view.steps import search
from kalends.features.calendar_view.steps.rail import COOKIE
from tests.calendar_view.reading import agenda, day, entry, look, words
from tests.cast import Cast, Person, a_calendar, an_event, shared
from tests.client import Client

MAY = "2026-05-11"


@pytest.fixture
def paris(client: Client) -> Person:
    """A user in the time zone of Paris."""
    return Person(client, "paul", time_zone="Europe/Paris")


def a_daily_series(owner: Person, title: str, first: str, last: str) -> None:
    event = an_event(owner, title=title, start_time=f"{first}T09:00")
    reply = owner.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": last})
    assert reply.status == 200, reply


def test_a_month_shows_each_event_on_its_day(paris: Person) -> None:
    event = an_event(paris, title="Ravi & Co", start_time="2026-05-11T20:00", end_time="2026-05-11T22:00")
    page = look(paris, date="2026-05-20")
    assert "<h1>May 2026</h1>" in page
    assert "20:00 Ravi & Co" in words(day(page, MAY))
    assert f'href="/events/{event["id"]}"' in day(page, MAY)
    assert "Ravi" not in day(page, "2026-05-12")
    assert 'aria-label="Monday, 11 May 2026, 1 event"' in day(page, MAY)


def test_a_month_begins_on_the_monday_before_it_and_ends_on_the_sunday_after(paris: Person) -> None:
    page = look(paris, date=MAY)
    days = [part.split('"')[0] for part in page.split('data-day="')[1:]]
    assert (days[0], days[-1], len(days)) == ("2026-04-27", "2026-05-31", 35)


def test_without_a_date_the_calendar_shows_today_in_the_readers_zone(client: Client, clock: Any) -> None:
    tokyo = Person(client, "taro", time_zone="Asia/Tokyo")
    clock.now = 1_780_253_000  # 18:43 on 31 May in UTC, and June already in Tokyo.
    assert "<h1>May 2026</h1>" in look(client)
    page = look(tokyo)
    assert "<h1>June 2026</h1>" in page
    assert 'aria-current="date"' in day(page, "2026-06-01")


def test_times_and_days_are_in_the_readers_zone(client: Client, paris: Person) -> None:
    tokyo = Person(client, "taro", time_zone="Asia/Tokyo")
    an_event(tokyo, title="Breakfast", start_time="2026-05-10T23:30Z")
    assert "08:30 Breakfast" in words(day(look(tokyo, date=MAY), MAY))
    assert "23:30 Breakfast" in words(day(look(tokyo, date=MAY, time_zone="UTC"), "2026-05-10"))


def test_all_day_events_stay_on_their_days_in_every_zone(client: Client) -> None:
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        reader = Person(client, "rita", time_zone=zone)
        an_event(reader, title="Holiday", start_time=MAY, time_zone="Asia/Tokyo")
        an_event(reader, title="Away", start_time=MAY, time_zone="America/Los_Angeles")
        page = look(reader, date=MAY)
        assert {"Holiday", "Away"} <= set(words(day(page, MAY)).split()), zone
        grid = page.partition('id="chosen-day"')[0]
        assert grid.count("Holiday") == grid.count("Away") == 1, zone


def test_an_event_of_several_days_is_one_bar_across_its_days(paris: Person) -> None:
    an_event(paris, title="Concert", start_time="2026-05-08T08:00")
    an_event(paris, title="Festival", start_time="2026-05-08", end_time="2026-05-12")
    page = look(paris, date=MAY)
    shapes = [entry(day(page, f"2026-05-{n:02}"), "Festival").partition('class="')[2].partition('"')[0] for n in range(8, 13)]
    assert shapes == ["entry stays s3", *["entry goes-on stays unnamed"] * 2, "entry goes-on stays s2", "entry goes-on unnamed"]
    assert day(page, "2026-05-08").index("Festival") < day(page, "2026-05-08").index("Concert")


# The time of an event, and its days in the month of May in which it is a bar; without any, it is on its day alone.
SPANS = [
    ({"start_time": "2041-05-11T09:00", "end_time": "2041-05-11T10:00", "all_day": "false"}, []),
    ({"start_time": "2041-04-27T09:00", "end_time": "2041-05-02T10:00", "all_day": "false"}, ["2041-05-01", "2041-05-02"]),
    ({"start_time": "2041-05-11T00:00", "end_time": "2041-05-12T00:00", "all_day": "false"}, []),
    ({"start_time": "2041-05-12", "end_time": "2041-05-12", "all_day": "true"}, ["2041-05-12"]),
    ({"start_time": "2041-02-01", "end_time": "2041-05-03", "all_day": "true"}, ["2041-05-01", "2041-05-02", "2041-05-03"]),
]


@pytest.mark.parametrize("reader", ["owner", "member", "guest"])
def test_an_event_that_moves_takes_the_days_of_its_new_time(cast: Cast, reader: str) -> None:
    """On its home, on a calendar to which it was added, and in public."""
    other = a_calendar(cast.alice)
    shared(cast.alice, other, cast.bob, "viewer")
    event = an_event(cast.alice, title=f"Tour {reader}", start_time="2041-05-11", public=True)
    assert cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": other["id"]}).status == 200
    client = {"owner": cast.alice, "member": cast.bob, "guest": cast.anonymous}[reader]
    for fields, bar_days in [*SPANS, *reversed(SPANS)]:
        assert cast.alice.put(f"/api/events/{event['id']}", json=fields).status == 200
        page = look(client, date="2041-05-11", time_zone="UTC")
        days = [f"2041-05-{number:02}" for number in range(1, 32)]
        days_with_event = [each for each in days if f"Tour {reader}" in day(page, each)]
        assert days_with_event == (bar_days or ["2041-05-11"]), fields
        assert [day(page, each).count(f"Tour {reader}") for each in days_with_event] == [1] * len(days_with_event), fields
        assert any(f'"entry {shape}' in page for shape in ("stays", "goes-on")) == (len(bar_days) > 1), fields


def test_an_event_that_began_long_before_the_month_is_shown(paris: Person) -> None:
    an_event(paris, title="Exhibition", start_time="2025-01-01", end_time="2026-05-02")
    page = look(paris, date=MAY)
    assert "Exhibition" in day(page, "2026-05-02")
    assert "Exhibition" not in day(page, "2026-05-03")


def test_an_event_that_ends_in_the_small_hours_belongs_to_the_evening_before(paris: Person) -> None:
    an_event(paris, title="Session", start_time="2026-05-11T23:00", end_time="2026-05-12T02:00")
    page = look(paris, date=MAY)
    assert "Session" in day(page, MAY)
    assert "Session" not in day(page, "2026-05-12")


def test_a_day_shows_four_events_and_leads_to_the_rest(paris: Person) -> None:
    for hour in range(8, 14):
        an_event(paris, title=f"Talk {hour}", start_time=f"2026-05-11T{hour:02}:00")
    cell = day(look(paris, date=MAY), MAY)
    assert [title in cell for title in ("Talk 8", "Talk 11", "Talk 12")] == [True, True, False]
    assert "+2 more" in words(cell)
    assert 'href="/calendar?view=day&amp;date=2026-05-11"' in cell
    assert "Talk 13" in agenda(look(paris, view="agenda", date=MAY))[MAY]


def test_all_of_500_and_more_events_are_counted(paris: Person) -> None:
    for number in range(17):
        a_daily_series(paris, f"Series {number}", "2026-05-01", "2026-05-31")
    page = look(paris, date=MAY)
    assert "Sunday, 31 May 2026, 17 events" in page
    assert "too many" not in page


def test_a_calendar_with_too_many_events_says_so(paris: Person) -> None:
    for number in range(34):
        a_daily_series(paris, f"Series {number}", "2026-05-01", "2026-05-31")
    assert "There are too many events to show" in look(paris, date=MAY)


TIMED = [(f"Talk {number}", f"{number:02}T20:00", f"{number:02}T21:00") for number in range(1, 7)]
BARS = [(f"Fair {number}", f"{number:02}", f"{number + 1:02}") for number in range(1, 7)]


@pytest.mark.parametrize(
    ("events", "missing"),
    [
        ([*TIMED[:2], *BARS[:2]], set()),
        ([*TIMED, BARS[5]], {"Talk 5", "Talk 6"}),
        # Whatever starts after the last bar that is shown could be a bar, too.
        ([TIMED[0], TIMED[5], *BARS[:5]], {"Fair 5", "Talk 6"}),
    ],
)
def test_a_guest_sees_the_first_of_too_many_public_events(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, events: list[tuple[str, str, str]], missing: set[str]
) -> None:
    monkeypatch.setattr(search, "MAX_ENTRIES", 4)
    monkeypatch.setattr(search, "MAX_PUBLIC_BARS", 4)
    month = _month_of_its_own(cast)
    for title, start, end in events:
        _public_event(cast, title, f"{month}-{start}", f"{month}-{end}")
    page = look(cast.anonymous, date=f"{month}-25", time_zone="UTC")
    assert {title for title, _, _ in events if title not in page} == missing
    assert ("There are too many events" in page) == bool(missing)


@pytest.mark.parametrize("view", ["month", "week", "day", "agenda"])
def test_a_guest_sees_what_begins_beside_too_many_public_events_that_go_on(cast: Cast, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    """Some began a month and more before, the others within it."""
    monkeypatch.setattr(search, "MAX_PUBLIC_BARS", 3)
    month = _month_of_its_own(cast)
    year = month[:4]
    for number, start in enumerate((f"{year}-01-01", f"{year}-01-02", f"{year}-04-10", f"{year}-04-11"), 1):
        _public_event(cast, f"Show {number}", start, f"{month}-30")
    _public_event(cast, "Fair", f"{month}-12", f"{month}-14")
    _public_event(cast, "Talk", f"{month}-12T20:00", f"{month}-12T21:00")
    page = look(cast.anonymous, view=view, date=f"{month}-12", time_zone="UTC")
    assert [title in page for title in ("Show 1", "Show 2", "Show 3", "Show 4", "Fair", "Talk")] == [True, True, True, False, True, True]
    assert "There are too many events" in page


@pytest.mark.parametrize("view", ["week", "day", "agenda"])
def test_a_guest_sees_the_first_of_too_many_public_events_that_have_a_time(cast: Cast, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    monkeypatch.setattr(search, "MAX_PUBLIC_TIMED", 2)
    month = _month_of_its_own(cast)
    for hour in (8, 12, 16):
        _public_event(cast, f"Talk {hour}", f"{month}-12T{hour:02}:00", f"{month}-12T{hour + 1:02}:00")
    page = look(cast.anonymous, view=view, date=f"{month}-12", time_zone="UTC")
    assert [title in page for title in ("Talk 8", "Talk 12", "Talk 16")] == [True, True, False]
    assert "There are too many events" in page


@pytest.mark.parametrize("view", ["week", "day", "agenda"])
def test_public_events_of_other_days_take_no_place_of_a_guests_days(cast: Cast, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    monkeypatch.setattr(search, "MAX_PUBLIC_TIMED", 2)
    month = _month_of_its_own(cast)
    monday = _monday(month)
    for hour in (8, 12, 16):
        _public_event(cast, f"Talk {hour}", f"{month}-{monday - 1}T{hour:02}:00", f"{month}-{monday - 1}T{hour + 1:02}:00")
    _public_event(cast, "Lunch", f"{month}-{monday}T12:00", f"{month}-{monday}T13:00")
    page = look(cast.anonymous, view=view, date=f"{month}-{monday}", time_zone="UTC")
    assert [title in page for title in ("Talk 8", "Talk 16", "Lunch")] == [False, False, True]
    assert "There are too many events" not in page


@pytest.mark.parametrize("view", ["week", "day", "agenda"])
def test_a_guest_sees_the_latest_public_events_that_go_on_past_midnight(cast: Cast, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    """Three of the day before are examined."""
    monkeypatch.setattr(store, "MAX_EXAMINED", 3)
    month = _month_of_its_own(cast)
    monday = _monday(month)
    for title, start, end in (("Early", 20, f"{monday}T01:00"), ("Late", 21, f"{monday}T02:00"), ("Ball", 22, f"{monday}T03:00")):
        _public_event(cast, title, f"{month}-{monday - 1}T{start}:00", f"{month}-{end}")
    _public_event(cast, "Talk", f"{month}-{monday - 1}T23:00", f"{month}-{monday - 1}T23:30")
    page = look(cast.anonymous, view=view, date=f"{month}-{monday}", time_zone="UTC")
    assert [title in page for title in ("Early", "Late", "Ball", "Talk")] == [False, True, True, False]


def _month_of_its_own(cast: Cast) -> str:
    """Guests see the public events of all tests."""
    return f"{2200 + cast.alice.id % 6000}-05"


def _monday(month: str) -> int:
    return next(number for number in range(12, 19) if datetime.fromisoformat(f"{month}-{number}").weekday() == 0)


def _public_event(cast: Cast, title: str, start: str, end: str) -> None:
    an_event(cast.alice, title=title, start_time=start, end_time=end, time_zone="UTC", public=True)


def test_the_list_below_a_month_leads_to_the_day_if_that_has_more_events(paris: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calendar_pages, "MAX_LISTED_BARS", 1)
    monkeypatch.setattr(calendar_pages, "MAX_LISTED_TIMED", 2)
    for number in range(1, 3):
        an_event(paris, title=f"Fair {number}", start_time="2026-05-10", end_time="2026-05-12")
    for hour in range(8, 11):
        an_event(paris, title=f"Talk {hour}", start_time=f"2026-05-11T{hour:02}:00")
    below = look(paris, date=MAY).partition('id="chosen-day"')[2].partition("</section>")[0]
    assert [title in below for title in ("Fair 1", "Fair 2", "Talk 8", "Talk 9", "Talk 10")] == [True, False, True, True, False]
    assert "+2 more on Monday, 11 May 2026" in words(below)
    assert 'href="/calendar?view=day&amp;date=2026-05-11"' in below
    assert "more on" not in look(paris, date="2026-05-13").partition('id="chosen-day"')[2].partition("</section>")[0]


def test_a_guest_sees_public_events_and_no_others(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    an_event(cast.alice, title="For everybody", start_time="2031-05-11T20:00", calendar_id=calendar["id"])
    an_event(cast.alice, title="For myself", start_time="2031-05-11T20:00")
    for view in ("month", "week", "day", "agenda"):
        page = look(cast.anonymous, view=view, date="2031-05-11")
        assert "For everybody" in page
        assert "For myself" not in page
        assert "data-event" not in page
        assert "/events/new" not in page


def test_a_user_sees_their_own_calendars_and_those_that_are_shared(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    an_event(cast.alice, title="Rehearsal", start_time=f"{MAY}T20:00", calendar_id=calendar["id"])
    assert "Rehearsal" not in look(cast.bob, date=MAY)
    shared(cast.alice, calendar, cast.bob, "viewer")
    assert "Rehearsal" in look(cast.bob, date=MAY)


def test_selected_calendars_stay_selected(cast: Cast) -> None:
    jazz, family = a_calendar(cast.alice, name="Jazz"), a_calendar(cast.alice, name="Family")
    for calendar in (jazz, family):
        an_event(cast.alice, title=f"On {calendar['name']}", start_time=f"{MAY}T20:00", calendar_id=calendar["id"])
    reply = cast.alice.get(f"/calendar?date={MAY}&calendar_ids%5B%5D={jazz['id']}&calendar_ids%5B%5D={cast.alice.primary_calendar_id}")
    assert "On Jazz" in reply.text
    assert "On Family" not in reply.text
    assert f'value="{jazz["id"]}" checked>' in reply.text
    assert f'value="{family["id"]}">' in reply.text
    selection = f"calendar_ids={jazz['id']},{cast.alice.primary_calendar_id}"
    assert f'href="/calendar?view=month&amp;date=2026-06-01&amp;{selection}"' in reply.text
    assert "On Jazz" in cast.alice.get(f"/calendar?view=week&date={MAY}&{selection}").text


def test_hidden_calendars_are_remembered(cast: Cast) -> None:
    jazz, family = a_calendar(cast.alice, name="Jazz"), a_calendar(cast.alice, name="Family")
    for calendar in (jazz, family):
        an_event(cast.alice, title=f"On {calendar['name']}", start_time=f"{MAY}T20:00", calendar_id=calendar["id"])
    offered = f"{jazz['id']},{family['id']},{cast.alice.primary_calendar_id}"
    reply = cast.alice.get(f"/calendar?view=week&date={MAY}&offered={offered}&calendar_ids={family['id']}")
    assert (reply.status, reply.headers["Location"]) == (303, f"/calendar?view=week&date={MAY}")
    cookie = {"Cookie": f"{COOKIE}={reply.cookies[COOKIE]}"}
    for view in ("month", "week", "day", "agenda"):
        page = cast.alice.get(f"/calendar?view={view}&date={MAY}", headers=cookie).text
        assert ("On Family" in page, "On Jazz" in page) == (True, False), view
    assert f'value="{jazz["id"]}">' in page
    assert f'value="{family["id"]}" checked>' in page
    # A link to a calendar shows it, hidden or not; the choice stays.
    linked = cast.alice.get(f"/calendar?date={MAY}&calendar_ids={jazz['id']}", headers=cookie)
    assert "On Jazz" in linked.text
    assert COOKIE not in linked.cookies
    all_hidden = cast.alice.get(f"/calendar?date={MAY}&offered={offered}", headers=cookie)
    nothing = cast.alice.get(f"/calendar?date={MAY}", headers={"Cookie": f"{COOKIE}={all_hidden.cookies[COOKIE]}"})
    assert 'class="entry' not in nothing.text


def test_a_guest_chooses_among_the_public_calendars(cast: Cast) -> None:
    jazz, runs = (a_calendar(cast.alice, name=f"{name} {uuid4().hex}", public=True) for name in ("Jazz", "Runs"))
    titles = {calendar["id"]: f"On {calendar['name']}" for calendar in (jazz, runs)}
    for calendar_id, title in titles.items():
        an_event(cast.alice, title=title, start_time="2032-05-11T20:00", calendar_id=calendar_id)
    loose = an_event(cast.alice, title=f"Loose {uuid4().hex}", start_time="2032-05-11T20:00", public=True)
    path = f"/calendar?date=2032-05-11&view=agenda&calendar_ids={jazz['id']}"
    selected = cast.anonymous.get(path).text
    assert (titles[jazz["id"]] in selected, titles[runs["id"]] in selected) == (True, False)
    assert f'aria-label="About {jazz["name"]}"' in selected
    reply = cast.anonymous.get(f"{path}&offered={jazz['id']},{runs['id']}")
    page = cast.anonymous.get(reply.headers["Location"], headers={"Cookie": f"{COOKIE}={reply.cookies[COOKIE]}"}).text
    assert (titles[jazz["id"]] in page, titles[runs["id"]] in page, loose["title"] in page) == (True, False, True)


@pytest.mark.parametrize("value", ["x", "1.x.2", "1" * 300, ".", "²", "-1"])
@pytest.mark.on_one_database
def test_any_cookie_of_hidden_calendars_is_read(cast: Cast, value: str) -> None:
    assert cast.alice.get("/calendar", headers={"Cookie": f"{COOKIE}={value}"}).status == 200


@pytest.mark.parametrize("view", ["month", "week", "day", "agenda"])
def test_the_small_month_marks_days_with_events_today_and_the_chosen_day(paris: Person, clock: Any, view: str) -> None:
    clock.now = 1_778_495_400  # Monday, 11 May 2026.
    an_event(paris, title="Gig", start_time="2026-05-20T20:00")
    an_event(paris, title="Fair", start_time="2026-05-23", end_time="2026-05-24")
    mini = look(paris, view=view, date="2026-05-13").partition('id="mini"')[2]
    days = dict(re.findall(r'<td data-date="([\d-]+)">(.*?)</td>', mini))
    assert len(days) == 35
    assert [date for date, cell in days.items() if "marked" in cell] == ["2026-05-20", "2026-05-23", "2026-05-24"]
    assert [date for date, cell in days.items() if "chosen" in cell] == ["2026-05-13"]
    assert [date for date, cell in days.items() if "aria-current" in cell] == ["2026-05-11"]
    target = "day" if view == "month" else view
    assert f'href="/calendar?view={target}&amp;date=2026-05-20"' in days["2026-05-20"]


def test_a_month_lists_the_events_of_the_chosen_day(paris: Person) -> None:
    for hour in range(10, 16):
        an_event(paris, title=f"Talk {hour}", start_time=f"{MAY}T{hour}:00")
    section = look(paris, date=MAY).partition('id="chosen-day"')[2].partition("</section>")[0]
    assert "Monday, 11 May 2026" in words(section)
    assert [f"{hour}:00 Talk {hour}" in words(section) for hour in range(10, 16)] == [True] * 6
    assert "Nothing on this day." in look(paris, date="2026-05-12")


def test_an_event_has_the_colour_of_the_calendar_that_is_shown(cast: Cast) -> None:
    red, blue = a_calendar(cast.alice, color="#aa0000"), a_calendar(cast.alice, color="#0000bb")
    event = an_event(cast.alice, title="Gig", start_time=f"{MAY}T20:00", calendar_id=red["id"])
    assert cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": blue["id"]}).status == 200
    assert 'fill="#aa0000"' in entry(day(look(cast.alice, date=MAY), MAY), "Gig")
    assert 'fill="#0000bb"' in entry(day(look(cast.alice, date=MAY, calendar_ids=str(blue["id"])), MAY), "Gig")


def test_a_guest_sees_the_colour_of_the_first_public_calendar(cast: Cast) -> None:
    red, blue = (a_calendar(cast.alice, color=color, public=True) for color in ("#aa0000", "#0000bb"))
    title = f"Gig {uuid4().hex}"
    event = an_event(cast.alice, title=title, start_time="2042-05-11T20:00", calendar_id=a_calendar(cast.alice)["id"], public=True)
    for calendar in (blue, red):
        assert cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar["id"]}).status == 200
    assert 'fill="#0000bb"' in entry(day(look(cast.anonymous, date="2042-05-11"), "2042-05-11"), title)


def test_a_hidden_calendar_is_not_there(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    for stranger in (cast.anonymous, cast.carol):
        assert stranger.get(f"/calendar?calendar_ids={calendar['id']}").status == 404


@pytest.mark.parametrize("view", ["month", "week"])
def test_only_what_the_reader_may_edit_can_be_dragged(cast: Cast, view: str) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    an_event(cast.alice, title="Gig", start_time=f"{MAY}T20:00", calendar_id=calendar["id"])
    readers = {"owner": cast.alice, "editor": cast.bob, "viewer": cast.vera, "stranger": cast.carol, "guest": cast.anonymous}
    pages = {name: look(reader, view=view, date=MAY, calendar_ids=str(calendar["id"])) for name, reader in readers.items()}
    held = {name: "data-event" in entry(day(page, MAY), "Gig") for name, page in pages.items()}
    assert held == {"owner": True, "editor": True, "viewer": False, "stranger": False, "guest": False}


def test_a_week_shows_events_where_they_are_on_the_clock(paris: Person) -> None:
    an_event(paris, title="Lunch", start_time=f"{MAY}T12:30", end_time=f"{MAY}T13:45")
    page = look(paris, view="week", date="2026-05-13")
    assert '<h1>11 – 17 May 2026 <small class="wk">Week 20</small></h1>' in page
    assert '<li class="h12 q2 n1 m1 c0 w12">' in entry(day(page, MAY), "Lunch")
    assert page.count('data-day="') == 7
    assert "00:00" in words(page)
    assert "23:00" in words(page)


def test_a_week_shows_early_and_late_events_on_their_quarters(paris: Person) -> None:
    an_event(paris, title="Early", start_time=f"{MAY}T05:10", end_time=f"{MAY}T06:00")
    an_event(paris, title="Late", start_time=f"{MAY}T23:50")
    page = look(paris, view="week", date=MAY)
    assert '"h5 q0 n1 m0 c0 w12"' in entry(day(page, MAY), "Early")
    assert '"h23 q2 n0 m2 c0 w12"' in entry(day(page, MAY), "Late")


def test_the_line_of_the_current_time_is_on_today_alone(paris: Person, clock: Any) -> None:
    clock.now = 1_778_495_400  # 12:30 in Paris, on Monday.
    page = look(paris, view="week", date=MAY)
    assert '<li class="now h12 q2 n0 m1 c0 w12" aria-hidden="true">' in day(page, MAY)
    assert page.count('class="now ') == 1
    assert 'class="now ' not in look(paris, view="week", date="2026-05-18")


@pytest.mark.parametrize(("view", "shown", "hidden", "target"), [("week", 3, 11, "day"), ("day", 11, 3, "agenda")])
def test_more_events_at_once_than_there_is_room_for_are_counted(paris: Person, view: str, shown: int, hidden: int, target: str) -> None:
    for number in range(14):
        an_event(paris, title=f"Talk {number}.", start_time=f"{MAY}T10:00", end_time=f"{MAY}T11:00")
    cell = day(look(paris, view=view, date=MAY), MAY)
    assert cell.count("Talk ") == shown
    overflow = entry(cell, f"+{hidden}")
    assert f'href="/calendar?view={target}&amp;date={MAY}"' in overflow
    assert f'aria-label="{hidden} more events on Monday, 11 May 2026"' in overflow


def test_events_at_the_same_time_stand_side_by_side(paris: Person) -> None:
    for title, start, end in [("A", "10:00", "12:00"), ("B", "11:00", "13:00"), ("C", "12:00", "12:30"), ("D", "15:00", "16:00")]:
        an_event(paris, title=f"Talk {title}", start_time=f"{MAY}T{start}", end_time=f"{MAY}T{end}")
    cell = day(look(paris, view="week", date=MAY), MAY)
    columns = {title: entry(cell, f"Talk {title}").partition('"')[2].partition('"')[0].split()[-2:] for title in "ABCD"}
    assert columns == {"A": ["c0", "w6"], "B": ["c6", "w6"], "C": ["c0", "w6"], "D": ["c0", "w12"]}


def test_an_event_past_midnight_is_on_both_days_of_a_week(paris: Person) -> None:
    an_event(paris, title="Session", start_time="2026-05-10T23:00", end_time="2026-05-11T02:00")
    assert '"h23 q0 n1 m0 c0 w12"' in entry(day(look(paris, view="week", date="2026-05-10"), "2026-05-10"), "Session")
    monday = entry(day(look(paris, view="week", date=MAY), MAY), "Session")
    assert '"h0 q0 n2 m0 c0 w12"' in monday
    assert "goes-on" in monday
    assert words(monday) == "Sun 23:00–02:00 Session"


def test_an_event_of_several_days_is_above_the_hours_of_a_week(paris: Person) -> None:
    an_event(paris, title="Journey", start_time="2026-05-11T10:00", end_time="2026-05-13T18:00")
    page = look(paris, view="week", date=MAY)
    for date, is_on in [(MAY, True), ("2026-05-13", True), ("2026-05-14", False)]:
        above = day(page, date).partition('<ol class="blocks">')[0]
        assert ("Journey" in above) is is_on


def test_an_agenda_lists_days_with_their_events(paris: Person) -> None:
    an_event(paris, title="Fair", start_time="2026-05-01", end_time="2026-05-12")
    an_event(paris, title="Lunch", start_time=f"{MAY}T12:30", end_time=f"{MAY}T13:45", location="Le Sunset")
    an_event(paris, title="Walk", start_time="2026-06-07T10:00")
    an_event(paris, title="Later", start_time="2026-06-08T10:00")
    days = agenda(look(paris, view="agenda", date=MAY))
    assert list(days) == [MAY, "2026-06-07"]
    assert days[MAY] == "until Tue 12 May Fair Personal 12:30–13:45 Lunch Le Sunset Personal"
    assert days["2026-06-07"] == "10:00 Walk Personal"


@pytest.mark.on_one_database
def test_titles_and_places_have_their_own_direction(paris: Person) -> None:
    """Else a title in Arabic is cut at its beginning."""
    event = an_event(paris, title="حفلة موسيقية", start_time=f"{MAY}T12:30", location="بيروت")
    for view in ("month", "week", "day", "agenda"):
        page = look(paris, view=view, date=MAY)
        links = re.findall(rf'<a [^>]*href="/events/{event["id"]}"[^>]*>', page)
        assert links, view
        assert all('dir="auto"' in link for link in links), view
    assert "<bdi>بيروت</bdi>" in page


def test_an_empty_agenda_says_what_to_do(paris: Person) -> None:
    page = look(paris, view="agenda", date=MAY)
    assert "Nothing on from Monday, 11 May 2026 to Sunday, 7 June 2026." in page
    assert 'href="/events/new?start_time=2026-05-11"' in page


@pytest.mark.parametrize(
    ("view", "earlier", "later"),
    [("month", "2026-04-01", "2026-06-01"), ("week", "2026-05-04", "2026-05-18"), ("agenda", "2026-04-13", "2026-06-08")],
)
def test_the_calendar_leads_to_earlier_and_later_days(paris: Person, view: str, earlier: str, later: str) -> None:
    page = look(paris, view=view, date=MAY)
    assert f'href="/calendar?view={view}&amp;date={earlier}" rel="prev"' in page
    assert f'href="/calendar?view={view}&amp;date={later}" rel="next"' in page


@pytest.mark.parametrize("view", ["month", "week", "agenda"])
@pytest.mark.parametrize(("date", "missing"), [("1900-02-01", 'rel="prev"'), ("9999-11-30", 'rel="next"')])
def test_the_calendar_has_no_links_beyond_its_first_and_last_year(cast: Cast, view: str, date: str, missing: str) -> None:
    for reader in (cast.anonymous, cast.alice):
        assert missing not in look(reader, view=view, date=date)


@pytest.mark.parametrize(
    ("name", "value"), [("date", "soon"), ("view", "year"), ("calendar_ids", "mine"), ("time_zone", "Mars/Olympus"), ("date", "2026-02-30")]
)
@pytest.mark.on_one_database
def test_invalid_parameters_of_the_calendar_are_named(cast: Cast, name: str, value: str) -> None:
    reply = cast.alice.get("/calendar", query={name: value})
    assert (reply.status, reply.broken) == (422, [name])

"""The quick line of an event that repeats, bare hours, and what of a line is not understood."""

from datetime import date, datetime, time
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kalends.features.events.forms.rules.quick_line import QuickEvent, parse

# A Monday, at 3 pm.
NOW = datetime(2026, 11, 16, 15, 0)
TODAY, TUESDAY, WEDNESDAY, FRIDAY = date(2026, 11, 16), date(2026, 11, 17), date(2026, 11, 18), date(2026, 11, 20)
# In seconds, on a busy machine.
SOON = 0.5
WEEKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
FIRST_MONDAY, LAST_FRIDAY = "FREQ=MONTHLY;BYDAY=1MO", "FREQ=MONTHLY;BYDAY=-1FR"


def rule_of(event: QuickEvent) -> str | None:
    return event.repeat.rrule if event.repeat else None


@pytest.mark.parametrize(
    ("when", "day", "rule"),
    [
        ("Tuesdays at 7pm", TUESDAY, "FREQ=WEEKLY"),
        ("on Tuesdays, 7pm", TUESDAY, "FREQ=WEEKLY"),
        ("Tuesdays and Thursdays 7pm", TUESDAY, "FREQ=WEEKLY;BYDAY=TU,TH"),
        ("Tuesdays/Thursdays 7pm", TUESDAY, "FREQ=WEEKLY;BYDAY=TU,TH"),
        ("every Tue, Thu & Sun 7pm", TUESDAY, "FREQ=WEEKLY;BYDAY=TU,TH,SU"),
        ("every 2 weeks 7pm", TODAY, "FREQ=WEEKLY;INTERVAL=2"),
        ("every two weeks on Friday 7pm", FRIDAY, "FREQ=WEEKLY;INTERVAL=2"),
        ("Friday 7pm every 2 weeks", FRIDAY, "FREQ=WEEKLY;INTERVAL=2"),
        ("every fortnight 7pm", TODAY, "FREQ=WEEKLY;INTERVAL=2"),
        ("every other Monday 7pm", TODAY, "FREQ=WEEKLY;INTERVAL=2"),
        ("every second Monday 7pm", TODAY, "FREQ=WEEKLY;INTERVAL=2"),
        ("every other day 7pm", TODAY, "FREQ=DAILY;INTERVAL=2"),
        ("every day 7pm", TODAY, "FREQ=DAILY"),
        ("every month 7pm", TODAY, "FREQ=MONTHLY"),
        ("every weekday 7pm", TODAY, WEEKDAYS),
        ("weekdays 7pm", TODAY, WEEKDAYS),
        ("every first Monday 7pm", date(2026, 12, 7), FIRST_MONDAY),
        ("first Monday of the month 7pm", date(2026, 12, 7), FIRST_MONDAY),
        ("on the first Monday of each month at 7pm", date(2026, 12, 7), FIRST_MONDAY),
        ("last Friday of every month 7pm", date(2026, 11, 27), LAST_FRIDAY),
        ("every second Monday of the month 7pm", date(2026, 12, 14), "FREQ=MONTHLY;BYDAY=2MO"),
        ("1st and 3rd Monday of the month 7pm", TODAY, "FREQ=MONTHLY;BYDAY=1MO,3MO"),
        ("every year on 3 May 7pm", date(2027, 5, 3), "FREQ=YEARLY"),
        ("yearly on 3 May 7pm", date(2027, 5, 3), "FREQ=YEARLY"),
        ("3 May 7pm yearly", date(2027, 5, 3), "FREQ=YEARLY"),
        ("weekly on Friday 7pm", FRIDAY, "FREQ=WEEKLY"),
        ("monthly, 7pm", TODAY, "FREQ=MONTHLY"),
    ],
)
def test_rules(when: str, day: date, rule: str) -> None:
    event = parse(f"Yoga {when}", NOW)
    assert (event.title, event.day, event.start, rule_of(event), event.unread) == ("Yoga", day, time(19), rule, "")
    event = parse(f"Yoga {when} at the gym", NOW)
    assert (event.title, event.day, event.location, rule_of(event)) == ("Yoga", day, "the gym", rule)


@pytest.mark.parametrize(
    ("when", "day", "end"),
    [
        ("until 20 December", TUESDAY, "UNTIL=20261220"),
        ("till Sun 20 Dec 2026", TUESDAY, "UNTIL=20261220"),
        ("to 20 December", TUESDAY, "UNTIL=20261220"),
        ("until the 20th of December", TUESDAY, "UNTIL=20261220"),
        ("until 2026-12-20", TUESDAY, "UNTIL=20261220"),
        # The whole month.
        ("until March", TUESDAY, "UNTIL=20270331"),
        ("until the end of February 2028", TUESDAY, "UNTIL=20280229"),
        ("for 10 weeks", TUESDAY, "UNTIL=20270125"),
        ("for a year", TUESDAY, "UNTIL=20271116"),
        ("10 times", TUESDAY, "COUNT=10"),
        ("for ten times", TUESDAY, "COUNT=10"),
        ("from 12 January", date(2027, 1, 12), ""),
        # The first Tuesday from then on.
        ("from 6 January until 30 March", date(2027, 1, 12), "UNTIL=20270330"),
        ("1 Dec to 20 Dec", date(2026, 12, 1), "UNTIL=20261220"),
        ("from 1 to 20 December", date(2026, 12, 1), "UNTIL=20261220"),
    ],
)
def test_the_first_and_the_last_day(when: str, day: date, end: str) -> None:
    for line in (f"Yoga every Tuesday 7pm {when}", f"Yoga every Tuesday {when} at 7pm", f"Every Tuesday 7pm Yoga {when}"):
        event = parse(line, NOW)
        parts = set((rule_of(event) or "").split(";"))
        assert (event.title, event.day, event.start, parts) == ("Yoga", day, time(19), {"FREQ=WEEKLY", end} - {""}), line


def test_a_rule_without_a_time_is_of_whole_days() -> None:
    event = parse("Ana's birthday every year on 3 May", NOW)
    assert (event.title, event.day, event.start, rule_of(event)) == ("Ana's birthday", date(2027, 5, 3), None, "FREQ=YEARLY")
    event = parse("Camp every year 12-14 July", NOW)
    assert (event.day, event.last_day, rule_of(event)) == (date(2027, 7, 12), date(2027, 7, 14), "FREQ=YEARLY")


@pytest.mark.parametrize(
    ("line", "day"),
    [
        # Two o'clock is over today.
        ("Yoga every Monday 2pm", date(2026, 11, 23)),
        ("Yoga every other Monday 2pm", date(2026, 11, 23)),
        ("Yoga every weekday 2pm", TUESDAY),
        ("Yoga every week 2pm", date(2026, 11, 23)),
        ("Yoga every day 2pm", TUESDAY),
    ],
)
def test_the_first_date_is_not_over(line: str, day: date) -> None:
    assert parse(line, NOW).day == day


@pytest.mark.parametrize(
    ("line", "title", "start"),
    [
        ("Dinner Friday at 7", "Dinner", time(19)),
        ("Dinner at 7 Friday", "Dinner", time(19)),
        ("Dinner at 7, Friday", "Dinner", time(19)),
        ("Dinner at 7 with Ana on Friday", "Dinner with Ana", time(19)),
        ("Lunch Friday at 1", "Lunch", time(13)),
        ("Lunch Friday at 12", "Lunch", time(12)),
        ("Breakfast Friday at 8", "Breakfast", time(8)),
        ("Talk Friday at 11", "Talk", time(11)),
        ("Talk Friday at 15", "Talk", time(15)),
        ("Talk Friday 8 o'clock", "Talk", time(8)),
        ("Yoga Fridays at 7", "Yoga", time(19)),
        ("Yoga every Friday at 7 until 20 December", "Yoga", time(19)),
        ("Yoga Friday at 7 for 90 minutes", "Yoga", time(19)),
    ],
)
def test_a_bare_hour_is_in_the_likely_half_of_the_day(line: str, title: str, start: time) -> None:
    event = parse(line, NOW)
    assert (event.title, event.day, event.start, event.location) == (title, FRIDAY, start, "")


def test_a_bare_hour_tonight_is_in_the_evening() -> None:
    assert parse("Concert tonight at 8", NOW).start == time(20)


def test_a_bare_hour_leaves_the_place() -> None:
    event = parse("Dinner at 7 at Maria's", NOW)
    assert (event.title, event.day, event.start, event.location) == ("Dinner", TODAY, time(19), "Maria's")


@pytest.mark.parametrize(
    "title",
    [
        "The Weeknd",
        "Every Brilliant Thing",
        "Every Little Thing",
        "Every Friday's Child",
        "Friday's band",
        "Ruby Tuesdays",
        "The Mondays",
        "Weekly meeting",
        "Monthly Book Club",
        "Daily Show",
        "Yearly Review",
        "99 Times",
        "Wait Until Dark",
        "For 3 weeks",
        "First Monday Club",
        "Month of Sundays",
        "Three Times a Lady",
        "Second Sunday Supper",
        "The last of the Mohicans",
    ],
)
def test_ordinary_titles_do_not_repeat(title: str) -> None:
    event = parse(f"{title} 12 Dec 8pm", NOW)
    assert (event.title, event.day, event.start, event.repeat, event.unread) == (title, date(2026, 12, 12), time(20), None, "")
    assert parse(title, NOW).repeat is None


@pytest.mark.parametrize(
    ("line", "title", "location"),
    [
        ("Meeting at 7 Elm Street", "Meeting", "7 Elm Street"),
        ("Meeting at 7, Elm Street", "Meeting", "7, Elm Street"),
        ("Party at 54", "Party", "54"),
        ("Film at 10 Downing Street", "Film", "10 Downing Street"),
    ],
)
def test_the_number_of_a_house_is_no_hour(line: str, title: str, location: str) -> None:
    event = parse(f"{line} Friday", NOW)
    assert (event.title, event.day, event.start, event.location) == (title, FRIDAY, None, location)


@pytest.mark.parametrize(
    ("line", "unread"),
    [
        ("Yoga every weekend Friday 8pm", "every weekend"),
        ("Yoga every 3 moons Friday 8pm", "every 3"),
        ("Yoga every Tuesday until Christmas", "until Christmas"),
        ("Rent every month on the 1st", "on the 1st"),
        ("Yoga every Friday except 25 December 7pm", "except 25 December"),
        ("Every day is like Sunday 12 Dec 8pm", "Every day"),
        ("Fair 30 Feb", "30 Feb"),
        ("Fair 31.02.2026", "31.02.2026"),
        ("Fair Friday 25:00", "25:00"),
        ("Yoga Friday 13pm", "13pm"),
        ("Yoga Tuesday and Thursday 7pm", "Tuesday and"),
        ("Swim Mon, Wed, Fri 6:30 am", "Mon, Wed"),
    ],
)
def test_what_is_not_understood_is_named_and_stays_in_the_title(line: str, unread: str) -> None:
    event = parse(line, NOW)
    assert event.unread == unread
    assert unread in event.title


@pytest.mark.parametrize("line", ["mondays " * 30 + "to " * 80 + "1 x", "weekly at " * 25 + "to " * 80, "mondays " * 20 + "to 1 dec " * 40])
def test_a_line_of_many_rules_is_read_at_once(line: str) -> None:
    began = process_time()
    parse(line[:500], NOW)
    assert process_time() - began < SOON


def test_what_is_quoted_is_a_title() -> None:
    event = parse('"Every day is like Sunday until 25:00" Friday 8pm', NOW)
    assert (event.title, event.repeat, event.unread) == ("Every day is like Sunday until 25:00", None, "")


WORDS = (
    "every other second first last 2 ten 10 31 monday fridays tue weekday weekdays day weeks month year of the month yearly daily on until "
    "from for times december march 2027 20 9998 at 7 7pm - , and Jazz"
)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
def test_a_line_repeats_only_on_dates_of_its_rule(words: list[str]) -> None:
    line = " ".join(words)
    event = parse(line, NOW)
    assert event.unread in line
    assert structs.replace(event, repeat=None) == structs.replace(parse(line, NOW), repeat=None)
    if event.repeat is not None:
        assert event.day is not None
        assert event.repeat.start_date == event.day.isoformat()
        assert str(event.repeat.brief)

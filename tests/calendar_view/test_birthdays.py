"""Birthdays of contacts in the reader's own calendar, on every view, and for nobody else."""

import pytest

from tests.calendar_view.reading import agenda, day, look, words
from tests.cast import Cast, Person, a_calendar, a_contact, an_event, shared

TITLE = "Ana Ash’s birthday"


@pytest.fixture
def paul(cast: Cast) -> Person:
    return Person(cast.anonymous, "paul", time_zone="Asia/Tokyo")


def test_a_birthday_is_on_its_day_in_each_view_and_leads_to_the_contact(paul: Person) -> None:
    contact = a_contact(paul, first_name="Ana", last_name="Ash", birthday="1985-05-11")
    event = an_event(paul, title="Concert", start_time="2026-05-11T20:00")
    cell = day(look(paul, date="2026-05-20"), "2026-05-11")
    assert TITLE in words(cell)
    assert f'href="/contacts/{contact["id"]}/edit"' in cell
    assert f'href="/events/{event["id"]}"' in cell
    assert "data-event" not in cell.partition(TITLE)[0].rpartition("<li")[2]
    for view in ("week", "day"):
        assert TITLE in look(paul, view=view, date="2026-05-11")
        assert TITLE not in look(paul, view=view, date="2026-05-18")
    assert "all day" in agenda(look(paul, view="agenda", date="2026-05-01"))["2026-05-11"]
    assert TITLE in look(paul, date="2027-05-20")
    # Nobody has a birthday before being born.
    assert TITLE not in look(paul, date="1984-05-20")
    assert TITLE in look(paul, date="1985-05-20")


@pytest.mark.parametrize(
    ("born", "shown", "on"),
    [
        ("1996-02-29", "2027-02-10", "2027-02-28"),
        ("1996-02-29", "2028-02-10", "2028-02-29"),
        ("1990-01-02", "2026-12-31", "2027-01-02"),
        ("1990-12-31", "2026-12-31", "2026-12-31"),
        ("1990-12-31", "2027-01-20", "2026-12-31"),
    ],
)
def test_leap_days_and_the_turn_of_the_year(paul: Person, born: str, shown: str, on: str) -> None:
    a_contact(paul, first_name="Ana", last_name="Ash", birthday=born)
    page = look(paul, date=shown)
    assert TITLE in words(day(page, on))
    assert page.partition('<table class="month">')[2].partition("</table>")[0].count(TITLE) == 1


def test_they_can_be_hidden_and_shown_again(paul: Person) -> None:
    assert "Birthdays" not in look(paul)
    a_contact(paul, first_name="Ana", last_name="Ash", birthday="1985-05-11")
    assert 'name="birthdays" value="true" checked' in look(paul, date="2026-05-20")
    choice = {"date": "2026-05-20", "offered[]": str(paul.primary_calendar_id), "calendar_ids[]": str(paul.primary_calendar_id)}
    hidden = paul.get("/calendar", query=choice | {"mine": "true"})
    assert hidden.status == 303
    cookie = {"Cookie": hidden.headers["Set-Cookie"].partition(";")[0]}
    page = paul.get("/calendar?date=2026-05-20", headers=cookie).text
    assert TITLE not in page
    assert 'name="birthdays" value="true">' in page
    assert 'name="mine" value="true" checked' in page
    again = paul.get("/calendar", query=choice | {"mine": "true", "birthdays": "true"}, headers=cookie)
    assert "Max-Age=0" in again.headers["Set-Cookie"]


def test_nobody_else_sees_them(cast: Cast, paul: Person) -> None:
    calendar = a_calendar(paul, public=True)
    shared(paul, calendar, cast.bob, "manager")
    a_contact(paul, first_name="Ana", last_name="Ash", birthday="1985-05-11")
    for reader in (cast.bob, cast.carol, cast.anonymous):
        for query in ({}, {"calendar_ids[]": str(calendar["id"])}):
            assert "Ana" not in look(reader, date="2026-05-20", **query)
    # One calendar is shown as others see it.
    assert TITLE not in look(paul, date="2026-05-20", **{"calendar_ids[]": str(calendar["id"])})

"""The personal link of a guest who has responded to all dates of a series: what its page says, and what can be changed there."""

import re
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.core.values.timestamps import parse_instant
from kalends.db import Database
from tests.cast import Cast, Person, a_response, an_event, verified
from tests.client import Client
from tests.conftest import Clock
from tests.events.series import events_of_series, repeat
from tests.responses.guest_browser import GuestBrowser
from tests.responses.mail import a_proposal_token, mails_about, text_of, token_of

Event = dict[str, Any]
DAY = 86_400


def _tuesdays(owner: Person, **fields: Any) -> list[Event]:
    """Five Tuesdays."""
    event = an_event(owner, **{"public": True, "title": "Tango", "start_time": "2027-06-01T19:00", "time_zone": "Europe/Paris", **fields})
    repeat(owner, event["id"], frequency="WEEKLY", end_date="2027-06-29")
    return sorted(events_of_series(owner, event["id"]), key=lambda each: str(each["start_time"]))


def _answers(owner: Person, dates: list[Event]) -> list[str]:
    listed = [owner.get(f"/api/responses?event_id={date['id']}").json for date in dates]
    return ["".join(each["response"] for each in rows["responses"]) for rows in listed]


def _link(cast: Cast, db: Database, settings: Settings, date: Event, **fields: Any) -> str:
    """The path of the page of Carol's response to all dates."""
    created = a_response(verified(db, cast.carol), date, **{"response": "YES", "scope": "all", **fields})
    return f"/r/{token_of(db, settings, created['id'])}"


def _options(client: Client, path: str) -> list[str]:
    select = re.search(r'<select[^>]*name="dates"[^>]*>(.*?)</select>', client.get(path).text, re.DOTALL)
    return re.findall(r"<option[^>]*>([^<]*)", select[1]) if select else []


def test_the_page_says_the_series_and_names_its_dates(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    link = _link(cast, db, settings, dates[0])
    page = cast.anonymous.get(link).text
    said = ("You’re going to all dates", "Every week on Tuesday until 29 June 2027.", f'href="{link}.ics"', "Which dates?")
    assert [text for text in said if text not in page] == []
    assert _options(cast.anonymous, link) == ["All dates", *(f"Tue {day} Jun 2027: Going" for day in (1, 8, 15, 22, 29))]


@pytest.mark.parametrize("path", ["", "/withdraw"])
def test_the_guest_changes_one_date_or_all(cast: Cast, db: Database, settings: Settings, path: str) -> None:
    dates = _tuesdays(cast.alice)
    link = _link(cast, db, settings, dates[0])
    reply = cast.anonymous.post(f"{link}{path}", data={"response": "NO", "dates": str(dates[2]["id"])})
    assert (reply.status, reply.headers["Location"].partition("?")[0]) == (303, link)
    assert _answers(cast.alice, dates) == ["YES", "YES", "NO", "YES", "YES"]
    page = cast.anonymous.get(link).text
    assert "Can’t go: Tue 15 Jun" in re.sub("<[^>]*>", "", page)
    assert "Tue 15 Jun 2027: Can’t go" in _options(cast.anonymous, link)
    assert cast.anonymous.post(f"{link}{path}", data={"response": "NO", "dates": "all"}).status == 303
    assert _answers(cast.alice, dates) == ["NO"] * 5
    assert "It counts for all dates of the series." in cast.anonymous.get(link).text


def test_without_a_choice_of_dates_a_change_is_for_the_date_of_the_link(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    link = _link(cast, db, settings, dates[1])
    assert cast.anonymous.post(link, data={"response": "NO"}).status == 303
    assert _answers(cast.alice, dates) == ["YES", "NO", "YES", "YES", "YES"]
    page = cast.anonymous.get(link).text
    assert [text in page for text in ("You can’t go", "It counts for all dates")] == [True, False]


def test_the_number_of_people_is_changed_for_all_dates(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    link = _link(cast, db, settings, dates[0])
    assert cast.anonymous.post(link, data={"number": "3", "plus_n": "0", "dates": "all"}).status == 303
    numbers = [cast.alice.get(f"/api/responses?event_id={date['id']}").json["responses"][0]["number"] for date in dates]
    assert numbers == [3] * 5


def test_a_date_of_others_cannot_be_changed_by_the_link(cast: Cast, db: Database, settings: Settings) -> None:
    link = _link(cast, db, settings, _tuesdays(cast.alice)[0])
    other = an_event(cast.alice, public=True)
    replies = [cast.anonymous.post(link, data={"response": "NO", "dates": value}).status for value in (str(other["id"]), "x", "9" * 30)]
    assert replies == [404] * 3


def test_a_guest_of_one_date_may_answer_for_all(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    link = _link(cast, db, settings, dates[1], scope="this")
    page = cast.anonymous.get(link).text
    assert [text in page for text in ("You’re going", "all dates of the series", "Every week")] == [True, False, False]
    assert _options(cast.anonymous, link) == ["All dates", "Tue 8 Jun 2027: Going"]
    assert cast.anonymous.post(link, data={"response": "YES", "dates": "all"}).status == 303
    assert _answers(cast.alice, dates) == ["YES"] * 5


def test_a_button_of_the_mail_chooses_all_dates(cast: Cast, db: Database, settings: Settings) -> None:
    link = _link(cast, db, settings, _tuesdays(cast.alice)[0])
    chosen = [cast.anonymous.get(f"{link}?response=NO{scope}").text for scope in ("&scope=all", "")]
    assert ['<option value="all" selected' in page.partition("</select>")[0] for page in chosen] == [True, False]


def test_the_link_works_as_long_as_the_series_and_shows_the_next_date(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    dates = _tuesdays(cast.alice)
    repeat(cast.alice, dates[0]["id"], frequency="WEEKLY", end_date="2027-09-28")
    link = _link(cast, db, settings, dates[0])
    clock.now = (parse_instant("2027-06-01T19:00+02:00") or 0) + 40 * DAY
    page = cast.anonymous.get(link)
    assert (page.status, "13 July 2027" in page.text, "This event is over" in page.text) == (200, True, False)
    assert cast.anonymous.post(link, data={"response": "NO"}).status == 303
    assert "You can’t go" in cast.anonymous.get(link).text
    assert cast.anonymous.get(f"{link}.ics").status == 200
    clock.now = (parse_instant("2027-09-28T19:00+02:00") or 0) + 31 * DAY
    assert cast.anonymous.get(link).status == 404


def test_a_link_of_one_date_ends_with_it(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    dates = _tuesdays(cast.alice)
    repeat(cast.alice, dates[0]["id"], frequency="WEEKLY", end_date="2027-09-28")
    link = _link(cast, db, settings, dates[0], scope="this")
    clock.now = (parse_instant("2027-06-01T19:00+02:00") or 0) + DAY
    assert "This event is over" in cast.anonymous.get(link).text
    clock.now += 40 * DAY
    assert cast.anonymous.get(link).status == 404


def test_an_invited_guest_of_a_series_that_others_do_not_see_changes_one_date_and_all(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice, public=False)
    invited = cast.alice.post(f"/api/events/{dates[0]['id']}/invitations", json={"addresses": ["gus@example.org"], "scope": "all"})
    assert invited.status == 202
    (invitation,) = mails_about(db, settings, dates[0]["id"])
    path = re.search(r"/i/[^?\s]+", text_of(invitation))
    assert path is not None
    link = cast.anonymous.post(path[0], data={"response": "YES"}).headers["Location"]
    assert cast.anonymous.post(link, data={"response": "NO", "dates": str(dates[1]["id"])}).status == 303
    assert _answers(cast.alice, dates) == ["YES", "NO", "YES", "YES", "YES"]
    assert cast.anonymous.get(f"{path[0]}?response=NO").headers["Location"] == f"{link}?response=NO&scope=all"
    assert cast.anonymous.post(link, data={"response": "MAYBE", "dates": "all"}).status == 303
    assert _answers(cast.alice, dates) == ["MAYBE", "NO", "MAYBE", "MAYBE", "MAYBE"]


def test_what_was_proposed_for_all_dates_says_so_before_it_is_confirmed(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    dates = _tuesdays(cast.alice)
    a_response(verified(db, cast.carol), dates[0])
    mails_about(db, settings, dates[0]["id"])
    form = {"response": "NO", "email_address": cast.carol.email_address, "name": "X", "scope": "all"}
    assert GuestBrowser(cast.anonymous).post(f"/events/{dates[0]['id']}/respond", **form).status == 303
    with db.write() as tx:
        # Mails are sent by the real clock.
        tx.run("UPDATE proposals SET created_at = :now", now=timestamps.now())
    (mail,) = mails_about(db, settings, dates[0]["id"])
    page = cast.anonymous.get(f"/r/confirm/{a_proposal_token(settings, clock.now)}").text
    for said in ("It counts for all dates of the series.", "Every week on Tuesday until 29 June 2027."):
        assert (said in text_of(mail), said in page) == (True, True)
    assert "BEGIN:VEVENT" not in mail.as_string()


@pytest.mark.parametrize("response", ["YES", "MAYBE", "NO"])
@pytest.mark.parametrize("scope", ["this", "all"])
def test_the_ticket_on_the_page_of_the_event_says_whether_it_is_for_all_dates(cast: Cast, response: str, scope: str) -> None:
    dates = _tuesdays(cast.alice)
    gus, path = GuestBrowser(cast.anonymous), f"/events/{dates[0]['id']}"
    assert gus.post(f"{path}/respond", response=response, email_address="gus@example.org", name="Gus", scope=scope).status == 303
    ticket = gus.get(path).text.partition('id="ticket"')[2].partition("</section>")[0]
    said = ["Every week on Tuesday until 29 June 2027" in ticket, "It counts for all dates of the series." in ticket]
    assert said == [scope == "all"] * 2

"""A form that is sent after the session has ended: people sign in again, and nothing that they typed is lost."""

from html import unescape
from re import findall
from urllib.parse import parse_qsl

import pytest

from tests.cast import PASSWORD, Cast, a_calendar, an_event
from tests.client import Reply

pytestmark = pytest.mark.on_one_database

BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Cookie": "kalends_session=ended"}
API_WORDS = ("Bearer", "Authorization", "token")
TITLE = 'Jazz & "more" <b> ä'


def hidden(page: Reply) -> dict[str, str]:
    return {name: unescape(value) for name, value in findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page.text)}


def test_a_form_is_stored_and_submitted_after_signing_in(cast: Cast) -> None:
    typed = {"title": TITLE, "start_time": "2026-07-01", "start_clock": "20:00", "location": ""}
    page = cast.anonymous.post("/events", data=typed, headers=BROWSER)
    assert page.status == 401
    assert "Your input is still here" in page.text
    assert not any(word in page.text for word in API_WORDS)
    assert page.headers["Cache-Control"] == "no-store"
    wrong = cast.anonymous.post("/sign-in", data=hidden(page) | {"user_name": cast.alice.user_name, "password": "wrong"}, headers=BROWSER)
    assert wrong.status == 401
    assert "Wrong username or password." in wrong.text
    right = {"user_name": cast.alice.user_name, "password": PASSWORD}
    resumed = cast.anonymous.post("/sign-in", data=hidden(wrong) | right, headers=BROWSER)
    assert resumed.status == 200
    assert 'action="/events"' in resumed.text
    assert hidden(resumed) == typed
    cookie = {"Cookie": f"kalends_session={resumed.cookies['kalends_session']}"}
    reply = cast.anonymous.post("/events", data=hidden(resumed), headers=BROWSER | cookie)
    assert reply.redirect[1] == "published"
    assert cast.alice.get(f"/api{reply.redirect[0]}").json["title"] == TITLE


@pytest.mark.parametrize("is_public", [True, False])
def test_a_change_of_an_event_is_stored_whether_or_not_a_guest_sees_it(cast: Cast, is_public: bool) -> None:
    path = f"/events/{an_event(cast.alice, public=is_public)['id']}"
    for action in (path, f"{path}/delete", f"{path}/copy", f"{path}/repeat"):
        page = cast.anonymous.post(action, data={"title": TITLE, "scope": "all"}, headers=BROWSER)
        assert page.status == 401
        assert hidden(page)["resume"] == action
        assert ("title", TITLE) in parse_qsl(hidden(page)["typed"])
    led = cast.anonymous.get(f"{path}/edit", headers=BROWSER)
    assert led.redirect[0] == f"/sign-in?next=%2Fevents%2F{path.split('/')[2]}%2Fedit"


def test_a_stored_form_has_lists_but_no_passwords_and_files(cast: Cast) -> None:
    ticked = cast.anonymous.post("/contacts/keep", data=[("ids[]", "1"), ("ids[]", "2")], headers=BROWSER)
    assert parse_qsl(hidden(ticked)["typed"]) == [("ids[]", "1"), ("ids[]", "2")]
    secret = cast.anonymous.post("/account/password", data={"current_password": PASSWORD, "password": "another one"}, headers=BROWSER)
    assert "except for the password" in secret.text
    assert PASSWORD not in secret.text
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.ics"\r\n\r\nBEGIN:VCALENDAR\r\n--b--\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    calendar = a_calendar(cast.alice, public=True)
    reply = cast.anonymous.post(f"/calendars/{calendar['id']}/import", body=body, headers=BROWSER | kind)
    assert "except for the file" in reply.text
    assert "VCALENDAR" not in reply.text


def test_another_site_can_neither_plant_a_form_nor_choose_where_it_is_sent(cast: Cast) -> None:
    elsewhere = {"Accept": "text/html", "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert cast.anonymous.post("/events", data={"title": "Planted"}, headers=elsewhere).status == 403
    right = {"user_name": cast.alice.user_name, "password": PASSWORD}
    assert cast.anonymous.post("/sign-in", data=right | {"resume": "/events", "typed": "title=x"}, headers=elsewhere).status == 403
    for path in ("https://evil.example/", "//evil.example", "/\\evil.example"):
        resumed = cast.anonymous.post("/sign-in", data=right | {"resume": path, "typed": "title=x"}, headers=BROWSER)
        assert 'action="/calendar"' in resumed.text
        assert "evil" not in resumed.text


def test_a_program_gets_401_instead_of_a_stored_form(cast: Cast) -> None:
    refused = cast.anonymous.post("/events", data={"title": TITLE})
    assert (refused.status, refused.headers["Content-Type"]) == (401, "application/problem+json")

"""/account: one's profile, password, sessions and account on a page."""

from html import unescape

import pytest

from kalends.http.origin import COOKIE
from tests.cast import PASSWORD, Cast, Person, a_key, an_event
from tests.client import Client
from tests.conftest import Clock

pytestmark = pytest.mark.on_one_database

NEW = "a new password"
DAY = 86_400


def profile(person: Person, **fields: str) -> dict[str, str]:
    """The fields that a browser sends for the profile's form."""
    user = {"user_name": person.user_name, "email_address": person.email_address, "name": "Alice", "time_zone": "UTC"}
    return user | fields


def another_session(person: Person) -> Client:
    reply = Client(person.app).post("/api/session", json={"user_name": person.user_name, "password": PASSWORD})
    assert reply.status == 201, reply
    return person.signed_in(reply.json["token"])


def test_the_account_page_shows_the_profile(cast: Cast) -> None:
    page = cast.alice.get("/account").text
    for text in (cast.alice.user_name, cast.alice.email_address, 'value="Alice"', "This session", "You have no API keys yet"):
        assert text in page
    assert "Content-Security-Policy" in cast.alice.get("/account").headers


def test_a_guest_is_led_to_sign_in(cast: Cast) -> None:
    led = cast.anonymous.get("/account", headers={"Accept": "text/html"})
    assert (led.status, led.headers["Location"]) == (303, "/sign-in?next=%2Faccount")


def test_the_profile_is_saved(cast: Cast) -> None:
    form = profile(cast.alice, name="Alice Martin", time_zone="Europe/Paris", email_address=f"new-{cast.alice.email_address}")
    assert cast.alice.post("/account/profile", data=form).status == 422
    form["current_password"] = PASSWORD
    done = cast.alice.post("/account/profile", data=form)
    assert done.redirect == ("/account", "saved")
    user = cast.alice.get(f"/api/users/{cast.alice.id}").json
    del form["current_password"]
    assert {name: user[name] for name in form} == form


def test_a_name_can_be_cleared(cast: Cast) -> None:
    assert cast.alice.post("/account/profile", data=profile(cast.alice, name="")).status == 303
    assert cast.alice.get(f"/api/users/{cast.alice.id}").json["name"] is None


def test_a_broken_profile_names_its_fields_and_keeps_what_was_typed(cast: Cast) -> None:
    form = profile(cast.alice, name="<b>Typed</b>", user_name="two words", time_zone="Mars/Olympus")
    reply = cast.alice.post("/account/profile", data=form)
    assert reply.status == 422
    assert reply.text.count('aria-invalid="true"') == 3
    for text in ("two words", "Mars/Olympus", "&lt;b&gt;Typed&lt;/b&gt;", 'href="#user_name"', 'href="#time_zone"'):
        assert text in reply.text
    assert cast.alice.get(f"/api/users/{cast.alice.id}").json["name"] == "Alice"


def test_a_taken_name_is_reported_at_its_field(cast: Cast) -> None:
    reply = cast.alice.post("/account/profile", data=profile(cast.alice, user_name=cast.bob.user_name))
    assert reply.status == 409
    assert "Is already taken." in reply.text


def test_the_profile_sets_no_password(cast: Cast) -> None:
    cast.alice.post("/account/profile", data=profile(cast.alice, password=NEW, current_password=PASSWORD))
    assert another_session(cast.alice).get("/api/calendars").status == 200


def test_a_new_password_ends_the_other_sessions(cast: Cast) -> None:
    other = another_session(cast.alice)
    done = cast.alice.post("/account/password", data={"current_password": PASSWORD, "password": NEW})
    assert done.redirect == ("/account", "password-changed")
    assert (cast.alice.get("/account").status, other.get("/account").status) == (200, 401)
    signed_in = cast.anonymous.post("/sign-in", data={"user_name": cast.alice.user_name, "password": NEW})
    assert signed_in.status == 303


@pytest.mark.parametrize(
    ("typed", "status", "field"),
    [
        ({"current_password": "wrong password", "password": NEW}, 403, "current_password"),
        ({"current_password": PASSWORD, "password": "short"}, 422, "password"),
        ({"current_password": PASSWORD, "password": ""}, 422, "password"),
        ({"password": NEW}, 422, "current_password"),
    ],
)
def test_a_wrong_password_is_reported_at_its_field_and_never_repeated(cast: Cast, typed: dict[str, str], status: int, field: str) -> None:
    reply = cast.alice.post("/account/password", data=typed)
    assert reply.status == status
    assert f'href="#password-{field}"' in reply.text
    assert f'<input id="password-{field}"' in reply.text
    assert not [value for value in typed.values() if value and value in reply.text]
    assert another_session(cast.alice).get("/account").status == 200


def test_a_session_can_be_ended(cast: Cast) -> None:
    other = another_session(cast.alice)
    session_id = other.get("/api/session/current").json["id"]
    page = cast.alice.get("/account").text
    assert f"/account/sessions/{session_id}/end" in page
    assert page.count("Last used about") == 1
    done = cast.alice.post(f"/account/sessions/{session_id}/end")
    assert done.redirect == ("/account#sessions", "ended")
    assert (other.get("/account").status, cast.alice.get("/account").status) == (401, 200)
    assert cast.alice.post(f"/account/sessions/{session_id}/end").status == 404


def test_ending_this_session_signs_out(cast: Cast) -> None:
    done = cast.alice.post(f"/account/sessions/{cast.alice.session_id}/end")
    assert done.redirect == ("/", "signed-out")
    assert done.cookies[COOKIE] == ""
    assert cast.alice.get("/account").status == 401


def test_all_other_sessions_can_be_ended_at_once(cast: Cast) -> None:
    assert "End all other sessions" not in cast.alice.get("/account").text
    others = [another_session(cast.alice) for _ in range(2)]
    assert "End all other sessions" in cast.alice.get("/account").text
    assert cast.alice.post("/account/sessions/end").status == 303
    assert [other.get("/account").status for other in others] == [401, 401]
    assert cast.alice.get("/account").status == 200


def test_sessions_that_are_over_are_not_listed(cast: Cast, clock: Clock) -> None:
    over = cast.alice.session_id
    clock.ahead(14 * DAY)
    fresh = another_session(cast.alice).get("/account").text
    assert over not in fresh
    assert fresh.count("/end") == 1


def test_a_program_that_opens_ever_more_sessions_does_not_fill_the_page(cast: Cast) -> None:
    for _ in range(51):
        another_session(cast.alice)
    page = cast.alice.get("/account").text
    assert page.count('/end"><button class="quiet"') == 50
    assert "And 2 more." in page


def test_an_account_is_deleted_with_its_password_only(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    assert 'name="current_password"' in cast.alice.get("/account/delete").text
    assert "You can’t undo it" in cast.alice.get("/account/delete").text
    wrong = cast.alice.post("/account/delete", data={"current_password": "wrong password"})
    assert wrong.status == 403
    assert "Is wrong." in wrong.text
    assert cast.alice.post("/account/delete", data={}).status == 422
    assert cast.anonymous.get(f"/api/events/{event['id']}").status == 200
    done = cast.alice.post("/account/delete", data={"current_password": PASSWORD})
    assert done.redirect == ("/", "account-deleted")
    assert cast.anonymous.get(f"/api/events/{event['id']}").status == 404


def test_the_name_of_a_user_is_shown_as_text(cast: Cast) -> None:
    name = "&lt;script&gt;\"'{{ 7 * 7 }}"
    cast.alice.post("/account/profile", data=profile(cast.alice, name=name))
    page = cast.alice.get("/account").text
    assert name not in page
    assert name in unescape(page)


def test_a_new_password_offers_to_delete_the_keys(cast: Cast) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    assert '<input id="password-delete_keys" name="delete_keys" type="checkbox" value="true" checked' in cast.alice.get("/account").text
    form = {"current_password": PASSWORD, "password": NEW, "delete_keys": "false"}
    assert cast.alice.post("/account/password", data=form).status == 303
    assert program.get("/api/calendars").status == 200
    form = {"current_password": NEW, "password": f"{NEW} again", "delete_keys": "true"}
    assert cast.alice.post("/account/password", data=form).status == 303
    assert program.get("/api/calendars").status == 401

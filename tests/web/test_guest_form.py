"""Guests' forms against spam: the input that people do not see, and the least time. What an honest person typed is never lost."""

from typing import Any

import pytest

from tests.cast import Cast, a_question, an_event
from tests.client import Client, Reply, form_time
from tests.conftest import Clock
from tests.http.test_guest_writes import an_address

pytestmark = pytest.mark.on_one_database

NADIA = {"email_address": "nadia@example.org", "name": "Nadia B", "response": "YES"}


def responses(cast: Cast, event: dict[str, Any]) -> list[str]:
    listed = cast.alice.get("/api/responses", query={"event_id": event["id"]}).json["responses"]
    return [each["name"] for each in listed]


def respond(guest: Client, event: dict[str, Any], time: str, **more: str) -> Reply:
    return guest.post(f"/events/{event['id']}/respond", data=NADIA | {"form_time": time} | more, remote_addr=an_address())


@pytest.fixture
def event(cast: Cast) -> dict[str, Any]:
    return an_event(cast.alice, public=True)


def test_a_form_that_is_sent_after_two_seconds_is_accepted(cast: Cast, limited: Client, clock: Clock, event: dict[str, Any]) -> None:
    time = form_time(limited.get(f"/events/{event['id']}"), f"/events/{event['id']}/respond")
    clock.ahead(2)
    assert respond(limited, event, time).redirect == (f"/events/{event['id']}#ticket", "")
    assert responses(cast, event) == ["Nadia B"]


def test_a_form_that_is_sent_too_quickly_is_shown_filled_in_and_accepted_next(cast: Cast, limited: Client, event: dict[str, Any]) -> None:
    action = f"/events/{event['id']}/respond"
    refused = respond(limited, event, form_time(limited.get(f"/events/{event['id']}"), action))
    assert refused.status == 422
    assert 'value="nadia@example.org"' in refused.text
    assert 'value="Nadia B"' in refused.text
    assert "That was very quick." in refused.text
    assert responses(cast, event) == []
    assert respond(limited, event, form_time(refused, action)).status == 303
    assert responses(cast, event) == ["Nadia B"]


def test_a_form_that_is_filled_in_by_hand_may_be_quick(cast: Cast, limited: Client, event: dict[str, Any]) -> None:
    page = limited.get(f"/events/{event['id']}")
    assert 'name="by_hand" value=""' in page.text
    assert respond(limited, event, form_time(page, f"/events/{event['id']}/respond"), by_hand="1").status == 303
    assert respond(limited, event, "", by_hand="1", website="https://spam.example").status == 422
    assert responses(cast, event) == ["Nadia B"]


@pytest.mark.parametrize("time", ["", "1", "1.x", "x.y", "9" * 400, "²", "1779999990.AAAAAAAAAAAAAAAAAAAAAA"])
def test_a_time_that_is_not_ours_is_refused(limited: Client, event: dict[str, Any], time: str) -> None:
    assert respond(limited, event, time).status == 422


def test_the_time_of_another_form_and_of_yesterday_is_refused(limited: Client, clock: Clock, event: dict[str, Any]) -> None:
    page = limited.get(f"/events/{event['id']}")
    clock.ahead(60)
    assert respond(limited, event, form_time(page, f"/events/{event['id']}/comment")).status == 422
    time = form_time(page, f"/events/{event['id']}/respond")
    assert respond(limited, event, time).status == 303
    clock.ahead(86_400)
    assert respond(limited, event, time).status == 422


def test_a_form_whose_hidden_input_is_filled_in_is_shown_again_without_it(cast: Cast, client: Client, event: dict[str, Any]) -> None:
    refused = respond(client, event, "", website="https://spam.example")
    assert refused.status == 422
    assert "spam.example" not in refused.text
    assert 'value="Nadia B"' in refused.text
    assert responses(cast, event) == []
    assert respond(client, event, form_time(refused, f"/events/{event['id']}/respond"), website="").status == 303


def test_questions_after_the_form_ask_for_no_further_wait(cast: Cast, limited: Client, clock: Clock, event: dict[str, Any]) -> None:
    a_question(cast.alice, f"/api/events/{event['id']}", label="Meal?")
    time = form_time(limited.get(f"/events/{event['id']}"), f"/events/{event['id']}/respond")
    clock.ahead(2)
    asked = respond(limited, event, time)
    assert asked.status == 200
    assert "Meal?" in asked.text
    action = f"/events/{event['id']}/respond/questions"
    assert limited.post(action, data=NADIA, remote_addr=an_address()).status == 422
    assert limited.post(action, data=NADIA | {"form_time": form_time(asked, action)}, remote_addr=an_address()).status == 303
    assert responses(cast, event) == ["Nadia B"]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/events/{}/comment", {"email_address": "nadia@example.org", "comment": "See you there"}),
        ("/events/{}/send", {"email": "nadia@example.org", "opt_in": "true"}),
    ],
)
def test_comments_and_subscriptions_are_protected_too(
    limited: Client, clock: Clock, event: dict[str, Any], path: str, fields: dict[str, str]
) -> None:
    action = path.format(event["id"])
    page = limited.get(f"/events/{event['id']}")
    assert limited.post(action, data=fields, remote_addr=an_address()).status == 422
    clock.ahead(2)
    filled = fields | {"form_time": form_time(page, action)}
    assert limited.post(action, data=filled | {"website": "x"}, remote_addr=an_address()).status == 422
    assert limited.post(action, data=filled, remote_addr=an_address()).status == 303


def test_a_new_account_is_made_after_two_seconds(limited: Client, clock: Clock) -> None:
    fields = {"user_name": "nadia.b", "email_address": "nadia@b.example.org", "password": "long enough 7x", "time_zone": "UTC"}
    page = limited.get("/sign-up")
    assert limited.post("/sign-up", data=fields, remote_addr=an_address()).status == 422
    clock.ahead(2)
    assert limited.post("/sign-up", data=fields | {"form_time": form_time(page, "/sign-up")}, remote_addr=an_address()).status == 303


def test_people_with_an_account_are_not_asked(cast: Cast, limited: Client, event: dict[str, Any]) -> None:
    bob = Client(limited.app, cast.bob.token)
    assert 'name="website"' not in bob.get(f"/events/{event['id']}").text
    assert bob.post(f"/events/{event['id']}/comment", data={"comment": "Hello"}).status == 303


def test_the_event_of_a_link_has_forms_that_are_protected_too(cast: Cast, limited: Client, clock: Clock) -> None:
    event = an_event(cast.alice, visibility="link")
    path = "/e/" + event["link_url"].rpartition("/")[2]
    time = form_time(limited.get(path), f"{path}/respond")
    assert limited.post(f"{path}/respond", data=NADIA, remote_addr=an_address()).status == 422
    clock.ahead(2)
    assert limited.post(f"{path}/respond", data=NADIA | {"form_time": time}, remote_addr=an_address()).status == 303
    assert responses(cast, event) == ["Nadia B"]

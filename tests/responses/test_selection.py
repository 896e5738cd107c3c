"""Several guests at once, without a script: remind the invited, write to guests, set answers."""

import re

import pytest

from tests.cast import Cast, Person, a_response, an_event
from tests.client import Reply
from tests.invitations.test_invite import invitations


@pytest.fixture
def event(cast: Cast) -> dict[str, int]:
    return an_event(cast.alice, public=True, start_time="2031-06-01T20:00")


def _select(person: Person, event: dict[str, int], action: str, *names: str) -> Reply:
    fields = [*(("guests[]", name) for name in names), ("action", action)]
    return person.post(f"/events/{event['id']}/responses/selected", data=fields)


def _boxes(person: Person, event: dict[str, int], tab: str = "all") -> dict[str, str]:
    """The boxes of the list by the names of their people."""
    page = person.get(f"/events/{event['id']}/responses?tab={tab}").text
    return dict(re.findall(r'name="guests\[\]" value="(\w+)" aria-label="([^"]+)"', page))


def _invite(person: Person, event: dict[str, int], *addresses: str) -> None:
    assert person.post(f"/api/events/{event['id']}/invitations", json={"addresses": list(addresses)}).status == 202


def test_invited_people_are_rows_like_all_others_until_they_respond(cast: Cast, event: dict[str, int]) -> None:
    _invite(cast.alice, event, "finn@example.org", "eva@example.org")
    a_response(cast.alice, event, email_address="ida@example.org", name="Ida Berg")
    assert sorted(_boxes(cast.alice, event).values()) == ["Ida Berg", "eva@example.org", "finn@example.org"]
    assert sorted(_boxes(cast.alice, event, "invited").values()) == ["eva@example.org", "finn@example.org"]
    a_response(cast.alice, event, email_address="eva@example.org", response="NO")
    assert list(_boxes(cast.alice, event, "invited").values()) == ["finn@example.org"]


def test_answers_of_guests_and_of_invited_people_are_set_at_once_and_undone(cast: Cast, event: dict[str, int]) -> None:
    _invite(cast.alice, event, "finn@example.org")
    a_response(cast.alice, event, email_address="ida@example.org", name="Ida Berg", number=3, response="MAYBE", comment="Soup")
    boxes = _boxes(cast.alice, event)
    reply = _select(cast.alice, event, "YES", *boxes)
    assert reply.status == 303, reply
    rows = {row["number"]: row["response"] for row in cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]}
    assert rows == {3: "YES", 1: "YES"}
    assert _boxes(cast.alice, event, "invited") == {}
    notice = re.search(r"kalends_notice=answers-set\.2\.(\d+)", reply.headers["Set-Cookie"])
    assert notice
    assert cast.alice.post(f"/changes/{notice[1]}/undo", data={"next": "/"}).status == 303
    [row] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert (row["number"], row["response"]) == (3, "MAYBE")


def test_who_is_still_invited_is_reminded(cast: Cast, event: dict[str, int]) -> None:
    _invite(cast.alice, event, "finn@example.org", "eva@example.org")
    [row] = [each for each in invitations(cast.alice, event) if each["address"] == "finn@example.org"]
    assert cast.alice.post(f"/events/{event['id']}/invitations/{row['id']}/withdraw").status == 303
    assert _select(cast.alice, event, "remind", f"i{row['id']}").status == 422
    assert _select(cast.alice, event, "remind", *_boxes(cast.alice, event, "invited")).redirect[0].endswith("?tab=invited")


def test_a_message_goes_to_the_selected_guests_alone(cast: Cast, event: dict[str, int]) -> None:
    for name in ("ida", "malik"):
        a_response(cast.alice, event, email_address=f"{name}@example.org", name=name.title())
    [ida] = [box for box, name in _boxes(cast.alice, event).items() if name == "Ida"]
    form = _select(cast.alice, event, "message", ida)
    assert form.status == 200
    [(number, label)] = re.findall(r'name="to\[\]" value="(\d+)" checked[^>]*> (\w+)', form.text)
    assert (f"r{number}", label) == (ida, "Ida")
    fields = [("to[]", number), ("subject", "Soup"), ("text", "Please bring it.")]
    assert "1 person" in cast.alice.post(f"/events/{event['id']}/messages/check", data=fields).text


@pytest.mark.parametrize(
    ("action", "names", "message"),
    [
        ("remind", [], "select at least one"),
        ("remind", ["ida"], "select people who are invited"),
        ("message", ["finn"], "remind them instead"),
        ("fly", ["ida"], "one of the choices"),
        ("remind", ["elsewhere"], "select at least one"),
    ],
)
def test_what_cannot_be_done_is_said_above_the_list_and_the_boxes_stay(
    cast: Cast, event: dict[str, int], action: str, names: list[str], message: str
) -> None:
    other = an_event(cast.alice, public=True, start_time="2031-06-01T20:00")
    ida = a_response(cast.alice, event, email_address="ida@example.org")["id"]
    elsewhere = a_response(cast.alice, other, email_address="ida@example.org")["id"]
    _invite(cast.alice, event, "finn@example.org")
    [row] = invitations(cast.alice, event)
    boxes = {"ida": f"r{ida}", "finn": f"i{row['id']}", "elsewhere": f"r{elsewhere}"}
    refused = _select(cast.alice, event, action, *(boxes[name] for name in names))
    assert refused.status == 422
    assert message in refused.text
    ticked = re.findall(r'name="guests\[\]" value="(\w+)" aria-label="[^"]*" checked', refused.text)
    assert ticked == [boxes[name] for name in names if name != "elsewhere"]


def test_an_empty_list_offers_to_invite(cast: Cast, event: dict[str, int]) -> None:
    page = cast.alice.get(f"/events/{event['id']}/responses").text
    assert "Nobody yet. Invite the first people." in page

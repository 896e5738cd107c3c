"""Inviting on the pages: contacts and addresses, a preview with counts before anything is sent, then the list."""

import re

import pytest

from tests.cast import Cast, a_contact, an_event
from tests.invitations.test_invite import invitations

pytestmark = pytest.mark.on_one_database


def test_people_are_invited_after_a_preview_and_invitations_are_taken_back(cast: Cast) -> None:
    event = an_event(cast.alice, title="Jam")
    ana = a_contact(cast.alice, first_name="Ana", email_address="ana@example.com", tag_list="choir")
    ben = a_contact(cast.alice, first_name="Ben", email_address="ben@example.com")
    path = f"/events/{event['id']}/invitations"
    page = cast.alice.get(f"{path}?tags=choir").text
    assert ("ana@example.com" in page, "ben@example.com" in page) == (True, False)
    form = [("contact_ids[]", str(ana["id"])), ("contact_ids[]", str(ben["id"]))]
    form += [("addresses", "zoe@example.com,\nana@example.com"), ("message", "Do come")]
    preview = cast.alice.post(f"{path}/check", data=form)
    assert preview.status == 200, preview
    assert "Invite 3 people?" in preview.text
    assert "Do come" in preview.text
    assert invitations(cast.alice, event) == []
    hidden = re.findall(r'<input type="hidden" name="([\w\[\]]+)" value="([^"]*)"', preview.text)
    reply = cast.alice.post(f"{path}/send", data=hidden)
    assert reply.status == 303, reply
    rows = invitations(cast.alice, event)
    assert [row["address"] for row in rows] == ["ana@example.com", "ben@example.com", "zoe@example.com"]
    assert cast.alice.post(f"{path}/{rows[0]['id']}/withdraw").status == 303
    page = cast.alice.get(path).text
    assert "taken back" in page
    assert "on its way" in page


def test_a_search_keeps_what_was_ticked_and_typed(cast: Cast) -> None:
    event = an_event(cast.alice)
    ana = a_contact(cast.alice, first_name="Ana", email_address="ana@example.com", tag_list="choir")
    a_contact(cast.alice, first_name="Ben", email_address="ben@example.com", tag_list="family")
    a_contact(cast.alice, first_name="Zoe", email_address="zoe@example.com")
    path = f"/events/{event['id']}/invitations/search"
    form = {"contact_ids[]": str(ana["id"]), "message": "Do come", "tags": "family", "text": ""}
    page = cast.alice.post(path, data=form)
    assert [each in page.text for each in ("Ana", "Ben", "Zoe", "Do come")] == [True, True, False, True]
    assert re.search(rf'value="{ana["id"]}"[^>]*checked', page.text)
    assert cast.alice.post(path, data=form | {"contact_ids[]": "9" * 40}).status == 200


def test_a_wrong_address_is_shown_with_the_form(cast: Cast) -> None:
    event = an_event(cast.alice)
    ana = a_contact(cast.alice, first_name="Ana", email_address="ana@example.com")
    reply = cast.alice.post(f"/events/{event['id']}/invitations/check", data=[("contact_ids[]", str(ana["id"])), ("addresses", "nobody")])
    assert reply.status == 422
    assert "nobody" in reply.text
    assert re.search(rf'value="{ana["id"]}"[^>]*checked', reply.text)

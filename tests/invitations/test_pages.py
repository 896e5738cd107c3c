"""Inviting on the pages: contacts and addresses, a preview with counts before anything is sent, then the list."""

import re

import pytest

from tests.cast import Cast, a_contact, a_response, an_event
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
    form += [("addresses", "zoe@example.com,\nana@example.com"), ("message", "Do **come**")]
    preview = cast.alice.post(f"{path}/check", data=form)
    assert preview.status == 200, preview
    assert "Invite 3 people?" in preview.text
    assert "Do <strong>come</strong>" in preview.text
    assert 'value="Do **come**"' in preview.text
    assert invitations(cast.alice, event) == []
    hidden = re.findall(r'<input type="hidden" name="([\w\[\]]+)" value="([^"]*)"', preview.text)
    reply = cast.alice.post(f"{path}/send", data=hidden)
    assert reply.status == 303, reply
    rows = invitations(cast.alice, event)
    assert [row["address"] for row in rows] == ["ana@example.com", "ben@example.com", "zoe@example.com"]
    assert cast.alice.post(f"{path}/{rows[0]['id']}/withdraw").status == 303
    page = cast.alice.get(f"/events/{event['id']}/responses?tab=invited").text
    assert ("ana@example.com" in page, "ben@example.com" in page, "zoe@example.com" in page) == (False, True, True)
    assert "Queued" in page


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


def test_the_review_names_everybody_who_will_be_invited(cast: Cast) -> None:
    event = an_event(cast.alice)
    ana = a_contact(cast.alice, first_name="Ana", last_name="Lind", email_address="ana@example.com")
    a_contact(cast.alice, first_name="Ben", email_address="ben@example.com", tag_list="choir")
    a_contact(cast.alice, first_name="Cem", email_address="cem@example.com", tag_list="choir")
    cast.alice.post(f"/api/events/{event['id']}/invitations", json={"addresses": ["cem@example.com"]})
    form = {"contact_ids[]": str(ana["id"]), "tag": "choir", "addresses": "ana@example.com, jo@example.org"}
    page = cast.alice.post(f"/events/{event['id']}/invitations/check", data=form).text
    assert "Invite 3 people?" in page
    assert "<p><bdi>Ana Lind</bdi>, <bdi>Ben</bdi>, <bdi>jo@example.org</bdi></p>" in page
    assert "1 person is already invited." in page


def test_who_is_invited_or_has_answered_is_marked_and_cannot_be_ticked(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00")
    ids = {
        name: a_contact(cast.alice, first_name=name.title(), email_address=f"{name}@example.com")["id"]
        for name in ("ana", "ben", "cem", "zoe")
    }
    invited = cast.alice.post(f"/api/events/{event['id']}/invitations", json={"addresses": ["ANA@example.com", "ben@example.com"]})
    assert invited.status == 202
    a_response(cast.alice, event, email_address="ben@example.com", response="NO")
    a_response(cast.alice, event, email_address="cem@example.com")
    page = cast.alice.get(f"/events/{event['id']}/invitations").text
    marks = {
        name: re.search(rf'value="{number}"( disabled)?>.*?(?:<span class="tag \w+">(.*?)</span>)?</label>', page)
        for name, number in ids.items()
    }
    assert {name: mark and mark.groups() for name, mark in marks.items()} == {
        "ana": (" disabled", "Invited"),
        "ben": (" disabled", "Can’t go"),
        "cem": (" disabled", "Going"),
        "zoe": (None, None),
    }


def test_tags_have_counts_and_lead_to_their_contacts(cast: Cast) -> None:
    event = an_event(cast.alice)
    for name, tags in [("ana", "choir, family"), ("ben", "choir"), ("zoe", "")]:
        a_contact(cast.alice, first_name=name.title(), email_address=f"{name}@example.com", tag_list=tags)
    path = f"/events/{event['id']}/invitations"
    pills = dict(re.findall(r'name="tags" value="(\w*)"[^>]*><bdi>[^<]*</bdi> <small>(\d+)', cast.alice.get(path).text))
    assert (pills["choir"], pills["family"]) == ("2", "1")
    found = cast.alice.post(f"{path}/search", data={"tags": "choir"}).text
    assert [name in found for name in ("Ana", "Ben", "Zoe")] == [True, True, False]


@pytest.mark.parametrize(("others", "party_max"), [("", None), ("0", 1), ("2", 3)])
def test_each_may_bring_others_beside_themselves(cast: Cast, others: str, party_max: int | None) -> None:
    event = an_event(cast.alice, start_time="2031-06-01T20:00")
    preview = cast.alice.post(f"/events/{event['id']}/invitations/check", data={"addresses": "ana@example.com", "others": others})
    hidden = re.findall(r'<input type="hidden" name="([\w\[\]]+)" value="([^"]*)"', preview.text)
    assert cast.alice.post(f"/events/{event['id']}/invitations/send", data=hidden).status == 303
    [row] = invitations(cast.alice, event)
    assert row["party_max"] == party_max

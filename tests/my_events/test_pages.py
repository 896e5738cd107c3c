"""The pages of what a member goes to, is invited to and hosts."""

import re

import pytest

from kalends.db import Database
from tests.cast import Cast, Person, a_question, a_response, an_event, an_invitation, verified
from tests.client import Client

# What the pages show is what the API replies with, which runs on both databases.
pytestmark = pytest.mark.on_one_database


@pytest.fixture
def carol(cast: Cast, db: Database) -> Person:
    return verified(db, cast.carol)


def text_of(reader: Client, path: str) -> str:
    """The words of the page's main part."""
    page = reader.get(path, headers={"Accept": "text/html"})
    assert page.status == 200, page
    main = page.text.partition('<main id="main"')[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main))


def test_a_new_member_reads_what_each_list_is_for(cast: Cast) -> None:
    assert "Nothing yet. See what’s on." in text_of(cast.carol, "/my-events")
    assert "No open invitations." in text_of(cast.carol, "/my-events?show=invited")
    assert "Create your first event" in text_of(cast.carol, "/my-events?show=hosting")
    past = text_of(cast.carol, "/my-events?show=past")
    assert "Events you went to appear here." in past
    assert "Search past events" in past


def test_an_invited_member_answers_in_the_row(cast: Cast, carol: Person) -> None:
    event = an_event(cast.alice, visibility="members", title="Picnic")
    an_invitation(cast.alice, event, carol.email_address)
    before = text_of(carol, "/my-events")
    assert "Waiting for your answer" in before
    assert "Alice invites you" in before
    reply = carol.post(f"/my-events/{event['id']}", json={"response": "YES"})
    assert reply.redirect == ("/my-events", "said-yes")
    after = text_of(carol, "/my-events")
    assert "Waiting for your answer" not in after
    assert "Picnic" in after
    assert "Going" in after


def test_the_row_of_an_event_leads_to_where_the_member_can_open_it(cast: Cast, carol: Person) -> None:
    public, linked = an_event(cast.alice, public=True), an_event(cast.alice, visibility="link")
    private = an_event(cast.alice, visibility="members")
    for event in (linked, private):
        an_invitation(cast.alice, event, carol.email_address)
    places = [carol.get(f"/my-events/{event['id']}").headers["Location"] for event in (public, linked, private)]
    assert [place[:3] for place in places] == ["/ev", "/e/", "/i/"]
    assert {carol.get(place).status for place in places} == {200}
    carol.put(f"/api/my_events/{private['id']}", json={"response": "YES"})
    assert carol.get(carol.get(f"/my-events/{private['id']}").headers["Location"]).status == 200


def test_an_event_with_questions_is_answered_on_its_own_page(cast: Cast, carol: Person) -> None:
    event = an_event(cast.alice, public=True)
    a_question(cast.alice, f"/api/events/{event['id']}", required=True)
    reply = carol.post(f"/my-events/{event['id']}", json={"response": "YES"})
    assert reply.headers["Location"] == f"/events/{event['id']}?response=YES"
    assert carol.get("/api/my_events").json["events"] == []


def test_a_full_event_says_so_above_the_list(cast: Cast, carol: Person) -> None:
    event = an_event(cast.alice, public=True, capacity=1)
    a_response(cast.bob, event)
    reply = carol.post(f"/my-events/{event['id']}", json={"response": "YES"})
    assert reply.status == 409
    assert 'role="alert"' in reply.text


def test_the_host_reads_how_many_come_and_how_many_are_invited(cast: Cast, carol: Person) -> None:
    event = an_event(cast.alice, public=True, title="Party", approval=True)
    an_invitation(cast.alice, event, carol.email_address)
    a_response(cast.bob, event)
    assert "0 going · 1 invited" in text_of(cast.alice, "/my-events?show=hosting")
    assert "1 to approve" in text_of(cast.alice, "/my-events?show=hosting")


def test_the_host_reads_who_waits_apart_from_who_comes_as_in_the_overview(cast: Cast) -> None:
    fields = {"start_time": "2026-09-01T20:00", "capacity": 6, "waiting_list": "offer"}
    event = an_event(cast.alice, public=True, title="Cooking class", tag_list="ramen", **fields)
    hana = a_response(cast.alice, event, email_address="hana@example.org", number=4)
    a_response(cast.alice, event, email_address="ivo@example.org", number=3)
    assert "4 going · 3 waiting" in text_of(cast.alice, "/my-events?show=hosting")
    assert "Cooking class" in text_of(cast.bob, "/?tags=ramen")
    assert "4 going" in text_of(cast.bob, "/?tags=ramen").partition("Cooking class")[2]
    assert "4 people going" in text_of(cast.bob, f"/events/{event['id']}")
    # The spots are now offered to Ivo, who has not taken them.
    assert cast.alice.delete(f"/api/responses/{hana['id']}").status == 200
    assert "0 going · 3 waiting" in text_of(cast.alice, "/my-events?show=hosting")
    assert " going" not in text_of(cast.bob, "/?tags=ramen").partition("Cooking class")[2].partition("</li>")[0]
    assert "Be the first to RSVP" in text_of(cast.bob, f"/events/{event['id']}")
    places = cast.alice.get(f"/api/events/{event['id']}").json["places"]
    assert places == {"capacity": 6, "held": 3, "offered": 3, "free": 3, "waiting": 0, "over": 0}
    figures = re.findall(r"/responses\?tab=(\w+)\"><strong>(\d+)</strong>", cast.alice.get(f"/events/{event['id']}").text)
    assert dict(figures) == {"going": "0", "maybe": "0", "invited": "0", "waiting": "3"}


def test_the_start_page_begins_with_the_next_invitation_or_else_the_next_event(cast: Cast, carol: Person) -> None:
    event = an_event(cast.alice, visibility="members", title="Picnic")
    assert "Picnic" not in text_of(carol, "/")
    an_invitation(cast.alice, event, carol.email_address)
    assert re.search(r"My events Jun 1 Picnic .* Alice invites you Going", text_of(carol, "/"))
    carol.post(f"/my-events/{event['id']}", json={"response": "YES"})
    assert re.search(r"My events Jun 1 Picnic .* Going", text_of(carol, "/"))
    assert "Picnic" not in text_of(cast.anonymous, "/")


def test_a_repeating_event_says_when_it_repeats_in_each_list_and_a_cancelled_date_does_not(cast: Cast, carol: Person) -> None:
    event = an_event(cast.alice, public=True, title="Choir", start_time="2026-06-02T20:00")
    lone = an_event(cast.alice, public=True, title="Picnic", start_time="2026-06-03T20:00")
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "end_date": "2026-07-31"}).status == 200
    rule = "Every Tuesday until 31 Jul 2026"
    an_invitation(cast.alice, event, carol.email_address)
    assert text_of(carol, "/my-events").count(rule) == 1
    for each in (event, lone):
        assert carol.put(f"/api/my_events/{each['id']}", json={"response": "YES"}).status == 200
    pages = [text_of(carol, "/my-events"), text_of(cast.alice, "/my-events?show=hosting"), text_of(cast.alice, f"/events/{event['id']}")]
    assert [page.count("Every ") for page in pages] == [1, 1, 1]
    assert all(rule in page for page in pages)
    start_page = carol.get("/", headers={"Accept": "text/html"}).text.partition('id="my-next"')[2].partition("</section>")[0]
    assert rule in start_page
    assert cast.alice.put(f"/api/events/{event['id']}", json={"status": "cancelled"}).status == 200
    assert "Every" not in text_of(carol, "/my-events")

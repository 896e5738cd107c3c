"""GET /notifications and the bell that leads to it: what waits for a reader, and the news of their events."""

import re

from kalends.db import Database
from tests.cast import Cast, a_comment, a_response, an_event, an_invitation, verified
from tests.client import Client


def _bell(reader: Client, path: str = "/trash", cookie: str = "") -> int:
    """The number beside the bell."""
    page = reader.get(path, headers={"Accept": "text/html"} | ({"Cookie": cookie} if cookie else {})).text
    number = re.search(r'class="round bell"[^>]* aria-label="Notifications, (\d+) waiting"', page)
    assert number or 'aria-label="Notifications"' in page
    return int(number[1]) if number else 0


def test_new_rsvps_are_counted_until_the_page_was_opened(cast: Cast, db: Database) -> None:
    verified(db, cast.alice)
    event = an_event(cast.alice, title="Choir", start_time="2026-07-01T20:00", public=True)
    assert _bell(cast.alice) == 0
    a_response(cast.anonymous, event, email_address="ida@example.org", name="Ida Berg", number=4)
    a_response(cast.anonymous, event, email_address="bo@example.org", name="Bo", response="NO")
    assert _bell(cast.alice) == 2
    reply = cast.alice.get("/notifications", headers={"Accept": "text/html"})
    text = re.sub(r"<[^>]+>", "", reply.text)
    assert "Ida Berg is going to Choir, 4 people" in text
    assert "Bo can’t go to Choir" in text
    cookie = reply.headers["Set-Cookie"].partition(";")[0]
    assert cookie.startswith("kalends_seen=")
    assert _bell(cast.alice, cookie=f"{cookie}; kalends_session={cast.alice.token}") == 0


def test_who_waits_for_a_spot_or_for_approval_is_not_going(cast: Cast, db: Database) -> None:
    verified(db, cast.alice)
    class_ = an_event(cast.alice, title="Cooking class", start_time="2026-07-01T20:00", public=True, capacity=6, waiting_list="auto")
    dinner = an_event(cast.alice, title="Dinner", start_time="2026-07-01T20:00", public=True, approval=True)
    a_response(cast.anonymous, class_, email_address="hana@example.org", name="Hana", number=4)
    a_response(cast.anonymous, class_, email_address="ivo@example.org", name="Ivo Lang", number=4)
    a_response(cast.anonymous, dinner, email_address="ivo@example.org", name="Ivo Lang")
    text = re.sub(r"<[^>]+>", "", cast.alice.get("/notifications").text)
    assert "Hana is going to Cooking class, 4 people" in text
    assert "Ivo Lang is on the waiting list for Cooking class, 4 people" in text
    assert "Ivo Lang wants to go to Dinner" in text


def test_open_invitations_and_comments_to_approve_wait(cast: Cast, db: Database) -> None:
    verified(db, cast.bob)
    verified(db, cast.alice)
    event = an_event(cast.alice, start_time="2026-07-01T20:00", public=True)
    an_invitation(cast.alice, event, cast.bob.email_address)
    assert _bell(cast.bob) == 1
    assert "1 invitation to answer" in cast.bob.get("/notifications").text
    a_response(cast.bob, event)
    assert _bell(cast.bob) == 0
    assert "You’re up to date." in cast.bob.get("/notifications").text

    # What was read of the response of bob.
    cookie = cast.alice.get("/notifications").headers["Set-Cookie"].partition(";")[0]
    comment = a_comment(cast.anonymous, event, email_address="eve@example.org")
    assert _bell(cast.alice, cookie=f"{cookie}; kalends_session={cast.alice.token}") == 1
    assert "1 comment to approve" in cast.alice.get("/notifications").text
    assert _bell(cast.carol) == 0
    assert cast.alice.put(f"/api/comments/{comment['id']}", json={"approved": True}).status == 200
    assert "to approve" not in cast.alice.get("/notifications").text


def test_news_of_events_that_one_may_no_longer_edit_are_not_shown(cast: Cast, db: Database) -> None:
    verified(db, cast.alice)
    event = an_event(cast.alice, title="Choir", start_time="2026-07-01T20:00", public=True)
    a_response(cast.anonymous, event, email_address="ida@example.org", name="Ida Berg")
    assert "Ida Berg" not in cast.bob.get("/notifications").text
    cast.alice.delete(f"/api/events/{event['id']}")
    assert "Ida Berg" not in cast.alice.get("/notifications").text


def test_a_cookie_that_is_no_number_is_ignored(cast: Cast) -> None:
    for value in ("x", "-1", "9" * 30):
        assert _bell(cast.alice, cookie=f"kalends_seen={value}; kalends_session={cast.alice.token}") == 0


def test_what_was_not_read_yet_is_marked_in_words_and_in_the_list(cast: Cast, db: Database) -> None:
    verified(db, cast.alice)
    event = an_event(cast.alice, title="Choir", start_time="2026-07-01T20:00", public=True)
    a_response(cast.anonymous, event, email_address="ida@example.org", name="Ida Berg")
    cookie = cast.alice.get("/notifications").headers["Set-Cookie"].partition(";")[0]
    a_response(cast.anonymous, event, email_address="bo@example.org", name="Bo", response="NO")
    page = cast.alice.get("/notifications", headers={"Cookie": f"{cookie}; kalends_session={cast.alice.token}"}).text
    assert re.search(r'<link rel="stylesheet" href="/static/results\.css', page)
    entries = {name: re.search(rf"<li[^>]*><a[^>]*>(?:(?!</li>).)*{name}.*?</li>", page, re.S) for name in ("Ida Berg", "Bo")}
    assert {name: entry and ('class="unread"' in entry[0], ">New<" in entry[0]) for name, entry in entries.items()} == {
        "Ida Berg": (False, False),
        "Bo": (True, True),
    }

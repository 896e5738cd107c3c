"""Visibility by link: anyone who has `/e/<token>` sees the event and responds, without an account."""

from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_calendar, a_comment, a_question, a_response, an_event, last_change, shared, verified
from tests.client import Client
from tests.events.importing import a_file, an_entry, imported
from tests.events.series import five_mondays
from tests.responses.mail import a_proposal_token, mails_about, text_of


def by_link(owner: Client, **fields: Any) -> dict[str, Any]:
    return an_event(owner, visibility="link", **fields)


def path_of(owner: Client, event_id: int) -> str:
    """The path of the link, as an editor sees it."""
    url: str = owner.get(f"/api/events/{event_id}").json["link_url"]
    return url.removeprefix("http://testserver")


def token_of(owner: Client, event_id: int) -> str:
    return path_of(owner, event_id).removeprefix("/e/")


@pytest.mark.parametrize(
    ("sent", "visibility"),
    [
        ({}, "members"),
        ({"public": True}, "public"),
        ({"public": False}, "members"),
        ({"visibility": "link"}, "link"),
        ({"visibility": "link", "public": False}, "link"),
        ({"visibility": "public", "public": True}, "public"),
    ],
)
def test_public_is_true_exactly_for_the_visibility_public(cast: Cast, sent: dict[str, Any], visibility: str) -> None:
    event = an_event(cast.alice, **sent)
    assert (event["visibility"], event["public"]) == (visibility, visibility == "public")
    assert (event["link_url"] is not None) == (visibility == "link")
    assert cast.alice.get(f"/api/events/{event['id']}").json["visibility"] == visibility
    fields = cast.alice.get(f"/api/events/{event['id']}/edit").json
    assert (fields["visibility"], fields["public"]) == (visibility, visibility == "public")


def test_visibility_and_public_must_not_contradict_each_other(cast: Cast) -> None:
    body = {"title": "Gig", "start_time": "2026-06-01", "visibility": "link", "public": True}
    assert cast.alice.post("/api/events", json=body).json["errors"][0]["field"] == "visibility"
    assert cast.alice.post("/api/events", json=[body]).json["errors"][0]["field"] == "[0][visibility]"
    event = by_link(cast.alice)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"visibility": "members", "public": True}).status == 422


@pytest.mark.parametrize(
    ("sent", "visibility"),
    [
        ({"title": "New"}, "link"),
        ({"public": False}, "members"),
        ({"public": True}, "public"),
        ({"visibility": "members"}, "members"),
        # A client that sends back what `edit` gave it, with one of the two changed.
        ({"public": False, "visibility": "link"}, "link"),
        ({"public": True, "visibility": "link"}, "public"),
        ({"public": False, "visibility": "public"}, "public"),
        ({"public": None, "visibility": None}, "link"),
    ],
)
def test_a_change_says_visibility_or_public(cast: Cast, sent: dict[str, Any], visibility: str) -> None:
    event = by_link(cast.alice)
    changed = cast.alice.put(f"/api/events/{event['id']}", json=sent)
    assert (changed.status, changed.json["visibility"]) == (200, visibility)
    assert cast.anonymous.get(path_of_link(event)).status == {"link": 200, "public": 303, "members": 404}[visibility]


def path_of_link(event: dict[str, Any]) -> str:
    return str(event["link_url"]).removeprefix("http://testserver")


def test_whoever_has_the_link_sees_the_event_and_responds(cast: Cast) -> None:
    event = by_link(cast.alice, title="Garden party")
    path = path_of_link(event)
    page = cast.anonymous.get(path)
    assert page.status == 200
    assert "Garden party" in page.text
    assert 'content="noindex"' in page.text
    for trace in ("og:title", "application/ld+json", "canonical"):
        assert trace not in page.text
    for name, value in {"Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex"}.items():
        assert page.headers[name] == value
    reply = cast.anonymous.post(f"{path}/respond", data={"response": "YES", "name": "Gus", "email_address": "gus@example.org"})
    assert (reply.status, reply.headers["Location"]) == (303, f"{path}#ticket")
    assert cast.anonymous.post(f"{path}/comment", data={"comment": "Hi", "email_address": "gus@example.org"}).headers["Location"] == path
    assert cast.anonymous.post(f"{path}/send", data={"email": "gus@example.org"}).headers["Location"] == path
    again = cast.anonymous.post(f"{path}/respond", data={"response": "YES", "email_address": "nothing"})
    assert (again.status, f'action="{path}/respond"' in again.text) == (422, True)
    assert b"SUMMARY:Garden party" in cast.anonymous.get(f"{path}.ics").content
    assert f"URL:{event['link_url']}".encode() in cast.anonymous.get(f"{path}.ics").content.replace(b"\r\n ", b"")
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"]["yes"] == 1


def test_a_guest_with_the_link_answers_the_questions(cast: Cast) -> None:
    event = by_link(cast.alice)
    question = a_question(cast.alice, f"/api/events/{event['id']}", label="Vegan?", kind="yes_no", required=True)
    path, fields = path_of_link(event), {"response": "YES", "email_address": "gus@example.org"}
    asked = cast.anonymous.post(f"{path}/respond", data=fields)
    assert f'action="{path}/respond/questions"' in asked.text
    missing = cast.anonymous.post(f"{path}/respond/questions", data=fields)
    assert (missing.status, "Vegan?" in missing.text) == (422, True)
    answer = {"answers": [{"question_id": question["id"], "answer": "yes"}], "event_id": event["id"], "link": path[3:]}
    assert cast.anonymous.post("/api/responses", json=fields | answer).status == 201


def test_without_the_link_the_event_is_not_there(cast: Cast) -> None:
    event = by_link(cast.alice)
    token = token_of(cast.alice, event["id"])
    other = by_link(cast.alice)["id"]
    for actor in (cast.anonymous, cast.carol):
        for path in (f"/events/{event['id']}", f"/api/events/{event['id']}", f"/embed/events/{event['id']}"):
            assert actor.get(path).status == 404
        for wrong in (token[:-1], token + "A", f"{other}-{token.partition('-')[2]}", str(event["id"]), "9" * 30, "x-y", ""):
            assert actor.get(f"/e/{wrong}").status == 404, wrong
            assert actor.get(f"/api/events/{event['id']}", query={"link": wrong or "-"}).status == 404
        # The link of another event opens that one alone.
        assert actor.get(f"/api/events/{other}", query={"link": token}).status == 404
        assert (
            actor.post("/api/responses", json={"event_id": other, "response": "NO", "email_address": "a@b.org", "link": token}).status
            == 404
        )


def test_members_see_no_link_unless_they_may_edit(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = by_link(cast.alice, calendar_id=calendar["id"])
    path = f"/api/events/{event['id']}"
    assert cast.bob.get(path).json["link_url"] == event["link_url"]
    assert (cast.vera.get(path).status, cast.vera.get(path).json["link_url"]) == (200, None)
    assert cast.anonymous.get(path, query={"link": path_of_link(event)[3:]}).json["link_url"] is None
    assert path_of_link(event) not in cast.vera.get(f"/events/{event['id']}").text
    assert cast.vera.get(path_of_link(event)).headers["Location"] == f"/events/{event['id']}"


def test_a_member_without_the_link_cannot_have_it_sent(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = by_link(cast.alice, calendar_id=calendar["id"])
    assert cast.vera.put(f"/api/events/{event['id']}/send_to_me", json={"email": "vera@example.org"}).status == 202
    assert cast.alice.put(f"/api/events/{event['id']}/send_to_me", json={"email": "dana@example.org"}).status == 202
    of_viewer, of_owner = mails_about(db, settings, event["id"])
    assert "/e/" not in of_viewer.as_string()
    assert event["link_url"] in text_of(of_owner)


def test_a_new_link_stops_the_old_one_at_once(cast: Cast) -> None:
    event = by_link(cast.alice)
    old = path_of_link(event)
    reset = cast.alice.put(f"/api/events/{event['id']}/reset_link")
    assert reset.status == 200
    assert cast.anonymous.get(old).status == 404
    assert cast.anonymous.get(path_of_link(reset.json)).status == 200
    assert cast.alice.post(f"/events/{event['id']}/reset_link").status == 303
    assert cast.anonymous.get(path_of_link(reset.json)).status == 404


def test_undo_does_not_bring_an_old_link_back(cast: Cast) -> None:
    event = by_link(cast.alice)
    old, seq = path_of_link(event), last_change(cast.alice, event)
    assert cast.alice.put(f"/api/events/{event['id']}/reset_link").status == 200
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert cast.alice.get(f"/api/events/{event['id']}").json["title"] == event["title"]
    assert cast.anonymous.get(old).status == 404
    new = path_of(cast.alice, event["id"])
    assert cast.alice.delete(f"/api/events/{event['id']}").status == 200
    assert cast.anonymous.get(new).status == 404
    deletion = cast.alice.get("/api/trash").json["trash"][0]["seq"]
    assert cast.alice.post(f"/api/changes/{deletion}/undo").status == 200
    assert (cast.anonymous.get(old).status, cast.anonymous.get(new).status) == (404, 200)


def test_the_history_tells_of_the_visibility_and_undoes_it(cast: Cast) -> None:
    event = by_link(cast.alice)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"visibility": "members"}).status == 200
    change = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]
    assert [(each["field"], each["before"], each["after"]) for each in change["fields"]] == [("visibility", "link", "members")]
    then = cast.alice.get(f"/api/events/{event['id']}", query={"as_of": change["seq"] - 1}).json
    assert (then["visibility"], then["link_url"]) == ("link", None)
    assert cast.alice.post(f"/api/changes/{change['seq']}/undo").status == 200
    assert cast.anonymous.get(path_of_link(event)).status == 200


def test_the_link_of_one_date_opens_the_other_dates_of_its_series(cast: Cast) -> None:
    ids = five_mondays(cast.alice, visibility="link")
    token = token_of(cast.alice, ids[0])
    assert {cast.anonymous.get(f"/api/events/{each}", query={"link": token}).status for each in ids} == {200}
    assert cast.alice.put(f"/api/events/{ids[2]}", json={"visibility": "members"}).status == 200
    assert cast.anonymous.get(f"/api/events/{ids[2]}", query={"link": token}).status == 404
    response = {"event_id": ids[0], "response": "YES", "email_address": "gus@example.org", "scope": "all", "link": token}
    assert cast.anonymous.post("/api/responses", json=response).status == 201
    counts = [cast.alice.get(f"/api/events/{each}").json["responses"]["yes"] for each in ids]
    assert counts == [1, 1, 0, 1, 1]
    # A new link is one for all dates.
    others = [token_of(cast.alice, each) for each in ids if each != ids[2]]
    assert cast.alice.put(f"/api/events/{ids[1]}/reset_link").status == 200
    assert {cast.anonymous.get(f"/e/{each}").status for each in others} == {404}


def test_a_copy_of_a_link_event_has_a_link_of_its_own(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = by_link(cast.alice, calendar_id=calendar["id"])
    copy = cast.alice.put(f"/api/events/{event['id']}/copy", json={"calendar_id": calendar["id"]}).json
    assert copy["visibility"] == "link"
    assert copy["link_url"] != event["link_url"]
    assert cast.vera.put(f"/api/events/{event['id']}/copy").json["visibility"] == "members"


def test_an_import_leaves_the_link_alone_unless_it_says_otherwise(cast: Cast) -> None:
    event = by_link(cast.alice, uid="party@example.org")
    imported(cast.alice, a_file(an_entry("party@example.org", title="Renamed")))
    detail = cast.alice.get(f"/api/events/{event['id']}").json
    assert (detail["title"], detail["visibility"], detail["link_url"]) == ("Renamed", "link", event["link_url"])
    imported(cast.alice, a_file(an_entry("party@example.org", title="Renamed")), public="false")
    assert cast.alice.get(f"/api/events/{event['id']}").json["visibility"] == "members"


def test_an_event_that_is_seen_by_its_link_is_not_announced(cast: Cast) -> None:
    event = by_link(cast.alice)
    assert cast.alice.put(f"/api/events/{event['id']}/announce").status == 409


def test_guests_of_a_link_event_get_mail_with_the_link(cast: Cast, db: Database, settings: Settings) -> None:
    event = by_link(cast.alice, description="Bring a chair.")
    path = path_of_link(event)
    response = {"response": "YES", "email_address": "gus@example.org"}
    assert cast.anonymous.post(f"{path}/respond", data=response).status == 303
    [confirmation] = mails_about(db, settings, event["id"])
    assert "/r/" in text_of(confirmation)
    notified = cast.alice.put(f"/api/events/{event['id']}", json={"location": "The other garden"}).json["notified"]
    assert notified["email"] == 1
    message = {"to": ["going"], "subject": "Hello", "text": "See you."}
    assert cast.alice.post(f"/api/events/{event['id']}/messages", json=message).status == 202
    mails = mails_about(db, settings, event["id"])
    assert [event["link_url"] in text_of(mail) for mail in mails] == [True, True]


def test_mail_about_an_event_that_was_closed_to_guests_is_not_sent(cast: Cast, db: Database, settings: Settings) -> None:
    event = by_link(cast.alice)
    assert cast.anonymous.post(f"{path_of_link(event)}/send", data={"email": "gus@example.org"}).status == 303
    assert cast.alice.put(f"/api/events/{event['id']}", json={"visibility": "members"}).status == 200
    assert mails_about(db, settings, event["id"]) == []


def test_a_guest_keeps_the_own_response_and_comment_without_the_link(cast: Cast, db: Database, settings: Settings) -> None:
    event = by_link(cast.alice)
    carol, link = verified(db, cast.carol), path_of_link(event)[3:]
    response = a_response(carol, event, link=link)
    comment = a_comment(carol, event, link=link)
    assert carol.get(f"/api/responses/{response['id']}").status == 200
    assert carol.put(f"/api/responses/{response['id']}", json={"response": "NO"}).status == 200
    assert carol.get(f"/responses/{response['id']}/edit").status == 200
    assert carol.put(f"/api/comments/{comment['id']}", json={"comment": "Oh"}).status == 200
    assert cast.dave.get(f"/api/responses/{response['id']}").status == 404
    assert cast.dave.put(f"/api/comments/{comment['id']}", json={"comment": "Oh"}).status == 404
    # What someone proposed without proof is confirmed by mail, which has no link of the event.
    a_response(cast.anonymous, event, email_address=carol.email_address, link=link)
    proposal = a_proposal_token(settings, 1_780_000_000)
    assert cast.anonymous.post(f"/r/confirm/{proposal}").status == 303
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"]["yes"] == 1


def test_a_proposal_for_all_dates_of_a_series_by_link_is_confirmed(cast: Cast, db: Database, settings: Settings) -> None:
    ids = five_mondays(cast.alice, visibility="link")
    carol, link = verified(db, cast.carol), token_of(cast.alice, ids[0])
    a_response(carol, {"id": ids[0]}, response="NO", scope="all", link=link)
    a_response(cast.anonymous, {"id": ids[0]}, email_address=carol.email_address, scope="all", link=link)
    assert cast.anonymous.post(f"/r/confirm/{a_proposal_token(settings, 1_780_000_000)}").status == 303
    assert [cast.alice.get(f"/api/events/{each}").json["responses"]["yes"] for each in ids] == [1] * 5

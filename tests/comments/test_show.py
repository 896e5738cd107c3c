"""GET /api/comments/<id>."""

from tests.cast import Cast, a_comment, an_event
from tests.site.administrator import Admin


def test_a_comment_is_shown_to_those_who_see_its_event(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    created = cast.carol.post("/api/comments", json={"event_id": event["id"], "comment": "See you there"})
    path = f"/api/comments/{created.json['id']}"
    assert created.headers["Location"] == path
    assert cast.anonymous.get(path).json == cast.bob.get(path).json == created.json
    assert cast.alice.get(path).json == created.json | {"email_address": cast.carol.email_address}


def test_a_comment_that_waits_is_shown_to_the_events_editors_and_admins_alone(cast: Cast) -> None:
    comment = a_comment(cast.anonymous, an_event(cast.alice, public=True), email_address="gus@example.org")
    path = f"/api/comments/{comment['id']}"
    assert [person.get(path).status for person in (cast.anonymous, cast.carol, cast.alice)] == [404, 404, 200]
    assert Admin(cast.anonymous, "ada").get(path).status == 200


def test_a_comment_on_a_private_event_is_not_found(cast: Cast) -> None:
    comment = a_comment(cast.alice, an_event(cast.alice))
    path = f"/api/comments/{comment['id']}"
    assert [person.get(path).status for person in (cast.anonymous, cast.carol, cast.alice)] == [404, 404, 200]


def test_the_link_of_an_event_shows_its_comments(cast: Cast) -> None:
    event = an_event(cast.alice, visibility="link")
    path = f"/api/comments/{a_comment(cast.alice, event)['id']}"
    link = event["link_url"].rsplit("/", 1)[1]
    assert (cast.anonymous.get(path).status, cast.anonymous.get(f"{path}?link={link}").status) == (404, 200)

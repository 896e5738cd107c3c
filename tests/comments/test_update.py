"""GET /api/comments/<id>/edit, PUT and DELETE /api/comments/<id>."""

from typing import Any

import pytest

from kalends import policy
from kalends.http.context import Context
from tests.cast import Cast, a_calendar, a_comment, an_event

pytestmark = pytest.mark.on_one_database


def test_the_author_changes_the_text_and_the_event_owner_everything(cast: Cast) -> None:
    comment = a_comment(cast.carol, an_event(cast.alice, public=True))
    path = f"/api/comments/{comment['id']}"
    assert cast.carol.get(f"{path}/edit").json == {"approved": "true", "name": "Carol", "comment": "See you there"}
    assert cast.carol.put(path, json={"comment": "Or not"}).json["comment"] == "Or not"
    assert cast.carol.put(path, json={"approved": False}).status == 403
    assert cast.alice.put(path, json={"approved": "0", "name": ""}).json["name"] is None
    assert cast.alice.get(f"{path}/edit").json == {"approved": "false", "name": None, "comment": "Or not"}


def test_a_comment_that_its_author_changes_waits_for_approval_again(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True, moderation="all")
    comment = a_comment(cast.carol, an_event(cast.alice, calendar_id=calendar["id"]))
    path = f"/api/comments/{comment['id']}"
    assert cast.alice.put(path, json={"approved": True}).json["approved"] == "true"
    assert cast.carol.put(path, json={"comment": "Something else"}).json["approved"] == "false"


@pytest.mark.parametrize("who", ["alice", "carol"])
def test_the_author_and_the_event_owner_delete_a_comment(cast: Cast, who: str) -> None:
    event = an_event(cast.alice, public=True)
    comment = a_comment(cast.carol, event)
    path = f"/api/comments/{comment['id']}"
    assert (cast.bob.delete(path).status, cast.anonymous.delete(path).status) == (403, 401)
    assert cast.bob.delete(path).json["detail"] == "Only its author and the event owner may do this."
    assert getattr(cast, who).delete(path).json == {"deleted": [comment["id"]]}
    assert cast.alice.get(f"/api/comments?event_id={event['id']}").json["comments"] == []


def test_a_comment_that_is_deleted_meanwhile_is_not_found(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    comment = a_comment(cast.carol, an_event(cast.alice, public=True))
    load = policy.comment

    def delete(ctx: Context, comment_id: int, **options: Any) -> Any:
        loaded = load(ctx, comment_id, **options)
        ctx.tx.run("DELETE FROM comments WHERE id = :id", id=comment_id)
        return loaded

    monkeypatch.setattr(policy, "comment", delete)
    assert cast.carol.put(f"/api/comments/{comment['id']}", json={"comment": "Or not"}).status == 404


def test_a_comment_that_waits_for_approval_is_not_found_for_others(cast: Cast) -> None:
    comment = a_comment(cast.anonymous, an_event(cast.alice, public=True), email_address="gus@example.org")
    for other in (cast.carol, cast.anonymous):
        assert other.put(f"/api/comments/{comment['id']}", json={"comment": "Mine"}).status == 404
        assert other.delete(f"/api/comments/{comment['id']}").status == 404


@pytest.mark.parametrize("fields", [{"approved": "perhaps"}, {"comment": ""}, {"name": "x" * 201}])
def test_invalid_values_name_their_fields(cast: Cast, fields: dict[str, str]) -> None:
    comment = a_comment(cast.carol, an_event(cast.alice, public=True))
    reply = cast.alice.put(f"/api/comments/{comment['id']}", json=fields)
    assert (reply.status, reply.broken) == (422, list(fields))


def test_comments_outlive_their_author(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_comment(cast.dave, event)
    assert cast.dave.delete(f"/api/users/{cast.dave.id}", json={"current_password": "correct horse battery"}).status == 200
    assert [c["name"] for c in cast.alice.get(f"/api/comments?event_id={event['id']}").json["comments"]] == ["Dave"]

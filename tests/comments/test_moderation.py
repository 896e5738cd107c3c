"""What admins may do with comments: they approve and delete them, and neither read private ones nor rewrite any."""

from tests.cast import Cast, a_calendar, a_comment, a_report, an_event, shared
from tests.site.administrator import Admin


def test_an_admin_reads_and_changes_no_comment_on_an_event_that_they_do_not_see(cast: Cast) -> None:
    path = f"/api/comments/{a_comment(cast.alice, an_event(cast.alice), comment='secret')['id']}"
    ada = Admin(cast.anonymous, "ada")
    replies = [ada.get(path), ada.get(f"{path}/edit"), ada.put(path, json={"comment": "Mine"}), ada.put(path, json={"approved": False})]
    assert [reply.status for reply in [*replies, ada.delete(path), ada.get(path.replace("/api", "") + "/delete")]] == [404] * 6
    assert cast.alice.get(path).json["comment"] == "secret"


def test_an_admin_does_not_rewrite_a_comment(cast: Cast) -> None:
    comment = a_comment(cast.carol, an_event(cast.alice, public=True), comment="Hello")
    path, ada = f"/api/comments/{comment['id']}", Admin(cast.anonymous, "ada")
    assert [ada.get(f"{path}/edit").status, ada.put(path, json={"comment": "Mine"}).status] == [403, 403]
    assert ada.put(path, json={"comment": "Mine", "approved": True}).status == 403
    assert ada.put(path, json={"name": "Eve"}).status == 403
    assert cast.alice.get(path).json["comment"] == "Hello"
    assert ada.put(path, json={"approved": False}).status == 200
    assert ada.delete(path).status == 200


def test_an_admin_approves_and_deletes_what_waits_or_was_reported_on_an_event_that_they_do_not_see(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, moderation="all")
    shared(cast.alice, calendar, cast.vera, "viewer")
    event, ada = an_event(cast.alice, calendar_id=calendar["id"]), Admin(cast.anonymous, "ada")
    waiting = f"/api/comments/{a_comment(cast.vera, event)['id']}"
    assert ada.put(waiting, json={"comment": "Mine"}).status == 404
    assert [ada.get(waiting).status, ada.put(waiting, json={"approved": True}).status, ada.get(waiting).status] == [200, 200, 404]
    reported = a_comment(cast.alice, event)["id"]
    a_report(cast.vera, comment_id=reported)
    assert [ada.get(f"/api/comments/{reported}").status, ada.delete(f"/api/comments/{reported}").status] == [200, 200]

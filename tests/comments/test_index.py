"""GET /api/comments, and the comments in an event's show."""

import pytest

from tests.cast import Cast, a_calendar, a_comment, an_event, shared

pytestmark = pytest.mark.on_one_database


def test_comments_come_newest_first_in_pages(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    comment_ids = [a_comment(cast.carol, event, comment=f"Number {i}")["id"] for i in range(5)]
    first = cast.anonymous.get(f"/api/comments?event_id={event['id']}&limit=2&count=true").json
    assert ([c["id"] for c in first["comments"]], first["total"]) == (comment_ids[:2:-1], 5)
    second = cast.anonymous.get(first["next"]).json
    assert [c["id"] for c in second["comments"]] == [comment_ids[2], comment_ids[1]]


def test_index_without_an_event_lists_comments_on_all_editable_events(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    here = a_comment(cast.carol, an_event(cast.alice, calendar_id=calendar["id"]))
    elsewhere = a_comment(cast.carol, an_event(cast.alice, public=True))
    assert [c["id"] for c in cast.alice.get("/api/comments").json["comments"]] == [elsewhere["id"], here["id"]]
    assert [c["id"] for c in cast.bob.get("/api/comments?count=1").json["comments"]] == [here["id"]]
    assert cast.vera.get("/api/comments").json["comments"] == []
    assert cast.anonymous.get("/api/comments").status == 401


def test_show_includes_the_newest_ten_comments_or_the_requested_page(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    comment_ids = [a_comment(cast.carol, event, comment=f"Number {i}")["id"] for i in range(12)]
    a_comment(cast.anonymous, event, email_address="gus@example.org")
    path = f"/api/events/{event['id']}"
    assert "comments" not in cast.anonymous.get(path).json
    assert "comments" not in cast.anonymous.get(f"{path}?comments=false").json
    detail = cast.anonymous.get(f"{path}?comments=true").json
    assert ([c["id"] for c in detail["comments"]], detail["comments_count"]) == (comment_ids[:1:-1], 12)
    page = cast.anonymous.get(f"{path}?comments[limit]=2&comments[offset]=1").json
    assert [c["id"] for c in page["comments"]] == [comment_ids[10], comment_ids[9]]
    assert cast.alice.get(path).json["comments_count"] == 13
    assert cast.anonymous.get(f"{path}?comments[limit]=-1").broken == ["comments[limit]"]

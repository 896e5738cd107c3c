"""GET /api/comments, and the comments in an event's show."""

from tests.cast import Cast, a_calendar, a_comment, an_event, shared


def test_comments_come_newest_first_in_pages(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    made = [a_comment(cast.carol, event, comment=f"Number {i}")["id"] for i in range(5)]
    first = cast.anonymous.get(f"/api/comments?event_id={event['id']}&limit=2&count=true").json
    assert ([c["id"] for c in first["comments"]], first["total"]) == (made[:2:-1], 5)
    second = cast.anonymous.get(first["next"]).json
    assert [c["id"] for c in second["comments"]] == [made[2], made[1]]


def test_without_an_event_all_comments_on_the_events_that_one_may_edit(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    here = a_comment(cast.carol, an_event(cast.alice, calendar_id=calendar["id"]))
    elsewhere = a_comment(cast.carol, an_event(cast.alice, public=True))
    assert [c["id"] for c in cast.alice.get("/api/comments").json["comments"]] == [elsewhere["id"], here["id"]]
    assert [c["id"] for c in cast.bob.get("/api/comments?count=1").json["comments"]] == [here["id"]]
    assert cast.vera.get("/api/comments").json["comments"] == []
    assert cast.anonymous.get("/api/comments").status == 401


def test_show_has_the_newest_ten_on_request_or_those_that_are_chosen(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    made = [a_comment(cast.carol, event, comment=f"Number {i}")["id"] for i in range(12)]
    a_comment(cast.anonymous, event, email_address="gus@example.org")
    path = f"/api/events/{event['id']}"
    assert "comments" not in cast.anonymous.get(path).json
    assert "comments" not in cast.anonymous.get(f"{path}?comments=false").json
    shown = cast.anonymous.get(f"{path}?comments=true").json
    assert ([c["id"] for c in shown["comments"]], shown["comments_count"]) == (made[:1:-1], 12)
    chosen = cast.anonymous.get(f"{path}?comments[limit]=2&comments[offset]=1").json
    assert [c["id"] for c in chosen["comments"]] == [made[10], made[9]]
    assert cast.alice.get(path).json["comments_count"] == 13
    assert cast.anonymous.get(f"{path}?comments[limit]=-1").broken == ["comments[limit]"]

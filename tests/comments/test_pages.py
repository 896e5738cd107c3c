"""Pages of comments: approve, hide and delete, and the redirect back."""

import pytest

from tests.cast import Cast, a_comment, an_event

pytestmark = pytest.mark.on_one_database


def visible_comments(cast: Cast, event_id: int) -> list[str]:
    return [comment["comment"] for comment in cast.anonymous.get(f"/api/comments?event_id={event_id}").json["comments"]]


def test_a_comment_is_approved_and_hidden_again(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    comment = a_comment(cast.anonymous, event, email_address="dana@example.org")
    assert visible_comments(cast, event["id"]) == []
    done = cast.alice.post(f"/comments/{comment['id']}/approve", data={"next": f"/events/{event['id']}"})
    assert done.redirect == (f"/events/{event['id']}", "approved")
    assert visible_comments(cast, event["id"]) == ["See you there"]
    assert cast.alice.post(f"/comments/{comment['id']}/hide").redirect == ("/responses", "hidden")
    assert visible_comments(cast, event["id"]) == []


def test_deleting_a_comment_asks_for_confirmation(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    comment = a_comment(cast.bob, event, comment="Buy <cheap> things")
    page = cast.alice.get(f"/comments/{comment['id']}/delete?next=/responses%3Foffset=50")
    assert "Buy &lt;cheap&gt; things" in page.text
    assert 'name="next" value="/responses?offset=50"' in page.text
    assert visible_comments(cast, event["id"]) == ["Buy <cheap> things"]
    done = cast.alice.post(f"/comments/{comment['id']}/delete", data={"next": "/responses?offset=50"})
    assert done.redirect == ("/responses?offset=50", "deleted")
    assert visible_comments(cast, event["id"]) == []
    assert cast.alice.get(f"/comments/{comment['id']}/delete").status == 404


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "/\u2603"])
def test_the_redirect_stays_on_this_site(cast: Cast, elsewhere: str) -> None:
    event = an_event(cast.alice, public=True)
    comment = a_comment(cast.bob, event)
    page = cast.alice.get(f"/comments/{comment['id']}/delete", query={"next": elsewhere})
    assert 'name="next" value="/calendar"' in page.text
    assert cast.alice.post(f"/comments/{comment['id']}/hide", data={"next": elsewhere}).redirect == ("/calendar", "hidden")


def test_the_authors_of_comments_may_not_approve_them(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    comment = a_comment(cast.bob, event)
    for action in ("approve", "hide"):
        assert cast.bob.post(f"/comments/{comment['id']}/{action}").status == 403
    assert visible_comments(cast, event["id"]) == ["See you there"]
    assert cast.bob.post(f"/comments/{comment['id']}/delete").status == 303
    assert visible_comments(cast, event["id"]) == []


def test_authors_delete_their_own_comments_from_the_page_of_the_event(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    own, other = a_comment(cast.bob, event), a_comment(cast.carol, event)
    page = cast.bob.get(f"/events/{event['id']}").text
    assert f'href="/comments/{own["id"]}/delete"' in page
    assert f'href="/comments/{other["id"]}/delete"' not in page
    assert "/delete" not in cast.anonymous.get(f"/events/{event['id']}").text
    assert "Hide it instead" not in cast.bob.get(f"/comments/{own['id']}/delete").text
    assert "Hide it instead" in cast.alice.get(f"/comments/{own['id']}/delete").text

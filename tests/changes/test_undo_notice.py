"""What the page says after an undo: what was undone, and how many people still get mail about what was changed before."""

from typing import Any

import pytest

from kalends.web.notices import COOKIE
from tests.cast import Cast, a_response, an_event
from tests.client import Client


def _undo(owner: Client, event: dict[str, Any]) -> str:
    """Undo the last change of the event on its page; returns the notice, with its number."""
    seq = owner.get(f"/api/events/{event['id']}/changes?limit=1").json["changes"][0]["seq"]
    path, notice = owner.post(f"/changes/{seq}/undo", data={"next": "/calendar"}).redirect
    assert path == "/calendar"
    return notice


@pytest.mark.parametrize(("moved", "number"), [(False, 0), (True, 2)])
def test_an_undone_cancellation_says_how_many_still_get_mail(cast: Cast, moved: bool, number: int) -> None:
    event = an_event(cast.alice, public=True, start_time="2037-06-01T20:00")
    for name in ("gus", "hal"):
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org")
    if moved:
        assert cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2037-06-02T20:00"}).status == 200
    assert cast.alice.put(f"/api/events/{event['id']}", json={"status": "cancelled"}).json["notified"]["email"] == 2
    assert _undo(cast.alice, event) == f"uncancelled.{number}"


def test_an_undo_of_what_mails_nobody_says_only_that_it_is_undone(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2037-06-01T20:00", title="Concert")
    assert cast.alice.put(f"/api/events/{event['id']}", json={"title": "Concerto"}).status == 200
    assert _undo(cast.alice, event) == "undone"


@pytest.mark.parametrize("page", ["/events/{id}/history", "/trash", "/contacts?limit=5", "/calendar"])
def test_a_refused_undo_returns_to_its_button_and_says_why(cast: Cast, page: str) -> None:
    event = an_event(cast.alice)
    for title in ("First", "Second"):
        assert cast.alice.put(f"/api/events/{event['id']}", json={"title": title}).status == 200
    seq = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"][1]["seq"]
    refused = cast.alice.post(f"/changes/{seq}/undo", data={"next": page.format(id=event["id"])})
    assert refused.redirect[0] == page.format(id=event["id"])
    shown = cast.alice.get(refused.redirect[0], headers={"Cookie": f"{COOKIE}={refused.cookies[COOKIE]}"})
    assert "<p>You’ve changed this since, so it can’t be undone. Change it by hand instead.</p>" in shown.text
    assert f"{COOKIE}=; " in shown.headers["Set-Cookie"]


@pytest.mark.parametrize("value", ["problem", "problem.", "problem..Call%20us", "problem.abc.Call%20us", "problem.é.Call us"])
def test_nobody_else_puts_a_text_on_the_page(cast: Cast, value: str) -> None:
    page = cast.alice.get("/trash", headers={"Cookie": f"{COOKIE}={value}"})
    assert page.status == 200
    assert "Call" not in page.text

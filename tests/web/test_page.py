"""Forms of pages: an error after a write undoes it, and the form comes back with the typed values."""

import pytest

from tests.cast import Cast

pytestmark = pytest.mark.on_one_database


def test_an_error_after_a_write_rolls_back_and_shows_the_form_again(cast: Cast) -> None:
    event = {"title": "Weekly <jam>", "start_time": "2026-05-11", "repeat": "custom", "frequency": "WEEKLY", "interval": "0"}
    event |= {"ends": "on", "end_date": "2026-06-11"}
    reply = cast.alice.post("/events", data=event)
    assert reply.status == 422
    assert 'value="Weekly &lt;jam&gt;"' in reply.text
    assert 'href="#interval"' in reply.text
    assert cast.alice.get("/api/events").json["events"] == []
    assert cast.alice.post("/events", data=event | {"interval": "1"}).status == 303
    assert len(cast.alice.get("/api/events?limit=50").json["events"]) == 5


def test_a_form_about_a_missing_record_is_an_error_page(cast: Cast) -> None:
    reply = cast.alice.post("/calendars/999999999/edit", data={"name": "Jazz"}, headers={"Accept": "text/html"})
    assert (reply.status, "Page not found" in reply.text) == (404, True)

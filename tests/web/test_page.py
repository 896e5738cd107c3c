"""Forms of pages: an error after a write undoes it, and the form comes back with the typed values."""

from typing import Any

import pytest

from kalends.web.forms import FormState
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


# Values that no input of a browser sends, in forms with texts, boxes, choices, a picture and a list of days.
SHAPES: list[Any] = [2**31, 1.5, True, False, None, "", [], ["a", 1, None], [[["a"]]], {"a": {"": None}}]


@pytest.mark.parametrize("path", ["/account/devices", "/account/keys", "/events", "/webhooks"])
def test_a_form_that_is_sent_as_json_of_any_shape_is_shown_again(cast: Cast, path: str) -> None:
    names = ("calendar_ids", "scopes", "kinds", "title", "name", "url", "image_url", "by_day", "start_time", "calendar_id")
    for value in SHAPES:
        reply = cast.alice.post(path, json=dict.fromkeys(names, value) | {"name": [], "start_time": "never"})
        assert (reply.status, "<form" in reply.text) == (422, True), value


@pytest.mark.parametrize("value", SHAPES, ids=repr)
def test_a_value_of_any_shape_is_a_text_or_a_list_of_texts(value: Any) -> None:
    state = FormState({"name": value})
    assert type(state.value("name")) is str
    assert all(type(text) is str and text for text in state.texts("name"))


def test_the_boxes_that_were_ticked_stay_ticked_however_they_were_sent() -> None:
    shapes = [["12", "3"], [12, 3], "12", 12, [], None, {"0": "12"}]
    assert [FormState({"ids": value}).texts("ids") for value in shapes] == [["12", "3"], ["12", "3"], ["12"], ["12"], [], [], []]


def test_a_form_about_a_missing_record_is_an_error_page(cast: Cast) -> None:
    reply = cast.alice.post("/calendars/999999999/edit", data={"name": "Jazz"}, headers={"Accept": "text/html"})
    assert (reply.status, "Page not found" in reply.text) == (404, True)

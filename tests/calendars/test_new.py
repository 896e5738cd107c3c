"""GET /api/calendars/new."""

from tests.cast import Cast, Person


def test_new_answers_the_fields_with_defaults_and_saves_nothing(cast: Cast) -> None:
    hiro = Person(cast.anonymous, "hiro", time_zone="Asia/Tokyo")
    answer = hiro.get("/api/calendars/new")
    defaults = {"name": "", "description": None, "color": "#2f6fde", "time_zone": "Asia/Tokyo", "public": False}
    defaults |= {"moderation": "guests", "party_max": None}
    assert (answer.status, answer.json) == (200, defaults)
    assert len(hiro.get("/api/calendars").json["calendars"]) == 1


def test_what_new_answers_may_be_sent_with_a_name(cast: Cast) -> None:
    form = cast.alice.get("/api/calendars/new").json
    made = cast.alice.post("/api/calendars", json=form | {"name": "Jazz"})
    assert made.status == 201
    assert {field: made.json[field] for field in form} == form | {"name": "Jazz"}

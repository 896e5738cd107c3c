"""DELETE /api/calendars/<id>."""

from tests.cast import Cast, a_calendar, shared


def test_a_deleted_calendar_is_gone_for_everybody(cast: Cast) -> None:
    calendar, kept = a_calendar(cast.alice, public=True), a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    gone = cast.alice.delete(f"/api/calendars/{calendar['id']}")
    assert (gone.status, gone.json) == (200, {"deleted": [calendar["id"]]})
    for person in (cast.anonymous, cast.alice, cast.bob):
        assert person.get(f"/api/calendars/{calendar['id']}").status == 404
    assert [c["id"] for c in cast.alice.get("/api/calendars").json["calendars"]] == [cast.alice.primary_calendar_id, kept["id"]]
    assert len(cast.bob.get("/api/calendars").json["calendars"]) == 1
    assert cast.alice.delete(f"/api/calendars/{calendar['id']}").status == 404


def test_the_primary_calendar_stays(cast: Cast) -> None:
    answer = cast.alice.delete(f"/api/calendars/{cast.alice.primary_calendar_id}")
    assert answer.status == 409
    assert cast.alice.get(f"/api/calendars/{cast.alice.primary_calendar_id}").status == 200


def test_the_id_of_a_deleted_calendar_is_not_given_again(cast: Cast) -> None:
    """Somebody may still hold a link to it."""
    calendar = a_calendar(cast.alice)
    cast.alice.delete(f"/api/calendars/{calendar['id']}")
    assert a_calendar(cast.alice)["id"] > calendar["id"]

"""DELETE /api/keys/<id>."""

import pytest

from kalends.core.values import timestamps
from tests.cast import Cast, a_key, a_webhook
from tests.conftest import NOON
from tests.sessions.digests import signed

pytestmark = pytest.mark.on_one_database


def test_a_deleted_key_stops_working_at_once(cast: Cast) -> None:
    key, other = a_key(cast.alice), a_key(cast.alice)
    program = cast.anonymous.signed_in(key["wkey"])
    assert program.get("/api/calendars").status == 200
    assert cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).status == 201
    assert cast.anonymous.post("/api/session", json=signed(key, str(NOON))).status == 201

    gone = cast.alice.delete(f"/api/keys/{key['id']}")
    assert (gone.status, gone.json) == (200, {"deleted": [key["id"]]})

    assert program.get("/api/calendars").status == 401
    assert cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).status == 401
    assert cast.anonymous.post("/api/session", json=signed(key, str(NOON + 1))).status == 401
    assert cast.anonymous.post("/api/session", json=signed(key, timestamps.format_utc(NOON + 2))).status == 401
    assert [listed["id"] for listed in cast.alice.get("/api/keys").json["keys"]] == [other["id"]]
    assert cast.anonymous.signed_in(other["wkey"]).get("/api/calendars").status == 200


def test_a_key_may_delete_itself(cast: Cast) -> None:
    key = a_key(cast.alice)
    program = cast.anonymous.signed_in(key["wkey"])
    assert program.delete(f"/api/keys/{key['id']}").status == 200
    assert program.delete(f"/api/keys/{key['id']}").status == 401


@pytest.mark.parametrize("key_id", ["k000000000000000", "no", "1", "%00", "k%00", "%F0%9F%8E%B7", "current"])
def test_an_unknown_key_is_not_found(cast: Cast, key_id: str) -> None:
    assert cast.alice.delete(f"/api/keys/{key_id}").status == 404


def test_nobody_deletes_somebody_elses_key(cast: Cast) -> None:
    key = a_key(cast.alice)
    assert cast.carol.delete(f"/api/keys/{key['id']}").status == 404
    assert cast.anonymous.delete(f"/api/keys/{key['id']}").status == 401
    assert cast.anonymous.signed_in(key["wkey"]).get("/api/calendars").status == 200


def test_the_sessions_that_a_key_opened_end_with_it(cast: Cast) -> None:
    key = a_key(cast.alice)
    all_credentials = [{"wkey": key["wkey"]}, signed(key, str(NOON))]
    opened = [cast.anonymous.post("/api/session", json=each) for each in all_credentials]
    sessions = [cast.anonymous.signed_in(response.json["token"]) for response in opened]
    assert [session.get("/api/session/current").status for session in sessions] == [200, 200]
    assert cast.alice.delete(f"/api/keys/{key['id']}").status == 200
    assert [session.get("/api/session/current").status for session in sessions] == [401, 401]
    assert cast.alice.get("/api/session/current").status == 200


@pytest.mark.parametrize("by_session", [False, True])
def test_webhooks_that_a_key_made_or_changed_last_are_switched_off_with_it(cast: Cast, by_session: bool) -> None:
    key = a_key(cast.alice)
    token = cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).json["token"] if by_session else key["wkey"]
    program = cast.anonymous.signed_in(token)
    made, adopted, own, changed = a_webhook(program), a_webhook(program), a_webhook(cast.alice), a_webhook(cast.alice)
    assert cast.alice.put(f"/api/webhooks/{adopted['id']}", json={"kinds": ["event"]}).status == 200
    assert program.put(f"/api/webhooks/{changed['id']}", json={"url": made["url"]}).status == 200
    assert cast.alice.delete(f"/api/keys/{key['id']}").status == 200
    states = {each["id"]: (each["enabled"], each["disabled_reason"]) for each in cast.alice.get("/api/webhooks").json["webhooks"]}
    assert states == {
        **dict.fromkeys((made["id"], changed["id"]), (False, "key")),
        **dict.fromkeys((adopted["id"], own["id"]), (True, None)),
    }
    assert "with the API key" in cast.alice.get("/webhooks").text
    assert cast.alice.put(f"/api/webhooks/{made['id']}", json={"enabled": True}).json["enabled"] is True

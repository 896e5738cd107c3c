"""`dry_run`: a write replies as it would, names whom it would tell, and changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from tests.cast import Cast, Person, a_response, an_event, an_invitation
from tests.client import Client
from tests.events.importing import a_file, an_entry
from tests.events.series import events_of_series
from tests.http.multipart import multipart
from tests.http.stored_rows import FreshService
from tests.subscribers.confirmations import confirmed

pytestmark = pytest.mark.on_one_database

CHANGES: list[dict[str, Any]] = [
    {"start_time": "2027-06-02T20:00"},
    {"end_time": "2027-06-20T23:00"},
    {"location": "Elsewhere"},
    {"status": "planned"},
    {"status": "cancelled"},
    {"status": "postponed", "status_note": "Rain"},
    {"title": "Another"},
    {"capacity": 3},
    {"public": False, "start_time": "2027-06-02T20:00"},
    {},
]
EXAMPLES = strategies.fixed_dictionaries(
    {
        "before": strategies.sampled_from(CHANGES),
        "fields": strategies.sampled_from(CHANGES),
        "notify": strategies.sampled_from([None, "auto", "none", "going", "concerned", "all"]),
        "scope": strategies.sampled_from([None, "this", "following", "all"]),
        "index": strategies.integers(0, 2),
    }
)
Example = dict[str, Any]


class Scene:
    """A series of Alice's with guests, with an invited one who has not responded, and a subscriber."""

    def __init__(self, fresh: FreshService, example: Example):
        cast = Cast(fresh.guest)
        self.alice: Person = cast.alice
        first = an_event(cast.alice, public=True, start_time="2027-06-01T20:00", capacity=1, waiting_list="auto", uid="series")
        assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
        self.dates = events_of_series(cast.alice, first["id"])
        for date, names in zip(self.dates, ("gus hal", "gus ida", "jon"), strict=True):
            for name in names.split():
                a_response(cast.anonymous, date, email_address=f"{name}@example.org", response="NO" if name == "ida" else "YES")
        self.invitation = an_invitation(cast.alice, self.dates[example["index"]])
        a_response(cast.anonymous, first, email_address="sue@example.org", opt_in=True)
        confirmed(cast.alice, fresh.settings, "sue@example.org")
        with fresh.db.write() as tx:
            tx.run("UPDATE invitations SET state = 'sent'")
        self.event = self.dates[example["index"]]
        self.path = f"/api/events/{self.event['id']}"
        self.params = example["fields"] | {name: example[name] for name in ("notify", "scope") if example[name]}
        self.notice = {"notify": example["notify"]} if example["notify"] else {}
        self.put(example["before"] | {"notify": "none"})

    def put(self, fields: dict[str, Any]) -> None:
        assert self.alice.put(self.path, json=fields).status == 200

    @property
    def ids(self) -> list[int]:
        return [date["id"] for date in self.dates]

    @property
    def newest_change(self) -> int:
        seq: int = self.alice.get(f"{self.path}/changes").json["changes"][0]["seq"]
        return seq


def _undo(scene: Scene) -> tuple[str, str, Any]:
    scene.put(scene.params | {"notify": "none"})
    return "POST", f"/api/changes/{scene.newest_change}/undo", {"json": scene.notice}


def _restore(scene: Scene) -> tuple[str, str, Any]:
    assert scene.alice.delete(scene.path, json={"notify": "none"}).status == 200
    seq = scene.alice.get("/api/trash").json["trash"][0]["seq"]
    return "POST", f"/api/changes/{seq}/undo", {"json": scene.notice}


def _import(scene: Scene) -> tuple[str, str, Any]:
    file = a_file(an_entry("series", "DTSTART:20270602T180000Z", "RRULE:FREQ=WEEKLY;COUNT=2"), an_entry("new"))
    return "POST", "/api/events/import", multipart(files=[("file", "a.ics", file.encode())])


def _without_scope(scene: Scene) -> dict[str, Any]:
    return {name: value for name, value in scene.params.items() if name != "scope"}


NEW = {"title": "New", "start_time": "2027-06-01"}
# Every write on events that can tell someone, or might.
WRITES: dict[str, Callable[[Scene], tuple[str, str, Any]]] = {
    "create": lambda scene: ("POST", "/api/events", {"json": NEW | scene.notice}),
    "create several": lambda scene: ("POST", "/api/events", {"json": [NEW | scene.notice] * 2}),
    "change": lambda scene: ("PUT", scene.path, {"json": scene.params}),
    "change several": lambda scene: ("PUT", scene.path, {"json": _without_scope(scene) | {"ids": scene.ids}}),
    "change by uid": lambda scene: ("PUT", "/api/events?uid=series", {"json": NEW | _without_scope(scene)}),
    "create by uid": lambda scene: ("PUT", "/api/events?uid=new", {"json": NEW | _without_scope(scene)}),
    "delete": lambda scene: ("DELETE", scene.path, {"json": scene.notice | {"scope": scene.params.get("scope", "this")}}),
    "delete several": lambda scene: ("DELETE", scene.path, {"json": scene.notice | {"ids": scene.ids}}),
    "repeat": lambda scene: ("PUT", f"{scene.path}/repeat", {"json": {"frequency": "DAILY", "count": 5} | scene.notice}),
    "copy": lambda scene: ("PUT", f"{scene.path}/copy", {}),
    "undo": _undo,
    "restore": _restore,
    "import": _import,
    "message": lambda scene: (
        "POST",
        f"{scene.path}/messages",
        {"json": {"to": ["going", "waiting", "no", "not_answered"], "subject": "Hello", "text": "Bring a chair."}},
    ),
    "invite": lambda scene: (
        "POST",
        f"{scene.path}/invitations",
        {"json": {"addresses": ["ines@example.org", "kai@example.org"], "scope": "all"}},
    ),
    "invite again": lambda scene: ("PUT", f"{scene.path}/invitations/{scene.invitation['id']}/resend", {}),
    "take an invitation back": lambda scene: ("DELETE", f"{scene.path}/invitations/{scene.invitation['id']}", {}),
    "announce": lambda scene: ("PUT", f"{scene.path}/announce", {}),
}


# Each example reads all tables several times.
@settings(max_examples=settings().max_examples // 8)
@given(example=EXAMPLES)
@pytest.mark.parametrize("name", WRITES)
def test_a_dry_run_names_exactly_those_whom_the_write_notifies_and_changes_nothing(
    fresh: FreshService, name: str, example: Example
) -> None:
    scene = Scene(fresh, example)
    method, path, options = WRITES[name](scene)
    headers, before = options.pop("headers", {}), fresh.contents()
    as_dry_run = {"headers": headers | {"Idempotency-Key": "dry"}, "query_string": f"{path.partition('?')[2]}&dry_run=true"}
    dry = scene.alice.request(method, path, **options, **as_dry_run)
    assert fresh.contents() == before
    real = scene.alice.request(method, path, **options, headers=headers)
    after = fresh.contents()
    assert dry.status == real.status, (dry, real)
    if real.status >= 400:
        assert dry.json | {"request_id": ""} == real.json | {"request_id": ""}
        return
    reply = dry.json
    would_notify, changes = reply.pop("would_notify"), reply.pop("would_change")
    notified = sorted((each["kind"], each["channel"], each["address"]) for each in would_notify["messages"])
    assert notified == sorted(fresh.queued()[len(before["deliveries"]) :])
    assert _without_ids(reply.get("reply", reply)) == _without_ids(real.json)
    assert bool(changes) == (after["changes"] != before["changes"])


def _without_ids(reply: Any) -> Any:
    """The reply without numbers that PostgreSQL does not give twice."""
    if isinstance(reply, list):
        return [_without_ids(each) for each in reply]
    if not isinstance(reply, dict):
        return reply
    return {name: _without_ids(value) for name, value in reply.items() if name not in ("id", "series_id", "uid", "url")}


def test_a_batch_can_be_tried_and_a_dry_run_has_no_location(fresh: FreshService) -> None:
    alice = Cast(fresh.guest).alice
    batch = alice.post("/api/events?dry_run=true", json=[NEW, NEW], headers={"Prefer": "handling=strict"})
    assert [each["title"] for each in batch.json["reply"]] == ["New", "New"]
    assert [each["op"] for each in batch.json["would_change"] if each["kind"] == "event"] == ["create"] * 2
    created = alice.post("/api/events", json=NEW | {"dry_run": True}, headers={"Prefer": "handling=strict"})
    assert (created.status, "Location" in created.headers, "ETag" in created.headers) == (201, False, False)
    assert alice.get("/api/events").json["events"] == []


def test_a_dry_run_is_refused_where_nobody_is_signed_in_yet_and_does_not_tell_guests_who_has_responded(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org")
    for name in ("gus", "hal"):
        response = {"event_id": event["id"], "response": "NO", "email_address": f"{name}@example.org", "dry_run": "yes"}
        reply = cast.anonymous.post("/api/responses", json=response)
        assert (reply.status, reply.json["would_notify"], reply.json["would_change"]) == (201, None, None)
    assert [each["response"] for each in cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]] == ["YES"]
    guess = {"user_name": cast.alice.user_name, "password": "wrong", "dry_run": True}
    assert _refused_field(cast.anonymous, "POST", "/api/session", guess) == "dry_run"
    assert _refused_field(cast.alice, "PUT", f"/api/events/{event['id']}", {"dry_run": "perhaps"}) == "dry_run"
    assert _refused_field(cast.alice, "PUT", f"/api/events/{event['id']}?dry_run=true", {"title": "New", "dry_run": False}) == "dry_run"


def _refused_field(client: Client, method: str, path: str, params: dict[str, Any]) -> str:
    reply = client.request(method, path, json=params)
    assert reply.status == 422, reply
    return str(reply.json["errors"][0]["field"])

"""The permission table for keys that name calendars: every endpoint, with a key of the calendar of its records, and of another one."""

from functools import cached_property
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.dav.paths import BIRTHDAYS
from kalends.policy.actor import opens_with_calendars
from tests.cast import Cast, a_calendar, a_comment, a_key, a_response, an_event, shared
from tests.client import Client, Reply
from tests.conftest import NOON
from tests.dav.clients import calendar_path, device, propfind, report
from tests.sessions.digests import signed
from tests.test_policy import CHANGES_PEOPLE, TABLE, Scene, content_of, name_of, statuses

CANARY = "canarybird"
# Of these, the actor of a request decides nothing, or the request is one of the key itself.
ENDPOINTS_OF_KEYS = [each for each in ENDPOINTS if each.credentials and not each.on_event_loop and not CHANGES_PEOPLE.search(each.url)]
API = [each for each in ENDPOINTS_OF_KEYS if each.url.startswith("/api/")]
# It goes without a calendar: on the primary one, which the key does not open; or the reply never ends.
ELSEWHERE = {"GET /api/events/new", "PUT /api/events/{event_id}/add", "PUT /api/events/{event_id}/copy", "POST /api/contacts/import"}


class CanaryScene(Scene):
    """Records with a word that nobody may read who does not open their calendar."""

    def __init__(self, cast: Cast, settings: Settings, visibility: str):
        super().__init__(cast, settings, visibility)
        assert cast.alice.put(f"/api/calendars/{self.calendar['id']}", json={"name": CANARY}).status == 200

    @cached_property
    def event(self) -> dict[str, Any]:
        event = an_event(self.cast.alice, calendar_id=self.calendar["id"], title=CANARY, location=CANARY)
        a_comment(self.cast.alice, event, comment=CANARY)
        a_response(self.cast.alice, event, comment=CANARY)
        a_response(self.cast.alice, event, email_address=f"{CANARY}@example.org", name=CANARY, opt_in=True)
        return event


def a_program(cast: Cast, *calendars: dict[str, Any], **fields: Any) -> Client:
    """A client with alice's key for these calendars."""
    return cast.anonymous.signed_in(a_key(cast.alice, calendar_ids=[int(each["id"]) for each in calendars], **fields)["wkey"])


def _is_refused(reply: Reply) -> bool:
    return reply.status == 403 and "insufficient-scope" in reply.text


def test_a_key_has_the_permissions_of_its_user_on_its_calendar(cast: Cast, settings: Settings) -> None:
    wrong: dict[str, Any] = {}
    scene: Scene | None = None
    tried = 0
    for endpoint in API:
        name = name_of(endpoint)
        if name in ELSEWHERE or name == "GET /api/changes/stream":
            continue
        scene = scene or Scene(cast, settings, "private")
        owner = statuses(TABLE[name].get("private") or TABLE[name].get("") or next(iter(TABLE[name].values())))["owner"]
        reply = a_program(cast, scene.calendar).request(endpoint.method, scene.path(endpoint.url), **content_of(name, scene))
        is_open = opens_with_calendars(endpoint.method, endpoint.path)
        if _is_refused(reply) == is_open or (is_open and "private" in TABLE[name] and reply.status != owner):
            wrong[name] = reply.status, owner
        tried += 1
        if endpoint.writes and reply.status < 400:
            scene = None
    assert wrong == {}
    assert tried > 150


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_a_key_of_another_calendar_finds_and_changes_nothing(cast: Cast, settings: Settings, visibility: str) -> None:
    scene = CanaryScene(cast, settings, visibility)
    program = a_program(cast, a_calendar(cast.alice))
    assert scene.event["title"] == CANARY
    wrong: dict[str, int] = {}
    # Those last for which the event is shared by its link.
    for is_by_link in (False, True):
        endpoints = [each for each in ENDPOINTS_OF_KEYS if ("{event_link}" in each.url) is is_by_link]
        requests = [(each, scene.path(each.url), content_of(name_of(each), scene)) for each in endpoints]
        before = _state(cast, scene)
        for endpoint, path, content in requests:
            name = name_of(endpoint)
            names_record = visibility in TABLE[name] and ("{" in endpoint.url or content["json"] if "json" in content else True)
            if name == "GET /api/changes/stream":
                continue
            reply = program.request(endpoint.method, path, **content)
            is_changed = endpoint.writes and _state(cast, scene) != before
            if (names_record and reply.status < 400) or CANARY in reply.text or is_changed:
                wrong[name] = reply.status
        # Nor did any request that reads.
        assert _state(cast, scene) == before
    assert wrong == {}


def _state(cast: Cast, scene: Scene) -> tuple[Any, ...]:
    calendar, event = (
        cast.alice.get(f"/api/{kind}/{record['id']}") for kind, record in (("calendars", scene.calendar), ("events", scene.event))
    )
    comments = cast.alice.get("/api/comments", query={"event_id": str(scene.event["id"])}).text
    responses = cast.alice.get("/api/responses", query={"event_id": str(scene.event["id"])}).text
    return calendar.text, calendar.headers["ETag"], event.text, comments, responses


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_lists_leave_out_what_is_elsewhere(cast: Cast, settings: Settings, visibility: str) -> None:
    scene = CanaryScene(cast, settings, visibility)
    ours = a_calendar(cast.alice, name="Ours")
    mine = an_event(cast.alice, calendar_id=ours["id"], title="Ours", public=visibility == "public")
    a_comment(cast.alice, mine, comment="Ours")
    a_response(cast.alice, mine, email_address="ours@example.org", opt_in=True)
    program = a_program(cast, ours)
    cursor = program.get("/api/changes").json["cursor"]
    own_cursor = cast.alice.get("/api/changes").json["cursor"]
    elsewhere = str(scene.event["id"])
    for changed in (scene.event, mine):
        assert cast.alice.put(f"/api/events/{changed['id']}", json={"location": CANARY if changed is scene.event else "Ours"}).status == 200
    removed = an_event(cast.alice, calendar_id=scene.calendar["id"], title=CANARY)
    assert cast.alice.delete(f"/api/events/{removed['id']}").status == 200
    lists = [
        *(
            "/api/events",
            "/api/events.ics",
            "/api/calendars",
            "/api/comments",
            "/api/responses",
            "/api/subscribers",
            "/api/subscribers.csv",
        ),
        *("/api/deliveries", "/api/trash", f"/api/changes?cursor={cursor}", f"/api/changes?cursor={own_cursor}", "/api/ownership_offers"),
        *(f"/api/events?ids={elsewhere}", f"/api/events?ids={elsewhere},{mine['id']}", f"/api/events?text={CANARY}"),
        *(f"/api/events?uid={scene.event['uid']}", "/api/events?overlaps=true&start_time=2020-01-01", "/api/events?count=true&offset=1"),
        *(
            "/api/events?scope=public",
            f"/api/events?scope=public&text={CANARY}",
            "/api/events.ics?scope=public",
            "/api/events?latest_first=1",
        ),
    ]
    for path in lists:
        assert path.partition("?")[0] in {each.url for each in ENDPOINTS}
        reply = program.get(path)
        assert reply.status == 200, (path, reply)
        assert CANARY not in reply.text, path
    seen = program.get("/api/changes", query={"cursor": cursor}).json["changes"]
    assert [(each["kind"], each["op"], each["id"]) for each in seen] == [("event", "put", mine["id"])]
    assert [each["id"] for each in program.get("/api/events").json["events"]] == [mine["id"]]
    assert program.get("/api/events", query={"count": "true"}).json["total"] == 1
    assert program.get("/api/events", query={"scope": "public", "count": "true"}).json["total"] == (visibility == "public")
    assert [each["name"] for each in program.get("/api/calendars", query={"count": "true"}).json["calendars"]] == ["Ours"]
    assert len(program.get("/api/comments").json["comments"]) == 1
    assert [each["address"] for each in program.get("/api/subscribers").json["subscribers"]] == ["ours@example.org"]
    for path in (f"/api/calendars/{scene.calendar['id']}.ics", f"/api/changes?calendar_id={scene.calendar['id']}"):
        assert program.get(path).status == 404
    assert program.get("/api/events", query={"calendar_ids": f"{ours['id']},{scene.calendar['id']}"}).status == 404


def test_an_event_counts_as_on_each_of_its_calendars(cast: Cast) -> None:
    home, second = a_calendar(cast.alice, name="Home"), a_calendar(cast.alice, name="Second")
    event = an_event(cast.alice, calendar_id=home["id"])
    path = f"/api/events/{event['id']}"
    at_home, at_second = a_program(cast, home), a_program(cast, second)
    assert [each.get(path).status for each in (at_home, at_second)] == [200, 404]
    assert at_home.put(f"{path}/add", json={"calendar_id": second["id"]}).status == 404
    assert cast.alice.put(f"{path}/add", json={"calendar_id": second["id"]}).status == 200
    shown = at_second.get(path).json
    assert [each["name"] for each in shown["calendars"]] == ["Second"]
    assert [each["name"] for each in at_home.get(path).json["calendars"]] == ["Home"]
    listed = at_second.get("/api/events").json["events"]
    assert [each["calendar_ids"] for each in listed] == [[second["id"]]]
    # Its home calendar says who changes it, as for a user who has the second calendar alone.
    assert at_second.put(path, json={"title": "Mine"}).status == 403
    assert at_second.delete(path).status == 403
    assert at_home.put(path, json={"title": "Mine"}).status == 200
    assert at_second.put(f"{path}/remove", json={"calendar_id": home["id"]}).status in (403, 404)
    removed = at_second.put(f"{path}/remove", json={"calendar_id": second["id"]})
    assert (removed.status, removed.json["calendars"]) == (200, [])
    assert at_second.get(path).status == 404
    assert [each["name"] for each in cast.alice.get(path).json["calendars"]] == ["Home"]


def test_a_key_creates_and_moves_events_on_its_calendars_alone(cast: Cast) -> None:
    ours, other = a_calendar(cast.alice), a_calendar(cast.alice)
    program = a_program(cast, ours)
    fields = {"title": "Gig", "start_time": "2027-05-11T18:00:00Z"}
    for calendar_id in (None, other["id"]):
        refused = program.post("/api/events", json=fields | ({"calendar_id": calendar_id} if calendar_id else {}))
        assert (refused.status, refused.broken) == (404, ["calendar_id"])
    event = program.post("/api/events", json=fields | {"calendar_id": ours["id"]})
    assert event.status == 201
    path = f"/api/events/{event.json['id']}"
    for action, field in (("", "calendar_id"), ("/add", "calendar_id"), ("/copy", "calendar_id")):
        assert program.put(f"{path}{action}", json={field: other["id"]}).status == 404
    assert program.put(f"{path}/copy", json={}).status == 404
    assert _is_refused(program.post("/api/calendars", json={"name": "New"}))
    assert cast.alice.get("/api/events", query={"calendar_id": str(other["id"])}).json["events"] == []
    assert [each["id"] for each in cast.alice.get(path).json["calendars"]] == [ours["id"]]


def test_scopes_and_calendars_of_a_key_both_limit_it(cast: Cast) -> None:
    ours, other = a_calendar(cast.alice), a_calendar(cast.alice)
    program = a_program(cast, ours, scopes=["events:read"])
    assert [program.get(f"/api/calendars/{each['id']}").status for each in (ours, other)] == [200, 404]
    assert _is_refused(program.post("/api/events", json={"title": "Gig", "start_time": "2027-05-11", "calendar_id": ours["id"]}))
    assert _is_refused(program.get("/api/changes"))
    assert _is_refused(program.get("/api/contacts"))
    assert a_program(cast, ours).get("/api/contacts").status == 200


def test_a_session_that_the_key_opened_has_its_calendars(cast: Cast) -> None:
    ours, other = a_calendar(cast.alice), a_calendar(cast.alice)
    key = a_key(cast.alice, calendar_ids=[ours["id"]])
    for login in ({"wkey": key["wkey"]}, signed(key, timestamps.format_utc(NOON))):
        session = cast.anonymous.signed_in(cast.anonymous.post("/api/session", json=login).json["token"])
        assert [session.get(f"/api/calendars/{each['id']}").status for each in (ours, other)] == [200, 404]
        assert [each["id"] for each in session.get("/api/calendars").json["calendars"]] == [ours["id"]]
        assert _is_refused(session.post("/api/webhooks", json={"url": "https://[2606:4700::1111]/hook"}))


def test_the_end_of_a_share_ends_what_a_key_of_the_calendar_opens(cast: Cast) -> None:
    calendar = a_calendar(cast.bob)
    shared(cast.bob, calendar, cast.alice, "editor")
    event = an_event(cast.bob, calendar_id=calendar["id"])
    program = a_program(cast, calendar)
    assert program.put(f"/api/events/{event['id']}", json={"title": "Mine"}).status == 200
    assert cast.bob.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.alice.user_name}).status == 200
    assert [program.get(path).status for path in (f"/api/events/{event['id']}", f"/api/calendars/{calendar['id']}")] == [404, 404]


def test_a_stored_reply_is_not_replayed_to_a_key_that_opens_less(cast: Cast) -> None:
    ours, other = a_calendar(cast.alice), a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=other["id"])
    request = {"json": {"title": CANARY}, "headers": {"Idempotency-Key": "4b1f"}}
    assert cast.alice.put(f"/api/events/{event['id']}", **request).status == 200
    replayed = a_program(cast, ours).put(f"/api/events/{event['id']}", **request)
    assert replayed.status == 409
    assert CANARY not in replayed.text


def test_a_device_of_a_calendar_gets_at_no_other_one(cast: Cast) -> None:
    """Whatever a program asks for: with hrefs of other calendars in the body, as a destination, from the root, or of the birthdays."""
    ours, other = a_calendar(cast.alice, name="Ours"), a_calendar(cast.alice, name=CANARY)
    mine, hidden = (an_event(cast.alice, calendar_id=each["id"], title=title) for each, title in ((ours, "Ours"), (other, CANARY)))
    assert cast.alice.post("/api/contacts", json={"first_name": CANARY, "birthday": "1985-12-10"}).status == 201
    credential = device(cast.alice, a_key(cast.alice, kind="dav", calendar_ids=[ours["id"]])["wkey"])
    here, there = calendar_path(cast.alice, ours["id"]), calendar_path(cast.alice, other["id"])
    home, name = f"/dav/users/{cast.alice.id}/", f"event-{hidden['id']}.ics"
    before = cast.alice.get(f"/api/calendars/{other['id']}").headers["ETag"]
    data, calendars = "<D:prop><D:getetag/><C:calendar-data/></D:prop>", f"{home}calendars/"
    hrefs = f"<D:href>{there}{name}</D:href><D:href>/dav/public/{other['id']}/</D:href>"
    everything, birthdays = '<C:filter><C:comp-filter name="VCALENDAR"/></C:filter>', f"{calendars}{BIRTHDAYS}/"
    client = cast.anonymous
    replies = [
        *(propfind(client, path, "D:displayname", depth="1", **credential) for path in ("/", "/dav/", home, calendars, birthdays, there)),
        *(report(client, path, "C:calendar-multiget", f"{data}{hrefs}", **credential) for path in (here, there, home)),
        *(report(client, path, "C:calendar-query", f"{data}{everything}", **credential) for path in (there, calendars, birthdays)),
        *(report(client, path, "D:sync-collection", f"<D:sync-token/>{data}", **credential) for path in (there, calendars, birthdays)),
        *(client.request("GET", path, headers=credential) for path in (f"{there}{name}", there, birthdays)),
    ]
    for reply in replies:
        assert CANARY not in reply.text, reply
    mine_path = f"{here}event-{mine['id']}.ics"
    for method in ("COPY", "MOVE"):
        for source, target in ((f"{there}{name}", f"{here}new.ics"), (mine_path, f"{there}new.ics"), (there, f"{here}new/")):
            reply = cast.anonymous.request(method, source, headers=credential | {"Destination": target})
            assert reply.status in (403, 404, 405, 409), (method, source, reply)
    for method in ("PUT", "DELETE", "PROPPATCH", "MKCALENDAR", "POST", "ACL", "LOCK"):
        for path in (f"{there}{name}", there, f"{home}calendars/new/", f"{home}inbox/", f"{home}outbox/", f"{home}books/contacts/"):
            assert cast.anonymous.request(method, path, headers=credential).status >= 400, (method, path)
    assert cast.alice.get(f"/api/calendars/{other['id']}").headers["ETag"] == before
    listed = cast.anonymous.request("GET", mine_path, headers=credential)
    assert (listed.status, "Ours" in listed.text) == (200, True)


def test_a_device_learns_of_changes_of_its_calendar_that_its_user_sees_elsewhere(cast: Cast) -> None:
    """The event of somebody else is on a calendar of the device, where it lets nobody else see it."""
    theirs, ours = a_calendar(cast.bob), a_calendar(cast.alice)
    shared(cast.bob, theirs, cast.alice, "viewer")
    event = an_event(cast.bob, calendar_id=theirs["id"])
    assert cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": ours["id"]}).status == 200
    program = a_program(cast, ours)
    cursor = program.get("/api/changes").json["cursor"]
    assert cast.bob.put(f"/api/events/{event['id']}", json={"title": "Moved"}).status == 200
    [change] = program.get("/api/changes", query={"cursor": cursor}).json["changes"]
    assert (change["kind"], change["event"]["title"], change["event"]["calendar_ids"]) == ("event", "Moved", [ours["id"]])
    assert program.put(f"/api/events/{event['id']}", json={"title": "Mine"}).status == 403

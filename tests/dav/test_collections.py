"""Calendars that clients make, change and delete, and resources that they move between them."""

import pytest

from tests.cast import Cast, Person, a_calendar, an_event, shared
from tests.client import Reply
from tests.dav.clients import SPACES, calendar_path, propfind, responses, sync
from tests.dav.test_write import ALARM, RULE, condition, ics, put


def update(person: Person, path: str, properties: str, action: str = "set") -> Reply:
    body = f"<D:propertyupdate {SPACES}><D:{action}><D:prop>{properties}</D:prop></D:{action}></D:propertyupdate>"
    return person.request("PROPPATCH", path, body=body)


def make(person: Person, slug: str, properties: str = "", method: str = "MKCALENDAR") -> str:
    path = f"/dav/users/{person.id}/calendars/{slug}/"
    name = "D:mkcol" if method == "MKCOL" else "C:mkcalendar"
    reply = person.request(method, path, body=f"<{name} {SPACES}><D:set><D:prop>{properties}</D:prop></D:set></{name}>")
    assert reply.status == 201, reply
    return path


def read(person: Person, path: str, *names: str) -> dict[str, str | None]:
    _, props = responses(propfind(person, path, *names)).popitem()[1]
    return {name.rpartition("}")[2]: element.text for name, element in props.items()}


def test_a_client_makes_a_calendar_under_its_own_name(cast: Cast) -> None:
    alice = cast.alice
    path = make(
        alice,
        "Caf%C3%A9%20plans",
        """<D:displayname>Café</D:displayname><C:calendar-description>Where to meet</C:calendar-description>
           <A:calendar-color>#AB12cdFF</A:calendar-color><C:calendar-timezone-id>Europe/Paris</C:calendar-timezone-id>
           <A:calendar-order>3</A:calendar-order>
           <C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set>""",
    )
    values = read(alice, path, "D:displayname", "C:calendar-description", "A:calendar-color", "A:calendar-order")
    assert values == {"displayname": "Café", "calendar-description": "Where to meet", "calendar-color": "#AB12cdFF", "calendar-order": "3"}
    [calendar] = [each for each in alice.get("/api/calendars").json["calendars"] if each["name"] == "Café"]
    assert (calendar["color"].lower(), calendar["time_zone"], calendar["public"]) == ("#ab12cd", "Europe/Paris", False)
    assert "Caf%C3%A9%20plans" in responses(propfind(alice, f"/dav/users/{alice.id}/calendars/", "D:displayname", depth="1"))
    assert put(alice, f"{path}a.ics", ics()).status == 201
    assert condition(put(alice, f"{path}t.ics", ics("t", component="VTODO"))) == "supported-calendar-component"
    assert alice.request("MKCALENDAR", path).status == 405
    assert alice.request("DELETE", path).status == 204
    assert propfind(alice, path, "D:displayname").status == 404
    make(alice, "Caf%C3%A9%20plans")


def test_extended_mkcol_makes_calendars_alone(cast: Cast) -> None:
    make(cast.alice, "mk", "<D:resourcetype><D:collection/><C:calendar/></D:resourcetype><D:displayname>M</D:displayname>", "MKCOL")
    home = f"/dav/users/{cast.alice.id}/calendars/"
    assert condition(cast.alice.request("MKCOL", f"{home}other/")) == "valid-resourcetype"
    assert condition(cast.alice.request("MKCALENDAR", f"{home}mk/inner/")) == "calendar-collection-location-ok"
    assert cast.alice.request("MKCALENDAR", f"{home}12345/").status == 403
    assert cast.alice.request("MKCALENDAR", f"/dav/users/{cast.bob.id}/calendars/mine/").status in (403, 404)


def test_properties_are_set_all_or_none(cast: Cast) -> None:
    alice, calendar = cast.alice, a_calendar(cast.alice, name="Old")
    path = calendar_path(alice, calendar["id"])
    reply = update(alice, path, "<D:displayname>New</D:displayname><D:getetag>x</D:getetag>")
    assert (reply.status, reply.text.count(" 403 "), reply.text.count(" 424 ")) == (207, 1, 1)
    assert read(alice, path, "D:displayname") == {"displayname": "Old"}
    assert update(alice, path, '<D:displayname>New</D:displayname><x:odd xmlns:x="urn:x">v<x:in a="b"/></x:odd>').text.count(" 200 ") == 1
    _, props = responses(propfind(alice, path, "D:displayname", 'x:odd xmlns:x="urn:x"')).popitem()[1]
    assert (props["{urn:x}odd"].text, props["{urn:x}odd"][0].get("a")) == ("v", "b")
    assert alice.get(f"/api/calendars/{calendar['id']}").json["name"] == "New"
    update(alice, path, '<x:odd xmlns:x="urn:x"/>', "remove")
    assert "odd" not in read(alice, path, 'x:odd xmlns:x="urn:x"')
    assert " 409 " in update(alice, path, f"<D:displayname>{'x' * 500}</D:displayname>").text
    assert " 507 " in update(alice, path, f"<A:calendar-order>{'x' * 20_000}</A:calendar-order>").text


def test_a_member_names_a_shared_calendar_for_themselves(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")
    shared(cast.alice, calendar, cast.vera, "viewer")
    path = calendar_path(cast.vera, calendar["id"])
    update(cast.vera, path, "<D:displayname>Hers</D:displayname><A:calendar-color>#00FF00FF</A:calendar-color>")
    assert read(cast.vera, path, "D:displayname", "A:calendar-color") == {"displayname": "Hers", "calendar-color": "#00FF00FF"}
    assert cast.alice.get(f"/api/calendars/{calendar['id']}").json["name"] == "Jazz"
    assert cast.vera.request("DELETE", path).status == 204
    assert propfind(cast.vera, path, "D:displayname").status == 404
    assert cast.alice.get(f"/api/calendars/{calendar['id']}").status == 200


def test_a_colour_that_is_chosen_on_the_page_counts(cast: Cast) -> None:
    path = make(cast.alice, "colours", "<A:calendar-color>#112233FF</A:calendar-color>")
    [calendar] = [each for each in cast.alice.get("/api/calendars").json["calendars"] if each["name"] == "colours"]
    cast.alice.put(f"/api/calendars/{calendar['id']}", json={"color": "#445566"})
    assert read(cast.alice, path, "A:calendar-color") == {"calendar-color": "#445566"}


def test_a_colour_that_a_client_removes_is_gone_for_clients_until_another_is_chosen(cast: Cast) -> None:
    alice, calendar = cast.alice, a_calendar(cast.alice)
    path = calendar_path(alice, calendar["id"])
    assert " 200 " in update(alice, path, "<A:calendar-color/>", "remove").text
    assert read(alice, path, "A:calendar-color") == {}
    alice.put(f"/api/calendars/{calendar['id']}", json={"color": "#445566"})
    assert read(alice, path, "A:calendar-color") == {"calendar-color": "#445566"}
    update(alice, path, "<A:calendar-color/>", "remove")
    update(alice, path, "<A:calendar-color>#112233</A:calendar-color>")
    assert read(alice, path, "A:calendar-color") == {"calendar-color": "#112233"}


def test_the_primary_calendar_cannot_be_deleted(cast: Cast) -> None:
    assert cast.alice.request("DELETE", calendar_path(cast.alice)).status == 403


def transfer(person: Person, method: str, source: str, destination: str, **headers: str) -> int:
    return person.request(method, source, headers={"Destination": f"https://calendar.example.org{destination}", **headers}).status


@pytest.mark.parametrize("more", [RULE + ALARM, ALARM])
def test_a_move_to_another_calendar_keeps_the_event_and_its_responses(cast: Cast, more: str) -> None:
    alice = cast.alice
    one, other = (calendar_path(alice, a_calendar(alice)["id"]) for _ in range(2))
    put(alice, f"{one}a.ics", ics(more=more))
    [event, *_] = alice.get("/api/events", query={"calendar_id": one.split("/")[-2]}).json["events"]
    responded = alice.post("/api/responses", json={"event_id": event["id"], "response": "YES"})
    assert responded.status == 201, responded
    tokens = [sync(alice, path)[1] for path in (one, other)]
    assert transfer(alice, "MOVE", f"{one}a.ics", f"{other}b.ics") == 201
    assert [sync(alice, path, token)[0] for path, token in zip((one, other), tokens, strict=True)] == [{"a.ics": 404}, {"b.ics": 200}]
    assert alice.get(f"{other}b.ics").text == ics(more=more)
    moved = alice.get(f"/api/events/{event['id']}").json
    assert [str(each["id"]) for each in moved["calendars"]] == [other.split("/")[-2]]
    assert moved["responses"]["yes"] == 1
    # And back, under another name.
    assert transfer(alice, "MOVE", f"{other}b.ics", f"{one}c.ics") == 201
    names = set(responses(propfind(alice, one, "D:getetag", depth="1")))
    assert names == {one.split("/")[-2], "c.ics"}


@pytest.mark.parametrize("is_named", [True, False])
def test_a_move_within_a_calendar_is_a_new_name(cast: Cast, is_named: bool) -> None:
    alice, path = cast.alice, calendar_path(cast.alice, a_calendar(cast.alice)["id"])
    if is_named:
        put(alice, f"{path}a.ics", ics())
        old = "a.ics"
    else:
        old = f"event-{an_event(alice, calendar_id=int(path.split('/')[-2]))['id']}.ics"
    _, token = sync(alice, path)
    before = alice.get(f"{path}{old}").text
    assert transfer(alice, "MOVE", f"{path}{old}", f"{path}new.ics") == 201
    assert sync(alice, path, token)[0] == {old: 404, "new.ics": 200}
    assert alice.get(f"{path}{old}").status == 404
    assert alice.get(f"{path}new.ics").text == before
    assert transfer(alice, "MOVE", f"{path}new.ics", f"{path}{old}") == 201
    assert sync(alice, path, token)[0] == {old: 200, "new.ics": 404}


def test_an_event_that_was_repeated_is_moved_to_a_new_name(cast: Cast) -> None:
    """The series has the name of the event from which it was made."""
    alice, calendar = cast.alice, a_calendar(cast.alice)
    path = calendar_path(alice, calendar["id"])
    put(alice, f"{path}a.ics", ics())
    [event] = alice.get("/api/events", query={"calendar_id": calendar["id"]}).json["events"]
    assert alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 2}).status == 200
    names, token = sync(alice, path)
    assert names == {"a.ics": 200}
    assert transfer(alice, "MOVE", f"{path}a.ics", f"{path}b.ics") == 201
    assert sync(alice, path, token)[0] == {"a.ics": 404, "b.ics": 200}


def test_a_copy_is_another_event(cast: Cast) -> None:
    alice = cast.alice
    one, other = (calendar_path(alice, a_calendar(alice)["id"]) for _ in range(2))
    put(alice, f"{one}a.ics", ics(more=ALARM))
    assert transfer(alice, "COPY", f"{one}a.ics", f"{other}a.ics") == 201
    assert alice.get(f"{other}a.ics").text == ics(more=ALARM)
    assert transfer(alice, "COPY", f"{one}a.ics", f"{other}a.ics", Overwrite="F") == 412
    assert transfer(alice, "COPY", f"{one}a.ics", f"{other}a.ics") == 204
    assert transfer(alice, "COPY", f"{one}a.ics", f"{one}b.ics") == 409
    assert transfer(alice, "COPY", f"{one}none.ics", f"{other}b.ics") == 404
    assert transfer(alice, "COPY", f"{one}a.ics", "/elsewhere") == 403
    assert transfer(alice, "COPY", f"{one}a.ics", f"/dav/users/{alice.id}/calendars/none/a.ics") == 409


def test_a_move_to_a_calendar_of_somebody_else_leaves_nothing_behind(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    own, other = calendar_path(cast.bob), calendar_path(cast.bob, calendar["id"])
    put(cast.bob, f"{own}a.ics", ics(more=ALARM))
    assert transfer(cast.bob, "MOVE", f"{own}a.ics", f"{other}a.ics") == 201
    assert cast.bob.get(f"{own}a.ics").status == 404
    assert cast.alice.get(f"{calendar_path(cast.alice, calendar['id'])}a.ics").text == ics(more=ALARM)

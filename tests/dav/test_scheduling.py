"""Scheduling by CalDAV (RFC 6638): organisers invite by writing a file, and guests reply in theirs."""

import re

import pytest

from kalends.core.settings import Settings
from kalends.core.values.timestamps import format_utc
from kalends.db import Database
from kalends.features.deliveries import suppression_store as suppressions
from kalends.http.context import Context
from tests.cast import Cast, Person, a_calendar, a_response, an_event, shared, verified
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.dav.clients import SPACES, C, D, calendar_path, propfind, report, responses, sync, tree
from tests.dav.test_write import ALARM, RULE, condition, ics, put
from tests.responses.mail import mails_about

FUTURE = "20350601T180000Z"


@pytest.fixture
def bob(cast: Cast, db: Database) -> Person:
    """Bob shares a calendar with Alice, so that her invitations are on his at once."""
    shared(cast.bob, a_calendar(cast.bob), cast.alice, "viewer")
    return verified(db, cast.bob)


def invited(organizer: Person, *guests: Person | str, more: str = "", uid: str = "u1", title: str = "Dinner") -> str:
    addresses = [guest if isinstance(guest, str) else guest.email_address for guest in guests]
    lines = "".join(f"ATTENDEE;RSVP=TRUE;PARTSTAT=NEEDS-ACTION:mailto:{each}\r\n" for each in addresses)
    return ics(uid, start=FUTURE, title=title, more=f"ORGANIZER:mailto:{organizer.email_address}\r\n{lines}{more}")


def event_of(person: Person, calendar_path_: str) -> dict[str, object]:
    [event, *_] = person.get("/api/events", query={"calendar_id": calendar_path_.split("/")[-2], "past": "yes"}).json["events"]
    only_event: dict[str, object] = event
    return only_event


def addresses(owner: Person, event: dict[str, object]) -> dict[str, str]:
    rows = owner.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    return {row["address"]: row["state"] for row in rows}


def replies(owner: Person, event: dict[str, object]) -> list[tuple[str, str]]:
    rows = owner.get("/api/responses", query={"event_id": str(event["id"])}).json["responses"]
    return [(row["email_address"], row["response"]) for row in rows]


def names_of(person: Person, path: str) -> list[str]:
    return sorted(name for name in responses(propfind(person, path, "D:getetag", depth="1")) if name.endswith(".ics"))


def unfold(reply: Reply) -> str:
    return reply.text.replace("\r\n ", "")


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"])


def test_clients_find_the_inbox_the_outbox_and_the_default_calendar(cast: Cast) -> None:
    alice = cast.alice
    principal = f"/dav/users/{alice.id}/"
    [(_, props)] = responses(
        propfind(alice, principal, "C:schedule-inbox-URL", "C:schedule-outbox-URL", "C:calendar-user-address-set")
    ).values()
    inbox, outbox, own = (props[f"{C}{name}"] for name in ("schedule-inbox-URL", "schedule-outbox-URL", "calendar-user-address-set"))
    assert (inbox[0].text, outbox[0].text) == (f"{principal}inbox/", f"{principal}outbox/")
    assert f"mailto:{alice.email_address}" in [each.text for each in own]
    [(_, props)] = responses(propfind(alice, f"{principal}inbox/", "D:resourcetype", "C:schedule-default-calendar-URL")).values()
    assert props[f"{D}resourcetype"].find(f"{C}schedule-inbox") is not None
    assert props[f"{C}schedule-default-calendar-URL"][0].text == calendar_path(alice)
    reply = propfind(alice, f"{principal}outbox/", "D:resourcetype", depth="1")
    assert "schedule-outbox" in reply.text
    assert "calendar-auto-schedule" in reply.headers["DAV"]
    assert propfind(cast.carol, f"{principal}inbox/", "D:resourcetype").status == 404
    assert propfind(cast.carol, f"{principal}outbox/", "D:resourcetype").status == 404


def test_guests_in_the_file_of_the_organiser_are_invited_once(cast: Cast, path: str) -> None:
    alice = cast.alice
    reply = put(alice, f"{path}a.ics", invited(alice, alice, "guest@example.org", "not an address"))
    assert (reply.status, "Schedule-Tag" in reply.headers) == (201, True)
    event = event_of(alice, path)
    assert addresses(alice, event) == {"guest@example.org": "queued"}
    put(alice, f"{path}a.ics", invited(alice, alice, "Guest@example.org", "other@example.org"))
    assert addresses(alice, event) == {"guest@example.org": "queued", "other@example.org": "queued"}
    put(alice, f"{path}a.ics", invited(alice, alice, "other@example.org"))
    assert addresses(alice, event) == {"guest@example.org": "withdrawn", "other@example.org": "queued"}
    # Clients take the organiser out with the last guest.
    put(alice, f"{path}a.ics", ics(start=FUTURE))
    assert set(addresses(alice, event).values()) == {"withdrawn"}


@pytest.mark.parametrize("more", ["", RULE])
def test_the_file_of_the_organiser_tells_what_became_of_each_invitation(
    cast: Cast, path: str, bob: Person, db: Database, settings: Settings, more: str
) -> None:
    alice, unwanted, gone = cast.alice, f"unwanted-{cast.alice.id}@example.org", f"gone-{cast.alice.id}@example.org"
    ctx = Context(db, settings, 0)
    with ctx.write():
        suppressions.insert(ctx, "invitation", "unsubscribed", "email", unwanted, owner_id=alice.id)
    file = invited(alice, alice, bob, gone, unwanted, "not an address", more=more)
    file = file.replace("END:VEVENT", 'ATTENDEE;SCHEDULE-AGENT=CLIENT;SCHEDULE-STATUS="2.0":mailto:own@example.org\r\nEND:VEVENT')
    reply = put(alice, f"{path}a.ics", file)
    # The file is not the one that was sent.
    assert (reply.status, "ETag" in reply.headers) == (201, False)
    got = alice.get(f"{path}a.ics")
    statuses = {bob.email_address: "1.1", gone: "1.1", unwanted: "5.1", "not an address": "3.7", "own@example.org": '"2.0"'}
    assert delivery(got) == statuses
    reply = put(alice, f"{path}a.ics", got.text, If_Match=got.headers["ETag"])
    assert alice.get(f"{path}a.ics").headers["ETag"] == reply.headers["ETag"]
    # A mail that comes back changes the file; one that is sent again does, too.
    for state, status in (("bounced", "5.2"), ("queued", "1.1")):
        etag, (_, token) = alice.get(f"{path}a.ics").headers["ETag"], sync(alice, path)
        with db.write() as tx:
            tx.run("UPDATE invitations SET state = :state WHERE email_key = :key", state=state, key=gone)
        got = alice.get(f"{path}a.ics")
        assert delivery(got) == statuses | {gone: status}
        assert got.headers["ETag"] != etag
        assert set(sync(alice, path, token)[0]) == {"a.ics"}
    [name] = [each for each in names_of(bob, calendar_path(bob)) if each.startswith("invitation-")]
    assert "SCHEDULE-STATUS" not in bob.get(f"{calendar_path(bob)}{name}").text


def delivery(reply: Reply) -> dict[str, str]:
    """The SCHEDULE-STATUS of each attendee who has one."""
    return {address: status for status, address in re.findall(r"SCHEDULE-STATUS=([^;:]+)[^\r]*?mailto:([^\r]+)", unfold(reply))}


@pytest.mark.parametrize("more", ["", RULE])
def test_an_invitation_does_not_tell_the_organiser_whose_an_address_is(cast: Cast, path: str, bob: Person, more: str) -> None:
    alice = cast.alice
    seen: list[list[object]] = []
    for name, guest in (("a", bob), ("b", "nobody@example.org")):
        put(alice, f"{path}{name}.ics", invited(alice, alice, guest, uid=name, more=more, title=f"Dinner {name}"))
        event = alice.get("/api/events", query={"title": f"Dinner {name}"}).json["events"][0]
        seen.append([shown_to_organiser(alice, event)])
        if guest is bob:
            assert event["id"] in [each["id"] for each in bob.get("/api/events").json["events"]]
            refused = alice.put(f"/api/events/{event['id']}/remove", json={"calendar_id": bob.primary_calendar_id})
            assert refused.status == 404, refused
        put(alice, f"{path}{name}.ics", invited(alice, alice, uid=name, more=more, title="Lunch"))
        seen[-1].append(shown_to_organiser(alice, event))
        change = alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
        undone = alice.post(f"/api/changes/{change}/undo")
        seen[-1].append((undone.status, sorted(each["kind"] for each in undone.json["undone"])))
        assert event["id"] not in [each["id"] for each in bob.get("/api/events").json["events"]]
    assert seen[0] == seen[1]


def test_a_deleted_event_comes_back_to_the_calendar_of_its_guest(cast: Cast, path: str, bob: Person) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", invited(alice, alice, bob))
    event = event_of(alice, path)
    assert alice.delete(f"/api/events/{event['id']}").status == 200
    assert bob.get("/api/events").json["events"] == []
    undone = alice.post(f"/api/changes/{alice.get('/api/trash').json['trash'][0]['seq']}/undo")
    kinds = [each["kind"] for each in undone.json["undone"]]
    assert (kinds.count("event"), kinds.count("placement")) == (1, 1)
    assert [each["id"] for each in bob.get("/api/events").json["events"]] == [event["id"]]
    assert shown_to_organiser(alice, event)[0] == [int(path.split("/")[-2])]


def shown_to_organiser(organizer: Person, event: dict[str, object]) -> tuple[list[int], list[tuple[str, str]]]:
    """The calendars and the history of the event."""
    detail = organizer.get(f"/api/events/{event['id']}").json
    changes = organizer.get(f"/api/events/{event['id']}/changes").json["changes"]
    return [each["id"] for each in detail["calendars"]], [(each["kind"], each["op"]) for each in changes]


@pytest.mark.parametrize("change", ["organizer", "agent", "past"])
def test_nobody_is_invited_to_what_the_actor_does_not_organise_here(cast: Cast, path: str, change: str) -> None:
    alice = cast.alice
    file = invited(alice, "guest@example.org")
    if change == "organizer":
        file = file.replace(alice.email_address, "chief@example.org")
    elif change == "agent":
        file = file.replace("ATTENDEE;", "ATTENDEE;SCHEDULE-AGENT=CLIENT;")
    else:
        file = file.replace(FUTURE, "20200601T180000Z")
    assert put(alice, f"{path}a.ics", file).status == 201
    assert addresses(alice, event_of(alice, path)) == {}
    assert alice.get(f"{path}a.ics").text == file


@pytest.mark.parametrize("more", ["", RULE])
def test_a_guest_with_an_account_has_the_event_and_replies_in_it(cast: Cast, path: str, bob: Person, more: str) -> None:
    alice, own = cast.alice, calendar_path(bob)
    put(alice, f"{path}a.ics", invited(alice, alice, bob, "other@example.org", more=more))
    [name] = [each for each in names_of(bob, own) if each.startswith("invitation-")]
    got = bob.get(f"{own}{name}")
    assert "SUMMARY:Dinner" in got.text
    assert "UID:u1\r\n" in got.text
    assert f"mailto:{bob.email_address}" in unfold(got)
    assert "other@example.org" not in got.text
    # The reply: the tag of the organiser's changes stays, for both.
    tag, organizer_tag = got.headers["Schedule-Tag"], alice.get(f"{path}a.ics").headers["Schedule-Tag"]
    _, token = sync(alice, path)
    file = unfold(got).replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED").replace("END:VEVENT", f"{ALARM}END:VEVENT", 1)
    reply = put(bob, f"{own}{name}", file, If_Schedule_Tag_Match=tag)
    assert (reply.status, reply.headers["Schedule-Tag"]) == (204, tag)
    assert bob.get(f"{own}{name}").text == file
    event = event_of(alice, path)
    assert replies(alice, event) == [(bob.email_address, "YES")]
    got = alice.get(f"{path}a.ics")
    assert f"PARTSTAT=ACCEPTED:mailto:{bob.email_address}" in unfold(got)
    assert "PARTSTAT=NEEDS-ACTION;SCHEDULE-STATUS=1.1:mailto:other@example.org" in unfold(got)
    assert got.headers["Schedule-Tag"] == organizer_tag
    assert set(sync(alice, path, token)[0]) == {"a.ics"}
    # What is not the guest's to change.
    assert condition(put(bob, f"{own}{name}", file.replace("Dinner", "Lunch"))) == "allowed-attendee-scheduling-object-change"
    assert alice.get(f"/api/events/{event['id']}").json["title"] == "Dinner"


def test_a_change_of_the_organiser_is_in_the_file_of_the_guest(cast: Cast, path: str, bob: Person) -> None:
    alice, own = cast.alice, calendar_path(bob)
    put(alice, f"{path}a.ics", invited(alice, bob))
    [name] = [each for each in names_of(bob, own) if each.startswith("invitation-")]
    tag = bob.get(f"{own}{name}").headers["Schedule-Tag"]
    put(alice, f"{path}a.ics", invited(alice, bob, title="Supper"))
    got = bob.get(f"{own}{name}")
    assert "SUMMARY:Supper" in got.text
    assert got.headers["Schedule-Tag"] != tag
    assert put(bob, f"{own}{name}", got.text, If_Schedule_Tag_Match=tag).status == 412
    _, props = responses(propfind(bob, f"{own}{name}", "C:schedule-tag"))[name]
    assert props[f"{C}schedule-tag"].text == got.headers["Schedule-Tag"]
    # Without the guest, the event leaves their calendar.
    put(alice, f"{path}a.ics", invited(alice, "other@example.org"))
    assert bob.get(f"{own}{name}").status == 404


def test_a_reply_on_the_page_is_in_both_files(cast: Cast, path: str, bob: Person) -> None:
    alice, own = cast.alice, calendar_path(bob)
    put(alice, f"{path}a.ics", invited(alice, bob))
    etags = alice.get(f"{path}a.ics").headers["ETag"]
    a_response(bob, event_of(alice, path), response="MAYBE")
    got = alice.get(f"{path}a.ics")
    assert "PARTSTAT=TENTATIVE" in got.text
    assert got.headers["ETag"] != etags
    [name] = [each for each in names_of(bob, own) if each.startswith("invitation-")]
    assert "PARTSTAT=TENTATIVE" in bob.get(f"{own}{name}").text
    # A client that sends what it knew gets no ETag, since the file is another one.
    assert "ETag" not in put(alice, f"{path}a.ics", invited(alice, bob, title="Supper")).headers


@pytest.mark.parametrize(("header", "rows"), [("T", ["NO"]), ("F", [])])
def test_a_guest_who_deletes_the_event_declines(cast: Cast, path: str, bob: Person, header: str, rows: list[str]) -> None:
    alice, own = cast.alice, calendar_path(bob)
    put(alice, f"{path}a.ics", invited(alice, bob))
    [name] = [each for each in names_of(bob, own) if each.startswith("invitation-")]
    assert bob.request("DELETE", f"{own}{name}", headers={"Schedule-Reply": header}).status == 204
    event = event_of(alice, path)
    assert [response for _, response in replies(alice, event)] == rows
    # A later change does not bring it back.
    put(alice, f"{path}a.ics", invited(alice, bob, title="Supper"))
    assert bob.get(f"{own}{name}").status == 404


def test_a_client_that_replies_before_it_has_seen_the_event_names_it(cast: Cast, path: str, bob: Person) -> None:
    alice, own = cast.alice, calendar_path(bob)
    put(alice, f"{path}a.ics", invited(alice, bob))
    [name] = [each for each in names_of(bob, own) if each.startswith("invitation-")]
    file = bob.get(f"{own}{name}").text.replace("NEEDS-ACTION", "DECLINED")
    assert put(bob, f"{own}u1.ics", file, If_None_Match="*").status == 201
    assert names_of(bob, own).count("u1.ics") == 1
    assert bob.get(f"{own}{name}").status == 404
    assert "PARTSTAT=DECLINED" in alice.get(f"{path}a.ics").text


def test_a_guest_moves_the_event_to_another_calendar(cast: Cast, path: str, bob: Person) -> None:
    alice, own, other = cast.alice, calendar_path(bob), calendar_path(bob, a_calendar(bob)["id"])
    put(alice, f"{path}a.ics", invited(alice, bob))
    [name] = [each for each in names_of(bob, own) if each.startswith("invitation-")]
    assert bob.request("MOVE", f"{own}{name}", headers={"Destination": f"{other}b.ics"}).status == 201
    file = bob.get(f"{other}b.ics").text.replace("NEEDS-ACTION", "ACCEPTED")
    assert put(bob, f"{other}b.ics", file).status == 204
    assert "PARTSTAT=ACCEPTED" in alice.get(f"{path}a.ics").text


def test_nothing_reaches_somebody_who_blocks_the_organiser_or_has_not_verified_the_address(
    cast: Cast, path: str, bob: Person, db: Database
) -> None:
    with db.write() as tx:
        tx.run("INSERT INTO blocks (user_id, owner_id, created_at) VALUES (:bob, :alice, 1)", bob=bob.id, alice=cast.alice.id)
    put(cast.alice, f"{path}a.ics", invited(cast.alice, bob, cast.carol))
    for person in (bob, cast.carol):
        assert names_of(person, calendar_path(person)) == []
        assert names_of(person, f"/dav/users/{person.id}/inbox/") == []


def test_the_inbox_has_the_invitation_until_a_client_deletes_it(cast: Cast, path: str, bob: Person) -> None:
    put(cast.alice, f"{path}a.ics", invited(cast.alice, bob))
    inbox = f"/dav/users/{bob.id}/inbox/"
    [name] = names_of(bob, inbox)
    message = bob.get(f"{inbox}{name}").text
    assert "METHOD:REQUEST\r\n" in message
    assert "UID:u1\r\n" in message
    assert cast.carol.get(f"{inbox}{name}").status == 404
    assert cast.carol.get(f"/dav/users/{cast.carol.id}/inbox/{name}").status == 404
    assert bob.request("DELETE", f"{inbox}{name}").status == 204
    assert names_of(bob, inbox) == []
    assert bob.get(f"{inbox}{name}").status == 404


def test_a_client_reads_several_messages_of_the_inbox_in_one_request(cast: Cast, path: str, bob: Person) -> None:
    put(cast.alice, f"{path}a.ics", invited(cast.alice, bob))
    inbox = f"/dav/users/{bob.id}/inbox/"
    [name] = names_of(bob, inbox)
    hrefs = "".join(f"<D:href>{each}</D:href>" for each in (f"{inbox}{name}", f"{inbox}999.ics", f"{path}a.ics"))
    inner = f"<D:prop><D:getetag/><C:calendar-data/></D:prop>{hrefs}"
    listed = responses(report(bob, inbox, "C:calendar-multiget", inner))
    assert {each: status for each, (status, _) in listed.items()} == {name: 200, "999.ics": 404, "a.ics": 404}
    message = bob.get(f"{inbox}{name}")
    properties = listed[name][1]
    assert properties[f"{C}calendar-data"].text == message.text
    assert properties[f"{D}getetag"].text == message.headers["ETag"]
    assert report(cast.carol, inbox, "C:calendar-multiget", inner).status == 404
    [(_, properties)] = responses(propfind(bob, inbox, "D:supported-report-set")).values()
    assert properties[f"{D}supported-report-set"].find(f"*/{D}report/{C}calendar-multiget") is not None
    assert report(bob, inbox, "D:sync-collection", "").status == 403


def busy_request(organizer: Person, *asked: Person, method: str = "REQUEST") -> str:
    lines = "".join(f"ATTENDEE:mailto:{each.email_address}\r\n" for each in asked)
    return f"""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:{method}\r\nBEGIN:VFREEBUSY\r\nUID:q1\r\nDTSTART:20260601T000000Z\r
DTEND:20260602T000000Z\r\nORGANIZER:mailto:{organizer.email_address}\r\n{lines}END:VFREEBUSY\r\nEND:VCALENDAR\r\n"""


def ask(person: Person, *asked: Person, organizer: Person | None = None, method: str = "REQUEST") -> Reply:
    body = busy_request(organizer or person, *asked, method=method)
    return person.request("POST", f"/dav/users/{person.id}/outbox/", body=body, headers={"Content-Type": "text/calendar"})


def test_people_learn_when_those_are_busy_who_share_a_calendar_with_them(cast: Cast, bob: Person, db: Database) -> None:
    alice, calendar = verified(db, cast.alice), a_calendar(cast.alice)
    shared(alice, calendar, bob, "viewer")
    an_event(alice, calendar_id=calendar["id"], start_time="2026-06-01T10:00Z", end_time="2026-06-01T11:00Z")
    an_event(alice, start_time="2026-06-01T15:00Z", end_time="2026-06-01T16:00Z")
    root = tree(ask(bob, alice, bob, cast.carol))
    by_recipient = {str(each.findtext(f"{C}recipient/{D}href")): each for each in root.findall(f"{C}response")}
    data = str(by_recipient[f"mailto:{alice.email_address}"].findtext(f"{C}calendar-data"))
    assert [line for line in data.splitlines() if line.startswith("FREEBUSY")] == ["FREEBUSY:20260601T100000Z/20260601T110000Z"]
    statuses = [str(by_recipient[f"mailto:{each.email_address}"].findtext(f"{C}request-status"))[:3] for each in (alice, bob, cast.carol)]
    assert statuses == ["2.0", "2.0", "3.8"]
    body = "<C:schedule-calendar-transp><C:transparent/></C:schedule-calendar-transp>"
    update = f"<D:propertyupdate {SPACES}><D:set><D:prop>{body}</D:prop></D:set></D:propertyupdate>"
    assert " 200 " in alice.request("PROPPATCH", calendar_path(alice, calendar["id"]), body=update).text
    assert ask(alice, alice).text.count("FREEBUSY:") == 1
    assert ask(bob, alice).text.count("FREEBUSY:") == 0, "a calendar that its owner makes transparent makes them busy for nobody"
    assert condition(ask(bob, alice, organizer=alice)) == "organizer-allowed"
    assert condition(ask(bob, alice, method="PUBLISH")) == "valid-scheduling-message"
    assert condition(ask(bob)) == "valid-scheduling-message"


@pytest.mark.on_one_database
def test_a_file_of_the_organiser_stays_as_it_was_but_for_the_replies(cast: Cast, path: str, bob: Person) -> None:
    alice = cast.alice
    start, end = 'ATTENDEE;CN="Bob;SCHEDULE-STATUS=2;PARTSTAT=X: ü"', f";ROLE=CHAIR:mailto:{bob.email_address.upper()}\r\n"
    line = f'{start};SCHEDULE-STATUS="2.0,5.3";PARTSTAT=NEEDS-ACTION{end}'
    file = invited(alice, more=f"{line}X-OTHER:1\r\n{ALARM}")
    put(alice, f"{path}a.ics", file)
    a_response(bob, event_of(alice, path), response="NO")
    expected = start + end.replace(":mailto", ";SCHEDULE-STATUS=1.1;PARTSTAT=DECLINED:mailto")
    assert unfold(alice.get(f"{path}a.ics")) == file.replace(line, expected)


@pytest.mark.parametrize("more", ["", RULE])
def test_the_ctag_and_the_time_of_a_change_do_not_tell_who_has_an_account(cast: Cast, clock: Clock, bob: Person, more: str) -> None:
    def traces(guest: Person | str, uid: str) -> list[tuple[str, list[bool]]]:
        path, seen = calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"]), []
        # The event, with the guest, and without them again.
        for guests in ((), (guest,), ()):
            clock.ahead(60)
            assert put(cast.alice, f"{path}a.ics", invited(cast.alice, *guests, more=more, uid=uid)).status in (201, 204)
            _, props = responses(propfind(cast.alice, path, "CS:getctag")).popitem()[1]
            events = cast.alice.get("/api/events", query={"calendar_id": path.split("/")[-2]}).json["events"]
            ctag = str(props["{http://calendarserver.org/ns/}getctag"].text).rpartition("-")[2]
            seen.append((ctag, [event["updated_at"] == format_utc(clock.now) for event in events]))
        return seen

    assert traces(bob, "known") == traces("nobody@example.org", "unknown")


@pytest.mark.parametrize("name", ["owner", "editor"])
def test_an_editor_invites_in_the_name_of_the_owner(cast: Cast, bob: Person, db: Database, settings: Settings, name: str) -> None:
    alice, calendar = cast.alice, a_calendar(cast.alice, time_zone="UTC")
    shared(alice, calendar, bob, "editor")
    organizer, path = {"owner": alice, "editor": bob}[name], calendar_path(bob, calendar["id"])
    guest = f"guest-{alice.id}@example.org"
    assert put(bob, f"{path}a.ics", invited(organizer, guest)).status == 201
    event = event_of(bob, path)
    assert addresses(alice, event) == {guest: "queued"}
    assert delivery(bob.get(f"{path}a.ics")) == {guest: "1.1"}
    [mail] = mails_about(db, settings, int(str(event["id"])))
    assert organizer.user["name"] in str(mail["From"])
    # The other one changes the guests of the same file.
    own = calendar_path(alice, calendar["id"])
    put(alice, f"{own}a.ics", invited(organizer, guest, "second@example.org"))
    assert set(addresses(alice, event)) == {guest, "second@example.org"}
    put(alice, f"{own}a.ics", invited(organizer, "second@example.org"))
    assert addresses(alice, event)[guest] == "withdrawn"


def test_nobody_invites_in_the_name_of_someone_who_only_shares_another_calendar(cast: Cast, bob: Person) -> None:
    shared(cast.alice, a_calendar(cast.alice), bob, "editor")
    path = calendar_path(bob)
    assert put(bob, f"{path}a.ics", invited(cast.alice, "guest@example.org")).status == 201
    assert addresses(bob, event_of(bob, path)) == {}


def test_the_limit_of_a_mailbox_keeps_no_invitation_off_the_calendar(limited: Client, db: Database) -> None:
    cast = Cast(limited)
    alice, bob = cast.alice, verified(db, cast.bob)
    shared(bob, a_calendar(bob), alice, "viewer")
    path, unknown = calendar_path(alice, a_calendar(alice)["id"]), "ATTENDEE:mailto:nobody@unknown.example\r\n"
    for number in range(12):
        assert put(alice, f"{path}{number}.ics", invited(alice, bob, uid=f"{number}@example.org", more=unknown)).status == 201
    assert (len(names_of(bob, calendar_path(bob))), len(names_of(bob, f"/dav/users/{bob.id}/inbox/"))) == (12, 12)
    listed = alice.get("/api/events", query={"calendar_id": path.split("/")[-2]}).json["events"]
    rows = [row for each in listed for row in alice.get(f"/api/events/{each['id']}/invitations").json["invitations"]]
    # Nobody learns from it who has an account.
    for address in (bob.email_address, "nobody@unknown.example"):
        assert sorted(row["state"] for row in rows if row["address"] == address) == ["bounced"] * 2 + ["queued"] * 10
    with db.read() as tx:
        sql = "SELECT count(*) FROM deliveries WHERE kind = 'invitation' AND owner_id = :id"
        assert tx.value(sql, id=alice.id) == 20

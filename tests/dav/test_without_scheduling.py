"""A calendar without scheduling: what programs write there by CalDAV invites, notifies and cancels nobody."""

import pytest

from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, an_event, shared, verified
from tests.dav.clients import calendar_path
from tests.dav.test_scheduling import FUTURE, addresses, event_of, names_of
from tests.dav.test_write import RULE, ics, put


@pytest.fixture
def bob(cast: Cast, db: Database) -> Person:
    shared(cast.bob, a_calendar(cast.bob), cast.alice, "viewer")
    return verified(db, cast.bob)


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC", scheduling="off")["id"])


def moved_in(organizer: Person, *guests: str, more: str = "", start: str = FUTURE) -> str:
    """A file as another server wrote it for its organiser: guests have replied to it."""
    statuses = ("ACCEPTED", "DECLINED", "TENTATIVE")
    lines = "".join(f"ATTENDEE;PARTSTAT={status}:mailto:{guest}\r\n" for guest, status in zip(guests, statuses, strict=False))
    return ics(start=start, more=f"SEQUENCE:4\r\nORGANIZER;CN=Alice:mailto:{organizer.email_address}\r\n{lines}{more}")


def queued(db: Database, owner: Person) -> int:
    with db.read() as tx:
        return int(tx.value("SELECT count(*) FROM deliveries WHERE owner_id = :id", id=owner.id))


def switch(owner: Person, path: str, scheduling: str) -> None:
    assert owner.put(f"/api/calendars/{path.split('/')[-2]}", json={"scheduling": scheduling}).json["scheduling"] == scheduling


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
@pytest.mark.parametrize("scheduling", ["off", "on"])
def test_only_a_calendar_with_scheduling_invites_the_guests_of_a_file(
    cast: Cast, db: Database, path: str, bob: Person, scheduling: str, more: str
) -> None:
    alice, guest = cast.alice, f"guest-{cast.alice.id}@example.org"
    switch(alice, path, scheduling)
    file = moved_in(alice, bob.email_address, guest, more=more)
    reply = put(alice, f"{path}a.ics", file)
    got = alice.get(f"{path}a.ics")
    event = event_of(alice, path)
    if scheduling == "on":
        assert addresses(alice, event) == {bob.email_address: "queued", guest: "queued"}
        assert queued(db, alice) == 2
        assert names_of(bob, calendar_path(bob)) != []
        assert "SCHEDULE-STATUS" in got.text
        return
    assert (reply.status, got.content, got.headers["ETag"]) == (201, file.encode(), reply.headers["ETag"])
    # Nor a change of the time, of the guests, or the end of the event.
    file = moved_in(alice, guest, more=more, start=FUTURE.replace("T18", "T20"))
    assert put(alice, f"{path}a.ics", file).status == 204
    assert alice.get(f"{path}a.ics").content == file.encode()
    assert (addresses(alice, event), queued(db, alice), names_of(bob, calendar_path(bob))) == ({}, 0, [])
    assert alice.request("DELETE", f"{path}a.ics").status == 204
    assert queued(db, alice) == 0


def test_guests_are_invited_when_the_event_is_saved_after_scheduling_is_switched_on(
    cast: Cast, db: Database, path: str, bob: Person
) -> None:
    alice, file = cast.alice, moved_in(cast.alice, bob.email_address)
    put(alice, f"{path}a.ics", file)
    event = event_of(alice, path)
    switch(alice, path, "on")
    assert alice.get(f"{path}a.ics").content == file.encode()
    # The page knows no guests of the file.
    assert alice.put(f"/api/events/{event['id']}", json={"location": "Hall"}).status == 200
    assert (addresses(alice, event), queued(db, alice)) == ({}, 0)
    assert put(alice, f"{path}a.ics", file).status == 204
    assert (addresses(alice, event), queued(db, alice)) == ({bob.email_address: "queued"}, 1)
    assert names_of(bob, calendar_path(bob)) != []


@pytest.mark.parametrize("scheduling", ["off", "on"])
@pytest.mark.parametrize("method", ["PUT", "PUT without guests", "DELETE", "MOVE"])
def test_invited_guests_are_notified_of_what_is_written_with_scheduling_only(
    cast: Cast, db: Database, path: str, bob: Person, method: str, scheduling: str
) -> None:
    alice = cast.alice
    switch(alice, path, "on")
    put(alice, f"{path}a.ics", moved_in(alice, bob.email_address))
    event, before = event_of(alice, path), queued(db, alice)
    with db.write() as tx:
        tx.run("UPDATE invitations SET state = 'sent' WHERE event_id = :id", id=event["id"])
    switch(alice, path, scheduling)
    later = FUTURE.replace("T18", "T20")
    if method == "PUT":
        put(alice, f"{path}a.ics", moved_in(alice, bob.email_address, start=later))
    elif method == "PUT without guests":
        put(alice, f"{path}a.ics", ics(start=later))
    elif method == "DELETE":
        alice.request("DELETE", f"{path}a.ics")
    else:
        put(alice, f"{path}b.ics", ics("other"))
        alice.request("MOVE", f"{path}b.ics", headers={"Destination": f"{path}a.ics"})
    assert (queued(db, alice) > before) == (scheduling == "on")
    if method.startswith("PUT"):
        has_invitation = scheduling == "off" or method == "PUT"
        assert addresses(alice, event) == {bob.email_address: "sent" if has_invitation else "withdrawn"}
        assert alice.get(f"/api/events/{event['id']}").json["start_time"].startswith("2035-06-01T20")


def test_a_guest_replies_from_a_calendar_without_scheduling(cast: Cast, path: str, bob: Person) -> None:
    alice = cast.alice
    switch(alice, path, "on")
    bob.put(f"/api/calendars/{bob.primary_calendar_id}", json={"scheduling": "off"})
    put(alice, f"{path}a.ics", moved_in(alice, bob.email_address))
    [name] = names_of(bob, calendar_path(bob))
    own = f"{calendar_path(bob)}{name}"
    assert put(bob, own, bob.get(own).text.replace("NEEDS-ACTION", "ACCEPTED")).status == 204
    assert "PARTSTAT=ACCEPTED" in alice.get(f"{path}a.ics").text


def test_the_page_of_a_calendar_switches_scheduling_off(cast: Cast) -> None:
    alice, calendar = cast.alice, a_calendar(cast.alice)
    page = f"/calendars/{calendar['id']}/edit"
    assert "Guests are invited when their event is next saved in the app." in alice.get(page).text
    fields = {"name": "Jazz", "color": "#2f6fde", "time_zone": "UTC", "moderation": "guests", "confirm_above": "10", "hold_minutes": "60"}
    assert alice.post(page, data=fields | {"scheduling": "off"}).status == 303
    assert alice.get(f"/api/calendars/{calendar['id']}").json["scheduling"] == "off"
    # A calendar that is restored with its events is as it was.
    an_event(alice, calendar_id=calendar["id"])
    assert alice.delete(f"/api/calendars/{calendar['id']}").status == 200
    [deleted, *_] = alice.get("/api/trash").json["trash"]
    assert alice.post(f"/api/changes/{deleted['seq']}/undo").status == 200
    assert alice.get(f"/api/calendars/{calendar['id']}").json["scheduling"] == "off"

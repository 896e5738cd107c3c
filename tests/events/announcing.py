"""The writes whose reply or notice says how many people are notified: a row for each, for an event with guests."""

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from kalends.web.notices import COOKIE
from tests.cast import Cast, Person, a_calendar, a_response, an_event
from tests.client import Reply
from tests.pictures.files import a_picture

NEW_TIME = "2037-06-02T20:00"
# A day before this, a reminder is due.
SOON = "2026-05-30T20:00"
DAY = 86_400
Event = dict[str, Any]
Write = Callable[[Cast, Event], int]


class Announcing(Struct, frozen=True):
    """A write, and how many people it announces to be notified.

    before: what is done earlier, and the mails of which are sent. start: of the event. wait: seconds until the mails are due."""

    endpoint: str
    write: Write
    number: int
    before: Write | None = None
    start: str = "2037-06-01T20:00"
    wait: int = 60


def an_event_with_guests(cast: Cast, start: str) -> Event:
    """Gus is going, Wim waits, Hal said maybe, Ida no; Jon and Kim are invited."""
    event = an_event(cast.alice, public=True, start_time=start, capacity=1, waiting_list="auto")
    for name, response in {"gus": "YES", "wim": "YES", "hal": "MAYBE", "ida": "NO"}.items():
        a_response(cast.anonymous, event, email_address=address(name, event), response=response)
    invited = {"addresses": [address(name, event) for name in ("jon", "kim")]}
    assert cast.alice.post(f"/api/events/{event['id']}/invitations", json=invited).status == 202
    return dict(event)


def address(name: str, event: Event) -> str:
    return f"{name}-{event['id']}@example.org"


def notified(reply: Reply) -> int:
    """The number in the reply of a write that notifies guests; without one, it notifies nobody."""
    assert reply.status < 300, reply
    return int(reply.json["notified"]["email"]) if "notified" in reply.json else 0


def put(owner: Person, event: Event, path: str = "", **fields: Any) -> int:
    return notified(owner.put(f"/api/events/{event['id']}{path}", json=fields))


def delete(owner: Person, path: str) -> int:
    return int(owner.delete(path).json["notified"]["email"])


def seq_of(cast: Cast, event: Event) -> int:
    """The number of the last change of the event."""
    return int(cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"])


def undo(cast: Cast, event: Event) -> int:
    """Undo the last change of the event, and notify those who know of it."""
    return int(cast.alice.post(f"/api/changes/{seq_of(cast, event)}/undo", json={"notify": "auto"}).json["notified"]["email"])


def restore(cast: Cast, event: Event) -> int:
    seq = next(each["seq"] for each in cast.alice.get("/api/trash").json["trash"] if each["id"] == event["id"])
    return int(cast.alice.post(f"/api/changes/{seq}/undo", json={"notify": "auto"}).json["notified"]["email"])


def upsert(cast: Cast, event: Event) -> int:
    return int(
        cast.alice.put(f"/api/events?uid={event['uid']}", json={"title": "Concert", "start_time": NEW_TIME}).json["notified"]["email"]
    )


def invite(cast: Cast, event: Event) -> int:
    fields = {"addresses": [address(name, event) for name in ("lea", "max", "jon")]}
    return int(cast.alice.post(f"/api/events/{event['id']}/invitations", json=fields).json["invited"])


def message(cast: Cast, event: Event) -> int:
    fields = {"to": ["going", "maybe", "waiting", "no", "not_answered"], "subject": "Chairs", "text": "Bring one."}
    return int(cast.alice.post(f"/api/events/{event['id']}/messages", json=fields).json["notified"]["email"])


def respond_to_another(cast: Cast, event: Event) -> int:
    other = an_event(cast.alice, public=True, start_time="2037-06-05T20:00")
    a_response(cast.anonymous, other, email_address=address("gus", event))
    a_response(cast.anonymous, other, email_address=address("new", event))
    event["other"] = other["id"]
    return 0


def several(cast: Cast, event: Event) -> int:
    return put(cast.alice, event, ids=[event["other"]], location="Elsewhere")


def repeat(cast: Cast, event: Event) -> int:
    return put(cast.alice, event, "/repeat", frequency="WEEKLY", count=3, notify="concerned")


def submit(cast: Cast, path: str, **fields: str) -> int:
    """Send the form of a page: a question comes first, whose number the notice repeats. It saves nothing before it is answered."""
    asked = cast.alice.post(path, data=fields)
    assert (asked.status, asked.redirect if asked.status == 303 else "") == (200, ""), asked
    number = re.search("<p>([0-9]+) people would be emailed: ", asked.text)
    assert number, asked.text
    assert notice(cast, cast.alice.post(path, data=fields | {"notify": "auto"})) == int(number[1])
    return int(number[1])


def notice(cast: Cast, done: Reply) -> int:
    """The number of people in the notice on the page after a redirect."""
    assert done.status == 303, done
    page = cast.alice.get("/trash", headers={"Cookie": f"{COOKIE}={done.cookies[COOKIE]}"}).text
    number = re.search("([0-9]+) (?:person|people) should know|Not sent to ([0-9]+) people|([0-9]+) people are invited", page)
    assert number, page
    return int(next(filter(None, number.groups())))


def edit_page(cast: Cast, event: Event) -> int:
    version = cast.alice.get(f"/api/events/{event['id']}/edit").headers["ETag"].strip('"')
    return submit(cast, f"/events/{event['id']}", version=version, start_time="2037-06-02", start_clock="20:00")


def undo_page(cast: Cast, event: Event) -> int:
    return submit(cast, f"/changes/{seq_of(cast, event)}/undo")


def ending_page(action: str) -> Write:
    def end(cast: Cast, event: Event) -> int:
        path = f"/events/{event['id']}/{action}"
        asked = cast.alice.get(path).text
        number = re.search("([0-9]+) people would be emailed: 1 going, 1 maybe, 1 waiting, 1 invited.", asked)
        assert number, asked
        assert notice(cast, cast.alice.post(path, data={"notify": "auto"})) == int(number[1])
        return int(number[1])

    return end


def announce(cast: Cast, event: Event) -> int:
    return int(cast.alice.put(f"/api/events/{event['id']}/announce").json["queued"])


def same(asked: str, done: int) -> int:
    """The number, which the question before it has, too."""
    number = re.search("(?:Send to|Invite) ([0-9]+) people\\?", asked)
    assert number, asked
    assert int(number[1]) == done
    return done


def announce_page(cast: Cast, event: Event) -> int:
    path = f"/events/{event['id']}/announce"
    return same(cast.alice.get(path).text, notice(cast, cast.alice.post(path, data={})))


def message_page(cast: Cast, event: Event) -> int:
    path, fields = f"/events/{event['id']}/messages", {"to[]": ["going", "maybe"], "subject": "Chairs", "text": "Bring one."}
    asked = cast.alice.post(f"{path}/check", data=fields).text
    return same(asked, notice(cast, cast.alice.post(f"{path}/send", data=fields | {"form_token": "t" * 22})))


def invite_page(cast: Cast, event: Event) -> int:
    path = f"/events/{event['id']}/invitations"
    fields = {"addresses": " ".join(address(name, event) for name in ("lea", "max", "jon"))}
    asked = cast.alice.post(f"{path}/check", data=fields).text
    return same(asked, notice(cast, cast.alice.post(f"{path}/send", data=fields)))


def selected_page(action: str) -> Write:
    def change(cast: Cast, event: Event) -> int:
        invited = cast.alice.get(f"/api/events/{event['id']}/invitations").json["invitations"]
        guests = [f"i{row['id']}" for row in invited]
        done = cast.alice.post(f"/events/{event['id']}/responses/selected", data={"guests[]": guests, "action": action})
        if action == "remind":
            return notice(cast, done)
        assert done.redirect[1] == f"answers-set.{len(guests)}"
        return 0

    return change


def repeat_page(cast: Cast, event: Event) -> int:
    path = f"/events/{event['id']}/repeat"
    fields = {"repeat": "weekly", "end": "count", "count": "3", "notify": "concerned"}
    return notice(cast, cast.alice.post(path, data=fields))


def remind(cast: Cast, event: Event) -> int:
    reply = cast.alice.post(f"/api/events/{event['id']}/reminders", json={"before": 1440})
    assert reply.status == 201, reply
    return int(reply.json["recipients"])


def change_reminder(cast: Cast, event: Event) -> int:
    path = f"/api/events/{event['id']}/reminders"
    reminder = cast.alice.get(path).json["reminders"][0]
    return int(cast.alice.put(f"{path}/{reminder['id']}", json={"audience": ["going", "maybe", "waiting"]}).json["recipients"])


def create(cast: Cast, event: Event) -> int:
    return notified(cast.alice.post("/api/events", json={"title": "Concert", "start_time": NEW_TIME, "public": True}))


def share(cast: Cast, event: Event) -> int:
    fields = {"user_name": address("lea", event)}
    return notified(cast.alice.put(f"/api/calendars/{a_calendar(cast.alice)['id']}/share", json=fields))


def share_page(cast: Cast, event: Event) -> int:
    fields = {"user_name": address("lea", event), "role": "viewer"}
    return notice(cast, cast.alice.post(f"/calendars/{a_calendar(cast.alice)['id']}/share", data=fields))


def set_image(cast: Cast, event: Event) -> int:
    a_picture(cast.alice, event)
    return 0


def delete_image(cast: Cast, event: Event) -> int:
    a_picture(cast.alice, event)
    return notified(cast.alice.delete(f"/api/events/{event['id']}/image"))


UPDATE, UNDO, EVENT = "PUT /api/events/{event_id}", "POST /api/changes/{seq}/undo", "/events/{event_id}"


def _update(number: int, **fields: Any) -> Announcing:
    return Announcing(UPDATE, lambda cast, event: put(cast.alice, event, **fields), number)


def _move(cast: Cast, event: Event) -> int:
    return put(cast.alice, event, start_time=NEW_TIME)


def _cancel(cast: Cast, event: Event) -> int:
    return put(cast.alice, event, status="cancelled")


def _delete(cast: Cast, event: Event) -> int:
    return notified(cast.alice.delete(f"/api/events/{event['id']}"))


def _delete_by_uid(cast: Cast, event: Event) -> int:
    return notified(cast.alice.delete(f"/api/events?uid={event['uid']}"))


def _add(cast: Cast, event: Event) -> int:
    event["calendar_id"] = a_calendar(cast.alice)["id"]
    return put(cast.alice, event, "/add", calendar_id=event["calendar_id"])


def _remove(cast: Cast, event: Event) -> int:
    return put(cast.alice, event, "/remove", calendar_id=event["calendar_id"])


def _give_a_link(cast: Cast, event: Event) -> int:
    return put(cast.alice, event, visibility="link")


def _put(path: str) -> Write:
    return lambda cast, event: put(cast.alice, event, path)


WRITES = {
    "a new event": Announcing("POST /api/events", create, 0),
    "a new time": _update(4, start_time=NEW_TIME),
    "a new place": _update(4, location="Elsewhere"),
    "another title": _update(0, title="Jam"),
    "a change for everyone": _update(5, title="Jam", notify="all"),
    "a change for those who are going": _update(1, title="Jam", notify="going"),
    "a change for nobody": _update(0, start_time=NEW_TIME, notify="none"),
    "a cancellation": _update(4, status="cancelled"),
    "a postponement": _update(4, status="postponed"),
    "several events": Announcing(UPDATE, several, 5, before=respond_to_another),
    "an upsert": Announcing("PUT /api/events", upsert, 4),
    "a deletion": Announcing("DELETE /api/events/{event_id}", _delete, 4),
    "a deletion by uid": Announcing("DELETE /api/events", _delete_by_uid, 4),
    "a rule": Announcing(f"{UPDATE}/repeat", repeat, 4),
    "a new link": Announcing(f"{UPDATE}/reset_link", _put("/reset_link"), 0, before=_give_a_link),
    "a picture": Announcing("POST /api/events/{event_id}/image", set_image, 0),
    "no picture": Announcing("DELETE /api/events/{event_id}/image", delete_image, 0),
    "an addition to a calendar": Announcing(f"{UPDATE}/add", _add, 0),
    "a removal from a calendar": Announcing(f"{UPDATE}/remove", _remove, 0, before=_add),
    "a copy": Announcing(f"{UPDATE}/copy", _put("/copy"), 0),
    "an announcement": Announcing(f"{UPDATE}/announce", announce, 2),
    "an invitation": Announcing("POST /api/events/{event_id}/invitations", invite, 2),
    "a shared calendar": Announcing("PUT /api/calendars/{calendar_id}/share", share, 1),
    "a message": Announcing("POST /api/events/{event_id}/messages", message, 5),
    "a reminder": Announcing("POST /api/events/{event_id}/reminders", remind, 2, start=SOON, wait=DAY),
    "another reminder": Announcing(f"{UPDATE}/reminders/{{reminder_id}}", change_reminder, 3, before=remind, start=SOON, wait=DAY),
    "an undone change": Announcing(UNDO, undo, 4, before=_move),
    "an undone cancellation": Announcing(UNDO, undo, 4, before=_cancel),
    "an undone deletion": Announcing(UNDO, restore, 4, before=_delete),
    "the page to edit": Announcing(f"POST {EVENT}", edit_page, 4),
    "the page to repeat": Announcing(f"POST {EVENT}/repeat", repeat_page, 4),
    "the page to cancel": Announcing(f"POST {EVENT}/cancel", ending_page("cancel"), 4),
    "the page to delete": Announcing(f"POST {EVENT}/delete", ending_page("delete"), 4),
    "the page to announce": Announcing(f"POST {EVENT}/announce", announce_page, 2),
    "the page to invite": Announcing(f"POST {EVENT}/invitations/send", invite_page, 2),
    "the page to share a calendar": Announcing("POST /calendars/{calendar_id}/share", share_page, 1),
    "the page to write": Announcing(f"POST {EVENT}/messages/send", message_page, 2),
    "the page to invite again": Announcing(f"POST {EVENT}/responses/selected", selected_page("remind"), 2),
    "the page to answer for guests": Announcing(f"POST {EVENT}/responses/selected", selected_page("NO"), 0),
    "the page to undo a change": Announcing("POST /changes/{seq}/undo", undo_page, 4, before=_move),
    "the page to undo a cancellation": Announcing("POST /changes/{seq}/undo", undo_page, 4, before=_cancel),
}

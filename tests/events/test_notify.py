"""Whom a change of an event notifies: `notify`, `message`, and one message for the changes of a minute."""

from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import Cast, a_calendar, a_response, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.deliveries.samples import empty_queue
from tests.events.series import events_of_series
from tests.responses.mail import read_mail, text_of

pytestmark = pytest.mark.on_one_database

START = "2027-06-01T20:00"
Work = Callable[..., list[EmailMessage]]


@pytest.fixture
def work(db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Let this many seconds pass, then do what a worker does: claim what is due and send it. Returns the messages to the guests of the
    event, which have its number in their URL."""
    monkeypatch.setattr(timestamps, "now", clock)
    empty_queue(db)

    def worked(event: dict[str, Any], seconds: int = 0) -> list[EmailMessage]:
        clock.ahead(seconds)
        files = []
        while due := sender._due(Context(db, settings, clock()), "email", 50):
            for delivery in due:
                sender.attempt(db, settings, delivery)
                file = settings.folder / "outbox" / f"{delivery.id}.eml"
                if delivery.kind in ("change", "cancel") and f"-{event['id']}@" in delivery.address and file.exists():
                    files.append(file)
        return [read_mail(file) for file in files]

    return worked


def an_event_with_guests(cast: Cast, **fields: Any) -> dict[str, Any]:
    """Gus says yes, Hal maybe, and Ida no."""
    event = an_event(cast.alice, **{"public": True, "start_time": START, "capacity": 1, "waiting_list": "auto"} | fields)
    for name, response in {"gus": "YES", "wim": "YES", "hal": "MAYBE", "ida": "NO"}.items():
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org", response=response)
    return event


def change(owner: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    reply = owner.put(f"/api/events/{event['id']}", json=fields)
    assert reply.status == 200, reply
    notified: dict[str, Any] = reply.json.get("notified", {"email": 0, "sms": 0, "skipped": 0})
    return notified


def response_id(cast: Cast, event: dict[str, Any], name: str) -> int:
    responses = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return next(int(each["id"]) for each in responses if each["email_address"].startswith(name))


def names_of(mails: list[EmailMessage]) -> list[str]:
    return sorted(mail["To"].partition("-")[0] for mail in mails)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"start_time": "2027-06-02T20:00"}, ["gus", "hal", "wim"]),
        ({"location": "Elsewhere"}, ["gus", "hal", "wim"]),
        ({"status": "postponed"}, ["gus", "hal", "wim"]),
        ({"title": "Another", "description": "Changed", "tag_list": "new"}, []),
        ({"start_time": START}, []),
        ({"start_time": "2027-06-02T20:00", "notify": "none"}, []),
        ({"title": "Another", "notify": "going"}, ["gus"]),
        ({"title": "Another", "notify": "concerned"}, ["gus", "hal", "wim"]),
        ({"title": "Another", "notify": "all"}, ["gus", "hal", "ida", "wim"]),
    ],
)
def test_a_change_notifies_those_whom_notify_names(cast: Cast, work: Work, fields: dict[str, Any], names: list[str]) -> None:
    event = an_event_with_guests(cast)
    assert change(cast.alice, event, **fields) == {"email": len(names), "sms": 0, "skipped": 0}
    assert work(event) == []
    assert names_of(work(event, 60)) == names
    assert work(event, 60) == []


def test_five_changes_are_one_message_from_the_first_old_to_the_last_new_values(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast, location="Here")
    for hour in range(15, 20):
        assert change(cast.alice, event, start_time=f"2027-06-01T{hour}:00")["email"] == 3
    change(cast.alice, event, location="There", message="Sorry!\nIt rains.")
    mails = work(event, 60)
    assert names_of(mails) == ["gus", "hal", "wim"]
    for mail in mails:
        text = text_of(mail)
        assert "Sorry!\r\nIt rains." in text
        assert "New time: Tuesday, 1 June 2027, 19:00" in text
        assert "Before: Tuesday, 1 June 2027, 20:00" in text
        assert "New location: There. Before: Here." in text
        assert mail["Subject"] == "New time: Concert"
        assert mail["Auto-Submitted"] == "auto-generated"
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert "?response=NO" in text
        assert len(mail.as_bytes()) < 60_000


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"image_url": "https://example.org/new.png"}, "The picture has changed."),
        ({"tag_list": "new"}, "The tags have changed."),
        ({"description": "New"}, "The description has changed."),
    ],
)
def test_a_message_names_what_was_changed_and_nothing_else(cast: Cast, work: Work, fields: dict[str, Any], line: str) -> None:
    event = an_event_with_guests(cast, image_url="https://example.org/old.png", description="Old", tag_list="old")
    change(cast.alice, event, **fields, notify="going")
    (mail,) = work(event, 60)
    assert [each for each in text_of(mail).splitlines() if each.startswith("- ")] == [f"- {line}"]


def test_what_was_changed_back_or_restored_notifies_nobody(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    assert change(cast.alice, event, start_time="2027-06-02T20:00")["email"] == 3
    assert change(cast.alice, event, start_time=START)["email"] == 3
    assert work(event, 60) == []
    assert cast.alice.delete(f"/api/events/{event['id']}").json["notified"]["email"] == 3
    seq = cast.alice.get("/api/trash").json["trash"][0]["seq"]
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert work(event, 60) == []


def _undo_last(cast: Cast, event: dict[str, Any], **params: Any) -> dict[str, Any]:
    seq = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    would = cast.alice.post(f"/api/changes/{seq}/undo?dry_run=true", json=params).json["would_notify"]
    undone = cast.alice.post(f"/api/changes/{seq}/undo", json=params)
    assert undone.status == 200, undone
    reply: dict[str, Any] = undone.json
    assert reply.get("notified", {"email": 0})["email"] == would["email"]
    return reply


def test_an_undo_notifies_nobody_unless_asked(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    change(cast.alice, event, start_time="2027-06-02T20:00")
    assert len(work(event, 60)) == 3
    assert _undo_last(cast, event)["notified"] == {"email": 0, "sms": 0, "skipped": 0}
    assert work(event, 60) == []

    seq = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    refused = cast.alice.post(f"/api/changes/{seq}/undo", json={"message": "Sorry."})
    assert (refused.status, refused.json["errors"][0]["field"]) == (422, "message")


@pytest.mark.parametrize("notify", ["auto", "all"])
def test_an_undo_can_notify_those_who_know_of_the_change(cast: Cast, work: Work, notify: str) -> None:
    event = an_event_with_guests(cast)
    change(cast.alice, event, start_time="2027-06-02T20:00")
    assert len(work(event, 60)) == 3
    assert _undo_last(cast, event, notify=notify)["notified"]["email"] == 3
    mails = work(event, 60)
    assert {mail["Subject"] for mail in mails} == {"New time: Concert"}
    assert "New time: Tuesday, 1 June 2027, 20:00" in text_of(mails[0])


@pytest.mark.parametrize("notify", ["auto", "all"])
def test_an_undo_notifies_no_guest_of_a_time_that_they_never_knew(cast: Cast, work: Work, notify: str) -> None:
    event = an_event_with_guests(cast)
    change(cast.alice, event, start_time="2027-06-02T20:00", notify="none")
    assert _undo_last(cast, event, notify=notify).get("notified", {"email": 0})["email"] == 0
    assert work(event, 60) == []


def test_restoring_an_event_can_notify_those_who_know_that_it_was_deleted(cast: Cast, work: Work) -> None:
    event, other = an_event_with_guests(cast), an_event_with_guests(cast)
    assert cast.alice.delete(f"/api/events/{event['id']}").status == 200
    assert len(work(event, 60)) == 3
    seq = cast.alice.get("/api/trash").json["trash"][0]["seq"]
    words = {"message": "The hall is free.", "notify": "auto"}
    assert cast.alice.post(f"/api/changes/{seq}/undo", json=words).json["notified"]["email"] == 3
    mails = work(event, 60)
    assert {mail["Subject"] for mail in mails} == {"Back on: Concert"}
    assert "The hall is free." in text_of(mails[0])

    assert cast.alice.delete(f"/api/events/{other['id']}?notify=none").status == 200
    seq = cast.alice.get("/api/trash").json["trash"][0]["seq"]
    assert cast.alice.post(f"/api/changes/{seq}/undo", json={"notify": "auto"}).json["notified"] == {"email": 0, "sms": 0, "skipped": 0}
    assert work(other, 60) == []


def test_a_cancellation_waits_for_a_minute_and_takes_earlier_changes_along(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    change(cast.alice, event, start_time="2027-06-02T20:00")
    assert work(event, 50) == []
    assert change(cast.alice, event, status="cancelled", status_note="Flu")["email"] == 3
    assert work(event, 50) == []
    mails = work(event, 10)
    assert names_of(mails) == ["gus", "hal", "wim"]
    assert {mail["Subject"] for mail in mails} == {"Cancelled: Concert"}
    assert "This event has been cancelled. Flu" in text_of(mails[0])
    change(cast.alice, event, status="planned")
    assert {mail["Subject"] for mail in work(event, 60)} == {"Back on: Concert"}


def test_what_is_undone_within_a_minute_of_the_last_change_notifies_nobody(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    change(cast.alice, event, status="cancelled")
    assert work(event, 59) == []
    _undo_last(cast, event)
    assert work(event, 60) == []
    change(cast.alice, event, start_time="2027-06-02T20:00")
    assert work(event, 50) == []
    gus = response_id(cast, event, "gus")
    change(cast.alice, event, start_time=START, description="The same day after all", notify=[gus], message="For Gus")
    assert work(event, 50) == []
    assert names_of(work(event, 10)) == ["gus"]


def test_the_guests_of_a_deleted_event_are_notified_unless_it_is_over(cast: Cast, work: Work) -> None:
    event, past = an_event_with_guests(cast), an_event_with_guests(cast, start_time="2020-01-01T20:00")
    assert cast.alice.delete(f"/api/events/{past['id']}").json["deleted"] == [past["id"]]
    reply = cast.alice.delete(f"/api/events/{event['id']}?message=Burnt+down")
    assert reply.json["notified"] == {"email": 3, "sms": 0, "skipped": 0}
    mails = work(event, 60)
    assert names_of(mails) == ["gus", "hal", "wim"]
    assert mails[0]["Subject"] == "Cancelled: Concert"
    assert "Burnt down" in text_of(mails[0])


def test_a_guest_of_several_dates_of_a_series_gets_one_message(cast: Cast, work: Work) -> None:
    first = an_event(cast.alice, public=True, start_time="2027-03-09T20:00")
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    dates = events_of_series(cast.alice, first["id"])
    for date, names in zip(dates, (["gus"], ["gus", "hal"], ["gus"]), strict=True):
        for name in names:
            a_response(cast.anonymous, date, email_address=f"{name}-{first['id']}@example.org")
    assert change(cast.alice, first, start_time="2027-03-10T20:00", scope="all")["email"] == 2
    mails = {mail["To"].partition("-")[0]: mail for mail in work(first, 60)}
    assert sorted(mails) == ["gus", "hal"]
    assert mails["gus"]["Subject"] == "New time: Concert (3 dates)"
    assert text_of(mails["gus"]).count("→") == 3
    assert "17 March 2027" in text_of(mails["hal"])


def test_a_message_about_different_events_names_each(cast: Cast, work: Work) -> None:
    events = [an_event(cast.alice, public=True, start_time=START, title=title) for title in ("Concert", "Lecture")]
    for event in events:
        a_response(cast.anonymous, event, email_address=f"gus-{events[0]['id']}@example.org")
    cast.alice.put(f"/api/events/{events[0]['id']}", json={"ids": [event["id"] for event in events], "start_time": "2027-06-02T20:00"})
    (mail,) = work(events[0], 60)
    assert mail["Subject"] == "New time: Concert and 1 more"
    assert "New time: Lecture, Tuesday, 1 June 2027, 20:00" in text_of(mail)


def test_a_message_about_several_events_has_all_of_them_for_a_calendar(cast: Cast, work: Work) -> None:
    events = [an_event(cast.alice, public=True, start_time=START, title=title) for title in ("Concert", "Lecture")]
    for event in events:
        a_response(cast.anonymous, event, email_address=f"gus-{events[0]['id']}@example.org")
    cast.alice.put(f"/api/events/{events[0]['id']}", json={"ids": [event["id"] for event in events], "location": "Elsewhere"})
    (mail,) = work(events[0], 60)
    (file,) = [part.get_content() for part in mail.iter_attachments()]
    assert [line for line in file.splitlines() if line.startswith("SUMMARY:")] == ["SUMMARY:Concert", "SUMMARY:Lecture"]


def test_words_for_one_guest_of_a_cancelled_event_come_with_the_cancellation(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    change(cast.alice, event, status="cancelled")
    change(cast.alice, event, description="Sorry", notify=[response_id(cast, event, "gus")], message="For Gus")
    mails = work(event, 60)
    assert names_of(mails) == ["gus", "hal", "wim"]
    assert {mail["Subject"] for mail in mails} == {"Cancelled: Concert"}
    assert names_of([mail for mail in mails if "For Gus" in text_of(mail)]) == ["gus"]


def test_words_about_one_event_come_with_the_changes_of_another_in_one_message(cast: Cast, work: Work) -> None:
    events = [an_event(cast.alice, public=True, start_time=START, title=title) for title in ("Concert", "Lecture")]
    for event in events:
        a_response(cast.anonymous, event, email_address=f"gus-{events[0]['id']}@example.org")
    a_response(cast.anonymous, events[1], email_address=f"hal-{events[0]['id']}@example.org")
    cast.alice.put(f"/api/events/{events[0]['id']}", json={"ids": [event["id"] for event in events], "location": "Elsewhere"})
    change(cast.alice, events[0], title="Recital", notify="all", message="For the recital")
    gus, hal = sorted(work(events[0], 60), key=lambda mail: str(mail["To"]))
    assert (gus["Subject"], hal["Subject"]) == ("New location: Recital and 1 more", "New location: Lecture")
    assert ["For the recital" in text_of(mail) for mail in (gus, hal)] == [True, False]


def test_notify_takes_ids_of_responses_to_the_event(cast: Cast) -> None:
    event, other = an_event_with_guests(cast), an_event(cast.alice, public=True)
    a_response(cast.anonymous, other, email_address=f"ida-{other['id']}@example.org")
    assert change(cast.alice, event, title="Named", notify=[response_id(cast, event, "ida")])["email"] == 1
    for wrong in ([response_id(cast, other, "ida")], "everyone", [0]):
        reply = cast.alice.put(f"/api/events/{event['id']}", json={"title": "Wrong", "notify": wrong})
        assert (reply.status, reply.json["errors"][0]["field"]) == (422, "notify")


def test_a_private_event_notifies_only_those_who_may_see_it(cast: Cast, work: Work) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event_with_guests(cast, calendar_id=calendar["id"])
    a_response(cast.bob, event)
    share = {"user_name": cast.bob.user_name, "role": "viewer"}
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=share).status == 200
    assert change(cast.alice, event, public=False, start_time="2027-06-02T20:00")["email"] == 1
    event = an_event_with_guests(cast)
    assert change(cast.alice, event, start_time="2027-06-02T20:00")["email"] == 3
    change(cast.alice, event, public=False)
    assert work(event, 60) == []


def test_who_leaves_a_private_calendar_is_not_notified_of_its_events_any_more(cast: Cast, work: Work) -> None:
    calendar = a_calendar(cast.alice)
    share = {"user_name": cast.bob.user_name, "role": "viewer"}
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=share).status == 200
    event = an_event(cast.alice, calendar_id=calendar["id"], public=False, start_time=START)
    a_response(cast.bob, event)
    assert change(cast.alice, event, start_time="2027-06-02T20:00")["email"] == 1
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json=share).status == 200
    work(event, 60)
    for fields in ({"location": "Elsewhere"}, {"title": "Another", "notify": "all"}, {"status": "cancelled"}):
        assert change(cast.alice, event, **fields)["email"] == 0
    message = {"to": ["going"], "subject": "Hello", "text": "Bring a chair."}
    assert cast.alice.post(f"/api/events/{event['id']}/messages", json=message).json["notified"]["email"] == 0
    assert cast.alice.put(f"/api/events/{event['id']}/announce").status == 409
    deliveries = cast.alice.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    assert [each["state"] for each in deliveries if each["kind"] in ("change", "cancel", "message")] == ["failed"]
    assert cast.alice.delete(f"/api/events/{event['id']}?notify=all").json["notified"]["email"] == 0


def test_who_wants_no_more_about_an_event_is_skipped(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    change(cast.alice, event, start_time="2027-06-02T20:00")
    mail = next(each for each in work(event, 60) if each["To"].startswith("gus-"))
    path = mail["List-Unsubscribe"].strip("<>").partition("testserver")[2]
    assert cast.anonymous.get(path).status == 200
    assert change(cast.alice, event, start_time="2027-06-03T20:00") == {"email": 3, "sms": 0, "skipped": 0}
    assert cast.anonymous.post(path, data={"List-Unsubscribe": "One-Click"}).status == 200
    assert names_of(work(event, 60)) == ["hal", "wim"]
    assert change(cast.alice, event, start_time="2027-06-04T20:00") == {"email": 2, "sms": 0, "skipped": 1}
    assert cast.anonymous.get(f"{path}x").status == 404


def test_the_changer_is_not_notified_and_who_has_withdrawn_meanwhile_neither(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    response = a_response(cast.alice, event)
    assert change(cast.alice, event, start_time="2027-06-02T20:00")["email"] == 3
    assert cast.alice.delete(f"/api/responses/{response['id']}").status == 200
    assert cast.alice.delete(f"/api/responses/{response_id(cast, event, 'gus')}", json={"notify": False}).status == 200
    assert names_of(work(event, 60)) == ["hal", "wim"]


def test_words_for_some_guests_reach_nobody_else_whichever_change_comes_first(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    gus, hal = (response_id(cast, event, name) for name in ("gus", "hal"))
    change(cast.alice, event, description="A", notify=[gus], message="For Gus")
    change(cast.alice, event, start_time="2027-06-02T20:00")
    change(cast.alice, event, description="B", notify=[hal], message="For Hal")
    change(cast.alice, event, start_time="2027-06-03T20:00")
    mails = work(event, 60)
    assert names_of(mails) == ["gus", "hal", "wim"]
    assert names_of([mail for mail in mails if "For Gus" in text_of(mail)]) == ["gus"]
    assert names_of([mail for mail in mails if "For Hal" in text_of(mail)]) == ["hal"]
    for mail in mails:
        assert "New time: Thursday, 3 June 2027, 20:00 (UTC). Before: Tuesday, 1 June 2027, 20:00 (UTC)." in text_of(mail)


def test_repeating_an_event_notifies_those_whom_notify_names(cast: Cast, work: Work) -> None:
    event = an_event_with_guests(cast)
    path, rule = f"/api/events/{event['id']}/repeat", {"frequency": "WEEKLY", "count": 3}
    assert cast.alice.put(path, json=rule).json["notified"] == {"email": 0, "sms": 0, "skipped": 0}
    assert cast.alice.put(path, json=rule | {"notify": "all"}).json["notified"]["email"] == 0
    wrong = cast.alice.put(path, json=rule | {"notify": [response_id(cast, an_event_with_guests(cast), "gus")]})
    assert (wrong.status, wrong.broken) == (422, ["notify"])
    reply = cast.alice.put(path, json={"frequency": "DAILY", "count": 2, "notify": "concerned", "message": "Twice!"}).json
    assert reply["notified"] == {"email": 3, "sms": 0, "skipped": 0}
    assert (reply["kept"], reply["created"], reply["removed"]) == (1, 1, 2)
    mails = work(event, 60)
    assert names_of(mails) == ["gus", "hal", "wim"]
    assert "Every day, 2 times." in text_of(mails[0])
    assert "Twice!" in text_of(mails[0])


def test_no_more_about_this_event_is_about_all_dates_of_the_mail_and_nothing_else(cast: Cast, work: Work) -> None:
    first, deleted = an_event(cast.alice, public=True, start_time=START), an_event(cast.alice, public=True, start_time=START)
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    address = f"gus-{first['id']}@example.org"
    for date in (*events_of_series(cast.alice, first["id"]), deleted):
        a_response(cast.anonymous, date, email_address=address)
    cast.alice.delete(f"/api/events/{deleted['id']}")
    (mail,) = work(first, 60)
    assert cast.anonymous.post(_stop_path(mail), data={"List-Unsubscribe": "One-Click"}).status == 200
    assert change(cast.alice, first, start_time="2027-06-01T21:00", scope="all") == {"email": 1, "sms": 0, "skipped": 0}
    (mail,) = work(first, 60)
    assert cast.anonymous.post(_stop_path(mail), data={"List-Unsubscribe": "One-Click"}).status == 200
    assert change(cast.alice, first, start_time="2027-06-01T22:00", scope="all") == {"email": 0, "sms": 0, "skipped": 1}
    assert change(cast.alice, an_event_with_guests(cast), location="Elsewhere")["email"] == 3


def _stop_path(mail: EmailMessage) -> str:
    return str(mail["List-Unsubscribe"]).strip("<>").partition("testserver")[2]


def test_every_write_that_can_notify_says_how_many_it_notifies_also_if_these_are_none(cast: Cast) -> None:
    nobody = {"email": 0, "sms": 0, "skipped": 0}
    event = an_event(cast.alice, uid="nobody@example.org")
    path = f"/api/events/{event['id']}"
    assert "notified" not in cast.alice.get(path).json
    upserted = cast.alice.put("/api/events?uid=nobody@example.org", json={"title": "Concert", "start_time": "2026-06-01T20:00"})
    replies = [
        cast.alice.put(path, json={"title": "Jam"}),
        cast.alice.put(path, json={"start_time": "2026-06-02T20:00"}),
        cast.alice.put(path, json={"ids": [event["id"]], "description": "Loud"}),
        upserted,
        cast.alice.put(f"{path}/repeat", json={"frequency": "WEEKLY", "count": 2}),
        cast.alice.delete(f"{path}?scope=all"),
        cast.alice.post(f"/api/changes/{cast.alice.get('/api/trash').json['trash'][0]['seq']}/undo", json={}),
    ]
    assert [(reply.status, reply.json.get("notified")) for reply in replies] == [(200, nobody)] * 7

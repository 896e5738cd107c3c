"""Guests of events and followers of calendars that are deleted with an account get mail; those of what others keep do not."""

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import PASSWORD, Cast, a_calendar, a_response, an_event, shared, verified
from tests.site.administrator import Admin, a_deleted_calendar
from tests.subscribers.confirmations import confirmed
from tests.users.account_mail import mails


def _sent(db: Database, settings: Settings, admin: Admin, *kinds: str) -> list[str]:
    """The mail of these kinds that is sent in the name of the site's first admin."""
    with db.read() as tx:
        first = tx.value("SELECT min(id) FROM users WHERE role = 'admin' AND status = 'active' AND id > 0")
    return [text for kind in kinds for text in mails(db, settings, first, kind)]


def _recipient(text: str) -> str:
    return text.partition("\nTo: ")[2].partition("\n")[0]


def test_guests_of_deleted_events_are_notified_once(cast: Cast, db: Database, settings: Settings) -> None:
    admin = Admin(cast.anonymous, "ada")
    verified(db, cast.alice)
    diary, choir = a_calendar(cast.alice), a_calendar(cast.alice)
    shared(cast.alice, choir, cast.bob, "editor")
    fields = {"public": True, "start_time": "2037-06-01T20:00"}
    for calendar, guest in ((diary, "deleted"), (choir, "kept")):
        event = an_event(cast.alice, calendar_id=calendar["id"], title=f"Concert {guest}", **fields)
        a_response(cast.anonymous, event, email_address=f"{guest}-{cast.alice.id}@example.org")
    over = an_event(cast.alice, calendar_id=diary["id"], start_time="2020-01-01T20:00")
    a_response(cast.alice, over, email_address=f"over-{cast.alice.id}@example.org", notify=False)
    assert cast.alice.delete(f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD}).status == 200
    texts = [text for text in _sent(db, settings, admin, "change", "cancel") if f"-{cast.alice.id}@example.org" in text]
    assert len(texts) == 1
    assert f"To: deleted-{cast.alice.id}@example.org" in texts[0]
    assert "Concert deleted" in texts[0]


def test_followers_of_deleted_calendars_are_notified_once_and_as_many_as_announced(cast: Cast, db: Database, settings: Settings) -> None:
    admin, alice = Admin(cast.anonymous, "ada"), verified(db, cast.alice)
    diary, choir = a_calendar(alice, name="Diary"), a_calendar(alice, name="Choir")
    for calendar in (diary, choir):
        shared(alice, calendar, cast.vera, "viewer")
    shared(alice, choir, cast.bob, "editor")
    event = an_event(alice, calendar_id=diary["id"], public=True, start_time="2037-06-01T20:00")
    sue, gus, tim = (f"{name}-{alice.id}@example.org" for name in ("sue", "gus", "tim"))
    for address in (sue, tim, cast.vera.email_address):
        assert cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": address, "opt_in": True}).status == 202
    for address in (sue, cast.vera.email_address):
        confirmed(alice, settings, address)
    a_response(cast.anonymous, event, email_address=gus)
    mails(db, settings, alice.id, "send_to_me")
    path, content = f"/api/users/{alice.id}", {"current_password": PASSWORD}
    would_notify = alice.delete(f"{path}?dry_run=true", json=content).json["would_notify"]
    assert sorted(each["address"] for each in would_notify["messages"]) == sorted([sue, gus, cast.vera.email_address, alice.email_address])
    assert alice.delete(path, json=content).status == 200
    sent = [text for text in _sent(db, settings, admin, "notice") if any(name in text for name in (sue, tim, cast.vera.email_address))]
    assert sorted(_recipient(text) for text in sent) == sorted([sue, cast.vera.email_address])
    assert all("Subject: The calendar Diary was deleted" in text and "Alice" not in text for text in sent)
    assert [_recipient(text) for text in _sent(db, settings, admin, "change", "cancel") if gus in text] == [gus]


def test_who_gets_a_calendar_from_the_trash_is_notified(cast: Cast, db: Database, settings: Settings) -> None:
    admin = Admin(cast.anonymous, "ada")
    calendar_id = a_deleted_calendar(cast.anonymous, name="Choir")
    given = {"user_name": cast.bob.user_name}
    assert admin.put(f"/api/admin/deleted_calendars/{calendar_id}", json=given).status == 200
    [text] = mails(db, settings, admin.id, "notice")
    assert _recipient(text) == cast.bob.email_address
    assert "Subject: The calendar Choir is yours now" in text
    assert f"/calendars/{calendar_id}" in text


def test_an_admin_who_deletes_an_account_writes_to_nobody(cast: Cast, db: Database, settings: Settings) -> None:
    admin = Admin(cast.anonymous, "ada")
    event = an_event(verified(db, cast.alice), public=True, start_time="2037-06-01T20:00")
    a_response(cast.anonymous, event, email_address=f"gus-{cast.alice.id}@example.org")
    assert admin.delete(f"/api/admin/people/{cast.alice.id}", json={"current_password": PASSWORD}).status == 200
    assert not [text for text in _sent(db, settings, admin, "change", "cancel") if f"-{cast.alice.id}@example.org" in text]

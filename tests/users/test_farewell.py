"""Guests of events that are deleted with an account get mail; those of events that others keep do not."""

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import PASSWORD, Cast, a_calendar, a_response, an_event, shared, verified
from tests.site.administrator import Admin
from tests.users.account_mail import mails


def _sent(db: Database, settings: Settings, admin: Admin) -> list[str]:
    """The mail about changes that is sent in the name of the site's first admin."""
    with db.read() as tx:
        first = tx.value("SELECT min(id) FROM users WHERE role = 'admin' AND status = 'active' AND id > 0")
    return mails(db, settings, first, "change") + mails(db, settings, first, "cancel")


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
    texts = [text for text in _sent(db, settings, admin) if f"-{cast.alice.id}@example.org" in text]
    assert len(texts) == 1
    assert f"To: deleted-{cast.alice.id}@example.org" in texts[0]
    assert "Concert deleted" in texts[0]


def test_an_admin_who_deletes_an_account_writes_to_nobody(cast: Cast, db: Database, settings: Settings) -> None:
    admin = Admin(cast.anonymous, "ada")
    event = an_event(verified(db, cast.alice), public=True, start_time="2037-06-01T20:00")
    a_response(cast.anonymous, event, email_address=f"gus-{cast.alice.id}@example.org")
    assert admin.delete(f"/api/admin/people/{cast.alice.id}", json={"current_password": PASSWORD}).status == 200
    assert not [text for text in _sent(db, settings, admin) if f"-{cast.alice.id}@example.org" in text]

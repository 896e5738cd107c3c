"""One mail of every kind, queued over the API and sent by the worker's code."""

from email.message import EmailMessage
from typing import Any

from kalends.app.worker import notify_organisers, remind_guests
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from kalends.mail import sender
from kalends.mail.inbound.handle import handle
from tests.cast import PASSWORD, Cast, a_comment, a_reminder, a_response, an_event
from tests.conftest import Clock
from tests.inbound import replies
from tests.responses.mail import read_mail
from tests.subscribers.confirmations import confirmed

# The kinds that `queue` and `queue_more` make, with what a notice says.
KINDS = {
    *("announce", "cancel", "change", "confirm", "confirmation", "invitation", "link", "message", "proposal", "reminder", "response"),
    *("send_to_me", "verify", "reset", "notice password_changed", "notice place_granted", "notice response_news"),
    *("response response_removed", "withdrawal"),
}


class Correspondence:
    """Alice's events and their guests, all of whom get mail."""

    def __init__(self, cast: Cast, db: Database, settings: Settings, clock: Clock, **fields: Any):
        self.cast, self.db, self.settings, self.clock = cast, db, settings, clock
        self.number = cast.alice.id
        with db.write() as tx:
            # What other tests have left.
            for table in ("organiser_news", "reset_requests", "reminders"):
                tx.run(f"DELETE FROM {table}")
            tx.run("DELETE FROM deliveries WHERE state IN ('queued', 'sending')")
            self._since: int = tx.value("SELECT coalesce(max(id), 0) FROM deliveries")
        whole = {
            "title": "Choir evening",
            "start_time": "2026-06-10T20:00",
            "end_time": "2026-06-10T22:30",
            "time_zone": "Europe/Paris",
            "location": "Great Hall, 12 Rue de la Paix, Paris",
            "description": "Doors open at half past seven.\n\nWe sing the first part before the break, and the second after it.",
        }
        self.event = an_event(cast.alice, public=True, **whole | fields)
        full = {"title": "Workshop", "capacity": 1, "waiting_list": "auto", "description": "Bring a pencil."}
        self.full = an_event(cast.alice, public=True, **whole | full)
        self.cancelled = an_event(cast.alice, public=True, **whole | {"title": "Picnic"})

    def address(self, name: str) -> str:
        return f"{name}-{self.number}@example.org"

    def queue(self) -> None:
        """Queue the mails that need no other before them."""
        alice, guest, event = self.cast.alice, self.cast.anonymous, self.event
        path = f"/api/events/{event['id']}"
        with self.db.write() as tx:
            # Only whose address is verified gets mail about responses.
            tx.run("UPDATE users SET verified_at = 1, response_notices = 'at_once' WHERE id = :id", id=alice.id)
        _check(guest.put(f"{path}/send_to_me", json={"email": self.address("sue"), "opt_in": True}))
        confirmed(alice, self.settings, self.address("sue"))
        _check(alice.put(f"{path}/announce"))
        a_response(guest, event, email_address=self.address("gus"), name="Gus", comment="I bring a cake.")
        a_comment(guest, event, email_address=self.address("gus"), name="Gus")
        a_response(alice, event, email_address=self.address("ida"), name="Ida", notify=False)
        a_response(guest, event, email_address=self.address("ida"), response="NO")
        _check(guest.post("/api/responses/link", json={"event_id": event["id"], "email_address": self.address("gus")}))
        first = a_response(alice, self.full, email_address=self.address("hal"), notify=False)
        a_response(guest, self.full, email_address=self.address("jon"))
        _check(alice.delete(f"/api/responses/{first['id']}"))
        invitation = {"addresses": [self.address("ana")], "message": "It will be fun. Bring your scores."}
        _check(alice.post(f"{path}/invitations", json=invitation))
        _check(alice.post(f"{path}/messages", json={"to": ["going"], "subject": "Chairs", "text": "There are too few.\n\nBring one."}))
        a_response(guest, self.cancelled, email_address=self.address("kim"))
        _check(alice.put(f"/api/events/{self.cancelled['id']}", json={"status": "cancelled", "status_note": "It rains."}))
        # It was due two hours ago.
        a_reminder(alice, f"/api/events/{self.full['id']}", before=13 * 24 * 60, text="Bring a pencil.")
        remind_guests(Context(self.db, self.settings, self.clock.now))
        _check(
            alice.put(
                path, json={"start_time": "2026-06-11T20:30", "end_time": "2026-06-11T23:00", "message": "The hall is taken until eight."}
            )
        )
        _check(alice.put(f"/api/users/{alice.id}", json={"password": "another horse battery", "current_password": PASSWORD}))
        user_name = f"new-{self.number}"
        _check(guest.post("/api/users", json={"user_name": user_name, "email_address": self.address("new"), "password": PASSWORD}))
        _check(guest.post("/reset", data={"user_name": user_name}))
        self.clock.ahead(60)
        notify_organisers(Context(self.db, self.settings, self.clock.now))

    def queue_more(self, reply_to: str) -> None:
        """Queue what follows from the invitation: a reply that is no response, and that it is taken back."""
        path = f"/api/events/{self.event['id']}/invitations"
        text = replies.message(b"Content-Type: text/plain\r\n\r\nMay I bring my dog?\r\n", to=reply_to, Subject="A question")
        outcome = handle(self.db, self.settings, text)
        assert outcome == "noted", (outcome, reply_to)
        (row,) = self.cast.alice.get(path).json["invitations"]
        _check(self.cast.alice.delete(f"{path}/{row['id']}"))

    def send(self) -> list[tuple[str, int]]:
        """Send what is queued, whenever it is due; returns the kinds and the ids."""
        with self.db.write() as tx:
            tx.run("UPDATE deliveries SET due_at = 0 WHERE state = 'queued'")
        kinds = []
        while due := sender._due(Context(self.db, self.settings, self.clock.now), "email", 50):
            for delivery in due:
                sender.attempt(self.db, self.settings, delivery)
                is_withdrawal = (delivery.cause or "").startswith("withdrawal")
                kind = "withdrawal" if is_withdrawal else f"{delivery.kind} {delivery.notice or ''}".strip()
                kinds.append((kind, delivery.id))
        return kinds

    def send_to_files(self) -> dict[str, EmailMessage]:
        """Send everything into files, and return the first mail of each kind."""
        self.queue()
        sent = self.send()
        mails = {kind: self._read(number) for kind, number in reversed(sent)}
        self.queue_more(mails["invitation"]["Reply-To"].addresses[0].addr_spec)
        return mails | {kind: self._read(number) for kind, number in self.send()}

    def _read(self, number: int) -> EmailMessage:
        return read_mail(self.settings.folder / "outbox" / f"{number}.eml")

    @property
    def failed(self) -> list[Any]:
        """The mails that could not be sent, and why."""
        with self.db.read() as tx:
            sql = "SELECT kind, notice, cause, error FROM deliveries WHERE state = 'failed' AND id > :since ORDER BY id"
            return tx.rows(sql, since=self._since)


def _check(reply: Any) -> None:
    assert reply.status < 400, reply

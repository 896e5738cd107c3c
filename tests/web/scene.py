"""Records of alice's for pages to show: a few of each kind, created over the API, with texts that the test supplies."""

import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.features.deliveries.rules.recipient_links import confirm_url, unsubscribe_url
from kalends.features.users import store as users
from kalends.http.context import Context
from tests.cast import (
    Cast,
    Person,
    a_calendar,
    a_cohost,
    a_comment,
    a_contact,
    a_key,
    a_question,
    a_reminder,
    a_report,
    a_response,
    a_webhook,
    an_event,
    an_ownership_offer,
    shared,
)
from tests.deliveries.samples import a_stop_token, a_suppression
from tests.responses.mail import a_proposal_token, a_response_token, an_invitation_token
from tests.site.administrator import a_hidden_event
from tests.sources.server import a_source
from tests.subscribers.confirmations import confirmations
from tests.users.account_mail import a_reset_token, a_verify_token

# The text to put into the field of this name, where plain words would be these.
Say = Callable[[str, str], str]


def plainly(field: str, words: str) -> str:
    return words


def at_length(field: str, words: str) -> str:
    """Words that no line is wide enough for."""
    return f"{words} Donaudampfschifffahrtsgesellschaftskapitänskajütenschlüsselbund"


class Scene:
    """Alice with a public and a private calendar, events, a series, responses, comments, contacts and messages; bob edits, vera looks."""

    def __init__(self, cast: Cast, settings: Settings, say: Say = plainly):
        self.guest = cast.anonymous
        self.settings = settings
        self.say = say
        self.alice, self.bob, self.vera = cast.alice, cast.bob, cast.vera
        named = self.alice.put(f"/api/users/{self.alice.id}", json={"name": say("user", "Alice Martin"), "time_zone": "Europe/Paris"})
        assert named.status == 200, named
        self.today = datetime.now(UTC).date()
        self.calendar = self._calendar("calendar", "Jazz in town", public=True, color="#b3261e")
        self.private_calendar = self._calendar("private_calendar", "Family", color="#0b6b3a", moderation="all")
        for friend, role in [(self.bob, "editor"), (self.vera, "viewer")]:
            shared(self.alice, self.calendar, friend, role)
        self.event = self._event()
        self._more_events()
        self._add_responses()
        self.contact = self._contact()
        self.key = a_key(self.alice, say("key", "A program"))
        self.webhook = a_webhook(self.alice, calendar_id=self.calendar["id"])
        assert self.alice.post(f"/api/webhooks/{self.webhook['id']}/ping").status == 202
        self.source = a_source(self.alice, calendar_id=self.calendar["id"])
        self._messages()

    def day(self, ahead: int) -> str:
        return (self.today + timedelta(days=ahead)).isoformat()

    def _calendar(self, name: str, plain: str, **fields: Any) -> dict[str, Any]:
        description = self.say(f"{name}_description", "What we go to together.")
        return a_calendar(self.alice, name=self.say(name, plain), description=description, time_zone="Europe/Paris", **fields)

    def _event(self) -> dict[str, Any]:
        """The event with everything in it."""
        return an_event(
            self.alice,
            calendar_id=self.calendar["id"],
            title=self.say("title", "Ravi Coltrane Quartet"),
            start_time=f"{self.day(1)}T20:00",
            end_time=f"{self.day(1)}T22:30",
            description=self.say("description", "Doors open at half past seven.\n\nThe second set begins at nine."),
            location_name=self.say("location_name", "Blue Note"),
            street=self.say("street", "131 W 3rd St"),
            city=self.say("city", "New York"),
            state=self.say("state", "NY"),
            zip=self.say("zip", "10012"),
            country=self.say("country", "USA"),
            image_url=f"{self.settings.base_url}/static/mark.svg?by={self.say('image', 'alice')}".replace(" ", "+"),
            image_alt=self.say("image_alt", "A saxophone"),
            tag_list=f"{self.say('tag', 'jazz').replace(',', '')}, live",
        )

    def _more_events(self) -> None:
        jazz, family = self.calendar["id"], self.private_calendar["id"]
        an_event(self.alice, calendar_id=jazz, title=self.say("all_day", "Record fair"), start_time=self.day(2), end_time=self.day(4))
        an_event(self.alice, calendar_id=family, title=self.say("private", "Dentist"), start_time=f"{self.day(1)}T09:00")
        an_event(self.alice, calendar_id=jazz, title="Late session", start_time=f"{self.day(1)}T23:00", end_time=f"{self.day(2)}T02:00")
        an_event(self.alice, title="Long ago", start_time="2020-02-29T18:00", end_time="2020-02-29T19:00")
        weekly = an_event(self.alice, calendar_id=jazz, title=self.say("series", "Open stage"), start_time=f"{self.day(0)}T19:00")
        repeated = self.alice.put(f"/api/events/{weekly['id']}/repeat", json={"frequency": "WEEKLY", "end_date": self.day(60)})
        assert repeated.status == 200, repeated
        self.occurrence = weekly

    def _add_responses(self) -> None:
        for number, response in enumerate(["YES", "MAYBE", "NO"]):
            texts = {"name": self.say("response_name", "Dana Weber"), "comment": self.say("response_comment", "With a friend of mine.")}
            address = f"dana{number}{self.say('email', '').strip()}@example.org"
            a_response(self.guest, self.event, email_address=address, response=response, plus_n=number, opt_in=True, **texts)
        a_response(self.bob, self.event)
        texts = {"name": self.say("comment_name", "Dana Weber"), "comment": self.say("comment", "Is there\na cloak room?")}
        self.comment = a_comment(self.guest, self.event, email_address="dana@example.org", **texts)
        approved = a_comment(self.guest, self.event, email_address="eve@example.org", **texts)
        assert self.alice.put(f"/api/comments/{approved['id']}", json={"approved": True}).status == 200
        a_comment(self.bob, self.event)

    def _contact(self) -> dict[str, Any]:
        a_contact(self.alice, first_name="Émile", last_name="Østergård", email_address="emile@example.org", tag_list="friends, jazz")
        return a_contact(
            self.alice,
            first_name=self.say("first_name", "Ana"),
            last_name=self.say("last_name", "Souza"),
            email_address=f"ana{self.say('email', '').strip()}@example.org",
            phone_number=self.say("phone_number", "+33 6 12 34 56 78"),
            birthday="1990-05-11",
            country=self.say("contact_country", "France"),
            zip_code=self.say("zip_code", "75011"),
            tag_list=self.say("contact_tag", "friends").replace(",", ""),
            unique_id=self.say("unique_id", "ana-1"),
        )

    def _messages(self) -> None:
        addresses = {"email": "guest@example.org", "mobile_number": "+33612345678"}
        reply = self.guest.put(f"/api/events/{self.event['id']}/send_to_me", json=addresses)
        assert reply.status == 202, reply

    @cached_property
    def ada(self) -> Person:
        """An admin, to whom something was reported, and for whose approval Walter waits."""
        ada, walter = Person(self.guest, "ada"), Person(self.guest, "walter")
        with closing(open_database(self.settings)) as db:
            ctx = Context(db, self.settings, 0)
            with ctx.write():
                users.update_role(ctx, ada.id, "admin")
                users.update_status(ctx, walter.id, "waiting")
        closed = a_report(self.guest, event_id=self.event["id"], text=self.say("text", "It is an advertisement."))
        a_report(self.alice, comment_id=self.comment["id"], reason="abuse", email_address="gus@example.org")
        assert ada.put(f"/api/reports/{closed['id']}", json={"closed": True}).status == 200
        a_suppression(self.settings, self.alice)
        assert ada.post("/api/admin/invitations", json={"email_address": "ines@example.org"}).status == 201
        a_hidden_event(ada, an_event(ada, title=self.say("hidden_title", "Cheap pills")), self.say("reason", "It is an advertisement."))
        # A sender is blocked once for all scenes of a service, so each scene has its own.
        blocked = {"sender": f"pills-{ada.id}@spam.example", "note": self.say("note", "Pills")}
        assert ada.post("/api/blocked_senders", json=blocked).status == 201
        return ada

    @cached_property
    def sign_up_token(self) -> str:
        # An invitation ends those before it to the same address, so each scene has its own.
        reply = self.ada.post("/api/admin/invitations", json={"email_address": f"friend-of-{self.ada.id}@example.org"})
        assert reply.status == 201, reply
        return str(reply.json["url"]).rsplit("/", 1)[1]

    @cached_property
    def response(self) -> dict[str, Any]:
        listed: list[dict[str, Any]] = self.alice.get(f"/api/responses?event_id={self.event['id']}").json["responses"]
        return listed[0]

    @cached_property
    def question(self) -> dict[str, Any]:
        """A question of the weekly event, after one of each other kind."""
        path, label = f"/api/events/{self.occurrence['id']}", self.say("label", "Which menu?")
        menu = a_question(self.alice, path, label=label, kind="one", options=[{"label": "Soup", "limit": 2}, "Salad"], per="person")
        for kind in ("text", "long", "number", "yes_no"):
            a_question(self.alice, path, kind=kind, label=self.say("label", f"A {kind}?"), required=kind == "text")
        condition = {"question_id": menu["id"], "answer": "Soup"}
        return a_question(self.alice, path, kind="many", options=["Salt", "Pepper"], per="person", label=label, ask_if=condition)

    @cached_property
    def calendar_question(self) -> dict[str, Any]:
        return a_question(self.alice, f"/api/calendars/{self.private_calendar['id']}", label=self.say("label", "Vegan?"))

    @cached_property
    def reminder(self) -> dict[str, Any]:
        """A reminder of the weekly event."""
        text = self.say("text", "Bring a chair.")
        return a_reminder(self.alice, f"/api/events/{self.occurrence['id']}", days_before=1, at="18:00", text=text)

    @cached_property
    def cohosted(self) -> dict[str, Any]:
        """The weekly event, with two co-hosts."""
        for name in (self.vera.user_name, "dana@example.org"):
            a_cohost(self.alice, self.occurrence, name)
        return self.occurrence

    @cached_property
    def offered(self) -> dict[str, Any]:
        """A calendar that is offered to alice, beside one that she offers."""
        an_ownership_offer(self.alice, self.calendar, self.bob)
        return an_ownership_offer(self.bob, a_calendar(self.bob, name=self.say("offered", "Choir")), self.alice)

    @cached_property
    def calendar_reminder(self) -> dict[str, Any]:
        return a_reminder(self.alice, f"/api/calendars/{self.private_calendar['id']}", before=90, text=self.say("text", "Bring a chair."))

    @cached_property
    def answered(self) -> dict[str, Any]:
        """A response with answers."""
        asked = self.alice.get(f"/api/events/{self.question['event_id']}/questions").json["questions"]
        menu, text = asked[0], asked[1]
        answers = [
            {"question_id": menu["id"], "answer": "Soup", "person": 0},
            {"question_id": text["id"], "answer": self.say("answer", "None")},
        ]
        return a_response(self.alice, self.occurrence, email_address="dana@example.org", plus_n=1, answers=answers)

    @cached_property
    def subscriber(self) -> dict[str, Any]:
        listed: list[dict[str, Any]] = self.alice.get("/api/subscribers").json["subscribers"]
        return listed[-1]

    @cached_property
    def confirm_token(self) -> str:
        """The token of the link that confirms a subscription to alice's list."""
        message = confirmations(self.alice, self.subscriber["address"])[0]
        return confirm_url(self.settings, message).rsplit("/", 1)[1]

    @cached_property
    def token(self) -> str:
        """The token of the link that unsubscribes from alice's list."""
        return unsubscribe_url(self.settings, self.subscriber["id"]).rsplit("/", 1)[1]

    @cached_property
    def event_link(self) -> str:
        """What follows /e/ in the link of an event."""
        event = an_event(self.alice, title=self.say("title", "Garden party"), start_time=self.event["start_time"], visibility="link")
        return str(event["link_url"]).rsplit("/", 1)[1]

    @cached_property
    def response_token(self) -> str:
        """The token of the personal link of a guest."""
        return a_response_token(self.settings, self.response["id"])

    @cached_property
    def proposal_token(self) -> str:
        """The token of the link that confirms what someone proposed for a guest."""
        owner = {"event_id": self.event["id"], "response": "YES", "email_address": "ines@example.org"}
        assert self.alice.post("/api/responses", json=owner).status in (200, 201)
        assert self.guest.post("/api/responses", json=owner | {"response": "NO", "comment": "Sorry"}).status == 201
        return a_proposal_token(self.settings, int(time.time()))

    @cached_property
    def stop_token(self) -> str:
        """The token of the link by which a guest gets no more messages about an event."""
        return a_stop_token(self.settings, self.alice)

    @cached_property
    def invitation_token(self) -> str:
        """The token of the link of an invitation."""
        message, address = self.say("message", "It will be fun."), "ines.invited@example.org"
        path = f"/api/events/{self.event['id']}/invitations"
        assert self.alice.post(path, json={"addresses": [address], "message": message}).status == 202
        row = next(row for row in self.alice.get(path).json["invitations"] if row["address"] == address)
        return an_invitation_token(self.settings, row["id"])

    @cached_property
    def reset_token(self) -> str:
        """The token of the link by which alice sets a new password."""
        return a_reset_token(self.settings, self.alice.id, int(time.time()))

    @cached_property
    def verify_token(self) -> str:
        """The token of the link by which alice verifies her address."""
        return a_verify_token(self.settings, self.alice.id, int(time.time()))

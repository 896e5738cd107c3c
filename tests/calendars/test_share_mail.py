"""The mail to somebody with whom a calendar is shared."""

import re
from email import message_from_string, policy
from email.message import EmailMessage
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, Person, a_block, a_calendar, an_event, verified
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.users.account_mail import mails


def _share(owner: Person, calendar: dict[str, Any], name: str, role: str = "viewer", **fields: Any) -> Reply:
    reply = owner.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": name, "role": role} | fields)
    assert reply.status == 200, reply
    return reply


def _mails(db: Database, settings: Settings, sharer: Person) -> list[tuple[str, str, str]]:
    """Send what waits; the address, the subject and the text of each mail."""
    read = [message_from_string(mail, policy=policy.default) for mail in mails(db, settings, sharer.id, "notice")]
    return [(mail["To"], mail["Subject"], _text(mail)) for mail in read]


def _text(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body
    return " ".join(body.get_content().split())


@pytest.mark.parametrize(
    ("role", "right"),
    [
        ("viewer", "you can see its events"),
        ("editor", "you can edit its events"),
        ("manager", "you can edit its events, change and share it"),
    ],
)
def test_who_gets_a_calendar_reads_in_a_mail_what_they_can_do(cast: Cast, db: Database, settings: Settings, role: str, right: str) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")
    assert _share(cast.alice, calendar, cast.bob.user_name, role).json["notified"]["email"] == 1
    [(address, subject, text)] = _mails(db, settings, cast.alice)
    assert (address, subject) == (cast.bob.email_address, "Alice shared the calendar Jazz with you")
    assert f"Alice shared the calendar “Jazz” with you: {right}." in text
    assert f"/calendars/{calendar['id']} " in text


def test_another_role_is_not_mailed(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    _share(cast.alice, calendar, cast.bob.user_name)
    assert _share(cast.alice, calendar, cast.bob.user_name, "editor").json["notified"]["email"] == 0
    [(_, _, text)] = _mails(db, settings, cast.alice)
    assert "you can edit its events" in text


def test_an_address_without_an_account_reads_how_to_get_one(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")
    known, unknown = verified(db, cast.bob).email_address, f"nobody-{cast.alice.user_name}@example.org"
    assert [_share(cast.alice, calendar, each).json["notified"]["email"] for each in (known, unknown)] == [1, 1]
    with_account, without = _mails(db, settings, cast.alice)
    assert [with_account[0], without[0]] == [known, unknown]
    assert ("create an account" in with_account[2], "create an account" in without[2]) == (False, True)
    assert f"/sign-in?next=/calendars/{calendar['id']}" in without[2]


def test_who_blocks_the_owner_gets_no_mail_and_the_owner_does_not_see_it(cast: Cast, db: Database, settings: Settings) -> None:
    a_block(cast.bob, cast.alice)
    _mails(db, settings, cast.alice)
    calendar = a_calendar(cast.alice)
    verified(db, cast.bob)
    replies = [_share(cast.alice, calendar, each) for each in (cast.bob.user_name, cast.bob.email_address)]
    assert [reply.json["notified"]["email"] for reply in replies] == [1, 1]
    assert _mails(db, settings, cast.alice) == []


def test_a_share_that_ended_is_not_mailed(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    _share(cast.alice, calendar, cast.bob.user_name)
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name}).status == 200
    assert _mails(db, settings, cast.alice) == []
    _share(cast.alice, calendar, cast.bob.user_name)
    assert len(_mails(db, settings, cast.alice)) == 1


def test_one_click_in_the_mail_ends_the_mail_and_no_share(cast: Cast, db: Database, settings: Settings) -> None:
    first, second = a_calendar(cast.alice), a_calendar(cast.alice)
    _share(cast.alice, first, cast.bob.user_name)
    [mail] = mails(db, settings, cast.alice.id, "notice")
    link = re.search(r"List-Unsubscribe: <[^>]*(/deliveries/stop/[^>]+)>", mail.replace("\n ", ""))
    assert link, mail
    asked = cast.anonymous.get(link[1])
    assert "RSVP" not in asked.text
    assert asked.status == 200
    stopped = cast.anonymous.post(link[1], data={"List-Unsubscribe": "One-Click"})
    assert stopped.status == 200
    assert "RSVP" not in stopped.text
    _share(cast.alice, second, cast.bob.user_name)
    assert not any(f"/calendars/{second['id']} " in text for _, _, text in _mails(db, settings, cast.alice))
    assert [cast.bob.get(f"/api/calendars/{each['id']}").status for each in (first, second)] == [200, 200]


def test_who_is_stopped_from_sending_shares_without_mail(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    with db.write() as tx:
        tx.run("UPDATE users SET sending = 'stopped' WHERE id = :id", id=cast.alice.id)
    assert _share(cast.alice, calendar, cast.bob.user_name).json["notified"]["email"] == 0
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").status == 200
    assert _mails(db, settings, cast.alice) == []


def test_without_a_confirmed_address_one_shares_without_mail_where_mail_is_really_sent(
    db: Database, settings: Settings, clock: Clock
) -> None:
    cast = Cast(Client(application(db, structs.replace(settings, email="smtp://127.0.0.1:1"), clock)))
    calendar = a_calendar(cast.alice)
    assert _share(cast.alice, calendar, cast.bob.user_name).json["notified"]["email"] == 0
    verified(db, cast.alice)
    assert _share(cast.alice, calendar, cast.carol.user_name).json["notified"]["email"] == 1


def test_beyond_the_limit_of_invitations_one_shares_without_mail(db: Database, settings: Settings, clock: Clock) -> None:
    limited = structs.replace(settings, rate_limits="on", account_invitations_per_day=2, guest_writes_per_minute=1_000)
    cast = Cast(Client(application(db, limited, clock)))
    calendar = a_calendar(cast.alice)
    friends = (cast.bob, cast.carol, cast.dave)
    assert [_share(cast.alice, calendar, each.user_name).json["notified"]["email"] for each in friends] == [1, 1, 0]
    assert cast.dave.get(f"/api/calendars/{calendar['id']}").status == 200


def test_the_page_says_who_gets_mail(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/calendars/{calendar['id']}"
    for role, notice in (("viewer", "shared.1"), ("editor", "shared.0")):
        reply = cast.alice.post(f"{path}/share", data={"user_name": cast.bob.user_name, "role": role})
        assert reply.redirect == (f"{path}/edit#sharing", notice)
    assert "let them know yourself" in cast.alice.get(f"{path}/edit").text


def test_no_dry_run_discloses_the_address_of_a_named_user(cast: Cast) -> None:
    calendar, event = a_calendar(cast.alice), an_event(cast.alice)
    name = {"user_name": cast.bob.user_name, "dry_run": True}
    replies = [
        cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=name),
        cast.alice.post(f"/api/calendars/{calendar['id']}/ownership_offers", json=name),
        cast.alice.post(f"/api/events/{event['id']}/cohosts", json=name),
    ]
    assert [reply.json["would_notify"]["email"] for reply in replies] == [1, 1, 1]
    assert [[each["address"] for each in reply.json["would_notify"]["messages"]] for reply in replies] == [[cast.bob.user_name]] * 3
    assert not any(cast.bob.email_address in reply.text for reply in replies)

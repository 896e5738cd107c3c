"""Suspended accounts: nobody can use them, and what they have published stays."""

from collections.abc import Callable

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.users.steps import account_status
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, Person, a_key, a_webhook, an_event, an_invitation
from tests.conftest import NOON

pytestmark = pytest.mark.on_one_database

Change = Callable[[Person], None]


@pytest.fixture
def suspend(db: Database, settings: Settings) -> Change:
    return _changing(db, settings, account_status.suspend)


@pytest.fixture
def activate(db: Database, settings: Settings) -> Change:
    return _changing(db, settings, account_status.activate)


def _changing(db: Database, settings: Settings, change: Callable[[Context, int], None]) -> Change:
    def run(person: Person) -> None:
        ctx = Context(db, settings, NOON)
        with ctx.write():
            change(ctx, person.id)

    return run


def test_sessions_and_keys_of_a_suspended_account_end_at_once(cast: Cast, suspend: Change) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    assert [client.get("/api/users/current").status for client in (cast.alice, program)] == [200, 200]
    suspend(cast.alice)
    assert [client.get("/api/users/current").status for client in (cast.alice, program)] == [401, 401]


def test_a_suspended_user_cannot_sign_in_until_the_account_is_active_again(cast: Cast, suspend: Change, activate: Change) -> None:
    credentials = {"user_name": cast.alice.user_name, "password": PASSWORD}
    suspend(cast.alice)
    reply = cast.anonymous.post("/api/session", json=credentials)
    assert (reply.status, reply.json["detail"]) == (403, "Your account is suspended. Write to the administrator.")
    wrong = cast.anonymous.post("/api/session", json=credentials | {"password": "not this one"})
    assert wrong.status == 401, "anyone who does not know the password does not learn that the account is suspended"
    page = cast.anonymous.post("/sign-in", json=credentials)
    assert (page.status, "Your account is suspended." in page.text) == (403, True)
    activate(cast.alice)
    assert cast.anonymous.post("/api/session", json=credentials).status == 201


def test_public_events_of_a_suspended_organiser_stay(cast: Cast, suspend: Change) -> None:
    event = an_event(cast.alice, public=True)
    suspend(cast.alice)
    assert cast.anonymous.get(f"/api/events/{event['id']}").status == 200


def test_what_a_suspended_organiser_has_queued_is_not_sent(cast: Cast, db: Database, suspend: Change) -> None:
    an_invitation(cast.alice, an_event(cast.alice, public=True))
    a_webhook(cast.alice)
    suspend(cast.alice)
    with db.read() as tx:
        states = tx.rows("SELECT kind, state FROM deliveries WHERE owner_id = :id AND kind = 'invitation'", id=cast.alice.id)
        webhooks = tx.rows("SELECT enabled, disabled_reason FROM webhooks WHERE user_id = :id", id=cast.alice.id)
    assert (states, [(bool(enabled), reason) for enabled, reason in webhooks]) == ([("invitation", "failed")], [(False, "suspended")])

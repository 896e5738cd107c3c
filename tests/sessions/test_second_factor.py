"""POST /api/session with the ticket and a one-time code, and the page of the second step."""

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, open_database
from kalends.features.users.totp.steps import TICKET_SECONDS, TRIES
from tests.cast import PASSWORD, Cast, a_key
from tests.client import Client, Reply
from tests.conftest import NOON, Clock
from tests.dav.clients import calendar_path, device, propfind
from tests.identities.records import an_identity
from tests.serve.running import run
from tests.users.account_mail import mails
from tests.users.second_factor import STEP, a_second_factor, a_ticket, code_at, log_in


def _send(guest: Client, ticket: str, code: str, **kwargs: str) -> Reply:
    return guest.post("/api/session", json={"ticket": ticket, "code": code}, **kwargs)


def _kind(reply: Reply) -> str:
    return str(reply.json["type"]).partition("#")[2]


def test_the_password_gets_a_ticket_and_the_ticket_with_a_code_a_session(cast: Cast) -> None:
    secret, _ = a_second_factor(cast.alice)
    session = _send(cast.anonymous, a_ticket(cast.anonymous, cast.alice), code_at(secret, NOON + STEP))
    assert (session.status, session.json["user_id"]) == (201, cast.alice.id)
    assert cast.anonymous.signed_in(session.json["token"]).get(f"/api/users/{cast.alice.id}").status == 200


def test_the_first_step_sets_no_cookie(cast: Cast) -> None:
    a_second_factor(cast.alice)
    assert log_in(cast.anonymous, cast.alice.user_name, cookie=True).cookies == {}


def test_a_wrong_password_does_not_tell_that_there_are_codes(cast: Cast) -> None:
    a_second_factor(cast.alice)
    wrong = [log_in(cast.anonymous, person.user_name, password="wrong password").json for person in (cast.alice, cast.bob)]
    assert [{**each, "request_id": ""} for each in wrong] == [{**wrong[0], "request_id": ""}] * 2


@pytest.mark.parametrize(("offset", "status"), [(-2, 401), (-1, 201), (0, 201), (1, 201), (2, 401)])
def test_the_clock_of_the_phone_may_be_a_step_off(cast: Cast, clock: Clock, offset: int, status: int) -> None:
    secret, _ = a_second_factor(cast.alice)
    clock.ahead(10 * STEP)
    code = code_at(secret, NOON + (10 + offset) * STEP)
    assert _send(cast.anonymous, a_ticket(cast.anonymous, cast.alice), code).status == status


def test_a_code_works_once_and_no_earlier_one_after_it(cast: Cast, clock: Clock) -> None:
    secret, _ = a_second_factor(cast.alice)
    ticket = a_ticket(cast.anonymous, cast.alice)
    # The code of this moment turned the codes on.
    assert _kind(_send(cast.anonymous, ticket, code_at(secret, NOON))) == "wrong-credentials"
    clock.ahead(4 * STEP)
    now = NOON + 4 * STEP
    assert _send(cast.anonymous, ticket, code_at(secret, now)).status == 201
    for replayed in (now, now - STEP):
        assert _kind(_send(cast.anonymous, ticket, code_at(secret, replayed))) == "wrong-credentials"
    assert _send(cast.anonymous, ticket, code_at(secret, now + STEP)).status == 201


def test_a_recovery_code_works_once_and_is_mailed_about(cast: Cast, db: Database, settings: Settings) -> None:
    _, codes = a_second_factor(cast.alice)
    ticket = a_ticket(cast.anonymous, cast.alice)
    assert _send(cast.anonymous, ticket, codes[3].replace("-", " ").upper()).status == 201
    assert _kind(_send(cast.anonymous, ticket, codes[3])) == "wrong-credentials"
    assert cast.alice.get(f"/api/users/{cast.alice.id}/totp").json["recovery_codes"] == 9
    assert any("A recovery code was used" in mail for mail in mails(db, settings, cast.alice.id, "notice"))


def test_new_recovery_codes_void_the_former_ones(cast: Cast) -> None:
    _, codes = a_second_factor(cast.alice)
    renewed = cast.alice.post(f"/api/users/{cast.alice.id}/totp/recovery_codes").json["recovery_codes"]
    ticket = a_ticket(cast.anonymous, cast.alice)
    assert _send(cast.anonymous, ticket, codes[0]).status == 401
    assert _send(cast.anonymous, ticket, renewed[0]).status == 201


def test_a_recovery_code_is_that_of_its_user_alone(cast: Cast) -> None:
    a_second_factor(cast.alice)
    _, codes = a_second_factor(cast.bob)
    assert _send(cast.anonymous, a_ticket(cast.anonymous, cast.alice), codes[0]).status == 401


@pytest.fixture
def limited(db: Database, settings: Settings, clock: Clock) -> Client:
    """A service that counts tries."""
    return Client(application(db, structs.replace(settings, rate_limits="on"), clock))


def test_five_codes_are_checked_in_five_minutes(cast: Cast, clock: Clock, limited: Client) -> None:
    secret, _ = a_second_factor(cast.alice)
    clock.ahead(2 * TRIES.seconds)
    ticket, right = a_ticket(limited, cast.alice), code_at(secret, NOON + 2 * TRIES.seconds)
    wrong = [_send(limited, ticket, "000000" if right != "000000" else "000001").status for _ in range(TRIES.max_uses)]
    assert wrong == [401] * TRIES.max_uses
    refused = _send(limited, ticket, right)
    assert refused.status == 429
    assert int(refused.headers["Retry-After"]) > 0
    clock.ahead(2 * TRIES.seconds)
    assert _send(limited, a_ticket(limited, cast.alice), code_at(secret, clock.now)).status == 201


def test_right_codes_do_not_count_as_tries(cast: Cast, clock: Clock, limited: Client) -> None:
    secret, _ = a_second_factor(cast.alice)
    for _ in range(2 * TRIES.max_uses):
        clock.ahead(STEP)
        ticket = a_ticket(limited, cast.alice)
        assert _send(limited, ticket, code_at(secret, clock.now)).status == 201


def _later(cast: Cast, clock: Clock) -> dict[str, str]:
    clock.ahead(TICKET_SECONDS)
    return {}


def _elsewhere(cast: Cast, clock: Clock) -> dict[str, str]:
    return {"remote_addr": "192.0.2.7"}


def _new_password(cast: Cast, clock: Clock) -> dict[str, str]:
    changes = {"password": "another horse battery", "current_password": PASSWORD}
    assert cast.alice.put(f"/api/users/{cast.alice.id}", json=changes).status == 200
    return {}


@pytest.mark.parametrize("change", [_later, _elsewhere, _new_password])
def test_a_ticket_is_void(cast: Cast, clock: Clock, change: Callable[[Cast, Clock], dict[str, str]]) -> None:
    _, codes = a_second_factor(cast.alice)
    ticket = a_ticket(cast.anonymous, cast.alice)
    assert _kind(_send(cast.anonymous, ticket, codes[0], **change(cast, clock))) == "ticket-expired"


@pytest.mark.parametrize("ticket", ["", "1", "1-2-3", "x-y-z", "²-2-3", "9" * 30 + "-1-a", "1-2-\ud7ff"])
def test_a_forged_ticket_is_refused(cast: Cast, ticket: str) -> None:
    assert _send(cast.anonymous, ticket, "123456").status in (401, 422)


def test_the_ticket_of_one_user_does_not_take_the_code_of_another(cast: Cast) -> None:
    a_second_factor(cast.alice)
    secret, _ = a_second_factor(cast.bob)
    ticket = a_ticket(cast.anonymous, cast.alice)
    number, rest = ticket.split("-", 1)
    assert _send(cast.anonymous, ticket, code_at(secret, NOON + STEP)).status == 401
    assert _kind(_send(cast.anonymous, f"{cast.bob.id}-{rest}", code_at(secret, NOON + STEP))) == "ticket-expired"
    assert number == str(cast.alice.id)


def test_another_server_takes_the_ticket(cast: Cast, settings: Settings, clock: Clock) -> None:
    secret, _ = a_second_factor(cast.alice)
    ticket = a_ticket(cast.anonymous, cast.alice)
    with closing(open_database(settings)) as db:
        second = Client(application(db, settings, clock))
        assert _send(second, ticket, code_at(secret, NOON + STEP)).status == 201
    assert _send(cast.anonymous, ticket, code_at(secret, NOON + STEP)).status == 401


def test_app_passwords_and_keys_work_without_a_code(cast: Cast) -> None:
    password, key = a_key(cast.alice, kind="dav")["wkey"], a_key(cast.alice)["wkey"]
    a_second_factor(cast.alice)
    path = calendar_path(cast.alice, cast.alice.primary_calendar_id)
    assert propfind(cast.anonymous, path, **device(cast.alice, password)).status == 207
    assert cast.anonymous.signed_in(key).get("/api/calendars").status == 200


def _hidden(page: Reply, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page.text)
    assert found, page
    return found[1]


@pytest.mark.on_one_database
def test_people_sign_in_in_two_steps_without_scripts(cast: Cast) -> None:
    secret, _ = a_second_factor(cast.alice)
    form = {"user_name": cast.alice.user_name, "password": PASSWORD, "next": "/contacts"}
    second = cast.anonymous.post("/sign-in", data=form)
    assert second.status == 401
    assert "Enter a code" in second.text
    assert PASSWORD not in second.text
    fields = {"ticket": _hidden(second, "ticket"), "next": _hidden(second, "next")}
    wrong = cast.anonymous.post("/sign-in", data=fields | {"code": "000000"})
    assert (wrong.status, _hidden(wrong, "ticket")) == (401, fields["ticket"])
    done = cast.anonymous.post("/sign-in", data=fields | {"code": code_at(secret, NOON + STEP)})
    assert done.redirect[0] == "/contacts"
    assert any(name.endswith("kalends_session") for name in done.cookies)


@pytest.mark.on_one_database
def test_a_late_second_step_begins_again_on_the_page(cast: Cast, clock: Clock) -> None:
    _, codes = a_second_factor(cast.alice)
    ticket = a_ticket(cast.anonymous, cast.alice)
    clock.ahead(TICKET_SECONDS)
    page = cast.anonymous.post("/sign-in", data={"ticket": ticket, "code": codes[0]})
    assert page.status == 401
    assert "more than five minutes" in page.text
    assert 'name="password"' in page.text


def test_the_operator_turns_the_codes_off_for_who_is_locked_out(cast: Cast, settings: Settings, db: Database, tmp_path: Path) -> None:
    a_second_factor(cast.alice)
    done = run("users", "remove-factors", cast.alice.user_name, folder=tmp_path, data=settings.data, database=settings.database)
    assert (done.stderr, done.stdout) == ("", f"{cast.alice.user_name} signs in with the password alone.\n")
    assert log_in(cast.anonymous, cast.alice.user_name).status == 201
    assert any("One-time codes were turned off" in mail for mail in mails(db, settings, cast.alice.id, "notice"))


def test_the_operator_unlinks_accounts_at_providers_but_never_the_only_way_in(
    cast: Cast, settings: Settings, db: Database, tmp_path: Path
) -> None:
    linked = an_identity(settings, cast.alice)
    where: dict[str, Any] = {"folder": tmp_path, "data": settings.data, "database": settings.database}
    kept = run("users", "remove-factors", cast.alice.user_name, **where)
    assert (kept.returncode, "no one-time codes and no passkeys" in kept.stderr) == (1, True)
    locked = run("users", "remove-factors", cast.alice.user_name, "--identities", passwords="off", **where)
    assert (locked.returncode, "nobody could sign in without" in locked.stderr) == (1, True)
    assert [each["id"] for each in cast.alice.get("/api/identities").json["identities"]] == [linked]
    done = run("users", "remove-factors", cast.alice.user_name, "--identities", **where)
    assert (done.stderr, done.stdout) == ("", f"{cast.alice.user_name} signs in with the password alone.\n")
    assert cast.alice.get("/api/identities").json["identities"] == []
    assert log_in(cast.anonymous, cast.alice.user_name).status == 201
    assert any("unlinked" in mail for mail in mails(db, settings, cast.alice.id, "notice"))

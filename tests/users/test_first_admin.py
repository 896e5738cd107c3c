"""The one-time code by which the first administrator creates an account."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.records.administration import Registration, SiteRow
from kalends.core.settings import Settings
from kalends.features.site import store as site_store
from kalends.features.users import store as users
from kalends.features.users.steps import first_admin
from kalends.http.context import Context
from tests.client import Client, form_time
from tests.http.stored_rows import FreshService, fresh_service
from tests.http.test_rate_limit import an_address
from tests.users.registration import a_registration


@pytest.fixture
def service(settings: Settings, tmp_path: Path) -> Iterator[FreshService]:
    with fresh_service(settings, tmp_path, is_new=True) as fresh:
        yield fresh


def _code(service: FreshService) -> str:
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.read():
        return first_admin.find_code(ctx) or ""


def test_nobody_registers_before_the_administrator_without_the_code(service: FreshService) -> None:
    for fields in ({}, {"invitation": "AAAA-AAAA"}, {"invitation": "first-" + "0" * 32}, {"invitation": "1-forged"}):
        refused = service.guest.post("/api/users", json=a_registration() | fields)
        assert refused.status == 403, fields
    assert refused.broken == ["invitation"]
    assert service.guest.post("/sign-up", data=_filled(service) | {"invitation": "AAAA-AAAA"}).status == 403
    with service.db.read() as tx:
        assert tx.value("SELECT count(*) FROM users WHERE id > 0") == 0


def test_case_and_hyphens_of_the_code_do_not_matter(service: FreshService) -> None:
    code = f" {_code(service).replace('-', ' ').lower()}"
    assert service.guest.post("/api/users", json=a_registration() | {"invitation": code}).json["role"] == "admin"


def test_the_tries_of_all_strangers_together_are_limited(service: FreshService) -> None:
    service.settings = structs.replace(service.settings, rate_limits="on", guest_writes_per_minute=1_000)
    guest = Client(application(service.db, service.settings, service.clock))
    statuses = [
        guest.post("/api/users", json=a_registration() | {"invitation": f"AAAA-{number:04}"}, remote_addr=an_address()).status
        for number in range(first_admin.TRIES.max_uses + 1)
    ]
    assert statuses == [403] * first_admin.TRIES.max_uses + [429]
    right = a_registration() | {"invitation": _code(service)}
    assert guest.post("/api/users", json=right, remote_addr=an_address()).status == 429
    service.clock.ahead(2 * first_admin.TRIES.seconds)
    assert guest.post("/api/users", json=right, remote_addr=an_address()).status == 201


@pytest.mark.parametrize("registration", ["open", "approval", "invitation", "closed"])
def test_the_code_makes_the_first_admin_once_however_people_register(service: FreshService, registration: Registration) -> None:
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.write():
        site_store.update(ctx, SiteRow(registration=registration))
    code = _code(service)
    made = service.guest.post("/api/users", json=a_registration() | {"invitation": code})
    assert (made.status, made.json["role"], made.json["status"], made.json["verified"]) == (201, "admin", "active", False)
    assert _code(service) == ""
    assert service.guest.post("/api/users", json=a_registration() | {"invitation": code}).status == 403
    assert service.guest.get(f"/sign-up/{code}").status == 404
    with service.db.read() as tx:
        [entry] = tx.rows("SELECT action, via, actor_id, subject_id, detail FROM audit_entries")
    assert tuple(entry) == ("account_created", "api", None, made.json["id"], "admin")


def test_a_code_that_was_used_is_void_when_there_is_no_admin_again(service: FreshService) -> None:
    code = _code(service)
    made = service.guest.post("/api/users", json=a_registration() | {"invitation": code}).json
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.write():
        users.update_role(ctx, made["id"], "member")
    assert _code(service) not in ("", code)
    assert service.guest.post("/api/users", json=a_registration() | {"invitation": code}).status == 403


def test_a_new_site_leads_to_the_form_with_the_code_and_then_to_the_steps(service: FreshService) -> None:
    assert service.guest.get("/").redirect[0] == "/sign-up"
    page = service.guest.get(f"/sign-up/{_code(service)}")
    assert (page.status, f'value="{_code(service)}"' in page.text, page.headers["Cache-Control"]) == (200, True, "no-store")
    made = service.guest.post("/sign-up", data=_filled(service) | {"invitation": _code(service)})
    assert made.redirect[0] == "/welcome/site"
    admin = service.guest.signed_in(made.cookies["kalends_session"])
    assert [admin.get(path).status for path in ("/admin", "/", "/welcome/site", "/welcome")] == [200] * 4


def test_an_address_without_a_code_is_not_found_and_the_form_asks_for_one(service: FreshService) -> None:
    for token in ("0", "AAAA-AAA", "AAAA-AAAAA", "AAAA-AAA0", "1-forged"):
        page = service.guest.get(f"/sign-up/{token}")
        assert (page.status, "That is not the code" in page.text, f'value="{token}"' in page.text) == (404, True, False), token
    # A code that is wrong looks like the right one until it is sent: here, nobody counts the tries.
    assert service.guest.get("/sign-up/AAAA-AAAA").status == 200


def test_a_wrong_code_is_named_beside_its_field_and_what_was_typed_stays(service: FreshService) -> None:
    page = service.guest.post("/sign-up", data=_filled(service) | {"invitation": "AAAA-AAAA", "name": "Nora"})
    assert (page.status, "That is not the code" in page.text, 'value="Nora"' in page.text) == (403, True, True)


def _filled(service: FreshService) -> dict[str, str]:
    """The fields of the form, as someone sends them after a while."""
    sent = {"form_time": form_time(service.guest.get("/sign-up"), "/sign-up"), "time_zone": "UTC"} | a_registration()
    service.clock.ahead(5)
    return sent


def test_of_two_who_use_the_code_at_once_one_is_the_admin(service: FreshService) -> None:
    token = _code(service)
    forms = [a_registration() | {"invitation": token} for _ in range(4)]
    with ThreadPoolExecutor(4) as people:
        statuses = list(people.map(lambda form: service.guest.post("/api/users", json=form).status, forms))
    assert sorted(statuses) == [201, 403, 403, 403]

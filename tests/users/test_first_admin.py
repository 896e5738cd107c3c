"""The link by which the first admin makes an account, once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kalends.context import Context
from kalends.records.site import Registration, SiteRow
from kalends.settings import Settings
from kalends.site import store as sites
from kalends.users import first_admin
from kalends.users import store as users
from tests.client import form_time
from tests.http.stored_rows import FreshService, fresh_service
from tests.users.registration import a_registration


@pytest.fixture
def service(settings: Settings, tmp_path: Path) -> Iterator[FreshService]:
    with fresh_service(settings, tmp_path) as fresh:
        yield fresh


def _link(service: FreshService) -> str:
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.read():
        return (first_admin.find_url(ctx) or "").removeprefix(service.settings.url)


def test_who_registers_without_the_link_is_a_member_even_on_an_empty_service(service: FreshService) -> None:
    assert [service.guest.post("/api/users", json=a_registration()).json["role"] for _ in range(2)] == ["member"] * 2
    assert service.guest.post("/api/users", json=a_registration() | {"invitation": "first-" + "0" * 32}).status == 403


@pytest.mark.parametrize("registration", ["open", "approval", "invitation", "closed"])
def test_the_link_makes_the_first_admin_once_however_people_register(service: FreshService, registration: Registration) -> None:
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.write():
        sites.update(ctx, SiteRow(registration=registration))
    link = _link(service)
    token = link.rpartition("/")[2]
    made = service.guest.post("/api/users", json=a_registration() | {"invitation": token})
    assert (made.status, made.json["role"], made.json["status"], made.json["verified"]) == (201, "admin", "active", False)
    assert _link(service) == ""
    assert service.guest.post("/api/users", json=a_registration() | {"invitation": token}).status == 403
    assert service.guest.get(link).status == 404
    with service.db.read() as tx:
        [entry] = tx.rows("SELECT action, via, actor_id, subject_id, detail FROM audit_entries")
    assert tuple(entry) == ("account_created", "api", None, made.json["id"], "admin")


def test_a_link_that_was_used_is_void_when_there_is_no_admin_again(service: FreshService) -> None:
    link = _link(service)
    made = service.guest.post("/api/users", json=a_registration() | {"invitation": link.rpartition("/")[2]}).json
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.write():
        users.update_role(ctx, made["id"], "member")
    assert service.guest.get(link).status == 404
    assert service.guest.get(_link(service)).status == 200


def test_the_page_of_the_link_makes_the_account_and_signs_in(service: FreshService) -> None:
    link, guest = _link(service), service.guest
    page = guest.get(link)
    assert "administers the site" in page.text
    sent = {"form_time": form_time(page, link), "time_zone": "UTC"} | a_registration()
    service.clock.ahead(5)
    made = guest.post(link, data=sent)
    assert made.redirect[0] == "/calendar"
    assert guest.signed_in(made.cookies["kalends_session"]).get("/admin").status == 200


def test_of_two_who_use_the_link_at_once_one_is_the_admin(service: FreshService) -> None:
    token = _link(service).rpartition("/")[2]
    forms = [a_registration() | {"invitation": token} for _ in range(4)]
    with ThreadPoolExecutor(4) as people:
        statuses = list(people.map(lambda form: service.guest.post("/api/users", json=form).status, forms))
    assert sorted(statuses) == [201, 403, 403, 403]

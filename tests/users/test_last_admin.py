"""The last administrator of a site: nobody deletes, demotes or suspends them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kalends.core import errors
from kalends.core.settings import Settings
from kalends.features.users import store as users
from kalends.features.users.steps import account_status, deletion
from kalends.http.context import Context
from tests.cast import PASSWORD, Person
from tests.http.stored_rows import FreshService, fresh_service
from tests.serve.running import run
from tests.site.administrator import Admin

LAST = "This is the site’s last administrator. Make someone else an administrator first."


@pytest.fixture
def service(settings: Settings, tmp_path: Path) -> Iterator[FreshService]:
    with fresh_service(settings, tmp_path) as fresh:
        yield fresh


def test_the_last_admin_deletes_the_account_neither_by_the_api_nor_on_the_page(service: FreshService) -> None:
    ada = Admin(service.guest, "ada")
    refused = ada.delete(f"/api/users/{ada.id}", json={"current_password": PASSWORD})
    assert (refused.status, refused.json["detail"]) == (409, LAST)
    page = ada.post("/account/delete", data={"current_password": PASSWORD})
    assert (page.status, LAST in page.text) == (409, True)
    assert ada.get("/api/users/current").status == 200
    Admin(service.guest, "olga")
    assert ada.delete(f"/api/users/{ada.id}", json={"current_password": PASSWORD}).status == 200


def test_a_member_deletes_the_account_while_there_is_one_admin(service: FreshService) -> None:
    Admin(service.guest, "ada")
    bob = Person(service.guest, "bob")
    assert bob.delete(f"/api/users/{bob.id}", json={"current_password": PASSWORD}).status == 200


def test_the_steps_of_commands_refuse_it_too(service: FreshService) -> None:
    ada = Admin(service.guest, "ada")
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.read():
        user = users.get(ctx, ada.id)
    with pytest.raises(errors.Conflict, match="last administrator"):
        deletion.delete_account(ctx, user)
    with pytest.raises(errors.Conflict, match="last administrator"), ctx.write():
        account_status.change_role(ctx, user, "member")
    with pytest.raises(errors.Conflict, match="last administrator"), ctx.write():
        account_status.suspend(ctx, ada.id)
    suspended = Admin(service.guest, "olga")
    with ctx.write():
        account_status.suspend(ctx, suspended.id)
    with pytest.raises(errors.Conflict, match="last administrator"), ctx.write():
        account_status.change_role(ctx, user, "member")


@pytest.mark.on_one_database
def test_the_commands_say_so(tmp_path: Path) -> None:
    where = {"folder": tmp_path, "data": tmp_path / "data"}
    run("users", "create", "ada", "ada@example.org", "--password", PASSWORD, **where)  # type: ignore[arg-type]
    for command in (["role", "ada", "member"], ["suspend", "ada"], ["delete", "ada", "--yes"]):
        done = run("users", *command, **where)  # type: ignore[arg-type]
        assert (done.returncode, done.stderr) == (1, f"kalends: {LAST}\n"), command

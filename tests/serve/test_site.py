"""The settings of the site at real servers: all of them show a change at once."""

import pytest

from tests.serve.conftest import Start
from tests.serve.running import bearer


def test_two_server_processes_see_a_changed_setting_at_once(start: Start, database: str) -> None:
    """No request may come too late, so none is repeated: the first one after the reply to the change shows it."""
    servers = [start(database=database), start(database=database)]
    assert servers[0].process.pid != servers[1].process.pid
    admin = bearer(servers[0].sign_up_admin("ada"))
    for number in range(10):
        name = f"Name {number}"
        changed = servers[number % 2].request("PUT", "/api/site", {"name": name}, headers=admin)
        assert (changed.status, changed.json["name"]) == (200, name)
        for server in servers:
            assert f"· {name}</title>" in server.get("/").text
            assert server.get("/api/site").json["name"] == name


@pytest.mark.on_one_database
def test_two_server_processes_see_the_accent_and_who_may_register_at_once(start: Start, database: str) -> None:
    servers = [start(database=database), start(database=database)]
    admin = bearer(servers[0].sign_up_admin("ada"))
    for number, registration in enumerate(["closed", "open", "closed", "open"]):
        color = f"#1{number}3b57"
        fields = {"accent_color": color, "registration": registration}
        changed = servers[number % 2].request("PUT", "/api/site", fields, headers=admin)
        assert changed.status == 200, changed.text
        for server in servers:
            page = server.get("/").text
            assert f'href="/accent/{color[1:]}"' in page
            assert ('href="/sign-up"' in page) == (registration == "open")
            assert server.get("/sign-up").status == (200 if registration == "open" else 403)


@pytest.mark.on_one_database
def test_a_start_prints_the_code_of_the_first_admin_until_there_is_one(start: Start, database: str) -> None:
    service = start(database=database)
    admin = bearer(service.sign_up_admin("ada"))
    assert service.get("/api/admin/people", headers=admin).status == 200
    assert service.stop() == 0
    again = start(database=database)
    [serving] = [line for line in again.log if line["event"] == "serving"]
    assert serving["first_admin"] is None

"""Signing in with a certified provider: a login, groups, two servers, and a provider that is down."""

from typing import Any

import pytest

from tests.identities.real_provider import Walker, free_port, needs_provider, providing, table
from tests.serve.conftest import Start, start  # noqa: F401
from tests.serve.running import Running, bearer

pytestmark = [needs_provider, pytest.mark.on_one_database]
GROUPS = {"ana": ["members", "admins"], "ben": ["members"], "eve": []}
START = "/sign-in/oidc/club"


def _me(service: Running, walker: Walker, netloc: str) -> Any:
    return service.get("/api/users/current", headers=bearer(walker.cookies[netloc]["kalends_session"])).json


@pytest.fixture
def ports() -> tuple[int, int]:
    return free_port(), free_port()


def test_people_of_the_group_sign_in_and_others_do_not(start: Start, ports: tuple[int, int]) -> None:  # noqa: F811
    own, theirs = ports
    site = f"http://localhost:{own}"
    oidc = table(theirs, required_group="members", admin_group="admins")
    service = start(port=own, base_url=site, oidc=oidc, rate_limits="off")
    service.create_administrator()
    with providing(theirs, [f"{site}{START}/callback"], GROUPS):
        ids = []
        for name, role in [("ana", "admin"), ("ben", "member"), ("ben", "member")]:
            walker = Walker()
            status, _ = walker.sign_in(f"{site}{START}?next=/contacts", name)
            assert (status, walker.url) == (200, f"{site}/contacts")
            me = _me(service, walker, f"localhost:{own}")
            assert (me["name"], me["role"], me["email_address"]) == (name, role, f"{name}@club.example")
            ids.append(me["id"])
        assert ids[1] == ids[2] != ids[0]
        status, page = Walker().sign_in(f"{site}{START}", "eve")
        assert status == 403
        assert "isn’t allowed to use this site" in page


def test_a_provider_that_is_down_leaves_the_password(start: Start, ports: tuple[int, int]) -> None:  # noqa: F811
    own, theirs = ports
    site = f"http://localhost:{own}"
    start(port=own, base_url=site, oidc=table(theirs), rate_limits="off").create_administrator()
    status, page = Walker().sign_in(f"{site}{START}", "ana")
    assert status == 503
    assert "Club account doesn’t answer at the moment" in page
    status, page = Walker().visit("GET", f"{site}/sign-in")
    assert status == 200
    assert 'name="password"' in page


def test_a_login_begins_on_one_server_and_ends_on_the_other(start: Start, ports: tuple[int, int]) -> None:  # noqa: F811
    own, theirs = ports
    site = f"http://localhost:{own}"
    settings: dict[str, Any] = {"base_url": site, "oidc": table(theirs), "rate_limits": "off"}
    first, second = start(port=own, **settings), start(**settings)
    first.create_administrator()
    with providing(theirs, [f"{site}{START}/callback"], GROUPS):
        walker = Walker()
        other = f"127.0.0.1:{second.port}"
        status, _ = walker.sign_in(f"{site}{START}", "ben", {f"localhost:{own}{START}/callback": other})
        assert status == 200
        assert _me(first, walker, f"localhost:{own}")["name"] == "ben"

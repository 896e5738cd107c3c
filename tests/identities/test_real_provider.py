"""Signing in with a certified provider: a login, groups, two servers, and a provider that is down."""

import json
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.identities.real_provider import Walker, free_port, needs_provider, providing, table
from tests.migrated import put_sqlite
from tests.openapi.serving import Service, serving

pytestmark = [needs_provider, pytest.mark.on_one_database]
GROUPS = {"ana": ["members", "admins"], "ben": ["members"], "eve": []}
START = "/sign-in/oidc/club"


def _me(service: Service, walker: Walker, netloc: str) -> dict[str, object]:
    request = Request(f"{service.url}/api/users/current", headers={"Authorization": f"Bearer {walker.cookies[netloc]['kalends_session']}"})  # noqa: S310
    with urlopen(request, timeout=60) as reply:  # noqa: S310
        body: dict[str, object] = json.load(reply)
        return body


@pytest.fixture
def ports() -> tuple[int, int]:
    return free_port(), free_port()


def test_people_of_the_group_sign_in_and_others_do_not(tmp_path: Path, ports: tuple[int, int]) -> None:
    own, theirs = ports
    site = f"http://localhost:{own}"
    put_sqlite(tmp_path)
    oidc = table(theirs, required_group="members", admin_group="admins")
    with serving(tmp_path, PORT=str(own), BASE_URL=site, OIDC=oidc) as service, providing(theirs, [f"{site}{START}/callback"], GROUPS):
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


def test_a_provider_that_is_down_leaves_the_password(tmp_path: Path, ports: tuple[int, int]) -> None:
    own, theirs = ports
    site = f"http://localhost:{own}"
    put_sqlite(tmp_path)
    with serving(tmp_path, PORT=str(own), BASE_URL=site, OIDC=table(theirs)):
        status, page = Walker().sign_in(f"{site}{START}", "ana")
        assert status == 503
        assert "Club account doesn’t answer at the moment" in page
        status, page = Walker().visit("GET", f"{site}/sign-in")
        assert status == 200
        assert 'name="password"' in page


def test_a_login_begins_on_one_server_and_ends_on_the_other(tmp_path: Path, ports: tuple[int, int]) -> None:
    own, theirs = ports
    site = f"http://localhost:{own}"
    put_sqlite(tmp_path)
    settings: dict[str, Any] = {"BASE_URL": site, "OIDC": table(theirs)}
    with (
        serving(tmp_path, PORT=str(own), **settings) as first,
        serving(tmp_path, is_new=True, **settings) as second,
        providing(theirs, [f"{site}{START}/callback"], GROUPS),
    ):
        walker = Walker()
        other = second.url.partition("://")[2]
        status, _ = walker.sign_in(f"{site}{START}", "ben", {f"localhost:{own}{START}/callback": other})
        assert status == 200
        assert _me(first, walker, f"localhost:{own}")["name"] == "ben"

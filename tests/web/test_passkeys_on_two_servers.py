"""Passkeys in Chromium where two servers share a database: what one begins, the other completes, and nothing twice."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests import migrated
from tests.cast import Cast, Person
from tests.client import Client
from tests.openapi.serving import serving
from tests.web.test_passkeys import WITHOUT_LIST, Device
from tests.web.through import Through
from tests.web.windows import Windows

SECRET = "one secret for both servers of the passkeys"


class Servers:
    """Two services with one base URL, which is that of the first, and what a balancer in front of them would choose."""

    def __init__(self, urls: list[str]):
        self.urls = urls
        self.sent: list[tuple[str, int]] = []
        self.base = urls[0].replace("127.0.0.1", "localhost")

    def send(self, page: Page, pattern: str, server: int) -> None:
        """Let this server answer what the page posts to addresses like this."""

        def pass_on(route: Route) -> None:
            parts = urlsplit(route.request.url)
            if route.request.method != "POST":
                route.continue_()
                return
            self.sent.append((parts.path, server))
            route.continue_(url=parts._replace(netloc=urlsplit(self.urls[server]).netloc).geturl())

        page.route(pattern, pass_on)


@pytest.fixture(scope="module", params=[pytest.param("sqlite", marks=pytest.mark.soak), "postgres"])
def servers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder: Path = tmp_path_factory.mktemp("two-servers")
    with ExitStack() as stack:
        if request.param == "sqlite":
            migrated.put_sqlite(folder)
            folders, database = [folder, folder], ""
        else:
            database = stack.enter_context(migrated.postgres(request.getfixturevalue("postgres_url")))
            folders = [folder / name for name in ("first", "second")]
            for each in folders:
                each.mkdir()
        settings: dict[str, Any] = {"BASE_URL": f"http://localhost:{port}", "SECRET": SECRET}
        first = stack.enter_context(serving(folders[0], database, PORT=str(port), **settings))
        second = stack.enter_context(serving(folders[1], database, is_new=True, **settings))
        yield Servers([first.url, second.url])


@pytest.fixture
def opened(browser: Browser, servers: Servers) -> Iterator[Windows]:
    windows = Windows(browser, servers.base)
    yield windows
    windows.close()


@pytest.fixture
def alice(servers: Servers) -> Person:
    return Cast(Client(Through(servers.urls[0]))).alice


def _sign_in(device: Device, alice: Person) -> None:
    device.sign_out()
    device.page.goto("/sign-in?next=/contacts", wait_until="commit")
    device.page.get_by_role("button", name="Sign in with a passkey").click()
    device.page.wait_for_url("/contacts")
    expect(device.page.get_by_label(f"Menu of {alice.user['name']}")).to_have_count(1)


def test_what_one_server_begins_the_other_completes(opened: Windows, alice: Person, servers: Servers) -> None:
    device = Device(opened.open(alice))
    device.page.add_init_script(WITHOUT_LIST)
    # The first makes the challenge of the new passkey, and the second takes the answer.
    servers.send(device.page, "**/account/passkeys", 1)
    device.register()
    expect(device.page.get_by_text("Passkey added.")).to_be_visible()
    device.page.unroute_all()
    # The second makes the challenge of the login, and the first takes the answer; then the other way round.
    for challenger, taker in ((1, 0), (0, 1), (1, 1)):
        servers.send(device.page, "**/api/session/passkey_options", challenger)
        servers.send(device.page, "**/sign-in", taker)
        _sign_in(device, alice)
        device.page.unroute_all()
        assert servers.sent[-2:] == [("/api/session/passkey_options", challenger), ("/sign-in", taker)]
    assert servers.sent[0] == ("/account/passkeys", 1)
    servers.sent.clear()


def test_an_answer_that_one_server_took_is_refused_by_the_other(opened: Windows, alice: Person, servers: Servers) -> None:
    device = Device(opened.open(alice))
    device.page.add_init_script(WITHOUT_LIST)
    device.register()
    expect(device.page.get_by_text("Passkey added.")).to_be_visible()
    with device.page.expect_request(lambda request: request.url.endswith("/sign-in") and request.method == "POST") as sent:
        _sign_in(device, alice)
    answer = {"passkey": dict(parse_qsl(sent.value.post_data or ""))["passkey"]}
    for url in (servers.urls[1], servers.urls[0]):
        replayed = Client(Through(url)).post("/api/session", json=answer)
        assert replayed.status == 401, replayed

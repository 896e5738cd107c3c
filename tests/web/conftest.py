"""One Chromium and one started service per test process; windows, people and their things for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from kalends.core.settings import Settings
from tests.cast import Cast
from tests.client import Client
from tests.migrated import put_sqlite
from tests.openapi.serving import Service, serving
from tests.web import chromium
from tests.web.parsed import ParsedPages
from tests.web.scene import Scene
from tests.web.through import Through
from tests.web.windows import Windows, go


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    if chromium.path() is None:
        pytest.fail(chromium.MISSING, pytrace=False)
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with chromium.launch(playwright) as browser:
        yield browser


@pytest.fixture(scope="session")
def scanning_browser(playwright: Playwright, browser: Browser) -> Iterator[Browser]:
    """A second Chromium, for scans with axe-core."""
    with chromium.launch(playwright, *chromium.SCANNING_FLAGS) as browser:
        yield browser


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the service."""
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="session")
def service(folder: Path) -> Iterator[Service]:
    put_sqlite(folder)
    with serving(folder) as started:
        yield started


@pytest.fixture(scope="session")
def guest(service: Service) -> Client:
    """A guest, who sends requests to the service directly."""
    return Client(Through(service.url))


@pytest.fixture
def people(guest: Client) -> Cast:
    """The cast, over the started service."""
    return Cast(guest)


@pytest.fixture(scope="session")
def scene(guest: Client, service: Service, folder: Path) -> Scene:
    """Things of alice's that all tests look at and none changes."""
    return Scene(Cast(guest), Settings(data=str(folder), base_url=service.url))


@pytest.fixture
def windows(browser: Browser, service: Service) -> Iterator[Windows]:
    """Windows of one test."""
    opened = Windows(browser, service.url)
    yield opened
    opened.close()
    opened.check()


@pytest.fixture(scope="session")
def lasting_windows(browser: Browser, service: Service) -> Iterator[Windows]:
    opened = Windows(browser, service.url)
    yield opened
    opened.close()


@pytest.fixture
def looks(lasting_windows: Windows) -> Iterator[Windows]:
    """Windows that tests share: most of a look is the opening of one. Each test begins without cookies, and opens its own page."""
    yield lasting_windows
    lasting_windows.check()


@pytest.fixture(scope="session")
def lasting_scans(scanning_browser: Browser, service: Service) -> Iterator[Windows]:
    opened = Windows(scanning_browser, service.url)
    yield opened
    opened.close()


@pytest.fixture
def scans(lasting_scans: Windows) -> Iterator[Windows]:
    """Windows that tests share, as `looks`, in the Chromium for scans."""
    yield lasting_scans
    lasting_scans.check()


@pytest.fixture(scope="session")
def parsed_pages(lasting_windows: Windows, guest: Client) -> ParsedPages:
    window = lasting_windows.open()
    # Parsed documents have the URL of their window.
    go(window, "/docs/errors")
    return ParsedPages(window, guest)

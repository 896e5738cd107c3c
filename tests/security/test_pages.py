"""Pages on a shared machine store nothing beyond the tab and offer to sign out; and reading changes nothing."""

import re
from pathlib import Path
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.records.credentials import RECENT
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast
from tests.client import Client
from tests.conftest import Clock
from tests.openapi.page import Element, read
from tests.site.administrator import Admin
from tests.stored_data import values
from tests.test_policy import REQUEST_FIELDS, Scene
from tests.web.pages import FILES

STATIC = Path(__file__).parent.parent.parent / "kalends" / "web" / "static"
HTML = {"Accept": "text/html"}
READS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]
PAGES = [
    endpoint
    for endpoint in READS
    if endpoint.format == "html" and not endpoint.path.startswith(("/embed/", "/sign-in/oidc/")) and f"GET {endpoint.url}" not in FILES
]
WITH_PASSWORDS = {"/sign-in", "/sign-in/emergency", "/sign-up", "/account", "/account/delete", "/reset/{reset_token}"}
# What scripts may store: a draft and the chosen day until the tab is closed, and that shortcuts are off.
# app.js reads there whether keys alone are switched off.
STORED = {"app.js": {"localStorage"}, "event_draft.js": {"sessionStorage"}, "calendar_keys.js": {"sessionStorage", "localStorage"}}


@pytest.fixture
def cast(client: Client) -> Cast:
    """Admins, who see every page."""
    return Cast(client, Admin)


def _read_page(reader: Client, path: str) -> Element | None:
    """The page, if it is one for this reader, and an input of it has the word: the API reference only mentions passwords, at length."""
    reply = reader.get(path, headers=HTML)
    return read(reply.text) if reply.status == 200 and re.search("<input[^>]*password", reply.text) else None


def _read_pages(cast: Cast, clock: Clock, path: str) -> list[Element]:
    """The page for a guest and for alice; for her an hour later, too, when she is asked for her password again."""
    pages = [_read_page(reader, path) for reader in (cast.anonymous, cast.alice)]
    clock.ahead(RECENT)
    pages.append(_read_page(cast.alice, path))
    clock.ahead(-RECENT)
    return [page for page in pages if page]


def _query(endpoint: Any, scene: Scene) -> dict[str, Any]:
    name = f"GET {endpoint.url}"
    return REQUEST_FIELDS[name](scene) if name in REQUEST_FIELDS else {}


@pytest.mark.on_one_database
@pytest.mark.parametrize("endpoint", [page for page in PAGES if page.credentials], ids=lambda endpoint: endpoint.path)
def test_every_page_of_a_user_offers_to_sign_out_and_is_not_cached(cast: Cast, settings: Settings, endpoint: Any) -> None:
    scene = Scene(cast, settings, "public")
    reply = cast.alice.get(scene.path(endpoint.url), query=_query(endpoint, scene), headers=HTML)
    if reply.status == 303:
        # The form of a new event has a token in its URL.
        reply = cast.alice.get(reply.headers["Location"], headers=HTML)
    # An owner cannot leave the calendar, and gets an error.
    assert reply.status == (409 if endpoint.path.endswith("/leave") else 200)
    assert "/sign-out" in [form.attributes.get("action") for form in read(reply.text).all("form")]
    assert reply.headers["Cache-Control"] == "no-store"


@pytest.mark.on_one_database
@pytest.mark.parametrize("endpoint", PAGES, ids=lambda endpoint: endpoint.path)
def test_passwords_are_masked_and_password_managers_find_them(cast: Cast, settings: Settings, clock: Clock, endpoint: Any) -> None:
    path = Scene(cast, settings, "public").path(endpoint.url)
    for page in _read_pages(cast, clock, path):
        for field in page.all("input"):
            if "password" in (field.attributes.get("name") or ""):
                assert field.attributes["type"] == "password"
                assert "value" not in field.attributes
                assert field.attributes.get("autocomplete") in ("current-password", "new-password", "off")
                assert "readonly" not in field.attributes


@pytest.mark.on_one_database
def test_there_are_pages_with_passwords(cast: Cast, settings: Settings, clock: Clock) -> None:
    """Without this, the walk above might have met none."""
    scene = Scene(cast, settings, "public")
    for endpoint in PAGES:
        if endpoint.path in WITH_PASSWORDS:
            pages = _read_pages(cast, clock, scene.path(endpoint.url))
            assert "password" in [field.attributes.get("type") for page in pages for field in page.all("input")], endpoint.path
    assert {endpoint.path for endpoint in PAGES} >= WITH_PASSWORDS


@pytest.mark.parametrize("script", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_scripts_keep_nothing_and_make_no_html_of_texts(script: Path) -> None:
    storage = r"localStorage|sessionStorage|indexedDB|document\.cookie"
    run = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|postMessage"
    assert set(re.findall(f"{storage}|{run}", script.read_text())) == STORED.get(script.name, set())


@pytest.mark.on_one_database
def test_reading_changes_nothing(cast: Cast, settings: Settings, db: Database) -> None:
    """So no link and no image on another site can change anything."""
    scene = Scene(cast, settings, "public")
    requests = [(scene.path(e.url), _query(e, scene)) for e in READS]
    people = (cast.anonymous, cast.alice, cast.carol)
    # A program that reads a feed is counted, once a minute.
    assert cast.anonymous.get(f"/api/calendars/{scene.calendar['id']}.ics").status == 200
    before = values(db)
    for path, query in requests:
        for person in people:
            for method in ("GET", "HEAD", "OPTIONS"):
                assert person.request(method, path, query=query, headers=HTML).status < 500
    assert values(db) == before


def test_a_new_installation_has_no_default_account(service: Any) -> None:
    """No account that everybody knows the password of."""
    guest = service()
    for name in ("admin", "root", "kalends", "demo", "test"):
        for password in (name, "password", "kalends", ""):
            assert guest.post("/api/session", json={"user_name": name, "password": password}).status in (401, 422)

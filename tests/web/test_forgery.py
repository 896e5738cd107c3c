"""Forms are accepted from our own pages alone: a form of another site is refused, and changes nothing."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any
from uuid import uuid4

import pytest

from kalends.app.application import application
from kalends.core.i18n.locale import COOKIE as LANGUAGE_COOKIE
from kalends.core.settings import Settings
from kalends.db import Database, open_database
from kalends.http.origin import COOKIE
from tests.cast import PASSWORD, Cast
from tests.client import Client
from tests.conftest import Clock
from tests.http.multipart import multipart
from tests.migrated import put_sqlite
from tests.site.administrator import Admin
from tests.stored_data import values
from tests.test_policy import REQUEST_FIELDS, Scene
from tests.web.pages import declared

# Mail programs post to these, from nowhere in particular (RFC 8058); the link itself is the permission.
BY_LINK = {"/unsubscribe/{token}", "/u/{token}", "/account/notices/{notices_token}"}
# The switch of languages sets a cookie and stores nothing, and the language in a user's settings takes precedence over the cookie
# (`tests/i18n/test_language.py`). It is on pages without a referrer too, from which browsers send `Origin: null`.
LANGUAGE = "/language"
FORMS = [endpoint for endpoint in declared("POST") if endpoint.path not in {*BY_LINK, LANGUAGE} and not endpoint.by_link]
ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://other.testserver"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
]


# Forms that permission alone does not decide, with their required fields.
WHOLE: dict[str, Callable[[Scene], dict[str, Any]]] = {
    "POST /sign-in": lambda scene: {"user_name": scene.cast.alice.user_name, "password": PASSWORD},
    "POST /sign-up": lambda scene: {
        "user_name": (name := f"kim-{uuid4().hex[:8]}"),
        "email_address": f"{name}@example.org",
        "password": PASSWORD,
    },
}
FILES = {
    "POST /calendars/{calendar_id}/import": (
        "a.ics",
        b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:gig\nDTSTART:20270510T180000Z\nEND:VEVENT\nEND:VCALENDAR\n",
    ),
    "POST /contacts/upload": ("a.vcf", b"BEGIN:VCARD\nVERSION:4.0\nFN:Hal\nEND:VCARD\n"),
}
# Decided after the origin of the form: no owner leaves their own calendar or sees it in a colour of their own, a public event has no
# link, no provider gets a request without a credential, and there is no provider to sign in with.
REFUSED = {
    "POST /account/identities/link/{provider_name}": 404,
    "POST /calendars/{calendar_id}/color": 409,
    "POST /calendars/{calendar_id}/leave": 409,
    "POST /events/{event_id}/reset_link": 409,
    "POST /contacts/import": 422,
    "POST /contacts/import/token": 422,
}


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Settings]]:
    """A small database, since all of it is compared. Origins are checked before any database is used, so one kind is enough."""
    settings = Settings(
        data=str(tmp_path_factory.mktemp("forgery")),
        base_url="http://testserver",
        access_log="off",
        rate_limits="off",
        sources="any",
    )
    put_sqlite(settings.folder)
    with closing(open_database(settings)) as db:
        yield db, settings


@pytest.fixture(scope="module")
def visitor(apart: tuple[Database, Settings]) -> Client:
    db, settings = apart
    return Client(application(db, settings, Clock()))


@pytest.fixture
def scene(visitor: Client, apart: tuple[Database, Settings]) -> Scene:
    # Admins, so that the pages of the administration refuse nothing but the origin.
    return Scene(Cast(visitor, Admin), apart[1], "public")


def _form(scene: Scene, name: str) -> dict[str, Any]:
    """The fields of the form, as arguments of a request."""
    if name in FILES:
        return multipart(files=[("file", *FILES[name])])
    fields = (WHOLE | REQUEST_FIELDS).get(name)
    return {"data": fields(scene) if fields else {}, "headers": {}}


@pytest.mark.parametrize("endpoint", FORMS, ids=lambda endpoint: endpoint.path)
def test_a_form_from_another_site_is_refused_and_changes_nothing(scene: Scene, apart: tuple[Database, Settings], endpoint: Any) -> None:
    cast, db = scene.cast, apart[0]
    path, form = scene.path(endpoint.path), _form(scene, f"POST {endpoint.url}")
    alice = {"Cookie": f"{COOKIE}={cast.alice.token}"}
    before = values(db)
    for elsewhere in ELSEWHERE:
        for cookie in (alice, {}):
            headers = form["headers"] | elsewhere | cookie | {"Accept": "text/html"}
            reply = cast.anonymous.post(path, **form | {"headers": headers})
            assert reply.status == 403, (elsewhere, cookie, reply)
    assert values(db) == before


def test_another_site_changes_no_language_that_a_user_has_set(scene: Scene, apart: tuple[Database, Settings]) -> None:
    cast, session = scene.cast, f"{COOKIE}={scene.cast.alice.token}"
    with apart[0].write() as tx:
        tx.run("UPDATE users SET language = 'it' WHERE id = :id", id=cast.alice.id)
    before = values(apart[0])
    for elsewhere in ELSEWHERE:
        headers = elsewhere | {"Accept": "text/html"}
        assert cast.anonymous.post(LANGUAGE, data={"language": "fr"}, headers=headers | {"Cookie": session}).status == 403
        assert cast.anonymous.post(LANGUAGE, data={"language": "fr"}, headers=headers).cookies[LANGUAGE_COOKIE] == "fr"
    assert values(apart[0]) == before


@pytest.mark.parametrize("endpoint", FORMS, ids=lambda endpoint: endpoint.path)
def test_the_same_form_from_our_own_page_is_accepted(scene: Scene, endpoint: Any) -> None:
    name = f"POST {endpoint.url}"
    path, form = scene.path(endpoint.path), _form(scene, name)
    # Alice offers the calendar to Vera.
    sender = scene.cast.vera if name == "POST /calendars/offers/{offer_id}" else scene.cast.alice
    ours = {"Sec-Fetch-Site": "same-origin", "Cookie": f"{COOKIE}={sender.token}", "Accept": "text/html"}
    reply = scene.cast.anonymous.post(path, **form | {"headers": form["headers"] | ours})
    assert reply.status == REFUSED[name] if name in REFUSED else reply.status in (200, 303), reply

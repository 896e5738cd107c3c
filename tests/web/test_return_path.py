"""The page to which a choice of language, or an email that is sent again, returns."""

import re
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from urllib.parse import unquote

import pytest

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, open_database
from kalends.http.endpoint import Endpoint
from tests.cast import Cast, an_event
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.migrated import put_sqlite
from tests.site.administrator import Admin
from tests.test_policy import REQUEST_FIELDS, Scene
from tests.web.pages import declared

# Nothing that an input takes.
BROWSER = {"Accept": "text/html"}
NONSENSE = "\N{SNOWMAN}" * 3_000
# Inputs of many forms.
USUAL = ("email_address", "name", "label", "visibility", "accent_color", "number", "time_zone", "language")
# Forms of a button, or whose inputs take anything.
BUTTONS = {
    "/account/codes/delete",
    "/account/identities/{identity_id}/delete",
    "/account/passkeys/{passkey_id}/delete",
    "/account/verify",
    "/admin/mail/test",
    "/admin/deleted_calendars/{deleted_calendar_id}/delete",
    "/admin/people/{person_id}/delete",
    "/calendars/{calendar_id}/delete",
    "/contacts/keep",
    "/events/{event_id}/cohosts/{cohost_id}/delete",
    "/events/{event_id}/announce",
    "/events/{event_id}/copy",
    "/events/{event_id}/add",
    "/calendars/{calendar_id}/questions/{question_id}/delete",
    "/events/{event_id}/questions/{question_id}/delete",
    "/calendars/{calendar_id}/reminders/{reminder_id}/delete",
    "/events/{event_id}/reminders/{reminder_id}/delete",
    "/calendars/offers/{offer_id}/withdraw",
    "/responses/{response_id}/accept",
    "/responses/{response_id}/reset_link",
    "/responses/{response_id}/questions",
    "/r/{response_token}/questions",
    "/r/{response_token}/withdraw",
    "/r/confirm/{proposal_token}",
    "/r/{response_token}/reminders",
    "/sources/{source_id}/runs",
    "/sources/{source_id}/accept",
    "/webhooks/{webhook_id}/edit",
    "/webhooks/{webhook_id}/ping",
    "/welcome/mail",
}
# The other forms that are shown again when something is wrong with them.
FORMS = [each for each in declared("POST") if hasattr(each.function, "__wrapped__") and each.path not in BUTTONS]


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Settings]]:
    folder = str(tmp_path_factory.mktemp("return-path"))
    settings = Settings(data=folder, base_url="http://testserver", access_log="off", rate_limits="off", sources="any")
    put_sqlite(settings.folder)
    with closing(open_database(settings)) as db:
        yield db, settings


@pytest.fixture(scope="module")
def visitor(apart: tuple[Database, Settings]) -> Client:
    db, settings = apart
    return Client(application(db, settings, Clock()))


@pytest.fixture
def scene(visitor: Client, apart: tuple[Database, Settings]) -> Scene:
    return Scene(Cast(visitor, Admin), apart[1], "public")


@pytest.mark.parametrize("endpoint", FORMS, ids=lambda endpoint: endpoint.path)
def test_a_refused_form_leads_back_to_a_page(scene: Scene, endpoint: Endpoint) -> None:
    name, path = f"POST {endpoint.path}", scene.path(endpoint.path)
    fields = REQUEST_FIELDS[name](scene) if name in REQUEST_FIELDS else {}
    typed = {field: value if field.endswith("_id") else NONSENSE for field, value in fields.items()}
    reply = scene.cast.alice.post(path, data=dict.fromkeys(USUAL, NONSENSE) | typed, headers=BROWSER)
    targets = _return_paths(reply)
    assert targets, reply
    statuses = {target: scene.cast.alice.get(target, headers=BROWSER).status for target in targets}
    assert set(statuses.values()) <= {200, 303}, statuses


def test_a_choice_of_language_on_a_refused_response_leads_to_the_event(cast: Cast) -> None:
    path = f"/events/{an_event(cast.alice, public=True)['id']}"
    refused = cast.anonymous.post(f"{path}/respond", data={"response": "YES", "email_address": "nobody"}, headers=BROWSER)
    assert (refused.status, _return_paths(refused)) == (422, [path])
    chosen = cast.anonymous.post(f"/language?next={path}", data={"language": "de"}, headers=BROWSER)
    assert chosen.redirect == (path, "")


@pytest.mark.parametrize(
    ("path", "target"), [("/nowhere", "/"), ("/events/1/nowhere", "/events/1"), ("/sign-in?next=/account", "/sign-in?next=/account")]
)
def test_a_choice_of_language_on_any_other_page_leads_to_a_page(cast: Cast, path: str, target: str) -> None:
    assert _return_paths(cast.anonymous.get(path, headers=BROWSER)) == [target]


def _return_paths(reply: Reply) -> list[str]:
    """Where the choice of language and the button of the banner lead."""
    languages = re.findall(r'action="/language\?next=([^"]*)"', reply.text)
    banner = re.findall(r'action="/account/verify"><input type="hidden" name="next" value="([^"]*)"', reply.text)
    return [unquote(unescape(each)) for each in languages] + [unescape(each) for each in banner]

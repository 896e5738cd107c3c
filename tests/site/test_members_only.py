"""A site for its members only: every endpoint is walked as a guest, who reaches what a secret link opens, and nothing else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kalends import policy
from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from tests.cast import Cast, a_calendar, an_event
from tests.http.stored_rows import FreshService, fresh_service
from tests.site.administrator import Admin
from tests.test_policy import Scene, content_of, name_of

TITLE = "Canary concert"
FOR_GUESTS = [endpoint for endpoint in ENDPOINTS if endpoint.guests]
CLOSED = [endpoint for endpoint in FOR_GUESTS if not policy.is_open_to_guests(endpoint.url)]
OPEN = [endpoint for endpoint in FOR_GUESTS if policy.is_open_to_guests(endpoint.url)]


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FreshService]:
    with fresh_service(settings, tmp_path_factory.mktemp("members")) as fresh:
        admin = Admin(fresh.guest, "ada")
        assert admin.put("/api/site", json={"visibility": "members"}).json["visibility"] == "members"
        yield fresh


@pytest.fixture(scope="module")
def scene(service: FreshService) -> Scene:
    scene = Scene(Cast(service.guest), service.settings, "public")
    renamed = scene.cast.alice.put(f"/api/events/{scene.event['id']}", json={"title": TITLE})
    assert renamed.status == 200, renamed
    return scene


@pytest.mark.parametrize("endpoint", [pytest.param(each, id=name_of(each)) for each in CLOSED])
def test_a_guest_is_asked_to_sign_in(service: FreshService, scene: Scene, endpoint: Any) -> None:
    reply = service.guest.request(endpoint.method, scene.path(endpoint.url), **content_of(name_of(endpoint), scene))
    is_asked = reply.status == 401 or (reply.status == 303 and reply.headers["Location"].startswith("/sign-in?next="))
    assert is_asked, reply
    assert TITLE not in reply.text


@pytest.mark.parametrize("endpoint", [pytest.param(each, id=name_of(each)) for each in OPEN if each.method == "GET"])
def test_what_stays_open_shows_the_event_to_holders_of_a_secret_only(service: FreshService, scene: Scene, endpoint: Any) -> None:
    reply = service.guest.get(scene.path(endpoint.url))
    assert "token" in endpoint.url or "event_link" in endpoint.url or TITLE.encode() not in reply.content
    made_up = dict.fromkeys(("event_link", "invitation_token", "response_token", "proposal_token"), "1-" + "0" * 32)
    if any(f"{{{name}}}" in endpoint.url for name in made_up):
        assert service.guest.get(endpoint.url.format(**made_up)).status == 404


def test_members_see_what_is_public(service: FreshService) -> None:
    cast = Cast(service.guest)
    event = an_event(cast.alice, public=True)
    carol, paths = cast.carol, ("/", "/calendar", "/organisers", f"/events/{event['id']}", f"/api/events/{event['id']}", "/api/events")
    assert [carol.get(path).status for path in paths] == [200] * len(paths)


def test_the_link_of_an_event_works_for_guests_who_respond_and_open_their_own_link(service: FreshService) -> None:
    alice = Cast(service.guest).alice
    event = an_event(alice, title="Picnic", visibility="link", start_time="2027-06-01T20:00")
    link = alice.get(f"/api/events/{event['id']}").json["link_url"].removeprefix(service.settings.url)
    assert "Picnic" in service.guest.get(link).text
    assert service.guest.get(f"/events/{event['id']}").status == 401


def test_feeds_need_their_key_and_public_caldav_an_account(service: FreshService) -> None:
    alice = Cast(service.guest).alice
    public, private = a_calendar(alice, public=True), a_calendar(alice)
    feed = alice.get(f"/api/calendars/{private['id']}").json["feed_url"].removeprefix(service.settings.url)
    assert "key=" in feed
    assert service.guest.get(feed).status == 200
    assert service.guest.get(f"/api/calendars/{public['id']}.ics").status == 401
    for method in ("PROPFIND", "REPORT", "GET"):
        assert service.guest.request(method, f"/dav/public/{public['id']}/").status in (401, 405), method
    assert service.guest.request("PROPFIND", f"/dav/public/{public['id']}/").status == 401


def test_a_guest_of_a_site_for_everyone_sees_what_is_public(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path) as service:
        assert service.guest.get("/").status == 200

"""The permission table for those who have lost access: each of them has the permissions of a stranger, at every endpoint. So has a viewer
of a calendar at the endpoints of its private events."""

from functools import cached_property
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_calendar, shared, verified
from tests.client import Client
from tests.dav.clients import calendar_path
from tests.dav.test_class import classed
from tests.dav.test_scheduling import invited
from tests.dav.test_write import put
from tests.test_policy import ACTORS, CHANGES_PEOPLE, TABLE, Scene, content_of, name_of

STRANGER, VIEWER = ACTORS.index("stranger"), ACTORS.index("viewer")
# These are about a calendar or a record of the table, and no token of it is the permission.
ENDPOINTS_OF_RECORDS = [
    each for each in ENDPOINTS if "private" in TABLE[name_of(each)] and "token}" not in each.url and not CHANGES_PEOPLE.search(each.url)
]
# The owner did not withdraw the ex-editor's invitations with the share: their guests have what the mail says of the event.
STILL_INVITED = {("second account of an ex-editor", url) for url in ("/api/my_events/{event_id}", "/my-events/{event_id}")}


class FormerScene(Scene):
    """An event on alice's calendar that bob created as an editor, who is one no longer."""

    @cached_property
    def actors(self) -> dict[str, Client]:
        cast = self.cast
        everybody = {"ex-editor": cast.bob, "second account of an ex-editor": cast.vera, "guest whose invitation was withdrawn": cast.carol}
        return {"owner": cast.alice, "viewer": cast.dave, **everybody}

    @cached_property
    def event(self) -> dict[str, Any]:
        """bob invites his second account, vera; alice invites carol and withdraws that, and then stops sharing the calendar with bob."""
        cast, calendar = self.cast, f"/api/calendars/{self.calendar['id']}"
        assert cast.alice.put(f"{calendar}/share", json={"user_name": cast.bob.user_name, "role": "editor"}).status == 200
        name = "a.ics"
        assert put(cast.bob, f"{calendar_path(cast.bob, self.calendar['id'])}{name}", invited(cast.bob, cast.vera)).status == 201
        event_id = cast.alice.get("/api/events", query={"calendar_id": str(self.calendar["id"])}).json["events"][0]["id"]
        cast.alice.put(f"/api/events/{event_id}", json={"public": self.visibility == "public"})
        assert (
            put(cast.alice, f"{calendar_path(cast.alice, self.calendar['id'])}{name}", invited(cast.alice, cast.vera, cast.carol)).status
            == 204
        )
        self._expect(event_id, 200)
        invitations = cast.alice.get(f"/api/events/{event_id}/invitations").json["invitations"]
        [withdrawn] = [each["id"] for each in invitations if each["address"] == cast.carol.email_address]
        assert cast.alice.delete(f"/api/events/{event_id}/invitations/{withdrawn}").status == 200
        fields = {"user_name": cast.bob.user_name, "events": "keep"}
        assert cast.alice.put(f"{calendar}/unshare", json=fields).status == 200
        event: dict[str, Any] = cast.alice.get(f"/api/events/{event_id}").json
        assert (event["owner"]["id"], event["public"]) == (cast.bob.id, self.visibility == "public")
        return event

    def _expect(self, event_id: int, status: int) -> None:
        assert [person.get(f"/api/events/{event_id}").status for person in (self.cast.bob, self.cast.vera, self.cast.carol)] == [status] * 3


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_those_who_lost_access_have_the_permissions_of_a_stranger(
    client: Client, settings: Settings, db: Database, visibility: str
) -> None:
    cast = Cast(client)
    for person in (cast.alice, cast.bob, cast.vera, cast.carol):
        verified(db, person)
    # What people invite those to who share a calendar with them is on their calendars at once.
    shared(cast.vera, a_calendar(cast.vera), cast.bob, "viewer")
    shared(cast.carol, a_calendar(cast.carol), cast.alice, "viewer")
    scene = FormerScene(cast, settings, visibility)
    assert scene.event
    former = {name: actor for name, actor in scene.actors.items() if name not in ("owner", "viewer")}
    replies, expected = {}, {}
    for endpoint in ENDPOINTS_OF_RECORDS:
        name = name_of(endpoint)
        row = TABLE[name].get(visibility)
        if row is None:
            continue
        path, content = scene.path(endpoint.url), content_of(name, scene)
        for actor, requester in former.items():
            replies[actor, name] = requester.request(endpoint.method, path, **content).status
            expected[actor, name] = row[VIEWER if (actor, endpoint.url) in STILL_INVITED else STRANGER]
    assert {key: (status, expected[key]) for key, status in replies.items() if status != expected[key]} == {}
    assert len(replies) > 300


class PrivateScene(Scene):
    """An event on alice's calendar that her device has marked as private."""

    @cached_property
    def event(self) -> dict[str, Any]:
        path = f"{calendar_path(self.cast.alice, self.calendar['id'])}a.ics"
        assert put(self.cast.alice, path, classed("PRIVATE")).status == 201
        event_id = self.cast.alice.get("/api/events", query={"calendar_id": str(self.calendar["id"])}).json["events"][0]["id"]
        event: dict[str, Any] = self.cast.alice.get(f"/api/events/{event_id}").json
        return event


def test_a_viewer_has_the_permissions_of_a_stranger_to_private_events(client: Client, settings: Settings) -> None:
    scene = PrivateScene(Cast(client), settings, "private")
    viewer = scene.actors["viewer"]
    assert (scene.event["visibility"], viewer.get(f"/api/calendars/{scene.calendar['id']}").status) == ("members", 200)
    wrong = {}
    endpoints = [each for each in ENDPOINTS_OF_RECORDS if "{event_id}" in each.url]
    for endpoint in endpoints:
        name = name_of(endpoint)
        status = viewer.request(endpoint.method, scene.path(endpoint.url), **content_of(name, scene)).status
        if status != TABLE[name]["private"][STRANGER]:
            wrong[name] = status
    assert wrong == {}
    assert len(endpoints) > 30

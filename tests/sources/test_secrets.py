"""The password in an address is sent to its host, and is in no reply, page, form, log, mail, export or change."""

import json
import logging
import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.log import line_of
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_calendar, shared
from tests.client import Client
from tests.conftest import Clock
from tests.contacts.providers.stand import Behaviour
from tests.site.administrator import Admin
from tests.sources.server import Elsewhere, a_feed, events_of_feed, follow, read_address, refresh
from tests.stored_data import values
from tests.test_policy import Scene

SECRET = "geheim-7f3a"
# `ana:geheim-7f3a` as it is sent.
ENCODED = "YW5hOmdlaGVpbS03ZjNh"
READS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]
DAY = 86_400
BAD: list[Behaviour] = [
    lambda request: request.reply(401, "no"),
    lambda request: request.reply(500, "no"),
    lambda request: request.reply(302, Location=f"http://ana:{SECRET}@127.0.0.1/"),
    lambda request: request.reply(200, "<html>"),
    lambda request: request.reply(200, a_feed()),
]


def _is_in(content: bytes) -> bool:
    return SECRET.encode() in content or ENCODED.encode() in content


def _with_password(elsewhere: Elsewhere) -> str:
    return elsewhere.url.replace("http://", f"http://ana:{SECRET}@")


def _stored(db: Database) -> list[str]:
    """The values of all tables that have the password."""
    return [str(value) for value in values(db) if _is_in(bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode())]


def _exported(who: Client, user_id: int) -> bytes:
    reply = who.get(f"/api/users/{user_id}/export")
    assert reply.status == 200, reply
    with ZipFile(BytesIO(reply.content)) as archive:
        return b"\n".join(archive.read(name) for name in archive.namelist())


@pytest.mark.on_one_database
def test_the_password_of_an_address_is_in_no_reply_log_mail_export_and_row_but_its_own(
    people: Cast, near: Settings, elsewhere: Elsewhere, clock: Clock, db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    scene, url = Scene(people, near, "public"), _with_password(elsewhere)
    with caplog.at_level(logging.DEBUG):
        elsewhere.says(a_feed(*events_of_feed(12)))
        fields = {"url": url, "calendar_id": scene.calendar["id"], "public": True, "republish": True}
        previewed = people.alice.post("/api/sources", json=fields | {"dry_run": True})
        created = people.alice.post("/api/sources", json=fields, headers={"Idempotency-Key": "geheim"})
        again = people.alice.post("/api/sources", json=fields)
        assert [reply.status for reply in (previewed, created, again)] == [201, 201, 409]
        assert f"Authorization: Basic {ENCODED}" in elsewhere.requests[-1].head
        source = scene.__dict__["source"] = created.json
        changed = people.alice.put(f"/api/sources/{source['id']}", json={"name": "Club", "interval": 15})
        replies = [previewed, created, again, changed]
        # Each way to fail, by hand and by the worker.
        for elsewhere.behaviour in BAD:
            clock.ahead(61)
            replies.append(refresh(people.alice, source))
        for days, elsewhere.behaviour in enumerate(BAD, 1):
            assert read_address(db, near, url, clock.now + days * DAY) == 1
        admin, strangers = Admin(people.anonymous, "ada"), [people.carol, people.anonymous]
        for endpoint in READS:
            replies += [who.get(scene.path(endpoint.url)) for who in (people.alice, admin, *strangers)]
        replies += [
            people.alice.get(f"{path}?calendar_id={scene.calendar['id']}") for path in ("/api/changes", "/api/sources", "/api/events")
        ]
        assert not [reply for reply in replies if _is_in(reply.content) or _is_in(str(reply.headers).encode())]
        assert any(b"\xe2\x80\xa2@127.0.0.1" in reply.content for reply in replies)
    exported = _exported(people.alice, people.alice.id)
    assert (b"gig 1" in exported, _is_in(exported)) == (True, False)
    assert not _is_in("\n".join([caplog.text, *(str(line_of(record)) for record in caplog.records)]).encode())
    # The address itself, as it was pasted and as it is fetched. What waits as a mail is a row, too.
    assert len(_stored(db)) == 2, _stored(db)
    assert people.alice.delete(f"/api/sources/{source['id']}").status == 200
    assert not _stored(db)


def test_the_path_of_an_address_is_for_its_follower_alone(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(3)))
    calendar, admin = a_calendar(people.alice), Admin(people.anonymous, "ada")
    shared(people.alice, calendar, people.bob, "editor")
    source = follow(people.bob, elsewhere, calendar_id=calendar["id"], name="Club")
    api, page = f"/api/sources/{source['id']}", f"/sources/{source['id']}"
    host, _, path = elsewhere.url.removeprefix("http://").partition("/")
    shown = [people.bob.get(api).json["url"], people.alice.get(api).json["url"], people.alice.get("/api/sources").json["sources"][0]["url"]]
    assert shown == [elsewhere.url, *[f"http://{host}/…"] * 2]
    assert path in people.bob.get(page).text
    for who, address in (
        (people.alice, page),
        (people.alice, f"/calendars/{calendar['id']}/sources"),
        (admin, "/admin/sources?limit=1000"),
    ):
        reply = who.get(address)
        assert (reply.status, f"{host}/…" in reply.text, path in reply.text) == (200, True, False), address


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    "url",
    [
        f"https://ana:{SECRET}@[club",
        f"https://ana:{SECRET}@club\uff0fexample/",
        f"https://ana:{SECRET}@club.example:port/",
        f"https://ana:{SECRET}@",
        f"https://ana:{SECRET}/x@club.example/",
        f"https://ana:{SECRET}\ud800@club.example/",
        f"https://ana:{SECRET}@127.1/",
        f"ftp://ana:{SECRET}@club.example/",
        f"ana:{SECRET}@club.example/a.ics",
        f"https://ana:{SECRET}@club.example/{'x' * 2000}",
    ],
)
def test_a_refused_address_is_not_repeated_with_its_password(people: Cast, url: str, caplog: pytest.LogCaptureFixture) -> None:
    calendar_id = people.alice.primary_calendar_id
    with caplog.at_level(logging.DEBUG):
        sent = json.dumps({"url": url})
        for path in ("/api/sources", "/api/sources/imports"):
            reply = people.alice.request("POST", path, body=sent.encode(), headers={"Content-Type": "application/json"})
            assert (reply.status, _is_in(reply.content)) == (422, False), reply
        for path in ("preview", "imports", ""):
            reply = people.alice.post(f"/calendars/{calendar_id}/sources/{path}".rstrip("/"), data={"url": url.replace("\ud800", "")})
            assert (reply.status, _is_in(reply.content)) == (422, False), reply
    assert not _is_in(caplog.text.encode())


def test_the_preview_keeps_the_password_from_the_page(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(3)))
    calendar_id = people.alice.primary_calendar_id
    url = _with_password(elsewhere)
    page = people.alice.post(f"/calendars/{calendar_id}/sources/preview", data={"url": url})
    assert (page.status, _is_in(page.content), "•••@127.0.0.1" in page.text) == (200, False, True)
    found = re.search(r'name="address" value="([^"]+)"', page.text)
    assert found
    fields: dict[str, Any] = {"address": found[1], "name": "Club"}
    # It is of this account alone.
    assert people.bob.post(f"/calendars/{people.bob.primary_calendar_id}/sources", data=fields).status == 422
    assert people.alice.post(f"/calendars/{calendar_id}/sources", data=fields | {"address": "forged"}).status == 422
    assert people.alice.post(f"/calendars/{calendar_id}/sources", data=fields).status == 303
    assert f"Authorization: Basic {ENCODED}" in elsewhere.requests[-1].head
    # The same again is a conflict, and the box is empty.
    again = people.alice.post(f"/calendars/{calendar_id}/sources", data=fields)
    assert (again.status, _is_in(again.content)) == (409, False)
    imported = people.alice.post(f"/calendars/{people.alice.primary_calendar_id}/sources/imports", data={"address": found[1]})
    assert imported.status in (200, 201), imported

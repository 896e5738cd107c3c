"""What is withheld, looked for in all that the service replies: to writes, to devices, in pictures and in packed files."""

import zlib
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.dav import serve
from kalends.dav.paths import Kind
from kalends.db import Database
from tests.cast import Cast, Person, an_event
from tests.client import Client, Reply
from tests.dav.clients import SPACES
from tests.events.test_withheld import KNOWING, WITHHELD, Audience, Guests, leaks
from tests.test_policy import CHANGES_PEOPLE, content_of, name_of

WRITES = [endpoint for endpoint in ENDPOINTS if endpoint.writes]
# What follows is for the guest of a response that has a place, whoever opens it.
BY_TOKEN = ("{response_token}", "{proposal_token}")
DATA = "<D:prop><D:getetag/><C:calendar-data/></D:prop>"
EVENTS = '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter></C:filter>'
REPORTS = {
    "calendar-query": f"<C:calendar-query {SPACES}>{DATA}{EVENTS}</C:calendar-query>",
    "sync-collection": f"<D:sync-collection {SPACES}><D:sync-token/><D:sync-level>1</D:sync-level>{DATA}</D:sync-collection>",
}
BODIES = {"PROPFIND": (f"<D:propfind {SPACES}>{DATA}</D:propfind>", f"<D:propfind {SPACES}><D:allprop/></D:propfind>"), "GET": ("",)}


def unpacked(reply: Reply) -> str:
    """The content of a reply, with that of the files in it."""
    content = reply.content
    if content.startswith(b"PK"):
        with ZipFile(BytesIO(content)) as archive:
            content = b"\n".join(archive.read(name) for name in archive.namelist())
    elif reply.headers.get("Content-Encoding") in ("gzip", "deflate"):
        content = zlib.decompress(content, zlib.MAX_WBITS | 32)
    return content.decode(errors="replace").replace("\r\n ", "") + str(dict(reply.headers))


def test_no_write_tells_in_its_reply(client: Client, db: Database, settings: Settings, soak: bool) -> None:
    """In short, SQLite is enough for forms, which call the same actions."""
    cast, told = Cast(client), set[tuple[str, str]]()
    for endpoint in WRITES:
        name, guests = name_of(endpoint), None
        if any(token in endpoint.url for token in BY_TOKEN) or (settings.database and endpoint.format == "html" and not soak):
            continue
        for actor in ("anonymous", "stranger", "former manager", "invited", "viewer"):
            if guests is None:
                # What a write destroyed or changed is made anew.
                cast = Cast(client) if CHANGES_PEOPLE.search(name) else cast
                guests = Guests(cast, db, settings, "going")
                path, content = guests.scene.path(endpoint.url), content_of(name, guests.scene)
            reply = guests.actor(actor).request(endpoint.method, path, **content)
            if leaks(unpacked(reply)):
                told.add((name, actor))
            guests = None if reply.status < 400 else guests
    assert told == set()


def dav_replies(actor: Client, person: Person, calendar_id: int, name: str) -> dict[str, str]:
    """What an actor reads at each path of devices, with every method that reads: their own, or as a guest those of somebody."""
    home = f"/dav/users/{person.id}/"
    calendar, public = f"{home}calendars/{calendar_id}/", f"/dav/public/{calendar_id}/"
    hrefs = "".join(f"<D:href>{folder}{name}</D:href>" for folder in (calendar, public, f"{home}inbox/"))
    multiget = f"<C:calendar-multiget {SPACES}>{DATA}{hrefs}</C:calendar-multiget>"
    paths: dict[Kind, str] = {
        **{"root": "/dav/", "users": "/dav/users/", "principal": home, "home": f"{home}calendars/", "calendar": calendar},
        **{"resource": f"{calendar}{name}", "public": public, "public-resource": f"{public}{name}", "inbox": f"{home}inbox/"},
        **{"message": f"{home}inbox/{name}", "outbox": f"{home}outbox/", "books": f"{home}books/", "book": f"{home}books/contacts/"},
        **{"birthdays": f"{home}calendars/contact_birthdays/", "birthday": f"{home}calendars/contact_birthdays/birthday-1.ics"},
        **{"card": f"{home}books/contacts/{name}", "push": f"{home}push/1"},
    }
    # A kind of path that is new is walked, too.
    assert paths.keys() >= serve.TABLE.keys()
    replies: dict[str, str] = {}
    for kind, path in paths.items():
        for method, bodies in {**BODIES, "REPORT": (*REPORTS.values(), multiget)}.items():
            for depth in ("0", "1"):
                for body in bodies if method in serve.TABLE[kind] else ():
                    reply = actor.request(method, path, body=body, headers={"Depth": depth})
                    replies[f"{method} {kind}"] = replies.get(f"{method} {kind}", "") + unpacked(reply)
    return replies


@pytest.mark.parametrize("audience", ["going", "members"])
def test_no_path_of_devices_tells(cast: Cast, db: Database, settings: Settings, audience: Audience) -> None:
    guests = Guests(cast, db, settings, audience)
    calendar_id, name = guests.scene.calendar["id"], f"event-{guests.event['id']}.ics"
    for who, actor in guests.actors.items():
        person = actor if isinstance(actor, Person) else cast.alice
        told = {place for place, text in dav_replies(actor, person, calendar_id, name).items() if leaks(text)}
        if who in KNOWING[audience] - {"going"}:
            assert told >= {"GET resource", "PROPFIND calendar", "PROPFIND resource", "REPORT calendar", "GET calendar"}, who
        else:
            # A guest who is going reads it on the page and in the mail, and on the public calendar if the device signs in there.
            assert told == set() or (who == "going" and all("public" in place for place in told)), (who, told)


def test_the_share_picture_shows_the_city_alone(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, city="Paris", country="France")
    path = f"/events/{event['id']}/share_picture.png"
    before = cast.anonymous.get(path).content
    fields: dict[str, Any] = {**WITHHELD, "place_for": "going", "online_for": "going"}
    assert cast.alice.put(f"/api/events/{event['id']}", json=fields).status == 200
    assert before.startswith(b"\x89PNG")
    # Whoever asks gets the picture that all readers are shown.
    assert cast.anonymous.get(path).content == before == cast.alice.get(path).content
    cast.alice.put(f"/api/events/{event['id']}", json={"place_for": "everyone"})
    assert cast.anonymous.get(path).content != before


def test_the_export_of_an_account_has_what_its_user_may_know(cast: Cast, db: Database, settings: Settings) -> None:
    guests = Guests(cast, db, settings, "going")
    for name in ("owner", "viewer", "invited", "stranger", "former manager"):
        person = guests.actor(name)
        assert isinstance(person, Person)
        reply = person.get(f"/api/users/{person.id}/export")
        assert (reply.status, reply.content[:2]) == (200, b"PK"), reply
        assert bool(leaks(unpacked(reply))) is (name == "owner"), name

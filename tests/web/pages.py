"""Every page, who looks at it, and how it is reached: a page that is not in the table fails the tests."""

from typing import NamedTuple

from playwright.sync_api import Page, Response

from kalends.app import FEATURES
from kalends.http.endpoint import Endpoint, registry
from tests.cast import Person
from tests.web.scene import Scene
from tests.web.windows import Windows, go

assert FEATURES, "the registry is filled by the features"


class Visit(NamedTuple):
    """Somebody looks at a page."""

    reader: str
    path: str

    def __str__(self) -> str:
        return f"{self.reader} {self.path}"


# By endpoint: how to get there. Words in braces are found in the scene.
PAGES: dict[str, list[Visit]] = {
    "GET /": [Visit("guest", "/"), Visit("alice", "/"), Visit("guest", "/?text=coltrane"), Visit("guest", "/?text=nothing-of-the-kind")],
    "GET /calendars": [Visit("alice", "/calendars"), Visit("bob", "/calendars")],
    "GET /calendars/new": [Visit("alice", "/calendars/new")],
    "GET /calendars/{calendar_id}": [
        *(Visit(name, "/calendars/{calendar}") for name in ("guest", "alice", "vera")),
        Visit("alice", "/calendars/{private_calendar}"),
    ],
    "GET /calendars/{calendar_id}/edit": [
        Visit("alice", "/calendars/{calendar}/edit"),
        Visit("alice", "/calendars/{private_calendar}/edit"),
    ],
    "GET /calendars/{calendar_id}/delete": [Visit("alice", "/calendars/{calendar}/delete")],
    "GET /calendars/{calendar_id}/reset_feed": [Visit("alice", "/calendars/{private_calendar}/reset_feed")],
    "GET /sign-in": [Visit("guest", "/sign-in")],
    "GET /sign-up": [Visit("guest", "/sign-up")],
    "GET /docs": [Visit("guest", "/docs")],
    "GET /unsubscribe/{token}": [Visit("guest", "/unsubscribe/{token}")],
    "GET /u/{token}": [Visit("guest", "/u/{token}")],
}

# What is no page though it is asked for by browsers.
FILES = {"GET /static/{name}"}

VISITS = [visit for visits in PAGES.values() for visit in visits]


def declared(method: str) -> list[Endpoint]:
    """The endpoints that answer with pages."""
    return [endpoint for endpoint in registry if endpoint.format == "html" and endpoint.method == method]


def address(scene: Scene, path: str) -> str:
    found = {
        "token": scene.token,
        "event": scene.event["id"],
        "occurrence": scene.occurrence["id"],
        "calendar": scene.calendar["id"],
        "private_calendar": scene.private_calendar["id"],
        "contact": scene.contact["id"],
        "comment": scene.comment["id"],
        "day": scene.day(1),
    }
    return path.format_map(found)


def reader(scene: Scene, name: str) -> Person | None:
    return {"guest": None, "alice": scene.alice, "bob": scene.bob, "vera": scene.vera}[name]


def visit(windows: Windows, scene: Scene, visit: Visit, **looks: int | bool) -> tuple[Page, Response]:
    """Open the page as its reader does."""
    page = windows.open(reader(scene, visit.reader), **looks)  # type: ignore[arg-type]
    answer = go(page, address(scene, visit.path))
    assert answer.status == 200, (str(visit), answer.status)
    return page, answer

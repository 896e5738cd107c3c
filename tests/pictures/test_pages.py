"""Pages: a picture is uploaded with the form of an event, and shown in lists and on the page of the event."""

import re

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, Person, an_event
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.http.multipart import multipart
from tests.pictures.files import SMALL_PICTURE, a_picture, encode, photo

pytestmark = pytest.mark.on_one_database

FORM = {"title": "Jazz", "start_time": "2026-06-01", "public": "true", "form_token": "t" * 43, "repeat": "none"}


def send(who: Client, path: str, fields: dict[str, str], content: bytes | None = SMALL_PICTURE) -> Reply:
    """Send the form as a browser does: without a choice, the file is empty and has no name."""
    file = ("file", "a.png", content) if content is not None else ("file", "", b"")
    return who.post(path, **multipart(fields, [file]))


def read(who: Client, path: str) -> str:
    reply = who.get(path, headers={"Accept": "text/html"})
    assert reply.status == 200, reply
    return reply.text


def version_of(who: Client, event_id: int) -> str:
    [version] = re.findall(r'name="version" value="([^"]+)"', read(who, f"/events/{event_id}/edit"))
    return str(version)


def test_a_new_event_has_the_picture_of_the_form(cast: Cast) -> None:
    reply = send(cast.alice, "/events", FORM | {"image_alt": "Two colours"})
    assert reply.status == 303, reply
    [event] = cast.alice.get("/api/events").json["events"]
    image = cast.alice.get(f"/api/events/{event['id']}").json["image"]
    assert (image["width"], image["alt"]) == (64, "Two colours")


def test_a_form_without_a_file_keeps_the_picture_and_one_that_says_so_removes_it(cast: Cast) -> None:
    event = an_event(cast.alice)
    path = a_picture(cast.alice, event, alt="Two colours")
    event_path = f"/events/{event['id']}"
    fields = {"title": "New", "start_time": "2026-06-01", "image_url": path, "image_alt": "Red and blue", "public": "false"}
    assert send(cast.alice, event_path, fields | {"version": version_of(cast.alice, event["id"])}, None).status == 303
    image = cast.alice.get(f"/api{event_path}").json["image"]
    assert (image["url"].endswith(path), image["alt"]) == (True, "Red and blue")
    removal = fields | {"version": version_of(cast.alice, event["id"]), "remove_image": "true"}
    assert send(cast.alice, event_path, removal, None).status == 303
    assert cast.alice.get(f"/api{event_path}").json["image"] is None


def test_a_form_that_is_shown_again_has_the_picture_already(cast: Cast) -> None:
    reply = send(cast.alice, "/events", FORM | {"title": ""})
    assert reply.status == 422
    [path] = re.findall(r'name="image_url" value="(/pictures/[^"]+)"', reply.text)
    assert cast.alice.get(path).status == 200
    assert send(cast.alice, "/events", FORM | {"image_url": path}, None).status == 303


def test_a_file_that_is_no_picture_is_named_in_the_form(cast: Cast) -> None:
    reply = send(cast.alice, "/events", FORM, b"<svg/>")
    assert reply.status == 422
    assert "is not a picture that can be read" in reply.text
    assert cast.alice.get("/api/events").json["events"] == []


def test_guests_and_strangers_upload_nothing(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    assert send(cast.anonymous, "/events", FORM).status == 401
    assert send(cast.carol, f"/events/{event['id']}", FORM).status == 403


def test_the_page_of_an_event_shows_its_picture_in_several_sizes_and_search_engines_get_it(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    path = a_picture(cast.alice, event, encode(photo(1000, 500), "PNG"), alt="Two colours")
    page = read(cast.anonymous, f"/events/{event['id']}")
    small, medium = path.replace("1000x500", "480x240"), path.replace("1000x500", "960x480")
    assert f'src="{small}" srcset="{small} 480w, {medium} 960w, {path} 1000w"' in page
    assert 'width="1000" height="500" alt="Two colours"' in page
    assert f'"http://testserver{path}"' in page.partition("ld+json")[2].partition("</script>")[0]


def test_a_card_shows_the_picture_when_it_comes_into_view(cast: Cast, clock: Clock) -> None:
    # The start page has no room for the events of all tests.
    path = a_picture(cast.alice, an_event(cast.alice, public=True, title=f"word{cast.alice.id}"))
    page = read(cast.anonymous, f"/?text=word{cast.alice.id}")
    assert re.search(f'<img class="cover" src="{path}" [^>]* width="64" height="48" alt="" loading="lazy"', page)


@pytest.mark.on_one_database
@pytest.mark.parametrize("is_on", [False, True])
def test_a_picture_elsewhere_is_loaded_only_if_the_operator_allows_it(db: Database, settings: Settings, clock: Clock, is_on: bool) -> None:
    allowed = structs.replace(settings, foreign_pictures="on" if is_on else "off")
    alice = Person(Client(application(db, allowed, clock)), "alice")
    event = an_event(alice, public=True, image_url="https://example.org/a.png", image_alt="A dot")
    # Its organiser has an overview there instead.
    visitor = Client(application(db, allowed, clock))
    for path in (f"/events/{event['id']}", f"/embed/events/{event['id']}", "/"):
        reply = visitor.get(path, headers={"Accept": "text/html"})
        assert ("https:" in reply.headers["Content-Security-Policy"]) is is_on
        assert ('src="https://example.org/a.png" alt="A dot"' in reply.text) is (is_on and path != "/")

"""POST and DELETE /api/events/{id}/image: the picture of an event, and who shares it."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.cast import Cast, a_calendar, an_event, shared
from tests.client import Client
from tests.http.multipart import multipart
from tests.pictures.files import SMALL_PICTURE, a_picture, encode, photo, upload

pytestmark = pytest.mark.on_one_database


def open_picture(who: Client, path: str) -> Image.Image:
    reply = who.get(path)
    assert (reply.status, reply.headers["Content-Type"]) == (200, "image/webp"), reply
    image = Image.open(BytesIO(reply.content))
    image.load()
    return image


def test_an_uploaded_picture_is_served_in_three_sizes(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    path = a_picture(cast.alice, event, encode(photo(3200, 1600), "JPEG"), alt="Two colours")
    detail = cast.anonymous.get(f"/api/events/{event['id']}").json
    image = detail["image"]
    assert (image["width"], image["height"], image["alt"]) == (1600, 800, "Two colours")
    assert detail["image_url"] == image["url"]
    assert image["url"].startswith("http")
    assert [each["image_url"] for each in cast.anonymous.get("/api/events", query={"ids": event["id"]}).json["events"]] == [image["url"]]
    for width, height in ((480, 240), (960, 480), (1600, 800)):
        assert open_picture(cast.anonymous, path.replace("1600x800", f"{width}x{height}")).size == (width, height)


@pytest.mark.on_one_database
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "AVIF"])
def test_each_format_is_taken_whatever_the_file_is_called(cast: Cast, format: str) -> None:
    event = an_event(cast.alice)
    reply = upload(cast.alice, event, encode(photo(), format), filename="picture.exe")
    assert (reply.status, reply.json["image"]["width"], reply.json["image"]["alt"]) == (200, 64, None)


def test_a_picture_is_cached_for_ever_and_never_sniffed(cast: Cast) -> None:
    path = a_picture(cast.alice, an_event(cast.alice))
    reply = cast.anonymous.get(path)
    assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert cast.anonymous.get(path, headers={"If-None-Match": reply.headers["ETag"]}).status == 304
    assert cast.anonymous.get(path.replace("64x48", "65x48")).status == 404


def test_the_same_file_has_another_address_for_each_account(cast: Cast) -> None:
    paths = {a_picture(who, an_event(who)) for who in (cast.alice, cast.alice, cast.bob)}
    assert len(paths) == 2


def test_a_picture_is_removed(cast: Cast) -> None:
    event = an_event(cast.alice)
    a_picture(cast.alice, event, alt="Two colours")
    reply = cast.alice.delete(f"/api/events/{event['id']}/image")
    assert (reply.status, reply.json["image"], reply.json["image_url"]) == (200, None, None)
    assert cast.alice.get(f"/api/events/{event['id']}/edit").json["image_alt"] is None


def test_an_old_version_is_not_given_a_picture(cast: Cast) -> None:
    event = an_event(cast.alice)
    etag = cast.alice.get(f"/api/events/{event['id']}").headers["ETag"]
    cast.alice.put(f"/api/events/{event['id']}", json={"title": "New"})
    request = multipart(files=[("file", "a.png", SMALL_PICTURE)])
    request["headers"] |= {"If-Match": etag}
    assert cast.alice.post(f"/api/events/{event['id']}/image", **request).status == 412
    assert cast.alice.get(f"/api/events/{event['id']}").json["image"] is None


def test_the_address_of_a_picture_can_be_sent_back_and_its_text_changed(cast: Cast) -> None:
    event = an_event(cast.alice)
    a_picture(cast.alice, event, alt="Two colours")
    fields = cast.alice.get(f"/api/events/{event['id']}/edit").json
    changed = cast.alice.put(f"/api/events/{event['id']}", json=fields | {"image_alt": "Red and blue"}).json
    assert (changed["image"]["width"], changed["image"]["alt"], changed["image_url"]) == (64, "Red and blue", fields["image_url"])
    again = cast.alice.put("/api/events", json={"uid": "a", "title": "A", "start_time": "2026-06-01", "image_url": fields["image_url"]})
    assert again.json["image"]["height"] == 48


def test_a_picture_elsewhere_has_no_size(cast: Cast) -> None:
    event = an_event(cast.alice, image_url="https://example.org/a.png", image_alt="A dot")
    assert event["image"] == {"url": "https://example.org/a.png", "width": None, "height": None, "alt": "A dot"}


def test_dates_of_a_series_and_copies_share_the_picture(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    path = a_picture(cast.alice, event, alt="Two colours")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    cast.bob.put(f"/api/events/{event['id']}/copy")
    for who in (cast.alice, cast.bob):
        assert {each["image_url"].partition("/pictures")[1:] for each in _events(who)} == {("/pictures", path.removeprefix("/pictures"))}


def test_the_following_dates_of_a_series_get_another_picture(cast: Cast) -> None:
    event = an_event(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    dates = _events(cast.alice)
    a_picture(cast.alice, dates[1], scope="following")
    assert [each["image_url"] is not None for each in _events(cast.alice)] == [False, True, True]
    cast.alice.delete(f"/api/events/{dates[2]['id']}/image", json={"scope": "this"})
    assert [each["image_url"] is not None for each in _events(cast.alice)] == [False, True, False]


def test_a_picture_comes_back_when_its_removal_or_the_event_is_undone(cast: Cast) -> None:
    event = an_event(cast.alice)
    path = a_picture(cast.alice, event, alt="Two colours")
    for deletion, history in (("/image", f"/api/events/{event['id']}/changes"), ("", "/api/trash")):
        assert cast.alice.delete(f"/api/events/{event['id']}{deletion}").status == 200
        [entry, *_] = cast.alice.get(history).json[history.rpartition("/")[2]]
        assert cast.alice.post(f"/api/changes/{entry['seq']}/undo").status == 200
        image = cast.alice.get(f"/api/events/{event['id']}").json["image"]
        assert (image["url"].endswith(path), image["alt"]) == (True, "Two colours")


def test_a_calendar_file_has_the_address_and_brings_the_picture_back(cast: Cast) -> None:
    event = an_event(cast.alice)
    path = a_picture(cast.alice, event, alt="Two colours")
    file = cast.alice.get(f"/api/events/{event['id']}.ics").content
    assert path.encode() in file.replace(b"\r\n ", b"")
    calendar = a_calendar(cast.alice)["id"]
    reply = cast.alice.post("/api/events/import", **multipart({"calendar_id": str(calendar)}, [("file", "a.ics", file)]))
    assert reply.status == 201, reply
    [imported] = cast.alice.get("/api/events", query={"calendar_id": calendar}).json["events"]
    assert imported["image_url"] == cast.alice.get(f"/api/events/{event['id']}").json["image_url"]


def test_an_editor_gives_an_event_a_picture_on_the_editors_account(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    a_picture(cast.bob, event)
    assert cast.alice.get(f"/api/events/{event['id']}").json["image"]["width"] == 64


def _events(who: Client) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = who.get("/api/events").json["events"]
    return events

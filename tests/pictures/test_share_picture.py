"""GET /events/<id>/share_picture.png: what networks show beside a link, for public events alone."""

import re
from io import BytesIO

import pytest
from PIL import Image

from kalends.features.pictures.steps.lettering import Lettering, spell
from tests.cast import Cast, an_event
from tests.client import Client
from tests.pictures.files import a_picture

pytestmark = pytest.mark.on_one_database

PAPER = (250, 247, 242)


def _address(reader: Client, event_id: int) -> str:
    [url] = re.findall('<meta property="og:image" content="([^"]*)">', reader.get(f"/events/{event_id}").text)
    return str(url[url.index("/events/") :])


def _picture(reader: Client, path: str) -> Image.Image:
    reply = reader.get(path)
    assert (reply.status, reply.headers["Content-Type"]) == (200, "image/png")
    return Image.open(BytesIO(reply.content)).convert("RGB")


def _ink(image: Image.Image) -> int:
    """How many pixels of the left part are darker than paper."""
    return sum(image.crop((0, 0, 740, 630)).convert("L").histogram()[:200])


def _strongest(image: Image.Image, x: int) -> str:
    pixel = image.getpixel((x, 300))
    assert isinstance(pixel, tuple)
    return ("red", "green", "blue")[pixel.index(max(pixel))]


def test_the_address_changes_with_the_event_and_is_cached_for_ever(cast: Cast, client: Client) -> None:
    event = an_event(cast.alice, title="Trio", location="Le Sextant", public=True)["id"]
    first = _address(client, event)
    image = _picture(client, first)
    assert image.size == (1200, 630)
    assert client.get(first).headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert cast.alice.put(f"/api/events/{event}", json={"title": "A longer title than before, in more than one line"}).status == 200
    second = _address(client, event)
    assert first != second
    # Old URLs show the event as it is, and are asked for again soon.
    assert client.get(first).headers["Cache-Control"] == "public, max-age=300"
    assert _ink(_picture(client, first)) > _ink(image) + 1_000


@pytest.mark.parametrize("visibility", ["link", "members"])
def test_there_is_none_of_an_event_that_is_not_public(cast: Cast, visibility: str) -> None:
    event = an_event(cast.alice, visibility=visibility)
    path = f"/events/{event['id']}/share_picture.png"
    assert [actor.get(path).status for actor in (cast.anonymous, cast.carol, cast.alice)] == [404, 404, 404]
    page = cast.alice.get(f"/events/{event['id']}").text
    assert "share_picture" not in page
    assert "og:" not in page
    assert "ld+json" not in page


def test_an_uploaded_picture_is_beside_the_text(cast: Cast, client: Client) -> None:
    event = an_event(cast.alice, title="Trio", public=True)
    a_picture(cast.alice, event)
    image = _picture(client, _address(client, event["id"]))
    assert image.getpixel((20, 20)) == PAPER
    # Its left half is red, and its right half blue.
    assert [_strongest(image, x) for x in (760, 1180)] == ["red", "blue"]


def test_a_title_that_the_font_cannot_spell_leaves_the_drawing_alone(cast: Cast, client: Client) -> None:
    event = an_event(cast.alice, title="コンサート", location="Tokyo", public=True)["id"]
    image = _picture(client, _address(client, event))
    assert image.getpixel((20, 20)) != PAPER
    assert _ink(image) > 300_000


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("Jazz 🎷 – live", "Jazz - live"),
        ("Größe", "Gro\u0308sse"),
        ("Łódź", "L\u0338o\u0301dz\u0301"),
        ("Ночь", None),
        ("日本", None),
        ("🎉", None),
        ("حفلة", None),
    ],
)
def test_text_is_spelled_with_letters_of_the_font_or_not_at_all(text: str, spelled: str | None) -> None:
    assert spell(text) == spelled


def test_long_text_is_cut_and_never_wider_than_its_room() -> None:
    lettering = Lettering(40)
    lines = lettering.cut("word " * 40 + "x" * 80, 300, 2)
    assert len(lines) == 2
    assert lines[-1].endswith("…")
    assert all(lettering.width(line) <= 300 for line in lines)


class _CountingLettering(Lettering):
    """Counts the texts that it measures."""

    measured = 0

    def width(self, text: str) -> float:
        self.measured += 1
        return super().width(text)


@pytest.mark.parametrize("text", ["\u00e9" * 200, "\u00e9 " * 250, "W" * 500, "e" + "\u0301" * 400, "\u1ebf\u0303" * 160])
def test_a_hostile_text_is_measured_in_few_steps(text: str) -> None:
    lettering = _CountingLettering(100)
    lines = lettering.cut(spell(text) or "", 1224, 2)
    assert 1 <= len(lines) <= 2
    assert lettering.measured < 1_000


def test_a_text_that_is_cut_keeps_as_much_as_fits() -> None:
    lettering = Lettering(40)
    text = "one two three four five six seven eight nine ten"
    [line] = lettering.cut(text, 300, 1)
    kept = line.removesuffix("…")
    assert text.startswith(kept)
    assert lettering.wrap(f"{text[: len(kept) + 2].rstrip()}…", 300, 1) is None


def test_a_very_long_title_ends_with_dots() -> None:
    assert (spell("a" * 200) or "")[-2:] == "a…"

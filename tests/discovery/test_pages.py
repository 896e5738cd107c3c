"""Pages for search engines, feed readers and phones: public events are in them, others leave no trace."""

import re
from io import BytesIO
from uuid import uuid4
from xml.etree import ElementTree

import pytest
from PIL import Image

from tests.cast import Cast, an_event
from tests.client import Client

pytestmark = pytest.mark.on_one_database

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def _parse(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314


def test_robots_name_the_sitemap_whose_parts_have_every_public_event(cast: Cast, client: Client) -> None:
    public = an_event(cast.alice, title="Public", public=True)
    private = an_event(cast.alice, title="Private")
    robots = client.get("/robots.txt")
    assert robots.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "Disallow: /r/" in robots.text
    path = robots.text.partition("Sitemap: ")[2].strip().removeprefix(public["url"].removesuffix(f"/events/{public['id']}"))
    parts = [each.text or "" for each in _parse(client.get(path).text).iter(f"{SITEMAP}loc")]
    last = _parse(client.get(parts[-1][parts[-1].index("/sitemap") :]).text)
    urls = {each.text for each in last.iter(f"{SITEMAP}loc")}
    assert public["url"] in urls
    assert private["url"] not in urls
    assert client.get("/sitemap.xml?part=-1").status == 422


def test_the_feed_has_what_the_start_page_has(cast: Cast, client: Client) -> None:
    name = uuid4().hex
    event = an_event(cast.alice, title=f"<Trio> & {name}", location="Le Sextant", tag_list="jazz", public=True)
    an_event(cast.alice, title=f"Private {name}")
    page = client.get("/", query={"text": name}).text
    assert f'type="application/rss+xml" title="Kalends" href="http://testserver/feed.xml?text={name}"' in page
    reply = client.get(f"/feed.xml?text={name}")
    assert reply.headers["Content-Type"] == "application/rss+xml; charset=utf-8"
    [item] = _parse(reply.text).iter("item")
    fields = {each.tag: each.text for each in item}
    assert fields["title"] == f"Monday, 1 June 2026, 20:00: <Trio> & {name}"
    assert fields["link"] == fields["guid"] == event["url"]
    assert (fields["description"], fields["category"]) == ("Le Sextant", "jazz")


def test_a_public_event_has_a_card_for_links_and_a_private_one_none(cast: Cast, client: Client) -> None:
    public = an_event(cast.alice, title='"Trio" & more', location="Le Sextant", public=True)
    page = client.get(f"/events/{public['id']}").text
    assert f'<link rel="canonical" href="{public["url"]}">' in page
    assert '<meta property="og:title" content="&#34;Trio&#34; &amp; more">' in page
    assert '<meta name="description" content="Monday, 1 June 2026, 20:00 · Le Sextant">' in page
    private = an_event(cast.alice, title="Private")
    page = cast.alice.get(f"/events/{private['id']}").text
    assert '<meta name="robots" content="noindex">' in page
    assert "og:title" not in page


def test_phones_can_install_the_site(client: Client) -> None:
    manifest = client.get("/manifest.json").json
    assert manifest["name"] == "Kalends"
    assert {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]} >= {
        ("192x192", "any"),
        ("512x512", "any"),
        ("512x512", "maskable"),
    }
    [touch_icon] = re.findall('<link rel="apple-touch-icon" href="([^"]*)">', client.get("/").text)
    drawings = {icon["src"]: icon["sizes"] for icon in manifest["icons"] if icon["type"] == "image/png"} | {touch_icon: "180x180"}
    for url, size in drawings.items():
        reply = client.get(url)
        assert reply.headers["Content-Type"] == "image/png"
        image = Image.open(BytesIO(reply.content)).convert("RGBA")
        assert f"{image.width}x{image.height}" == size
        # The upright of the mark is white.
        upright = image.getpixel((round(image.width * (0.4 if "maskable" in url else 0.375)), image.height // 2 + image.height // 10))
        assert isinstance(upright, tuple)
        assert min(upright) > 240, url
        corner = image.getpixel((0, 0))
        assert isinstance(corner, tuple)
        # What a phone cuts to its own shape has no corners of its own.
        assert (corner[3] == 255) == ("maskable" in url or "apple" in url)

"""Light pages: few bytes over the wire, files that are fetched once, and nothing inline that the policy would have to allow."""

import re
from functools import cache
from hashlib import sha256

import pytest
from playwright.sync_api import Request

from tests.client import Client, Reply
from tests.openapi import page as html
from tests.web.pages import IN_SHORT, PAGES, Visit, fetch, fetched, reader, url_of
from tests.web.scene import Scene
from tests.web.windows import Windows, go

KILOBYTES = 1_000
# What a page may cost on the way to a reader who has none of its files, without pictures.
BUDGET = 40 * 1024
# The reference of the whole API is one page, so that people can search in it.
BUDGETS = {"/docs": 88 * 1024}
# The scripts and the card of the calendar take more than a page should.
CALENDAR = 40 * 1024
# What the pages of an event and the calendar weigh in KiB, without headers and pictures.
KIBIBYTE = 1024
WEIGHTS = {
    Visit("guest", "/events/{event}"): 16,
    Visit("alice", "/calendar"): 32,
    Visit("alice", "/events/{event}"): 16,
    Visit("alice", "/events/{event}/responses"): 15,
    Visit("alice", "/events/{event}/invitations"): 14,
    Visit("alice", "/events/{event}/edit"): 17,
    Visit("alice", "/events/{event}/history"): 13,
    Visit("alice", "/events/new"): 18,
}
PICTURES = (".png", ".svg")
GZIP = {"Accept-Encoding": "gzip"}


@pytest.mark.parametrize("visit", IN_SHORT, ids=str)
def test_a_page_with_its_files_stays_within_the_budget(scene: Scene, visit: Visit) -> None:
    page = fetched(scene, visit)
    files = {target for target in _files(page.text) if not target.partition("?")[0].endswith(PICTURES)}
    assert any(".css" in target for target in files)
    sizes = {target: _file_size(scene.guest, target) for target in files}
    sizes[str(visit)] = _transferred(fetch(scene, visit, GZIP))
    assert sum(sizes.values()) <= _budget(visit), sizes


@pytest.mark.parametrize("visit", [Visit("guest", "/"), Visit("alice", "/events/{event}"), Visit("alice", "/calendar")], ids=str)
def test_a_page_makes_the_browser_fetch_no_more_than_the_budget(windows: Windows, scene: Scene, visit: Visit) -> None:
    page = windows.open(reader(scene, visit.reader))
    requests: list[Request] = []
    page.on("requestfinished", lambda request: requests.append(request))
    go(page, url_of(scene, visit.path))
    sizes = [request.sizes() for request in requests if request.resource_type != "image"]
    assert len(sizes) >= 3
    assert sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes) <= _budget(visit)


@pytest.mark.parametrize("visit", WEIGHTS, ids=str)
def test_a_page_that_people_use_daily_stays_light(scene: Scene, visit: Visit) -> None:
    targets = {target for target in _files(fetched(scene, visit).text) if ".css" in target or ".js" in target}
    sizes = {target: len(scene.guest.get(target, headers=GZIP).content) for target in targets}
    sizes[str(visit)] = len(fetch(scene, visit, GZIP).content)
    assert sum(sizes.values()) <= WEIGHTS[visit] * KIBIBYTE, sizes


def test_files_have_no_comments(scene: Scene) -> None:
    for name in ("app.js", "style.css"):
        content = scene.guest.get(f"/static/{name}").content
        assert content
        assert b"\n//" not in content
        assert b"/*" not in content


def _budget(visit: Visit) -> int:
    return CALENDAR if visit.path.startswith("/calendar") else BUDGETS.get(visit.path, BUDGET)


@pytest.mark.parametrize("visit", IN_SHORT, ids=str)
def test_a_page_has_a_strict_policy_and_nothing_inline(scene: Scene, visit: Visit) -> None:
    reply = fetched(scene, visit)
    policy = reply.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    parts = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    assert parts["default-src"] == parts["base-uri"] == "'none'"
    assert parts["script-src"] == parts["style-src"] == parts["form-action"] == "'self'"
    assert parts["frame-ancestors"] == ("*" if visit.path.startswith("/embed/") else "'none'")
    for element in html.read(reply.text).walk():
        assert element.tag != "style"
        # Structured data is no script: browsers do not run it, and the policy does not speak of it.
        is_data = element.attributes.get("type") == "application/ld+json"
        assert element.tag != "script" or is_data or "src" in element.attributes
        assert not [name for name in element.attributes if name == "style" or name.startswith("on")], element.tag


def test_pages_name_their_files_by_their_content(scene: Scene) -> None:
    targets = {target for visits in PAGES.values() for target in _files(fetched(scene, visits[0]).text)}
    assert len(targets) >= 3
    for target in targets:
        version = target.partition("?v=")[2]
        assert len(version) >= 16, target
        assert sha256(scene.guest.get(target).content).hexdigest().startswith(version), target


def test_a_file_is_fetched_once_and_compressed(scene: Scene) -> None:
    for target in _files(fetched(scene, Visit("guest", "/")).text):
        reply = scene.guest.get(target, headers=GZIP)
        assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert len(reply.content) < KILOBYTES or reply.headers["Content-Encoding"] == "gzip", target


@cache
def _file_size(guest: Client, target: str) -> int:
    """What is transferred of a file, which is the same for all pages."""
    return _transferred(guest.get(target, headers=GZIP))


def _transferred(reply: Reply) -> int:
    fields = sum(len(f"{name}: {value}\r\n") for name, value in reply.headers.items())
    return fields + len(reply.content)


def _files(page: str) -> set[str]:
    """The URLs of our own files in the page; an event's picture is not one of them."""
    return set(re.findall(r' (?:href|src)="(/static/[^"]*)"', page))

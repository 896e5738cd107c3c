"""GET /docs/guide: every document is rendered, and links between the pages lead to a page and a heading."""

import re
from typing import Any

import pytest

from kalends.features.reference.rules.guide import INDEX, URL, page_names, render_markdown, served_url, slug
from tests.client import Client
from tests.conftest import Clock
from tests.openapi.page import Element, read

pytestmark = pytest.mark.on_one_database

NAMES = sorted(page_names())


def _get(client: Client, path: str) -> Element:
    reply = client.get(path)
    assert reply.status == 200, path
    return read(reply.text)


@pytest.fixture(scope="module")
def pages(app: tuple[Any, Clock]) -> dict[str, Element]:
    client = Client(app[0])
    return {path: _get(client, path) for path in (URL, *(f"{URL}/{name}" for name in NAMES))}


def _targets(page: Element) -> list[str]:
    hrefs = [link.attributes["href"] or "" for link in page.all("a")]
    return [href for href in hrefs if href.startswith(("/docs/guide", "#"))]


def _ids(page: Element) -> set[str | None]:
    return {element.attributes["id"] for level in ("h1", "h2", "h3") for element in page.all(level) if "id" in element.attributes}


@pytest.mark.parametrize("name", NAMES)
def test_every_document_is_a_page_with_one_title_and_no_markdown_left(client: Client, pages: dict[str, Element], name: str) -> None:
    assert len(pages[f"{URL}/{name}"].all("h1")) == 1
    text = re.sub(r"<(code|pre).*?</\1>", "", client.get(f"{URL}/{name}").text, flags=re.DOTALL)
    assert re.findall(r"\]\(|\*\*|^\|.*\|$|```|^#+ ", text, re.MULTILINE) == []


@pytest.mark.parametrize("name", NAMES)
def test_links_between_pages_lead_to_a_page_and_a_heading(pages: dict[str, Element], name: str) -> None:
    for target in _targets(pages[f"{URL}/{name}"]):
        path, _, fragment = target.partition("#")
        page = pages[path or f"{URL}/{name}"]
        assert not fragment or fragment in _ids(page) | {"main"}, target


def test_the_contents_link_every_document(client: Client) -> None:
    targets = {target.removeprefix(f"{URL}/") for target in _targets(_get(client, URL))}
    assert set(NAMES) - {INDEX} <= targets
    assert len(NAMES) > 15


def test_the_guide_has_at_most_twenty_pages() -> None:
    """Beside its contents. Decisions and reports are for those who change or judge Kalends, in folders of their own."""
    assert len([path for path in page_names().values() if path.parent.name == "docs" and path.stem != INDEX]) <= 20


def test_an_unknown_page_is_not_found(client: Client) -> None:
    for name in ("nothing", "..%2fREADME", "README.md", "api.md"):
        assert client.get(f"{URL}/{name}").status == 404


def test_the_reference_links_the_guide(client: Client) -> None:
    assert URL in _targets(_get(client, "/docs"))


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("api.md", "/docs/guide/api"),
        ("api.md#logging-in", "/docs/guide/api#logging-in"),
        ("decisions/group-commit.md", "/docs/guide/group-commit"),
        ("../reports/performance.md", "/docs/guide/performance"),
        ("README.md", "/docs/guide"),
        ("#limits", "#limits"),
        ("https://example.org/x.md", "https://example.org/x.md"),
        ("../README.md", None),
        ("../deploy/nginx.conf", None),
    ],
)
def test_links_of_documents_are_rewritten(href: str, url: str | None) -> None:
    assert served_url(href) == url


def test_html_in_a_document_is_shown_as_text() -> None:
    assert "<script>" not in render_markdown("# A <script>alert(1)</script>\n\n<b>b</b>\n\n```\n<i>\n```\n").html


def test_headings_have_the_ids_that_code_hosts_give_them() -> None:
    assert slug("From SQLite to PostgreSQL") == "from-sqlite-to-postgresql"
    assert slug("Health, metrics and logs") == "health-metrics-and-logs"

"""GET /docs: the reference, with every endpoint, every parameter and every error."""

import re
from itertools import pairwise
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.http.dry_run import is_offered
from kalends.http.endpoint import Endpoint
from kalends.http.input.options import split_annotated, struct_options
from kalends.http.openapi.responses import MEANINGS, operation_id
from kalends.http.openapi.schema import Carrier, carried
from tests.client import Client
from tests.conftest import Clock
from tests.openapi.page import Element, read

pytestmark = pytest.mark.on_one_database

API = [endpoint for endpoint in ENDPOINTS if endpoint.in_api]


@pytest.fixture(scope="session")
def page(app: tuple[Any, Clock]) -> Element:
    reply = Client(app[0]).get("/docs")
    assert reply.status == 200
    return read(reply.text)


@pytest.fixture(scope="session")
def entries(page: Element) -> dict[str | None, Element]:
    """The part of the page about each endpoint, by its operation id."""
    return {article.attributes["id"]: article for article in page.all("article")}


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.url}"


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").split())


@pytest.mark.parametrize("endpoint", API, ids=_name)
def test_every_endpoint_is_explained(entries: dict[str | None, Element], endpoint: Endpoint) -> None:
    entry = entries[operation_id(endpoint)]
    assert endpoint.documentation
    assert [heading.text for heading in entry.all("h3")] == [_name(endpoint)]
    assert _plain(endpoint.documentation) in _plain(entry.text)
    assert str(endpoint.status) in [status.text for status in entry.all("strong")]


@pytest.mark.parametrize("endpoint", API, ids=_name)
def test_every_parameter_is_explained(entries: dict[str | None, Element], endpoint: Endpoint) -> None:
    entry = entries[operation_id(endpoint)]
    descriptions = dict(zip([dt.text for dt in entry.all("dt")], [dd.text for dd in entry.all("dd")], strict=True))
    fields = list(carried(endpoint.params, Carrier.JSON if endpoint.writes else Carrier.QUERY)) if endpoint.params else []
    version = ["If-Match" if endpoint.writes else "If-None-Match"] if endpoint.etag else []
    version += ["If-None-Match"] if endpoint.etag and endpoint.writes and endpoint.location else []
    once = [*(["Idempotency-Key"] if endpoint.takes_idempotency_key else []), *(["dry_run"] if is_offered(endpoint) else [])]
    in_query = [field.name for field in fields if field.name in struct_options(endpoint.params).same_in_query]
    names = [*endpoint.variables, *version, *once, *in_query, *(field.name for field in fields)]
    assert [term.split()[0] for term in descriptions] == names
    for field in fields:
        meanings = [meaning for term, meaning in descriptions.items() if term.split()[0] == field.name]
        about = split_annotated(field.type)[1].description
        assert about, f"{field.name} has no description"
        assert all(_plain(about) in meaning for meaning in meanings)


def test_types_are_described_in_words(page: Element) -> None:
    terms = {term.text for term in page.all("dt")}
    assert "name text of at most 200 characters, in the body, required" in terms
    assert "password text of 8 to 256 characters, in the body, required" in terms
    assert "moderation none | guests | all, in the body" in terms
    assert "time_zone time zone or null, in the body" in terms
    assert "title text of at most 200 characters, in the body, required" in terms
    assert "start_time date or time, in the body, required" in terms
    assert "tag_list text of at most 20,100 characters, in the body" in terms
    assert "limit whole number from 0, in the query" in terms
    assert "count true or false, in the query" in terms
    assert not [term for term in terms if "anything" in term or "object" in term]


def test_every_error_is_explained(page: Element) -> None:
    explained = {term.text for term in page.all("dt") if term.attributes.get("id")}
    assert explained == set(MEANINGS)


def test_rules_beyond_the_types_are_described(page: Element) -> None:
    (update,) = [article for article in page.all("article") if article.attributes["id"] == "users_update"]
    assert "current_password is required with a new" in update.text


def test_names_within_the_page_are_unique_and_lead_somewhere(page: Element) -> None:
    names = [element.attributes["id"] for element in page.walk() if "id" in element.attributes]
    assert len(names) == len(set(names))
    targets = [str(link.attributes["href"]) for link in page.all("a")]
    assert [target for target in targets if target.startswith("#") and target[1:] not in names] == []
    labels = [element.attributes["aria-labelledby"] for element in page.walk() if "aria-labelledby" in element.attributes]
    assert set(labels) <= set(names)


def test_headings_go_down_by_one_level(page: Element) -> None:
    levels = [int(element.tag[1]) for element in page.walk() if re.fullmatch("h[1-6]", element.tag)]
    assert (levels[0], levels.count(1)) == (1, 1)
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_lists_have_only_valid_children(page: Element) -> None:
    for tag, allowed in {"ul": {"li"}, "dl": {"dt", "dd"}}.items():
        for element in page.all(tag):
            assert {child.tag for child in element.inside if isinstance(child, Element)} <= allowed


def test_the_reference_has_nothing_inline_and_nothing_from_other_hosts(page: Element) -> None:
    for element in page.walk():
        assert element.tag != "style"
        assert element.tag != "script" or str(element.attributes["src"]).startswith("/static/")
        assert not [name for name in element.attributes if name == "style" or name.startswith("on")]
        assert not str(element.attributes.get("src", "")).startswith("http")
    assert all(str(link.attributes["href"]).startswith(("/static/", "/manifest.json")) for link in page.all("link"))


def test_the_reference_fits_a_narrow_screen(page: Element) -> None:
    (viewport,) = [meta for meta in page.all("meta") if meta.attributes.get("name") == "viewport"]
    assert viewport.attributes["content"] == "width=device-width, initial-scale=1"
    assert page.all("table") == []
    assert all(block.attributes.get("class") == "scroll" and block.attributes.get("tabindex") == "0" for block in page.all("pre"))


def test_every_reply_leads_to_its_record_and_every_field_of_it_is_explained(page: Element) -> None:
    records = {str(details.attributes.get("id")): details for details in page.all("details")}
    (create,) = [article for article in page.all("article") if article.attributes["id"] == "events_create"]
    assert [link.text for link in create.all("a") if str(link.attributes["href"]) == "#record-EventDetail"] == ["EventDetail"]
    fields = [term.text.split()[0] for term in records["record-EventDetail"].all("dt")]
    assert {"id", "title", "start_time", "owner", "url", "can_edit"} <= set(fields)
    assert all(meaning.text for details in records.values() for meaning in details.all("dd"))


def test_no_default_is_empty_and_embeds_are_documented(page: Element) -> None:
    assert "Default: ." not in page.text
    assert "/embed/calendars/ID" in page.text

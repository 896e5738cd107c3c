"""Readers of requests, for all input: headers, links, searches, and the fields of every endpoint."""

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kalends.app.application import ENDPOINTS
from kalends.core.errors import Problem
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import text_search
from kalends.features.deliveries.rules.recipient_links import parse_unsubscribe_token
from kalends.http.context import Caller
from kalends.http.endpoint import Endpoint
from kalends.http.input import params
from kalends.http.input.fields import fields_of
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.tags import MAX_TAGS, read_tags
from kalends.http.origin import Origins
from kalends.http.request import Request
from kalends.web.redirects import local_path
from tests.cast import Cast
from tests.http.test_properties import any_header, any_json
from tests.security.corpus import VALUES
from tests.security.writing import arbitrary_text, listed, reading

pytestmark = pytest.mark.on_one_database

TAKING = [endpoint for endpoint in ENDPOINTS if endpoint.params is not None]
DATE = r"(Mon, )?[0-9]{1,3} (Jan|Foo) [0-9]{1,6} [0-9]{2}:[0-9]{2}(:[0-9]{2})? (GMT|[+-][0-9]{4})"

any_value = any_json | arbitrary_text | st.sampled_from(list(VALUES.values()))


def _request(**headers: str) -> Request:
    return Request("GET", "/", headers={name.lower().replace("_", "-"): value for name, value in headers.items()})


@given(text=any_header | st.from_regex(DATE, fullmatch=True))
def test_any_text_is_handled_as_an_http_date(text: str) -> None:
    """It is an instant or nothing, and never fails."""
    read = timestamps.parse_http_date(text)
    assert read is None or re.search(r"\d", text)


@pytest.mark.parametrize("remote", ["10.0.0.9", "198.51.100.7", "not-an-address"])
@given(header=any_header | listed("10.0.0.1", "203.0.113.9:80", "[2001:db8::1]:443", "::ffff:10.1.1.1", "x", ""))
def test_only_trusted_proxies_name_the_client_address(remote: str, header: str) -> None:
    origins = Origins(Settings(trusted_proxies="10.0.0.0/8, 2001:db8::/32"))
    req = Request("GET", "/", headers={"x-forwarded-for": header}, address=remote)
    address = origins.address(req)
    assert address == remote or (remote == "10.0.0.9" and address in header)


@given(header=any_header)
def test_preferences_are_strict_if_they_say_so(header: str) -> None:
    if "strict" not in header.lower():
        assert not params.is_strict(_request(Prefer=header))
    assert params.is_strict(_request(Prefer=f"handling=strict,{header}"))


@given(before=any_header, after=any_header)
def test_a_version_is_known_among_whatever_stands_beside_it(before: str, after: str) -> None:
    header = f'{before}, "7-3" ,{after}'
    assert Caller(headers={"if-none-match": header}).has_version('"7-3"')
    assert Caller(headers={"if-match": header}).accepts_version('"7-3"')
    if "*" not in header and "8-1" not in header:
        assert not Caller(headers={"if-none-match": header}).has_version('"8-1"')
        assert not Caller(headers={"if-match": header}).accepts_version('"8-1"')


@given(token=arbitrary_text | st.tuples(st.integers(), st.just("-"), st.text(max_size=30)).map(lambda parts: "".join(map(str, parts))))
def test_no_forged_link_names_a_subscriber(token: str) -> None:
    assert parse_unsubscribe_token(Settings(secret="s" * 32), token) is None


@given(value=any_json | arbitrary_text)
def test_tags_are_read_or_refused(value: Any) -> None:
    tags, refusal = reading(read_tags, value, FieldInvalid)
    assert refusal or len(tags.split(",")) <= MAX_TAGS


@given(query=arbitrary_text)
def test_no_term_of_a_search_is_empty(query: str) -> None:
    assert all(pieces and all(pieces) for pieces in text_search.parse_terms(query))


@given(
    path=arbitrary_text | st.tuples(st.sampled_from(["/", "//", "/\\", "\\", "http:", "javascript:", "/%2f"]), arbitrary_text).map("".join)
)
@example(path="/\t/evil.example")
@example(path="///evil.example")
@example(path="/\\\\evil.example")
def test_signing_in_redirects_only_within_the_site_whatever_the_next_path(path: str) -> None:
    target = local_path(path)
    assert urlsplit(urljoin("https://calendar.example.org/sign-in", target)).netloc == "calendar.example.org"
    assert target.isascii()
    assert target.isprintable()


@given(encoded=st.text("ab[]=&%+;0f\x00é", max_size=60))
def test_a_form_is_read_or_refused(encoded: str) -> None:
    form, refusal = reading(params._form, encoded, Problem)
    assert refusal or isinstance(form, dict)


@given(content=st.binary(max_size=60) | st.text('{}[]":,0-eE.\\u d8NaIfnity', max_size=60).map(str.encode))
def test_json_is_read_or_refused(content: bytes) -> None:
    body, refusal = reading(params._json, content, Problem)
    assert refusal or isinstance(body, dict)


@st.composite
def hostile_requests(draw: st.DrawFn) -> tuple[Endpoint, dict[str, Any]]:
    """An endpoint, and something for some of its fields."""
    endpoint = draw(st.sampled_from(TAKING))
    names = [field.name for field in fields_of(endpoint.params)] if endpoint.params else []
    return endpoint, draw(st.dictionaries(st.sampled_from([*names, "x"]), any_value, max_size=6))


@given(hostile_requests())
def test_the_fields_of_every_endpoint_are_read_or_named(request_: tuple[Endpoint, dict[str, Any]]) -> None:
    endpoint, fields = request_
    assert endpoint.params is not None
    value, broken = endpoint.read(endpoint.params, fields)
    names = {field.name for field in fields_of(endpoint.params)}
    assert value is not None or broken
    assert all(error.field.partition("[")[0] in names and error.message for error in broken)


@given(accept=any_header | listed("text/csv", "text/vcard;q=0.5", "*/*;q=nan", "text/*", "q", ";"))
def test_contacts_are_returned_whatever_accept_says(cast: Cast, accept: str) -> None:
    reply = cast.alice.get("/api/contacts", headers={"Accept": accept})
    assert reply.status == 200
    assert reply.headers["Content-Type"].partition(";")[0] in ("application/json", "text/csv", "text/vcard")


@given(since=any_header, tag=any_header)
def test_a_feed_is_returned_whatever_the_conditional_headers(cast: Cast, since: str, tag: str) -> None:
    for headers in ({"If-Modified-Since": since}, {"If-None-Match": tag}, {"If-Modified-Since": since, "If-None-Match": tag}):
        assert cast.alice.get(f"/api/calendars/{cast.alice.primary_calendar_id}.ics", headers=headers).status in (200, 304)

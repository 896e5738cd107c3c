"""A form with an input for a file that is sent after the session has ended: what was typed is kept over the sign-in."""

from html import unescape
from http.client import HTTPConnection
from typing import Any
from urllib.parse import parse_qs

import pytest

from kalends.http.input.params import BODY_LIMIT
from tests.http.multipart import multipart
from tests.serve.running import TIMEOUT, Running, bearer

EVENT = {"title": "Typed for long & well", "start_date": "2027-06-01", "description": "All of it"}
NO_FILE = ("file", "", b"")


@pytest.fixture(scope="module")
def service(plain: Running) -> Running:
    return plain


@pytest.fixture(scope="module")
def alice(service: Running) -> dict[str, str]:
    return bearer(service.sign_up("alice"))


def post_form(service: Running, path: str, form: dict[str, Any], **headers: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", service.port, timeout=TIMEOUT)
    own = {"Accept": "text/html", "Cookie": "kalends_session=ended", "Sec-Fetch-Site": "same-origin", **form["headers"], **headers}
    connection.request("POST", path, form["body"], own)
    reply = connection.getresponse()
    page = reply.read().decode()
    connection.close()
    return reply.status, page


def typed_in(page: str) -> dict[str, list[str]]:
    _, _, rest = page.partition('name="typed" value="')
    return parse_qs(unescape(rest.partition('"')[0]))


@pytest.mark.parametrize("file", [NO_FILE, ("file", "a.png", b"\x89PNG" * 10_000)], ids=["no file", "a file"])
def test_what_was_typed_into_an_event_is_kept(service: Running, alice: dict[str, str], file: tuple[str, str, bytes]) -> None:
    event_id = service.post("/api/events", {"title": "x", "start_time": "2027-01-01"}, headers=alice).json["id"]
    for path in ("/events", f"/events/{event_id}"):
        status, page = post_form(service, path, multipart(EVENT, [file]))
        assert status == 401
        assert {name: [value] for name, value in EVENT.items()}.items() <= typed_in(page).items()
        assert ("except for the file" in page) == bool(file[2])


def test_what_comes_with_a_file_that_is_too_large_to_be_read_is_said_to_be_lost(service: Running) -> None:
    status, page = post_form(service, "/events", multipart(EVENT, [("file", "a.png", bytes(BODY_LIMIT))]))
    assert (status, typed_in(page)) == (401, {})
    assert "except for what you typed with the large file" in page


def test_a_form_from_another_site_is_not_kept(service: Running) -> None:
    status, page = post_form(service, "/events", multipart(EVENT, [NO_FILE]), **{"Sec-Fetch-Site": "cross-site"})
    assert (status, typed_in(page)) == (403, {})

"""Methods of HTTP and of its extensions: an endpoint may have any."""

import pytest

from kalends.http.context import Context
from kalends.http.endpoint import Document
from tests.http.conftest import Stage, act

METHODS = ["ACL", "COPY", "MKCALENDAR", "MKCOL", "MOVE", "PROPFIND", "PROPPATCH", "REPORT"]


def reply_207(ctx: Context) -> Document:
    ctx.headers["DAV"] = "1, calendar-access"
    return Document(b"<multistatus/>", "application/xml; charset=utf-8", 207)


@pytest.mark.on_one_database
@pytest.mark.parametrize("method", METHODS)
def test_an_endpoint_may_have_a_method_of_webdav(stage: Stage, method: str) -> None:
    client = stage(act(method, "/dav/shelf", reply_207, guests=True), act("GET", "/dav/shelf", reply_207, guests=True))
    reply = client.request(method, "/dav/shelf")
    assert (reply.status, reply.headers["DAV"], reply.content) == (207, "1, calendar-access", b"<multistatus/>")
    assert client.request("OPTIONS", "/dav/shelf").headers["Allow"] == ", ".join(sorted(["GET", "HEAD", "OPTIONS", method]))
    refused = client.request("LOCK", "/dav/shelf")
    assert (refused.status, method in refused.headers["Allow"]) == (405, True)


@pytest.mark.on_one_database
@pytest.mark.parametrize(("method", "is_write"), [("PROPFIND", False), ("REPORT", False), ("PROPPATCH", True), ("MKCALENDAR", True)])
def test_only_methods_that_write_take_an_idempotency_key(method: str, is_write: bool) -> None:
    assert act(method, "/api/shelf", reply_207).takes_idempotency_key is is_write

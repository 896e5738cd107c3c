"""Errors of CalDAV: a status with the precondition that failed, which clients read, and words for people."""

from collections.abc import Mapping

from kalends.dav.xml import escape, name_element


class DavError(Exception):
    """A request that fails. `condition` is the precondition's name in Clark notation, `{DAV:}valid-sync-token`; `inner` its content."""

    def __init__(self, status: int, detail: str, condition: str = "", inner: str = "", headers: Mapping[str, str] | None = None):
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.condition = condition
        self.inner = inner
        self.headers = dict(headers or {})


def error_body(detail: str, condition: str = "", inner: str = "") -> bytes:
    """The body of an error (RFC 4918, section 16), with words in an element of our own, which clients skip."""
    failed = name_element(condition, inner) if condition else ""
    words = f'<K:message xmlns:K="urn:kalends">{escape(detail)}</K:message>' if detail else ""
    return f'<?xml version="1.0" encoding="utf-8"?>\n<D:error xmlns:D="DAV:">{failed}{words}</D:error>'.encode()

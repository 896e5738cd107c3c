"""A client of the application: it sends a request and returns the HTTP reply."""

import json as jsonlib
from typing import Any
from urllib.parse import urlencode

from falcon.testing import TestClient

from kalends.web.notices import COOKIE
from tests import recorded_statements


class Reply:
    """An HTTP reply."""

    def __init__(self, status: int, headers: Any, content: bytes, cookies: dict[str, str] | None = None):
        self.status = status
        self.headers = headers
        self.content = content
        self.cookies = cookies or {}

    @property
    def json(self) -> Any:
        return jsonlib.loads(self.content)

    @property
    def text(self) -> str:
        return self.content.decode()

    @property
    def redirect(self) -> tuple[str, str]:
        """Where a redirect leads, and the notice that the page there will show."""
        assert self.status == 303, self
        return self.headers["Location"], self.cookies.get(COOKIE, "")

    @property
    def broken(self) -> list[str]:
        """The names of the broken fields of a problem."""
        return [error["field"] for error in self.json["errors"]]

    def __repr__(self) -> str:
        return f"<{self.status} {self.content[:500]!r}>"


class Client:
    """A client that sends requests: with a token, or without one as a guest."""

    def __init__(self, app: Any, token: str | None = None):
        self.app = app
        self.token = token
        self._http = TestClient(app)

    def signed_in(self, token: str) -> "Client":
        return Client(self.app, token)

    def request(self, method: str, path: str, *, headers: dict[str, str] | None = None, **kwargs: Any) -> Reply:
        """Send a request; its parameters are in json=, data= (a form), query= or body=."""
        all_headers = dict(headers or {})
        if self.token:
            all_headers.setdefault("Authorization", f"Bearer {self.token}")
        path, _, query = path.partition("?")
        if "query" in kwargs:
            kwargs["params"] = kwargs.pop("query")
        elif query:
            kwargs["query_string"] = query
        if "data" in kwargs:
            kwargs["body"] = urlencode(kwargs.pop("data"))
            all_headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        query_string = urlencode(kwargs.get("params") or {}) or query
        with recorded_statements.during(f"{method} {path}?{query_string}" if query_string else f"{method} {path}"):
            result = self._http.simulate_request(method, path, headers=all_headers, **kwargs)
        cookies = {name: cookie.value for name, cookie in result.cookies.items()}
        return Reply(result.status_code, result.headers, result.content, cookies)

    def get(self, path: str, **kwargs: Any) -> Reply:
        return self.request("GET", path, **kwargs)

    def post(self, path: str, **kwargs: Any) -> Reply:
        return self.request("POST", path, **kwargs)

    def put(self, path: str, **kwargs: Any) -> Reply:
        return self.request("PUT", path, **kwargs)

    def delete(self, path: str, **kwargs: Any) -> Reply:
        return self.request("DELETE", path, **kwargs)

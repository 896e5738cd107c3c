"""A client of the application: it sends a request and returns the HTTP reply."""

import json as jsonlib
from typing import Any
from urllib.parse import urlencode

from falcon import to_query_str
from falcon.testing import Result, StartResponseMock, closed_wsgi_iterable, create_environ

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

    def signed_in(self, token: str) -> "Client":
        return Client(self.app, token)

    def request(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, query: Any = None, query_string: str = "", **kwargs: Any
    ) -> Reply:
        """Send a request; its parameters are in json=, data= (a form), query= or body=."""
        all_headers = dict(headers or {})
        if self.token:
            all_headers.setdefault("Authorization", f"Bearer {self.token}")
        path, _, query_of_path = path.partition("?")
        query_string = to_query_str(query, comma_delimited_lists=False, prefix=False) if query else query_string or query_of_path
        if (json := kwargs.pop("json", None)) is not None:
            kwargs["body"] = jsonlib.dumps(json, ensure_ascii=False)
            all_headers["Content-Type"] = "application/json"
        if "data" in kwargs:
            kwargs["body"] = urlencode(kwargs.pop("data"))
            all_headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        environ = create_environ(path, query_string, method=method, headers=all_headers, **kwargs)
        with recorded_statements.during(f"{method} {path}?{query_string}" if query_string else f"{method} {path}"):
            result = self._call_app(environ)
        cookies = {name: cookie.value for name, cookie in result.cookies.items()}
        return Reply(result.status_code, result.headers, result.content, cookies)

    def _call_app(self, environ: dict[str, Any]) -> Result:
        """As Falcon's client does, but without `wsgiref.validate`, which takes half of the time: `test_policy` validates each endpoint."""
        start_response = StartResponseMock()
        chunks = list(closed_wsgi_iterable(self.app(environ, start_response)))
        assert start_response.status is not None
        assert start_response.headers is not None
        return Result(chunks, start_response.status, start_response.headers)

    def get(self, path: str, **kwargs: Any) -> Reply:
        return self.request("GET", path, **kwargs)

    def post(self, path: str, **kwargs: Any) -> Reply:
        return self.request("POST", path, **kwargs)

    def put(self, path: str, **kwargs: Any) -> Reply:
        return self.request("PUT", path, **kwargs)

    def delete(self, path: str, **kwargs: Any) -> Reply:
        return self.request("DELETE", path, **kwargs)

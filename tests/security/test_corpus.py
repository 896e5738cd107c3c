"""The corpus, sent to every endpoint of the ENDPOINTS: every reply has a documented shape and is never an internal error."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace

from kalends.app.application import ENDPOINTS, application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.endpoint import Endpoint
from tests.cast import Cast
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.security import corpus
from tests.test_policy import REQUEST_FIELDS, Scene

pytestmark = pytest.mark.on_one_database

# No provider listens there, so only imports may reply that a provider is unavailable.
NOBODY = "http://127.0.0.1:9"
REACHES_OUT = {"POST /api/contacts/import", "POST /contacts/import", "POST /contacts/import/token"}
# After these there is nothing left to send the next request to.
DESTRUCTIVE = re.compile(r"^DELETE|^PUT .*/remove$|^POST .*/(delete|end|sign-out)$")
# How often a record that was destroyed is made anew; after that, requests go on to one that is gone.
ENOUGH = 3
OURS = {"Sec-Fetch-Site": "same-origin"}


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.url}"


def _cases(
    endpoints: list[Endpoint], kind: Callable[[Endpoint], object], on_postgres: Callable[[Endpoint], object] | None = None
) -> pytest.MarkDecorator:
    """Every endpoint with `--soak`; otherwise the first of each kind, and on PostgreSQL the first of each kind that it can tell apart."""
    first = {kind(endpoint): endpoint for endpoint in reversed(endpoints)}.values()
    first_there = {on_postgres(endpoint): endpoint for endpoint in reversed(list(first))}.values() if on_postgres else []
    return pytest.mark.parametrize(
        "endpoint",
        [
            pytest.param(
                endpoint,
                id=_name(endpoint),
                marks=[] if endpoint in first_there else [pytest.mark.on_one_database] if endpoint in first else [pytest.mark.soak],
            )
            for endpoint in endpoints
        ],
    )


def _module(endpoint: Endpoint) -> str:
    return endpoint.function.__module__


def _by_fields(endpoint: Endpoint) -> object:
    """Those that read fields, each; and one of a module that read none."""
    return _name(endpoint) if endpoint.params or endpoint.is_form else (_module(endpoint), endpoint.method)


def _by_query(endpoint: Endpoint) -> object:
    """Those that take parameters, each; and one of each kind that takes none from a query."""
    return _name(endpoint) if endpoint.params else (endpoint.method, endpoint.format, endpoint.is_form, endpoint.guests)


def _by_struct(endpoint: Endpoint) -> object:
    """Where the fields are the same, a database is sent the same."""
    return endpoint.params or (endpoint.is_form and _module(endpoint))


def _by_head(endpoint: Endpoint) -> object:
    """The properties of an endpoint that decide which headers are read."""
    head = (endpoint.method, endpoint.format, endpoint.etag, endpoint.guests, endpoint.credentials, endpoint.rate_limited)
    return *head, endpoint.pool, endpoint.status, endpoint.is_form


def _by_body(endpoint: Endpoint) -> object:
    """A body is read before its fields are: those that take files read more."""
    return _name(endpoint) if endpoint.takes_file else (endpoint.method, endpoint.pool, endpoint.is_form, endpoint.params is None)


def _by_variables(endpoint: Endpoint) -> object:
    return endpoint.method, *endpoint.variables


Scenes = Callable[[], Scene]


@pytest.fixture(scope="session")
def lonely(db: Database, settings: Settings, app: tuple[Any, Clock]) -> tuple[Any, Settings]:
    """A service that cannot reach beyond this machine."""
    alone = dict.fromkeys(["google_carddav_url", "yahoo_carddav_url", "graph_url", "graph_login_url"], NOBODY)
    alone_settings = replace(settings, **alone)
    return application(db, alone_settings, app[1]), alone_settings


@pytest.fixture
def scenes(lonely: tuple[Any, Settings], clock: Clock) -> Scenes:
    """Alice and her records, as often as they are needed."""
    return lambda: Scene(Cast(Client(lonely[0])), lonely[1], "public")


class Attack:
    """Requests to one endpoint."""

    def __init__(self, scenes: Scenes, endpoint: Endpoint):
        self._scenes, self._endpoint, self._name = scenes, endpoint, _name(endpoint)
        self._begin()

        self._times = 0

    def _begin(self) -> None:
        self._scene = self._scenes()
        self._path = self._scene.path(self._endpoint.url)

    def good(self) -> dict[str, Any]:
        return REQUEST_FIELDS[self._name](self._scene) if self._name in REQUEST_FIELDS else {}

    def by_alice(self, label: str, **options: Any) -> None:
        reply = self._send(self._scene.cast.alice, label, **options)
        if reply.status < 400 and DESTRUCTIVE.search(self._name) and self._times < ENOUGH:
            self._times += 1
            self._begin()

    def by_anonymous(self, label: str, **options: Any) -> None:
        self._send(self._scene.cast.anonymous, label, **options)

    def by_both(self, label: str, **options: Any) -> None:
        self.by_anonymous(label, **options)
        self.by_alice(label, **options)

    def _send(self, person: Client, label: str, headers: dict[str, str] | None = None, **carried: Any) -> Reply:
        reply = person.request(self._endpoint.method, self._path, headers=OURS | (headers or {}), **carried)
        assert_handled(reply, label, may_be_unavailable=self._name in REACHES_OUT)
        return reply


def assert_handled(reply: Reply, label: str, *, may_be_unavailable: bool = False) -> None:
    """The reply has a documented shape, and nothing of the request became a header of it."""
    assert reply.status < 500 or (may_be_unavailable and reply.status == 503), (label, reply)
    assert not [name for name, value in reply.headers.items() if name.lower() == corpus.INJECTED.lower() or "\n" in value], label
    if reply.status >= 400 and reply.content:
        # A form comes back as a page.
        assert reply.headers["Content-Type"].startswith("text/html") or reply.json["status"] == reply.status


@_cases(ENDPOINTS, _by_fields, _by_struct)
def test_hostile_fields_are_accepted_or_refused(scenes: Scenes, endpoint: Endpoint, soak: bool) -> None:
    attack = Attack(scenes, endpoint)
    for fields in corpus.all_hostile(endpoint, soak=soak):
        label = repr(fields)[:200]
        if soak or not endpoint.is_form:
            attack.by_alice(label, headers=corpus.JSON, body=corpus.dumped(fields))
        if soak or endpoint.is_form:
            attack.by_alice(label, headers=corpus.FORM, body=urlencode(list(corpus.in_a_form(fields))))
        if soak or endpoint.guests:
            attack.by_anonymous(label, headers=corpus.JSON, body=corpus.dumped(fields))
    for fields in corpus.one_hostile(endpoint, attack.good(), soak=soak):
        attack.by_alice(repr(fields)[:200], headers=corpus.JSON, body=corpus.dumped(fields))


@_cases(ENDPOINTS, _by_query, _by_struct)
def test_hostile_queries_cause_no_server_error(scenes: Scenes, endpoint: Endpoint, soak: bool) -> None:
    attack = Attack(scenes, endpoint)
    for label, query in corpus.share(list(corpus.QUERIES.items()), ENDPOINTS.index(endpoint), soak=soak):
        attack.by_alice(label, query_string=query)
        if soak or endpoint.guests:
            attack.by_anonymous(label, query_string=query)


@_cases(ENDPOINTS, _by_head)
def test_hostile_headers_cause_no_server_error(scenes: Scenes, endpoint: Endpoint) -> None:
    attack = Attack(scenes, endpoint)
    for label, headers in corpus.HEADERS.items():
        attack.by_both(label, headers=headers)


@_cases([endpoint for endpoint in ENDPOINTS if endpoint.writes], _by_body)
def test_hostile_bodies_are_refused(scenes: Scenes, endpoint: Endpoint, soak: bool) -> None:
    attack = Attack(scenes, endpoint)
    # A guest is refused before the body is parsed, where guests may not call.
    send = attack.by_both if soak or endpoint.guests else attack.by_alice
    number = ENDPOINTS.index(endpoint)
    for label, (body, headers) in corpus.share(list(corpus.BODIES.items()), number, soak=soak):
        send(label, headers=headers, body=body)
    for label, multipart in corpus.share(list(corpus.MULTIPARTS.items()), number, soak=soak):
        send(label, **multipart())


@_cases([endpoint for endpoint in ENDPOINTS if endpoint.variables], _name, _by_variables)
def test_an_invented_path_causes_no_server_error(scenes: Scenes, endpoint: Endpoint, soak: bool) -> None:
    """The link itself grants permission, so its reply may say that it does not work."""
    scene = scenes()
    allowed = {401, 404, 405, 410, 422} if "token" in "".join(endpoint.variables) else {401, 404, 405}
    for label, segment in corpus.share(list(corpus.SEGMENTS.items()), ENDPOINTS.index(endpoint), soak=soak):
        path = re.sub(r"{\w+}", segment.replace("\\", r"\\"), endpoint.url)
        for person in (scene.cast.alice, scene.cast.anonymous):
            reply = person.request(endpoint.method, path, headers=OURS, json={})
            assert_handled(reply, label)
            assert reply.status in allowed, (label, reply)

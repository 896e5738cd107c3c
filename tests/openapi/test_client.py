"""Clients that programs wrote, which had nothing to go by but the OpenAPI document as it is served."""

import importlib
import json
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.request import urlopen
from uuid import uuid4

import pytest

from tests.cast import PASSWORD
from tests.migrated import put_sqlite
from tests.openapi.serving import Service, serving

TIMEOUT = 300
CLIENTS = Path(__file__).parent / "clients"
NODE_MODULES = CLIENTS / "node_modules"
# What mypy knows of the libraries that clients use is cached from run to run: to analyse them takes longer than the clients do.
MYPY_CACHE = CLIENTS.parents[2] / ".mypy_cache" / "clients"
# What a program in TypeScript prints, besides the events that it listed.
WORKS = {"refused": ["email_address", "password"], "description": "Three people."}
# What the program with openapi-fetch prints besides.
FOLLOWED = {"upserted": "duo@example.org", "changed": ["Trio", "Duo", "Quartet"]}
HEY_API = "@hey-api/client-fetch @hey-api/typescript @hey-api/sdk zod".split()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    data = tmp_path_factory.mktemp("service") / "data"
    put_sqlite(data)
    with serving(data) as started:
        yield started


@pytest.fixture(scope="module")
def folder(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where clients are generated and imported from: beside the document as the service serves it."""
    folder = tmp_path_factory.mktemp("generated")
    with urlopen(f"{service.url}/api/openapi.json", timeout=TIMEOUT) as document:  # noqa: S310
        (folder / "openapi.json").write_bytes(document.read())
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield folder


def _run(folder: Path, *command: str) -> str:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def _mypy(folder: Path, target: str, library: str) -> None:
    _run(folder, sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={MYPY_CACHE / library}", target)


class PythonClient:
    """A package by openapi-python-client: its operations and models by name."""

    def __init__(self, package: str, url: str):
        self._package = package
        self._url = url
        self._client = importlib.import_module(f"{package}.client")
        self._models = importlib.import_module(f"{package}.models")

    def guest(self) -> Any:
        return self._client.Client(base_url=self._url)

    def signed_in(self, token: str) -> Any:
        return self._client.AuthenticatedClient(base_url=self._url, token=token)

    def model(self, name: str) -> Any:
        return getattr(self._models, name)

    def call(self, operation: str, client: Any, **params: Any) -> Any:
        """The whole reply: status_code, headers, and parsed into a model."""
        resource = operation.partition("_")[0]
        module: ModuleType = importlib.import_module(f"{self._package}.api.{resource}.{operation}")
        return module.sync_detailed(client=client, **params)


@pytest.fixture(scope="module")
def python_client(folder: Path, service: Service) -> PythonClient:
    package = f"generated_{uuid4().hex}"
    config = {"post_hooks": [], "content_type_overrides": {"application/zip": "application/octet-stream"}}
    (folder / "config.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"]
    _run(folder, *command, "--path", "openapi.json", "--config", "config.json", "--output-path", package)
    return PythonClient(package, service.url)


@pytest.mark.soak
def test_every_module_of_the_python_client_can_be_imported(python_client: PythonClient, folder: Path) -> None:
    package = python_client._package
    modules = [each.name for each in pkgutil.walk_packages([str(folder / package)], f"{package}.")]
    assert len([importlib.import_module(name) for name in modules]) > 100


@pytest.mark.soak
def test_the_python_client_is_well_typed(python_client: PythonClient, folder: Path) -> None:
    _mypy(folder, python_client._package, "attrs")


def test_the_python_client_registers_signs_in_works_and_signs_out(python_client: PythonClient) -> None:
    api, guest, name = python_client, python_client.guest(), f"ana-{uuid4().hex[:10]}"
    registration = api.model("UsersCreateBody")(user_name=name, email_address=f"{name}@example.org", password=PASSWORD)
    registered = api.call("users_create", guest, body=registration)
    assert (registered.status_code, registered.parsed.user_name) == (201, name)

    login = api.model("SessionCreateUserNameAndPassword")(user_name=name, password=PASSWORD)
    session = api.call("session_create", guest, body=login).parsed
    assert session.expires_at.tzinfo is not None
    ana = api.signed_in(session.token)

    created = api.call("calendars_create", ana, body=api.model("CalendarsCreateBody")(name="Jazz", color="#102030")).parsed
    changed = api.call("calendars_update", ana, calendar_id=created.id, body=api.model("CalendarsUpdateBody")(public=True)).parsed
    assert (changed.name, changed.color, changed.public) == ("Jazz", "#102030", True)

    listed = api.call("calendars_index", ana, limit=1, offset=1, count=True).parsed
    assert ([calendar.name for calendar in listed.calendars], listed.total, listed.next_) == (["Jazz"], 2, None)

    body = api.model("EventsCreateBody")
    ids = [api.call("events_create", ana, body=body(title=title, start_time="2028-02-29")).parsed.id for title in ("Trio", "Duo")]
    assert {event.title for event in api.call("events_index", ana, ids=ids).parsed.events} == {"Trio", "Duo"}

    assert api.call("session_destroy", ana, session_id="current").parsed.deleted == [session.id]
    assert api.call("calendars_index", ana).status_code == 401


def _organiser(service: Service) -> str:
    """The token of an organiser, since whose first cursor a guest has responded, and whose response they have changed."""
    name = f"ana-{uuid4().hex[:10]}"
    service.post("/api/users", {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD})
    return str(service.post("/api/session", {"user_name": name, "password": PASSWORD})["token"])


def _respond(service: Service, token: str) -> None:
    event = service.post("/api/events", {"title": "Trio", "start_time": "2028-02-29T20:00", "public": True}, token)
    fields = {"event_id": event["id"], "email_address": "gus@example.org", "response": "YES", "plus_n": 1}
    service.post("/api/responses", fields, token)
    service.post("/api/comments", {"event_id": event["id"], "comment": "Bring your scores"}, token)
    service.post("/api/contacts", {"first_name": "Ines"}, token)


def test_the_python_client_follows_changes_and_reads_deliveries(python_client: PythonClient, service: Service) -> None:
    api, token = python_client, _organiser(service)
    ana = api.signed_in(token)
    cursor = api.call("changes_index", ana).parsed.cursor
    _respond(service, token)
    changes = api.call("changes_index", ana, cursor=cursor).parsed.changes
    kinds = {type(change) for change in changes}
    assert {api.model(name) for name in ("EventPut", "ResponsePut", "CommentPut", "ContactPut")} <= kinds
    [response] = [change.response for change in changes if isinstance(change, api.model("ResponsePut"))]
    assert (response.response, response.plus_n, response.email_address) == ("YES", 1, "gus@example.org")

    event_id = next(change.id for change in changes if isinstance(change, api.model("EventPut")))
    assert api.call("events_destroy", ana, event_id=event_id).status_code == 200
    later = api.call("changes_index", ana, cursor=cursor).parsed.changes
    assert (api.model("RecordGone"), event_id) in [(type(change), change.id) for change in later if change.kind == "event"]

    deliveries = api.call("deliveries_index", ana).parsed.deliveries
    assert "response_changed" in [delivery.notice for delivery in deliveries]


def test_the_python_client_selects_fields_and_creates_by_uid(python_client: PythonClient, service: Service) -> None:
    api = python_client
    ana = api.signed_in(_organiser(service))
    body = api.model("EventsUpsertBody")(title="Trio", start_time="2028-02-29T20:00")
    dry = api.call("events_upsert", ana, uid="trio@example.org", dry_run=True, body=body).parsed
    assert [change.kind for change in dry.would_change if change.op == "create"] == ["event"]
    created = api.call("events_upsert", ana, uid="trio@example.org", if_none_match="*", body=body)
    assert (created.status_code, created.parsed.uid) == (201, "trio@example.org")
    assert api.call("events_upsert", ana, uid="trio@example.org", if_none_match="*", body=body).status_code == 412
    listed = api.call("events_index", ana, fields=["title"]).parsed
    assert isinstance(listed, api.model("EventIndexSelection"))
    assert [(event.id, event.title) for event in listed.events] == [(created.parsed.id, "Trio")]


def test_the_python_client_knows_the_errors(python_client: PythonClient) -> None:
    body = python_client.model("UsersCreateBody")("ana", "nowhere", "short")
    refused = python_client.call("users_create", python_client.guest(), body=body)
    assert isinstance(refused.parsed, python_client.model("ProblemBody"))
    assert [error.field for error in refused.parsed.errors] == ["email_address", "password"]


@pytest.mark.soak
def test_pydantic_models_take_what_the_service_takes_and_sends(folder: Path, service: Service, soak: bool) -> None:
    module = f"models_{uuid4().hex}"
    options = "--input-file-type openapi --output-model-type pydantic_v2.BaseModel --target-python-version 3.11 --formatters builtin"
    command = [sys.executable, "-m", "datamodel_code_generator", "--use-annotated", "--set-default-enum-member", *options.split()]
    _run(folder, *command, "--openapi-scopes", "schemas", "paths", "--input", "openapi.json", "--output", f"{module}.py")
    if soak:
        _mypy(folder, f"{module}.py", "pydantic")
    models: Any = importlib.import_module(module)

    name = f"ana-{uuid4().hex[:10]}"
    service.post("/api/users", {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD})
    token = service.post("/api/session", {"user_name": name, "password": PASSWORD})["token"]
    for start in ("2028-02-29", "2027-05-11T20:00:00.000Z", "2027-05-11 20:00", "2027-05-11T20:00:00+14:00"):
        body = models.ApiEventsPostRequest(title="Trio", start_time=start).model_dump(mode="json", exclude_unset=True)
        event = models.EventDetail.model_validate(service.post("/api/events", body, token))
        assert event.title == "Trio"
    cursor = service.get("/api/changes", token)["cursor"]
    _respond(service, token)
    changes = models.ChangeIndex.model_validate(service.get(f"/api/changes?cursor={cursor}", token)).changes
    assert "ResponsePut" in {type(change.root).__name__ for change in changes}
    assert models.DeliveryIndex.model_validate(service.get("/api/deliveries", token)).deliveries


@pytest.fixture(scope="module")
def typescript(folder: Path) -> Path:
    """Where clients in TypeScript are compiled, with their libraries."""
    if not (NODE_MODULES / ".package-lock.json").exists():
        pytest.skip("needs Node.js: install npm, then `make clients`")
    (folder / "node_modules").symlink_to(NODE_MODULES)
    return folder


@pytest.mark.soak
def test_a_client_in_typescript_compiles_and_works(typescript: Path, service: Service) -> None:
    """openapi-typescript with openapi-fetch, under TypeScript's strict rules."""
    _run(typescript, "node_modules/.bin/openapi-typescript", "openapi.json", "-o", "schema.d.ts")
    assert _compile_and_use(typescript, service, "use") == WORKS | FOLLOWED | {"listed": ["Trio", "Duo"]}


@pytest.mark.soak
def test_a_client_by_hey_api_compiles_and_works(typescript: Path, service: Service) -> None:
    """hey-api with its zod schemas, which take longer to compile than all else."""
    _run(typescript, "node_modules/.bin/openapi-ts", "-i", "openapi.json", "-o", "hey", "-p", *HEY_API)
    assert _compile_and_use(typescript, service, "use_hey") == WORKS | {"listed": ["Trio"]}


def _compile_and_use(folder: Path, service: Service, program: str) -> Any:
    """What the program prints."""
    shutil.copy(CLIENTS / f"{program}.ts", folder)
    config = json.loads((CLIENTS / "tsconfig.json").read_text()) | {"files": [f"{program}.ts"]}
    (folder / "tsconfig.json").write_text(json.dumps(config))
    _run(folder, "node_modules/.bin/tsc", "-p", ".")
    return json.loads(_run(folder, "node", f"out/{program}.js", service.url, f"ana-{uuid4().hex[:10]}"))

"""A client that a program wrote, which had nothing but the description to go by."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.cast import PASSWORD
from tests.client import Client
from tests.conftest import Clock

PATIENCE = 120


class Generated:
    """The generated package: its operations and models by name, and clients of the application."""

    def __init__(self, package: str, app: Any):
        self._package = package
        self._client = importlib.import_module(f"{package}.client")
        self._models = importlib.import_module(f"{package}.models")
        self._reached_by = {"transport": httpx.WSGITransport(app=app)}

    def guest(self) -> Any:
        return self._client.Client(base_url="http://testserver", httpx_args=self._reached_by)

    def signed_in(self, token: str) -> Any:
        return self._client.AuthenticatedClient(base_url="http://testserver", token=token, httpx_args=self._reached_by)

    def model(self, name: str) -> Any:
        return getattr(self._models, name)

    def call(self, operation: str, client: Any, **given: Any) -> Any:
        """The whole answer: status_code, headers, and parsed into a model."""
        resource = operation.partition("_")[0]
        module: ModuleType = importlib.import_module(f"{self._package}.api.{resource}.{operation}")
        return module.sync_detailed(client=client, **given)


def _with_json_bodies_alone(document: dict[str, Any]) -> dict[str, Any]:
    """The generator writes a wrong import where a body may come in several forms (openapi-python-client, issue 1451)."""
    for methods in document["paths"].values():
        for operation in methods.values():
            if "requestBody" in operation:
                content = operation["requestBody"]["content"]
                operation["requestBody"]["content"] = {"application/json": content["application/json"]}
    return document


@pytest.fixture(scope="module")
def generated(app: tuple[Any, Clock], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    folder, package = tmp_path_factory.mktemp("generated"), f"generated_{uuid4().hex}"
    (folder / "openapi.json").write_text(json.dumps(_with_json_bodies_alone(Client(app[0]).get("/api/openapi.json").json)))
    (folder / "config.json").write_text(json.dumps({"post_hooks": []}))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"]
    options = ["--path", "openapi.json", "--config", "config.json", "--output-path", package]
    run = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run.stdout + run.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield Generated(package, app[0])


def test_it_registers_signs_in_works_and_signs_out(generated: Generated) -> None:
    guest, name = generated.guest(), f"ana-{uuid4().hex[:10]}"
    registration = generated.model("UsersCreateBody")(user_name=name, email_address=f"{name}@example.org", password=PASSWORD)
    registered = generated.call("users_create", guest, body=registration)
    assert (registered.status_code, registered.parsed.user_name) == (201, name)

    login = generated.model("SessionCreateUserNameAndPassword")(user_name=name, password=PASSWORD)
    session = generated.call("session_create", guest, body=login).parsed
    assert session.expires_at.tzinfo is not None
    ana = generated.signed_in(session.token)

    made = generated.call("calendars_create", ana, body=generated.model("CalendarsCreateBody")(name="Jazz", color="#102030")).parsed
    change = generated.model("CalendarsUpdateBody")(public=True)
    changed = generated.call("calendars_update", ana, calendar_id=made.id, body=change).parsed
    assert (changed.name, changed.color, changed.public) == ("Jazz", "#102030", True)

    listed = generated.call("calendars_index", ana, limit=1, offset=1, count=True).parsed
    assert ([calendar.name for calendar in listed.calendars], listed.total, listed.next_) == (["Jazz"], 2, None)

    assert generated.call("session_destroy", ana, session_id="current").parsed.deleted == [session.id]
    assert generated.call("calendars_index", ana).status_code == 401


def test_it_knows_the_errors(generated: Generated) -> None:
    refused = generated.call("users_create", generated.guest(), body=generated.model("UsersCreateBody")("ana", "nowhere", "short"))
    assert isinstance(refused.parsed, generated.model("ProblemBody"))
    assert [error.field for error in refused.parsed.errors] == ["email_address", "password"]

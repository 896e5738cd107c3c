"""Schemathesis reads the description, makes requests of it that fit and requests that do not, and has nothing to say."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest

from tests.cast import PASSWORD
from tests.openapi.serving import Service, serving

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PATIENCE = 900


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    """An empty PostgreSQL database."""
    name = f"described_{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        yield urlsplit(postgres_url)._replace(path=f"/{name}").geturl()
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def test_schemathesis_has_nothing_to_say(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as service:
        said = _examined(service, tmp_path)
    assert all(f"✅  {phase}" in said for phase in ("Examples", "Coverage", "Fuzzing", "Stateful")), said


def test_nor_on_the_other_database(tmp_path: Path, database: str) -> None:
    """What a database could choke on is in the phase that tries every kind of value; the others take their time."""
    with serving(tmp_path / "data", database) as service:
        said = _examined(service, tmp_path, "--phases", "coverage")
    assert "✅  Coverage" in said, said


def _examined(service: Service, folder: Path, *options: str) -> str:
    """What Schemathesis says of the service, if it has found nothing."""
    environment = os.environ | {"CREDENTIALS": str(_credentials(service, folder)), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml"), "run", "--seed", "1", *options]
    address = f"{service.url}/api/openapi.json"
    run = subprocess.run([*command, address], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}\n{''.join(service.log)}"
    return run.stdout


def _credentials(service: Service, folder: Path) -> Path:
    """How Schemathesis signs in, again whenever its requests have ended the session: as alice, who owns what it makes, and
    as carol, who must not see it."""
    people = []
    for name in ("alice", "carol"):
        service.post("/api/users", {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD})
        login = {
            "endpoint": "/api/session",
            "verb": "POST",
            "contentType": "application/json",
            "payloadRaw": json.dumps({"user_name": name, "password": PASSWORD}),
            "token": {
                "extractFrom": "body",
                "extractSelector": "/token",
                "sendIn": "header",
                "sendName": "Authorization",
                "sendTemplate": "Bearer {token}",
            },
        }
        people.append({"name": name, "loginEndpointAuth": login})
    path = folder / "credentials.json"
    path.write_text(json.dumps({"auth": people}))
    return path

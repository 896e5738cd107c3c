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
TIMEOUT = 900
# How many examples each operation gets in a phase that makes them up: as the settings say, and without `--soak`.
FULL = 20
FEW = 3


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    """An empty PostgreSQL database."""
    name = f"described_{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        yield urlsplit(postgres_url)._replace(path=f"/{name}").geturl()
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def test_schemathesis_has_nothing_to_say(tmp_path: Path, soak: bool) -> None:
    """Without `--soak`, each phase runs once, on one of the databases."""
    phases = ["Examples", "Fuzzing", "Stateful", *(["Coverage"] if soak else [])]
    with serving(tmp_path / "data") as service:
        _examine(service, tmp_path, phases, FULL if soak else FEW)


def test_nor_on_the_other_database(tmp_path: Path, database: str, soak: bool) -> None:
    """What a database could choke on is in the phase that tries every kind of value; the others take their time."""
    with serving(tmp_path / "data", database) as service:
        _examine(service, tmp_path, ["Coverage", *(["Examples", "Fuzzing", "Stateful"] if soak else [])], FULL if soak else FEW)


def _examine(service: Service, folder: Path, phases: list[str], examples: int) -> None:
    """Let Schemathesis examine the service; it must find nothing in any phase."""
    environment = os.environ | {"CREDENTIALS": str(_credentials(service, folder)), "PYTHONPATH": str(ROOT)}
    config = folder / "schemathesis.toml"
    config.write_text((HERE / config.name).read_text().replace(f"max-examples = {FULL}", f"max-examples = {examples}"))
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", "--seed", "1"]
    command += ["--phases", ",".join(phases).lower(), f"{service.url}/api/openapi.json"]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}\n{''.join(service.log)}"
    assert all(f"✅  {phase}" in run.stdout for phase in phases), run.stdout


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

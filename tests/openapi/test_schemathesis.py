"""Schemathesis reads the description, makes requests of it that fit and requests that do not, and has nothing to say."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import migrated
from tests.cast import PASSWORD
from tests.contacts.providers.stand import DAV_TYPE, Request, Stand, dav_response, multistatus
from tests.openapi.serving import Service, serving

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PHASES = ["Examples", "Coverage", "Fuzzing", "Stateful"]
SHORT_PHASES = ["Examples", "Fuzzing"]
# Without `--soak`: the requests of each operation in a phase that makes them up, and the seed. Each soak has a seed of its own.
FEW = 1
SEED = "1"
# With `--soak`: the cases that each of the two callers makes on each of the databases, at least.
SOAK_CASES = 5_000
TIMEOUT = 3_600

CALLERS = pytest.mark.parametrize("caller", ["user", pytest.param("guest", marks=pytest.mark.soak)])


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    """A PostgreSQL database without rows."""
    with migrated.postgres(postgres_url) as url:
        yield url


@pytest.fixture
def provider() -> Iterator[str]:
    """The URL of a provider of contacts, where every account has an empty address book."""

    def reply(request: Request) -> None:
        if request.target.startswith("/me/contacts"):
            request.reply(200, '{"value": []}', Content_Type="application/json")
        else:
            book = dav_response(request.target, "<D:resourcetype><D:collection/><C:addressbook/></D:resourcetype>")
            request.reply(207, multistatus(book), Content_Type=DAV_TYPE)

    with Stand(reply) as stand:
        yield stand.url


@CALLERS
@pytest.mark.soak
def test_schemathesis_finds_nothing(tmp_path: Path, provider: str, caller: str) -> None:
    with serving(tmp_path / "data", provider=provider) as service:
        _examine(service, tmp_path, caller, PHASES, soak=True)


@CALLERS
def test_schemathesis_finds_nothing_on_postgres(tmp_path: Path, database: str, provider: str, caller: str, soak: bool) -> None:
    """The short form runs on PostgreSQL, which refuses more values than SQLite, and without two phases: the one that tries every kind of
    value takes longest, and `tests/security/test_corpus.py` tries such values too; the one that goes from reply to reply follows no link
    of the document in a few steps."""
    with serving(tmp_path / "data", database, provider) as service:
        _examine(service, tmp_path, caller, PHASES if soak else SHORT_PHASES, soak=soak)


def _examine(service: Service, folder: Path, caller: str, phases: list[str], *, soak: bool) -> None:
    """Let Schemathesis examine the service; it must find nothing in any phase."""
    environment = os.environ | {"CREDENTIALS": str(_credentials(service, folder)), "PYTHONPATH": str(ROOT)}
    config = folder / "schemathesis.toml"
    config.write_text(_config(caller, soak=soak))
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", *([] if soak else ["--seed", SEED])]
    command += ["--phases", ",".join(phases).lower(), f"{service.url}/api/openapi.json"]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}\n{''.join(service.log)}"
    assert all(f"✅  {phase}" in run.stdout for phase in phases), run.stdout
    cases = re.search(r"(\d+) generated", run.stdout)
    assert cases, run.stdout
    assert int(cases[1]) >= (SOAK_CASES if soak else 100), run.stdout


def _config(caller: str, *, soak: bool) -> str:
    config = (HERE / "schemathesis.toml").read_text()
    if caller == "guest":
        config, sections = re.subn(r"(?s)\[auth\.wfc\].*?\n\n", "", config)
        assert sections == 1
    return config if soak else re.sub(r"max-examples = \d+", f"max-examples = {FEW}", config)


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

"""The log: a line of JSON for each request, and in it, as in the database, no secret."""

import hmac
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from tests.cast import PASSWORD
from tests.serve.conftest import Start
from tests.serve.running import Running, bearer, eventually


def _ask_with_secrets(service: Running) -> tuple[int, list[str]]:
    """Requests that carry every kind of secret: how many, and the secrets."""
    token = service.sign_up("alice")
    key = service.post("/api/keys", {"name": "a program"}, headers=bearer(token)).json
    timestamp = str(int(time.time()))
    signature = hmac.new(key["shared_secret"].encode(), timestamp.encode(), "sha256").hexdigest()
    login = {"digest": f"{key['id']}.{signature}", "timestamp": timestamp}
    cookie = str(service.post("/api/session", {"wkey": key["wkey"]}).json["token"])
    for reply in [
        service.post("/api/session", login),
        service.get("/api/session/current", headers={"Cookie": f"kalends_session={cookie}"}),
        service.get("/api/calendars", headers=bearer(key["wkey"])),
        service.get("/api/calendars", headers=bearer("canary-token")),
        service.get("/api/calendars", headers={"Cookie": "kalends_session=canary-cookie"}),
        service.post("/api/session", {"user_name": "alice", "password": "canary-password"}),
        service.post("/api/session", {"wkey": "wk_canary-key"}),
        service.post("/api/session?password=canary-query&user_name=alice", {}),
        service.post("/api/session", {"password": {"canary-nested": 1}}),
        service.get("/canary-path/canary-secret?token=canary-query"),
        service.request("POST", "/api/session", headers={"Content-Length": "9999999", "Authorization": "Bearer canary-refused"}),
    ]:
        assert reply.status in (201, 200, 401, 404, 413, 422), reply
    # One more is that of the first account, which the service starts with.
    return 16, [PASSWORD, token, key["wkey"], key["shared_secret"], signature, cookie, "canary"]


@pytest.mark.on_one_database
def test_each_request_has_a_line_and_no_secret_is_in_it(start: Start, database: str) -> None:
    service = start("--workers", "2", database=database, metrics_token="canary-metrics")
    request_count, secrets = _ask_with_secrets(service)
    stored = _everything_stored(service.folder / "data", database)
    assert service.stop() == 0
    requests = [line for line in service.log if line["event"] == "request" and line["endpoint"] != "GET /readyz"]
    assert len(requests) == request_count
    assert all({"endpoint", "status", "ms", "user", "request_id", "timestamp", "level"} <= set(line) for line in requests)
    assert [line for line in service.log if line["event"] not in ("request", "serving", "login_failed")] == []
    assert {line["account"] for line in service.log if line["event"] == "login_failed"} == {"alice", None}
    log = "".join(service.lines).encode()
    assert [secret for secret in secrets if secret.encode() in log] == []
    assert b"alice" in stored
    assert [secret for secret in secrets if secret.encode() in stored] == []


def test_the_log_names_the_user_of_a_replayed_request(plain: Running) -> None:
    headers = bearer(plain.sign_up("ada")) | {"Idempotency-Key": "again"}
    for _ in range(2):
        assert plain.post("/api/contacts", {"first_name": "Ana"}, headers=headers).status == 201
    lines = eventually(
        lambda: len(requests := [line for line in plain.log if line.get("endpoint") == "POST /api/contacts"]) == 2 and requests
    )
    assert lines[0]["user"] == lines[1]["user"] > 0


def _everything_stored(folder: Path, database: str) -> bytes:
    """The bytes of the database's files, or of its tables."""
    if not database:
        return b"".join(file.read_bytes() for file in folder.glob("kalends.sqlite3*"))
    with psycopg.connect(database) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        rows = [connection.execute(f'SELECT t::text, t.* FROM "{name}" t'.encode()).fetchall() for (name,) in names]
    return repr(rows).encode()


def test_the_log_is_empty_when_logging_is_off(start: Start) -> None:
    service = start(access_log="off")
    assert service.get("/healthz").status == 200
    assert service.stop() == 0
    assert [line["event"] for line in service.log] == ["serving"]


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_a_failure_is_logged_without_the_values_of_the_request(tmp_path: Path, log_format: str) -> None:
    script = f"""
from kalends.core import log
from kalends.core.settings import Settings

def sign_in(password):
    raise RuntimeError("it broke")

log.configure(Settings(log_format={log_format!r}))
try:
    sign_in("".join(["can", "ary"]))
except RuntimeError as error:
    log.get_logger("kalends.x").error("failed", exc_info=error)
"""
    (tmp_path / "failing.py").write_text(script)
    done = subprocess.run([sys.executable, tmp_path / "failing.py"], capture_output=True, text=True, check=True)
    assert "it broke" in done.stderr
    assert "canary" not in done.stderr


def test_a_line_names_the_clients_network_unless_that_is_off(start: Start) -> None:
    headers = {"X-Forwarded-For": "2001:db8:1:2::9"}
    loud = start(trusted_proxies="127.0.0.1")
    quiet = start(trusted_proxies="127.0.0.1", log_addresses="off", data=loud.folder / "quiet")
    for service in (loud, quiet):
        assert service.get("/healthz", headers=headers).status == 200
        assert service.post("/api/session", {"user_name": "nobody", "password": "wrong wrong"}, headers=headers).status == 401
        service.stop()
    lines = [[line for line in service.log if line.get("endpoint") != "GET /readyz" and "network" in line] for service in (loud, quiet)]
    assert [line["network"] for line in lines[0]] == ["2001:db8:1:2::/64"] * 3
    assert [line["network"] for line in lines[1]] == [None] * 3

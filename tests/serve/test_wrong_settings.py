"""A wrong setting stops the start with one clear line that names it."""

import socket
from pathlib import Path

import pytest

from tests.migrated import created
from tests.serve.running import run

WRONG: dict[str, tuple[dict[str, str], list[str]]] = {
    "not a number": ({"port": "eighty"}, ["KALENDS_PORT", "'eighty'", "a whole number from 0 to 65535"]),
    "out of range": ({"port": "70000"}, ["KALENDS_PORT", "'70000'", "a whole number from 0 to 65535"]),
    "no choice": ({"registration": "maybe"}, ["KALENDS_REGISTRATION", "'maybe'", "open | approval | invitation | closed"]),
    "unknown": ({"colour": "red"}, ["KALENDS_COLOUR", "kalends settings"]),
    "base URL": ({"base_url": "calendar.example.org"}, ["KALENDS_BASE_URL", "https://calendar.example.org"]),
    "broken base URL": ({"base_url": "https://[calendar"}, ["KALENDS_BASE_URL", "https://calendar.example.org"]),
    "base URL with a path": ({"base_url": "https://example.org/calendar"}, ["KALENDS_BASE_URL"]),
    "database of another kind": ({"database": "mysql://localhost/kalends"}, ["KALENDS_DATABASE", "postgresql://"]),
    "broken database address": ({"database": "postgresql://ana:canary%zz@localhost:x/kalends"}, ["KALENDS_DATABASE", "PostgreSQL"]),
    "replicas without a database": ({"replicas": "postgresql://ana:canary@127.0.0.1/kalends"}, ["KALENDS_REPLICAS", "KALENDS_DATABASE"]),
    "broken URL of replicas": (
        {"database": "postgresql://ana@127.0.0.1:1/kalends", "replicas": "postgresql://ana:canary%zz@localhost:x/kalends"},
        ["KALENDS_REPLICAS", "PostgreSQL"],
    ),
    "database out of reach": ({"database": "postgresql://ana:canary@127.0.0.1:1/kalends"}, ["KALENDS_DATABASE", "refused"]),
    "address to listen on": ({"host": "no.such.address.invalid"}, ["KALENDS_HOST", "'no.such.address.invalid'"]),
    "secret in a file that is not there": ({"secret_file": "elsewhere"}, ["KALENDS_SECRET_FILE", "elsewhere", "No such file"]),
    "file of a setting that is no secret": ({"port_file": "a-file"}, ["KALENDS_PORT_FILE", "kalends settings"]),
    "short secret": ({"secret": "canary"}, ["KALENDS_SECRET", "32 characters"]),
    "proxy": ({"trusted_proxies": "127.0.0.1, proxy"}, ["KALENDS_TRUSTED_PROXIES", "'proxy'"]),
    "origin without a scheme": ({"cors_origins": "https://a.example, example.org"}, ["KALENDS_CORS_ORIGINS", "'example.org'", "https://"]),
    "origin with a path": ({"cors_origins": "https://example.org/"}, ["KALENDS_CORS_ORIGINS", "'https://example.org/'"]),
    "provider's URL": ({"google_carddav_url": "carddav.example.org"}, ["KALENDS_GOOGLE_CARDDAV_URL", "https://"]),
    "provider's URL with a password": ({"graph_url": "https://ana:canary@example.org/v1.0"}, ["KALENDS_GRAPH_URL", "password"]),
    "broken provider's URL": ({"graph_login_url": "https://[login"}, ["KALENDS_GRAPH_LOGIN_URL", "https://"]),
    "e-mail by something else": ({"email": "imap://ana:canary@example.org"}, ["KALENDS_EMAIL must", "smtp://user:password@"]),
    "e-mail without a server": ({"email": "smtp://ana:canary@"}, ["KALENDS_EMAIL must"]),
    "broken mail server": ({"email": "smtp://ana:canary@[example"}, ["KALENDS_EMAIL must"]),
    "password with a stroke": ({"email": "smtp://ana:can/canary@example.org"}, ["KALENDS_EMAIL must"]),
    "mail server's port": ({"email": "smtp://ana:canary@example.org:70000"}, ["KALENDS_EMAIL must"]),
    "user without a password": ({"email": "smtp://canary@example.org"}, ["KALENDS_EMAIL must"]),
    "password that is no text": ({"email": "smtp://ana:canary%ff@example.org"}, ["KALENDS_EMAIL must"]),
    "sender": ({"email_from": "Kalends"}, ["KALENDS_EMAIL_FROM must", "Kalends <kalends@example.org>"]),
    "sender with a line break": ({"email_from": "Kalends\nBcc: <ana@example.org>"}, ["KALENDS_EMAIL_FROM must"]),
    "SMS by something else": ({"sms": "sms://ana:canary@example.org?from=+1"}, ["KALENDS_SMS must", "twilio://sid:token@"]),
    "SMS from nobody": ({"sms": "twilio://ana:canary@example.org"}, ["KALENDS_SMS must"]),
    "SMS without a token": ({"sms": "twilio://canary@example.org?from=+1"}, ["KALENDS_SMS must"]),
    "SMS with a scheme of its own": ({"sms": "twilio://ana:canary@example.org?from=+1&scheme=ftp"}, ["KALENDS_SMS must"]),
    "file that is not there": ({"file": "elsewhere.toml"}, ["KALENDS_FILE", "elsewhere.toml"]),
    "data folder that is a file": ({"data": "a-file"}, ["KALENDS_DATA", "'a-file'"]),
    "data folder in a file": ({"data": "a-file/data"}, ["KALENDS_DATA", "'a-file/data'"]),
    "file that is no database": ({"data": "broken"}, ["KALENDS_DATA", "not a database"]),
}


def one_line(folder: Path, *options: str, **settings: str) -> str:
    """The error that stops `kalends serve`."""
    stopped = run("serve", *options, folder=folder, **{"port": "0"} | settings)
    assert (stopped.returncode, stopped.stdout) == (1, "")
    assert stopped.stderr.startswith("kalends: ")
    assert stopped.stderr.count("\n") == 1, stopped.stderr
    assert "canary" not in stopped.stderr
    return stopped.stderr


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_setting_stops_the_start(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a-file").write_text("not a folder")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "kalends.sqlite3").write_text("not a database, whatever its name may say")
    settings, words = WRONG[kind]
    line = one_line(tmp_path, **settings)
    assert [word for word in words if word not in line] == [], line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"port = 80 80", ["kalends.toml", "line 1"]),
        (b"\xff", ["kalends.toml", "utf-8"]),
        (b"colour = 'red'", ["colour", "kalends settings"]),
        (b"[server]\nport = 80", ["server", "kalends settings"]),
        (b"workers = 'many'", ["KALENDS_WORKERS", "'many'"]),
    ],
    ids=["syntax", "encoding", "unknown", "table", "value"],
)
def test_a_wrong_file_stops_the_start(tmp_path: Path, content: bytes, words: list[str]) -> None:
    (tmp_path / "kalends.toml").write_bytes(content)
    line = one_line(tmp_path)
    assert [word for word in words if word not in line] == [], line


def test_a_file_that_cannot_be_looked_up_stops_the_start(tmp_path: Path) -> None:
    """So does a working directory of another user."""
    (tmp_path / "kalends.toml").symlink_to("x" * 300)
    assert "KALENDS_FILE: kalends.toml cannot be read" in one_line(tmp_path)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_in_another_encoding_stops_the_start(tmp_path: Path, postgres_url: str, encoding: str) -> None:
    with created(postgres_url, f"ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0") as database:
        assert "encoding of the database is not UTF8" in one_line(tmp_path, database=database)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_port_in_use_stops_the_start(tmp_path: Path, workers: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert f"KALENDS_PORT is {port}" in one_line(tmp_path, "--port", port, "--workers", workers)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [["--port", "eighty"], ["--colour", "red"], ["--workers", "0"]])
def test_a_wrong_option_stops_the_start(tmp_path: Path, options: list[str]) -> None:
    assert options[0].strip("-") in one_line(tmp_path, *options).lower()


def test_the_option_wins_then_the_environment_then_the_file(tmp_path: Path) -> None:
    (tmp_path / "kalends.toml").write_text("port = 'file'\nthreads = 'file'\nqueue = 'file'")
    assert "KALENDS_PORT is 'environment'" in one_line(tmp_path, port="environment")
    assert "'--port'" in one_line(tmp_path, "--port", "option", port="environment")
    assert "KALENDS_THREADS is 'file'" in one_line(tmp_path)

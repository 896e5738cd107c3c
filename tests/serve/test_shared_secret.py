"""Servers with different secrets do not use one database: stored replies, feeds and links would be different for each of them."""

from pathlib import Path
from typing import Any

from tests.migrated import put_sqlite
from tests.serve.running import run

SECRETS = ["the secret of the first server, long enough", "the secret of another server, long enough"]


def test_a_server_with_another_secret_is_refused_in_one_line(tmp_path: Path, database: str) -> None:
    def listed(secret: str, command: str = "users") -> tuple[int, str]:
        arguments = {"users": ["users", "list"], "work": ["work"], "serve": ["serve", "--port", "0"]}[command]
        done = run(*arguments, folder=tmp_path, data=tmp_path / "data", database=database, secret=secret)
        return done.returncode, done.stderr

    assert listed(SECRETS[0]) == (0, "")
    for command in ["serve", "work", "users"]:
        status, line = listed(SECRETS[1], command)
        assert (status, line.count("\n")) == (1, 1)
        assert line.startswith("kalends: the secret in KALENDS_SECRET is not that of the other servers of this database.")
    assert listed(SECRETS[0]) == (0, "")


def test_the_doctor_finds_another_secret_and_migrate_accepts_it(tmp_path: Path, database: str) -> None:
    def ran(*arguments: str, secret: str) -> str:
        return run(*arguments, folder=tmp_path, data=tmp_path / "data", database=database, secret=secret).stdout

    ran("users", "list", secret=SECRETS[0])
    assert "BAD  database: the secret in KALENDS_SECRET is not that" in ran("doctor", secret=SECRETS[1])
    ran("migrate", "--accept-secret", secret=SECRETS[1])
    assert "ok   database" in ran("doctor", secret=SECRETS[1])
    assert "BAD  database: the secret in KALENDS_SECRET" in ran("doctor", secret=SECRETS[0])


def test_a_secret_is_read_from_a_file(tmp_path: Path) -> None:
    put_sqlite(tmp_path / "data")

    def listed(**settings: Any) -> int:
        return run("users", "list", folder=tmp_path, data=tmp_path / "data", **settings).returncode

    for name, secret in zip(["first", "other"], SECRETS, strict=True):
        (tmp_path / name).write_text(f"{secret}\n")
    assert listed(secret=SECRETS[0]) == 0
    assert listed(secret_file=tmp_path / "first") == 0
    assert listed(secret_file=tmp_path / "other") == 1
    assert listed(secret_file=tmp_path / "other", secret=SECRETS[0]) == 0

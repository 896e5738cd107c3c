"""The data of an installation: a folder, and a database beside it or inside."""

import gzip
import json
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.db.backup.file import Header
from tests.cast import PASSWORD
from tests.serve.running import command, environment, run

MANY = 2_000


class Place(Struct, frozen=True):
    """An installation, by the settings that name it."""

    folder: Path
    database: str

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def settings(self) -> Settings:
        return Settings(data=str(self.data), database=self.database)

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return run(*arguments, folder=self.folder.parent, data=self.data, database=self.database)

    def done(self, *arguments: str) -> str:
        """The output of a command that succeeds."""
        ended = self.run(*arguments)
        assert (ended.returncode, ended.stderr) == (0, ""), ended
        return ended.stdout

    def refused(self, *arguments: str) -> str:
        """The one line of a command that fails."""
        ended = self.run(*arguments)
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1), ended
        return ended.stderr

    def begun(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """A command that the test does not wait for."""
        settings = environment(data=self.data, database=self.database)
        return subprocess.Popen(command(*arguments), cwd=self.folder.parent, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def within(self, most: int, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command that may write no file longer than this many bytes, as if the disk were full then."""
        limited = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2); del sys.argv[1]; "
        return subprocess.run(
            [sys.executable, "-P", "-c", limited + "runpy.run_module('kalends.cli', run_name='__main__')", str(most), *arguments],
            cwd=self.folder.parent,
            env=environment(data=self.data, database=self.database),
            capture_output=True,
            text=True,
            timeout=60,
        )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        db = open_database(self.settings)
        try:
            with db.read() as tx:
                return tx.rows(sql)
        finally:
            db.close()

    def fill(self) -> None:
        """A user, and as many subscribers as take a command a moment."""
        self.done("users", "create", "ana", "ana@example.org", "--password", PASSWORD)
        db = open_database(self.settings)
        with db.write() as tx:
            tx.many(
                """INSERT INTO subscribers (owner_id, channel, address, address_key, source, consent, consented_at)
                   VALUES (1, 'email', :address, :address, 'response', :consent, 0)""",
                [{"address": f"g{i}@example.org", "consent": secrets.token_hex(100)} for i in range(MANY)],
            )
        db.close()


def content(file: Path) -> tuple[Header, dict[str, list[str]]]:
    """The rows of a backup in comparable form: a flag may be true or 1."""
    with gzip.open(file) as lines:
        header = msgspec.json.decode(next(lines), type=Header)
        rows = {table.name: sorted(_plain(next(lines)) for _ in range(table.rows)) for table in header.tables}
    return header, rows


def _plain(line: bytes) -> str:
    return json.dumps([int(value) if isinstance(value, bool) else value for value in json.loads(line)])

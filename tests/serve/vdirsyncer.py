"""A device on which vdirsyncer keeps folders and collections of the service in step."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.serve.running import Running

TIMEOUT = 120


class Device:
    """A folder with the files of each collection; `files` is that of the first one. `type`: caldav or carddav. `more`: further lines
    of the pair."""

    def __init__(
        self, folder: Path, service: Running, user_name: str, password: str, *, type: str, collections: Sequence[str], more: str = ""
    ):
        self.folder = folder
        self.folders = {name: folder / "files" / name for name in collections}
        self.files = self.folders[collections[0]]
        for files in self.folders.values():
            files.mkdir(parents=True)
        (folder / "config").write_text(
            f"""[general]
status_path = "{folder}/status/"
[pair devices]
a = "local"
b = "server"
collections = {json.dumps(collections)}
conflict_resolution = "b wins"
{more}
[storage local]
type = "filesystem"
path = "{folder}/files/"
fileext = "{".ics" if type == "caldav" else ".vcf"}"
[storage server]
type = "{type}"
url = "http://127.0.0.1:{service.port}/"
username = "{user_name}"
password = "{password}"
"""
        )
        # It asks for each collection that is missing, and creates it.
        self.run("vdirsyncer", "-c", str(folder / "config"), "discover", typed="yes\n" * len(collections))

    def run(self, program: str, *arguments: str, typed: str = "yes\n") -> str:
        """What the program prints; `typed` is what a user replies to its questions."""
        done = self._run(program, *arguments, typed=typed)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _run(self, program: str, *arguments: str, typed: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(Path(sys.executable).parent / program), *arguments],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            input=typed,
            env=os.environ | {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)},
            check=False,
        )

    def sync(self) -> dict[str, bytes]:
        """Synchronise, even if one side has become empty; returns the files of the first collection."""
        self.run("vdirsyncer", "-c", str(self.folder / "config"), "sync", "--force-delete")
        return self.read()

    def sync_with_refusals(self) -> int:
        """Synchronise what the service refuses in part; returns how many changes it has refused."""
        done = self._run("vdirsyncer", "-c", str(self.folder / "config"), "sync", "--force-delete", typed="")
        assert done.returncode == 1, done.stdout + done.stderr
        return (done.stdout + done.stderr).count("403, message='Forbidden'")

    def read(self, collection: str = "") -> dict[str, bytes]:
        """The files of the collection, or of the first one, by their UIDs."""
        files = [path.read_bytes() for path in (self.folders[collection] if collection else self.files).iterdir()]
        return {next(line[4:] for line in text.decode().splitlines() if line.startswith("UID:")): text for text in files}

    def find(self, uid: str) -> Path:
        [path] = [path for path in self.files.iterdir() if f"UID:{uid}".encode() in path.read_bytes()]
        return path

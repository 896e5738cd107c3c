"""A device on which vdirsyncer keeps a folder and a collection of the service in step."""

import os
import subprocess
import sys
from pathlib import Path

from tests.serve.running import Running

TIMEOUT = 120


class Device:
    """A folder with the files of a collection. `type`: caldav or carddav. `more`: further lines of the pair."""

    def __init__(self, folder: Path, service: Running, user_name: str, password: str, *, type: str, collection: str, more: str = ""):
        self.folder = folder
        self.files = folder / "files" / collection
        self.files.mkdir(parents=True)
        (folder / "config").write_text(
            f"""[general]
status_path = "{folder}/status/"
[pair devices]
a = "local"
b = "server"
collections = ["{collection}"]
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
        # It creates a calendar if there is none of this name.
        self.run("vdirsyncer", "-c", str(folder / "config"), "discover")

    def run(self, program: str, *arguments: str, typed: str = "yes\n") -> str:
        """What the program prints; `typed` is what a user replies to its questions."""
        done = subprocess.run(
            [str(Path(sys.executable).parent / program), *arguments],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            input=typed,
            env=os.environ | {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def sync(self) -> dict[str, bytes]:
        """Synchronise, even if one side has become empty; returns the files by their UIDs."""
        self.run("vdirsyncer", "-c", str(self.folder / "config"), "sync", "--force-delete")
        files = [path.read_bytes() for path in self.files.iterdir()]
        return {next(line[4:] for line in text.decode().splitlines() if line.startswith("UID:")): text for text in files}

    def find(self, uid: str) -> Path:
        [path] = [path for path in self.files.iterdir() if f"UID:{uid}".encode() in path.read_bytes()]
        return path

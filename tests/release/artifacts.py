"""The files of a release: wheel, source archive, constraints, bill of materials, checksums. A commit gives the same bytes each time."""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.release.libraries import locked_libraries
from tests.release.sbom import LOCK, bill

SUMS = "SHA256SUMS"


def build(checkout: Path, version: str, folder: Path, made_at: int) -> None:
    """Write the files of a release of this checkout into the folder."""
    folder.mkdir(parents=True)
    for kind in ("wheel", "sdist"):
        build_package(kind, checkout, folder, made_at)
    libraries = locked_libraries(checkout / LOCK)
    (folder / "constraints.txt").write_text("".join(f"{each.name}=={each.version}\n" for each in libraries.values()))
    (folder / f"kalends-{version}.cdx.json").write_text(json.dumps(bill(checkout, version, made_at), indent=1) + "\n")
    files = sorted(folder.iterdir())
    (folder / SUMS).write_text("".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files))


def build_package(kind: str, checkout: Path, folder: Path, made_at: int) -> None:
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(made_at)}
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(folder.resolve())]
    subprocess.run(command, cwd=checkout, env=environment, check=True, capture_output=True)


def unpack_commit(checkout: Path, commit: str, folder: Path) -> None:
    """The files of a commit, without what lies beside them in the checkout."""
    archive = subprocess.run(["git", "archive", commit], cwd=checkout, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def commit_time(checkout: Path, commit: str) -> int:
    shown = subprocess.run(["git", "show", "-s", "--format=%ct", commit], cwd=checkout, capture_output=True, text=True, check=True)
    return int(shown.stdout)


def image_context(checkout: Path) -> list[str]:
    """The files and folders that the recipe of the image copies from its context."""
    recipe = (checkout / "deploy" / "Containerfile").read_text()
    copied = re.findall(r"^COPY ((?!--from).+) \S+$", recipe, re.MULTILINE)
    return [source for sources in copied for source in sources.split()]

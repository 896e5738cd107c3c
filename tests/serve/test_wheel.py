"""The wheel, installed in an environment of its own: it has everything that the service reads, and is reproducible."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

import kalends
from tests.serve.running import Running, bearer

ROOT = Path(__file__).parents[2]


class Installed(Running):
    """A service that runs the `kalends` of an environment."""

    def _start(self, arguments: Sequence[str], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
        program = self.folder / "environment" / "bin" / "kalends"
        return subprocess.Popen([program, *arguments], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _build(checkout: Path, folder: Path) -> Path:
    """The wheel of `make wheel`, which is beside its constraints."""
    programs = Path(sys.executable).parent
    make = ["make", "--silent", "--old-file=.venv/run", f"--directory={checkout}", f"BIN={programs}", f"DIST={folder}"]
    subprocess.run([*make, "wheel"], check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def _install(folder: Path) -> None:
    """Build the wheel and install it. Its dependencies are those of these tests, since nothing is downloaded here."""
    wheel = _build(ROOT, folder / "wheels")
    venv.create(folder / "environment", symlinks=True)
    _pip(folder, "--no-deps", wheel)
    [packages] = (folder / "environment" / "lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))


def _pip(folder: Path, *arguments: str | Path) -> str:
    python = folder / "environment" / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python, "install", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.mark.soak
def test_the_installed_wheel_serves_pages_documents_and_static_files(tmp_path: Path) -> None:
    _install(tmp_path)
    # pip resolves the dependencies, finds those of these tests, and would fail if the constraints had other versions.
    _pip(tmp_path, "--dry-run", "--no-index", "--constraint", tmp_path / "wheels" / "constraints.txt", "kalends")
    python = tmp_path / "environment" / "bin" / "python"
    where = subprocess.run(
        [python, "-c", "import kalends; print(kalends.__file__)"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert where.stdout.startswith(str(tmp_path)), (where.stdout, kalends.__file__)
    service = Installed(tmp_path, access_log="off").ready()
    try:
        token = bearer(service.sign_up("ana"))
        assert service.post("/api/events", {"title": "Jazz", "start_time": "2026-06-01T20:00"}, headers=token).status == 201
        for path in ("/", "/docs", "/docs/guide", "/static/style.css", "/api/openapi.json"):
            assert service.get(path, headers={"Accept-Language": "de"}).status == 200, path
    finally:
        service.stop()


@pytest.mark.soak
def test_the_wheel_of_another_copy_of_the_checkout_has_the_same_bytes(tmp_path: Path) -> None:
    """Neither the folder, nor the times and modes of the files, nor what Python cached is in it."""
    copy = tmp_path / "copy"
    for name in ("kalends", "docs"):
        shutil.copytree(ROOT / name, copy / name)
    for name in (".gitignore", "LICENSE", "Makefile", "README.md", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, copy)
    (copy / "kalends" / "__pycache__").mkdir(exist_ok=True)
    (copy / "kalends" / "__pycache__" / "cached.pyc").touch()
    for file in copy.rglob("*"):
        file.chmod(0o700 if file.is_dir() else 0o600)
        os.utime(file, (1_000_000_000, 1_000_000_000))
    wheels = [_build(ROOT, tmp_path / "first"), _build(copy, tmp_path / "second")]
    assert len({wheel.read_bytes() for wheel in wheels}) == 1
    assert len({(wheel.parent / "constraints.txt").read_text() for wheel in wheels}) == 1

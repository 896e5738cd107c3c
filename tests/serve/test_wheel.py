"""The wheel, installed in an environment of its own: it has everything that the service reads."""

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


def _install(folder: Path) -> None:
    """Build the wheel and install it. Its dependencies are those of these tests, since nothing is downloaded here."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder / "wheels", ROOT], check=True)
    venv.create(folder / "environment", symlinks=True)
    [wheel] = (folder / "wheels").iterdir()
    python = folder / "environment" / "bin" / "python"
    subprocess.run([*pip, "--python", python, "install", "--no-deps", wheel], check=True)
    [packages] = (folder / "environment" / "lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))


@pytest.mark.soak
def test_the_installed_wheel_serves_pages_documents_and_static_files(tmp_path: Path) -> None:
    _install(tmp_path)
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

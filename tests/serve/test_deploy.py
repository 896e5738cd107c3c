"""The files of `deploy/` for images and systemd name what is there, and the health check of the image tells whether the service runs."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kalends.settings import PREFIX, SECRETS, Settings
from tests.serve.running import Running

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
UNITS = sorted(DEPLOY.glob("*.service"))
# In tenths: systemd 252 finds 1.4, and others may know of more.
EXPOSURE = "20"


@pytest.mark.parametrize("file", sorted(DEPLOY.iterdir()), ids=lambda file: file.name)
def test_each_variable_is_a_setting(file: Path) -> None:
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.__struct_fields__} | {f"{PREFIX}{name.upper()}_FILE" for name in SECRETS}
    assert set(re.findall(r"\bKALENDS_\w+", file.read_text())) <= settings | {f"{PREFIX}FILE"}


def test_what_the_image_copies_is_in_the_checkout() -> None:
    copied = re.findall(r"^COPY ((?!--from).+) \S+$", CONTAINERFILE, re.MULTILINE)
    sources = {source for sources in copied for source in sources.split()}
    assert sources >= {"requirements.lock", "pyproject.toml", "kalends", "docs"}
    assert {source for source in sources if not (ROOT / source).exists()} == set()


def test_the_health_check_of_the_image_tells_whether_the_service_runs(plain: Running) -> None:
    [check] = re.findall(r"^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$", CONTAINERFILE, re.MULTILINE)
    _, *arguments = json.loads(check)

    def is_healthy(port: int) -> bool:
        command = [sys.executable, *(argument.replace(":8000/", f":{port}/") for argument in arguments)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    assert is_healthy(plain.port)
    # The port is reserved, and nobody listens there.
    assert not is_healthy(1)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_units_are_confined(unit: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed.")
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout.splitlines()[-1:]

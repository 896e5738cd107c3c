"""The files of `deploy/` for images and systemd name what is there, and the health check of the image tells whether the service runs."""

import json
import re
import shutil
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from kalends.core.settings import PREFIX, SECRETS, Settings, load
from tests.serve.running import Running

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
COMPOSE = sorted(DEPLOY.glob("compose*.yaml"))
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


def _services(file: Path) -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load(file.read_text())["services"]
    return services


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.name)
def test_the_settings_of_each_container_are_valid(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for service in _services(file).values():
        if service["image"] == "kalends":
            environment = service["environment"]
            with monkeypatch.context() as patch:
                for name, value in environment.items():
                    if not name.endswith("_FILE"):
                        patch.setenv(name, value)
                assert load().base_url == environment["KALENDS_BASE_URL"]


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.name)
def test_each_file_that_a_container_reads_is_there_or_a_secret(file: Path) -> None:
    declared = yaml.safe_load(file.read_text()).get("secrets", {})
    for service in _services(file).values():
        secrets = service.get("secrets", [])
        files = [value for name, value in service["environment"].items() if name.endswith("_FILE")] if "environment" in service else []
        assert sorted(files) == sorted(f"/run/secrets/{name}" for name in secrets)
        assert set(secrets) <= set(declared)
        sources = [volume.partition(":")[0] for volume in service.get("volumes", [])]
        assert all((DEPLOY / source).exists() for source in sources if source.startswith("./") and not source.startswith("./secrets/"))
    assert all(secret["file"].startswith("./secrets/") for secret in declared.values())


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.name)
def test_each_container_of_the_service_has_a_data_folder_of_its_own(file: Path) -> None:
    volumes = [volume.split(":") for each in _services(file).values() if each["image"] == "kalends" for volume in each["volumes"]]
    names = [name for name, path in volumes if path == "/var/lib/kalends"]
    assert len(set(names)) == sum(each["image"] == "kalends" for each in _services(file).values())
    assert set(names) <= set(yaml.safe_load(file.read_text())["volumes"])


def test_one_server_trusts_the_gateway_of_its_network() -> None:
    content = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    [network] = content["networks"]["default"]["ipam"]["config"]
    gateway = next(ip_network(network["subnet"]).hosts())
    assert content["services"]["kalends"]["environment"]["KALENDS_TRUSTED_PROXIES"] == str(gateway)


def test_the_server_behind_caddy_trusts_it_and_needs_no_other_file() -> None:
    content = yaml.safe_load((DEPLOY / "compose-caddy.yaml").read_text())
    kalends, caddy = content["services"]["kalends"], content["services"]["caddy"]
    assert kalends["environment"]["KALENDS_TRUSTED_PROXIES"] == caddy["networks"]["inside"]["ipv4_address"]
    assert caddy["command"][-4:] == ["--from", kalends["environment"]["KALENDS_BASE_URL"].removeprefix("https://"), "--to", "kalends:8000"]
    assert "build" not in kalends
    assert not any(volume.startswith(".") for service in (kalends, caddy) for volume in service["volumes"])


def test_haproxy_finds_both_servers_and_they_trust_it() -> None:
    services = _services(DEPLOY / "compose-two-servers.yaml")
    addresses = {name: each["networks"]["inside"]["ipv4_address"] for name, each in services.items() if isinstance(each["networks"], dict)}
    servers = dict(re.findall(r"^ +server (\w+) ([\d.]+):8000$", (DEPLOY / "haproxy.cfg").read_text(), re.MULTILINE))
    assert addresses == servers | {"haproxy": services["one"]["environment"]["KALENDS_TRUSTED_PROXIES"]}
    commands = sorted(" ".join(each["command"]) for each in services.values() if each["image"] == "kalends")
    assert commands == ["kalends serve --no-work", "kalends serve --no-work", "kalends work"]

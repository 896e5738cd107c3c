"""The libraries that are installed: those that the locks name, each by its hash, and what the service imports is declared."""

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
LOCKS = ["requirements.lock", "requirements-dev.lock", "requirements-bench.lock"]
_PINNED = re.compile(
    r"^(?P<name>[\w.-]+)(\[[^\]]*\])?==(?P<version>[^ ;\\]+)(?P<marker> ; [^\\\n]+?)?(?P<rest>(?: \\\n    --hash=\S+)+)", re.MULTILINE
)


def _locked(lock: str) -> dict[str, re.Match[str]]:
    return {canonicalize_name(pin["name"]): pin for pin in _PINNED.finditer((ROOT / lock).read_text())}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_library_is_locked_to_one_version_by_its_hashes(lock: str) -> None:
    named = [line for line in (ROOT / lock).read_text().splitlines() if line and line[0] not in " #"]
    locked = _locked(lock)
    assert len(locked) == len(named) > 20
    assert [name for name, pin in locked.items() if "--hash=sha256:" not in pin["rest"]] == []


def test_the_service_is_tested_with_the_versions_that_it_is_installed_with() -> None:
    tested = _locked("requirements-dev.lock")
    for name, pin in _locked("requirements.lock").items():
        assert tested[name]["version"] == pin["version"], name


def test_the_installed_versions_are_those_of_the_lock_file() -> None:
    for name, pin in _locked("requirements.lock").items():
        marker = (pin["marker"] or "").removeprefix(" ;").strip()
        if marker and not Requirement(f"x ; {marker}").marker.evaluate():  # type: ignore[union-attr]
            continue
        try:
            assert version(name) == pin["version"], name
        except PackageNotFoundError:
            pytest.fail(f"{name} is in the lock and not installed")


def test_the_service_imports_only_what_it_declares() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extra = project["optional-dependencies"]["opentelemetry"]
    providers = packages_distributions()
    for path in (ROOT / "kalends").rglob("*.py"):
        declared = {
            canonicalize_name(Requirement(line).name) for line in project["dependencies"] + (extra if path.name == "tracer.py" else [])
        }
        for name in _imported(path) - sys.stdlib_module_names - {"kalends"}:
            assert declared & {canonicalize_name(provider) for provider in providers[name]}, f"{path.name} imports {name}"


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names

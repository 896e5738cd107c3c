"""The software bill of materials of a release, in CycloneDX 1.6: the libraries of requirements.lock."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.release.libraries import Library, locked_libraries, reachable

LOCK = "requirements.lock"


def bill(checkout: Path, version: str, made_at: int) -> dict[str, Any]:
    """The same for the same files and time. A library that only builds the wheel is `optional`."""
    libraries = locked_libraries(checkout / LOCK)
    project = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]
    direct: set[str] = {canonicalize_name(Requirement(line).name) for line in project["dependencies"]}
    required = reachable(libraries, direct)
    service = {
        "type": "application",
        "bom-ref": _package_url("kalends", version),
        "name": "kalends",
        "version": version,
        "purl": _package_url("kalends", version),
        "licenses": [{"license": {"id": "MIT"}}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, version + (checkout / LOCK).read_text())}",
        "version": 1,
        "metadata": {"timestamp": datetime.fromtimestamp(made_at, UTC).isoformat(), "component": service},
        "components": [_component(each, each.name in required) for each in libraries.values()],
        "dependencies": [
            {"ref": service["bom-ref"], "dependsOn": _references(libraries, direct)},
            *({"ref": _reference(each), "dependsOn": _references(libraries, set(each.requires))} for each in libraries.values()),
        ],
    }


def _component(library: Library, is_required: bool) -> dict[str, Any]:
    licences = {"licenses": [{"license": {"name": library.licence}}]} if library.licence else {}
    return {
        "type": "library",
        "bom-ref": _reference(library),
        "name": library.name,
        "version": library.version,
        "purl": _reference(library),
        "scope": "required" if is_required else "optional",
        **licences,
    }


def _references(libraries: dict[str, Library], names: set[str]) -> list[str]:
    return [_reference(libraries[name]) for name in sorted(names & libraries.keys())]


def _reference(library: Library) -> str:
    return _package_url(library.name, library.version)


def _package_url(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"

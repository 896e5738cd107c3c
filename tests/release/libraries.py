"""The libraries that a release runs with: those of requirements.lock, with their licences."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from msgspec import Struct
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PIN = re.compile(r"^(?P<name>[\w.-]+)(\[[^\]]*\])?==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\\n]+?))? \\$", re.MULTILINE)
# What may be installed beside an MIT service: licences that ask for no more than notices, and weak ones of libraries that are not changed.
_ACCEPTED = re.compile(
    r"\b(MIT|MIT-0|MIT-CMU|BSD|BSD-[23]-Clause|Apache|Apache-2\.0|ISC|PSF-2\.0|Unlicense|LGPL-3\.0-only|any-OSI"
    r"|Mozilla Public License 2\.0)\b"
)


class Library(Struct, frozen=True):
    """A locked library; what is not for this machine has no licence and no requirements here."""

    name: str
    version: str
    is_installed: bool
    licence: str
    requires: frozenset[str]


def locked_libraries(lock: Path) -> dict[str, Library]:
    pins = {canonicalize_name(pin["name"]): pin for pin in _PIN.finditer(lock.read_text())}
    return {name: _library(name, pin["version"], frozenset(pins)) for name, pin in pins.items()}


def _library(name: str, version: str, locked: frozenset[str]) -> Library:
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        return Library(name, version, False, "", frozenset())
    needed = {canonicalize_name(requirement.name) for requirement in map(Requirement, installed.requires or []) if _applies(requirement)}
    return Library(name, version, True, _licence(name), frozenset(needed & locked))


def _applies(requirement: Requirement) -> bool:
    """Whether it is needed here; psycopg needs psycopg-binary by the extra that Kalends asks for."""
    return requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", "binary"))


def _licence(name: str) -> str:
    """The licence in a library's own words: an SPDX expression, one line, or the classifiers of its package."""
    metadata = distribution(name).metadata
    expression, text = (" ".join(metadata.get_all(field, [])).strip() for field in ("License-Expression", "License"))
    classifiers = [line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier", []) if line.startswith("License ::")]
    if expression:
        return expression
    return " OR ".join(classifiers) or (text if "\n" not in text else "")


def unaccepted(libraries: dict[str, Library]) -> list[str]:
    """The installed libraries whose licence is unknown, or is not one of the accepted ones."""
    return [
        f"{each.name}: {each.licence or 'no licence'}"
        for each in libraries.values()
        if each.is_installed and not _ACCEPTED.search(each.licence)
    ]


def reachable(libraries: dict[str, Library], roots: set[str]) -> set[str]:
    """The libraries that these need, and these."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found and name in libraries:
            found.add(name)
            waiting.extend(libraries[name].requires)
    return found

"""The files of a release and what `make release` checks without a commit."""

import json
from pathlib import Path

from tests.release.artifacts import image_context
from tests.release.libraries import Library, locked_libraries, reachable, unaccepted
from tests.release.sbom import bill

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements.lock"


def test_the_bill_of_materials_has_each_locked_library_and_what_needs_it() -> None:
    made = bill(ROOT, "1.2.3", 1_780_000_000)
    assert json.dumps(made) == json.dumps(bill(ROOT, "1.2.3", 1_780_000_000))
    assert (made["bomFormat"], made["metadata"]["component"]["purl"]) == ("CycloneDX", "pkg:pypi/kalends@1.2.3")
    assert made["metadata"]["timestamp"] == "2026-05-28T20:26:40+00:00"
    scopes = {each["name"]: each["scope"] for each in made["components"]}
    assert scopes.keys() == locked_libraries(LOCK).keys()
    assert (scopes["granian"], scopes["psycopg-binary"], scopes["markupsafe"], scopes["hatchling"]) == (*["required"] * 3, "optional")
    references = {each["bom-ref"] for each in made["components"]}
    edges = {each["ref"]: each["dependsOn"] for each in made["dependencies"]}
    assert {target for targets in edges.values() for target in targets} <= references
    assert edges.keys() == references | {"pkg:pypi/kalends@1.2.3"}


def test_every_library_that_is_installed_has_an_accepted_licence() -> None:
    libraries = locked_libraries(LOCK)
    assert unaccepted(libraries) == []
    assert sum(each.is_installed for each in libraries.values()) > 30
    strict = Library("strict", "1", True, "AGPL-3.0-only", frozenset())
    assert unaccepted({"strict": strict}) == ["strict: AGPL-3.0-only"]


def test_a_library_is_reached_through_others() -> None:
    libraries = {name: Library(name, "1", True, "MIT", frozenset(requires)) for name, requires in {"a": "b", "b": "a", "c": ""}.items()}
    assert reachable(libraries, {"a"}) == {"a", "b"}


def test_the_context_of_the_image_has_what_its_recipe_copies_and_nothing_else() -> None:
    first, *sent = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] in "*!"]
    assert first == "*"
    assert {line.removeprefix("!") for line in sent} - {"**/__pycache__"} == set(image_context(ROOT))

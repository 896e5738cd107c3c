"""The rules of the code base: the direction of imports, the place of each thing, and its documentation."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import get_args

from kalends.app.application import ENDPOINTS
from kalends.core import errors
from kalends.core.settings import Settings, meaning, variable
from kalends.features.reference.rules.guide import meaning as meaning_of_error
from kalends.features.reference.rules.guide import problems
from kalends.http.endpoint import Endpoint
from tests import settings_table

ROOT = Path(__file__).parent.parent
MODULES = sorted(path for path in (ROOT / "kalends").rglob("*.py") if path.read_text().strip())

# The folders of kalends/ from the bottom up: each may import from those before it.
FOLDERS = ["core", "ical", "db", "http", "policy", "web", "features", "mail", "dav", "app", "cli"]
# The layers of a feature from the bottom up, as files and folders are named: `store.py`, `seat_store.py` and `store/seats.py` are stores.
LAYERS = [["model", "rules"], ["store"], ["present"], ["steps"], ["message", "messages"], ["api"], ["pages"]]
# What a rule may not import: it decides from its arguments alone.
NOT_FOR_RULES = ("http.context", "db", "policy")
SQL = re.compile(r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s")
MAX_MODULES = 20
# To be emptied: folders that are too large.
TOO_LARGE: set[str] = set()
# URL segments that are short for another, to fit into an SMS.
SHORT_SEGMENTS = {"e": "events", "r": "responses", "i": "invitations", "u": "unsubscribe", "c": "confirm", "openapi.json": "reference"}
# What events and calendars both have, in one folder for both.
SHARED = ("questions", "reminders")


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "kalends").with_suffix("").parts).removesuffix("__init__").rstrip(".")


NAMES = {_name(path) for path in MODULES}


def _layer(name: str) -> int | None:
    """The layer of a module of a feature: that of the last part of its name that is one, or ends with one."""
    layers = [i for part in name.split(".")[2:] for i, words in enumerate(LAYERS) if part.split("_")[-1] in words]
    return layers[-1] if layers else None


def _is_in_features(name: str) -> bool:
    return name.startswith("features.")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def _imports(path: Path) -> list[str]:
    """The modules of kalends that a file imports."""
    names = []
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "kalends":
            module = node.module.removeprefix("kalends").lstrip(".")
            inner = [f"{module}.{alias.name}".lstrip(".") for alias in node.names]
            names += [name if name in NAMES else module for name in inner]
    return names


@cache
def _all_imports() -> list[tuple[str, str]]:
    """Each module with each that it imports. Not read before it is needed: each test process imports this file."""
    return [(_name(path), imported) for path in MODULES for imported in _imports(path)]


def test_the_root_has_at_most_twelve_entries() -> None:
    entries = {path.name for path in (ROOT / "kalends").iterdir()} - {"__pycache__"}
    assert entries == {"__init__.py", *FOLDERS}
    assert len(entries) <= 12


def test_folders_import_from_those_below() -> None:
    tops = [(name.split(".")[0], imported.split(".")[0], name, imported) for name, imported in _all_imports() if name and imported]
    assert [
        f"kalends/{name} may not import kalends/{imported}"
        for folder, below, name, imported in tops
        if FOLDERS.index(below) > FOLDERS.index(folder)
    ] == []
    assert len(tops) > len(MODULES)


def test_no_folder_has_more_than_twenty_modules() -> None:
    folders = {path.parent for path in MODULES}
    sizes = {folder: len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) for folder in folders}
    assert {str(folder.relative_to(ROOT)): size for folder, size in sizes.items() if size > MAX_MODULES}.keys() <= TOO_LARGE


def test_every_module_of_a_feature_is_named_by_its_layer() -> None:
    assert sorted(name for name in NAMES if _is_in_features(name) and _layer(name) is None) == []


def test_imports_between_features_follow_the_layers() -> None:
    inner = [(name, imported) for name, imported in _all_imports() if _is_in_features(name) and _is_in_features(imported)]
    against = {f"{name} imports {imported}" for name, imported in inner if (_layer(imported) or 0) > (_layer(name) or 0)}
    assert against == set()
    assert inner


def test_rules_decide_from_their_arguments_alone() -> None:
    rules = [(name, imported) for name, imported in _all_imports() if _is_in_features(name) and _layer(name) == 0 and ".rules" in name]
    assert [f"kalends/{name} may not import kalends/{imported}" for name, imported in rules if imported.startswith(NOT_FOR_RULES)] == []
    assert rules


def test_sql_is_in_stores_and_in_policy() -> None:
    assert {_name(path) for path in MODULES if _has_sql(path) and not _may_have_sql(_name(path))} == set()


def _may_have_sql(name: str) -> bool:
    return name.split(".")[0] in ("db", "policy") or any(part.split("_")[-1] == "store" for part in name.split("."))


def _has_sql(path: Path) -> bool:
    texts = [node.value for node in ast.walk(_tree(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return any(SQL.match(text) for text in texts)


def test_an_api_calls_no_other_features_api() -> None:
    apis = [path for path in MODULES if _name(path).endswith(".api")]
    assert [
        f"kalends/{_name(path)} calls kalends/{imported}"
        for path in apis
        for imported in _imports(path)
        if imported.split(".")[-1] == "api" and imported.split(".")[1] != _name(path).split(".")[1]
    ] == []
    assert apis


def test_the_dialects_stay_in_their_layer() -> None:
    free = {"db", "cli"}
    assert [
        f"kalends/{_name(path)} says {match.group()}"
        for path in MODULES
        if _name(path).split(".")[0] not in free and _name(path) != "core.settings"
        if (match := re.search(r"sqlite|postgres|apsw|psycopg", path.read_text(), re.IGNORECASE))
    ] == []


def test_a_module_opens_with_a_sentence() -> None:
    assert [f"kalends/{_name(path)} does not say what lives there" for path in MODULES if not ast.get_docstring(_tree(path))] == []


def test_every_module_with_endpoints_is_a_feature() -> None:
    declaring = {f"kalends.{_name(path)}" for path in MODULES if re.search(r"^@(endpoint|page)\(", path.read_text(), re.MULTILINE)}
    assert declaring == {endpoint.function.__module__ for endpoint in ENDPOINTS}


def test_an_endpoint_is_documented_and_lives_in_its_folder() -> None:
    assert [f"{each.method} {each.url} is not documented" for each in ENDPOINTS if not each.documentation] == []
    assert [f"{each.method} {each.url} is in {each.function.__module__}" for each in ENDPOINTS if not _is_in_its_folder(each)] == []


def _is_in_its_folder(endpoint: Endpoint) -> bool:
    *inner, module = endpoint.function.__module__.split(".")[1:]
    folder = inner[1] if inner[0] == "features" else inner[0]
    if inner and inner[-1] in SHARED and f"/{inner[-1]}" in endpoint.path:
        return True
    if endpoint.format == "html":
        segment = SHORT_SEGMENTS.get(endpoint.resource, endpoint.resource).replace("-", "_")
        return segment in inner or module == f"{segment}_pages"
    if endpoint.in_api and endpoint.resource != "openapi":
        return folder.removesuffix("s") == endpoint.resource.removesuffix("s")
    return True


def test_a_setting_is_documented() -> None:
    """`make settings` writes the tables."""
    text = settings_table.PAGE.read_text()
    assert settings_table.filled(text) == text
    assert [name for name in Settings.__struct_fields__ if meaning(name) not in text or f"`{variable(name)}`" not in text] == []
    first = set(re.findall(r"`(KALENDS_\w+)`", text.partition("## The first twelve")[2].partition("## ")[0]))
    assert len(first) == 12
    assert first <= {variable(name) for name in Settings.__struct_fields__}


def test_every_error_has_a_type_and_words_of_its_own() -> None:
    kinds = problems()
    assert len({each.kind for each in kinds}) == len(kinds) == len({each.title for each in kinds})


def test_the_catalogue_lists_every_error_type_and_every_code_and_no_others() -> None:
    rows = set(re.findall(r"^\| `.*$", (ROOT / "docs" / "reports" / "errors.md").read_text(), re.MULTILINE))
    types = {f"| `{each.kind}` | {each.status} | {meaning_of_error(each)} |" for each in problems()}
    assert rows == types | {f"| `{code}` | {about} |" for code, about in errors.CODES.items()}


def test_every_code_has_a_meaning() -> None:
    assert set(errors.CODES) == set(get_args(errors.Code))


def test_the_map_of_contributing_has_every_folder() -> None:
    mapped = set(re.findall(r"`kalends/(\w+)/`", (ROOT / "CONTRIBUTING.md").read_text()))
    assert mapped == set(FOLDERS)


def test_links_between_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_files_named_in_documents_exist() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for path in re.findall(r"[` ]((?:tests|kalends|bench|deploy|docs)/[\w/.-]+\w)", document.read_text()):
            assert (ROOT / path).exists() or "thing" in path, f"{document.name} names {path}"


def test_every_picture_is_shown_by_a_document() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    shown = {name for document in documents for name in re.findall(r"screenshots/([\w-]+\.webp)", document.read_text())}
    assert {path.name for path in (ROOT / "docs" / "screenshots").iterdir()} == shown


def test_no_file_names_a_registry() -> None:
    for path in [*ROOT.glob("*.lock"), *ROOT.glob("*.md"), ROOT / "Makefile", ROOT / "pyproject.toml"]:
        assert "index-url" not in path.read_text(), path.name

"""The tables of docs/settings.md, made from the settings themselves: `make settings` writes them."""

import re
from pathlib import Path

from msgspec.structs import fields

from kalends.core.limit_presets import PRESETS, REGISTRATION
from kalends.core.settings import Settings, choices, meaning, variable

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"


def filled(text: str) -> str:
    """The page with its tables renewed."""
    for heading, table in {"Limits by preset": _presets(), "All settings": _settings()}.items():
        before, found, section = text.partition(f"## {heading}\n")
        assert found, heading
        text = before + found + re.sub(r"(?:^\|.*\n)+", lambda _, table=table: table, section, count=1, flags=re.MULTILINE)  # type: ignore[misc]
    return text


def _presets() -> str:
    usual = {field.name: field.default for field in fields(Settings)}
    names = [name for name in Settings.__struct_fields__ if any(name in limits for limits in PRESETS.values())]
    kinds = [kind for kind in PRESETS if kind]
    rows = [[f"`{variable(name)}`", *(f"{PRESETS[kind].get(name, usual[name]):,}" for kind in kinds)] for name in names]
    return _table(["limit", *kinds], [["who can register", *(REGISTRATION[kind] for kind in kinds)], *rows])


def _settings() -> str:
    rows = [
        [f"`{variable(field.name)}`", f"`{field.default}`" if field.default != "" else "", meaning(field.name), choices(field.name)]
        for field in fields(Settings)
    ]
    return _table(["variable", "default", "meaning", "values"], [[cell.replace("|", "\\|") for cell in row] for row in rows])


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *rows])


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))

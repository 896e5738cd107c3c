"""The reports of docs/reports: every test that they name as evidence is there."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
REPORTS = sorted((TESTS.parent / "docs" / "reports").glob("*.md"))


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.stem)
def test_every_test_that_a_report_names_exists(report: Path) -> None:
    named = set(re.findall(r"`([\w/]+\.py)::(\w+)`", report.read_text()))
    there = {path: _functions(TESTS / path) for path, _ in named}
    assert {f"{path}::{name}" for path, name in named if name not in there[path]} == set()


def test_each_row_of_the_standards_names_its_test_or_its_reason() -> None:
    rows = re.findall(r"^\| [0-9][^|]* \| [^|]+ \| (.) \| ([^|]+) \|$", (REPORTS[0].parent / "standards.md").read_text(), re.MULTILINE)
    assert len(rows) > 80
    for mark, text in rows:
        assert mark in "✓◐✗–", text
        assert "::" in text if mark == "✓" else text.rstrip().endswith("."), text


def _functions(path: Path) -> set[str]:
    return {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}

"""docs/reports/security.md: every test that it names is there, and no requirement of OWASP ASVS 5.0 up to level 2 is left out."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
PAGE = (TESTS.parent / "docs" / "reports" / "security.md").read_text()
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)))

# Chapter and section of the standard, and how many requirements of levels 1 and 2 it begins with: those of level 3 come last.
ASVS = {
    **{"1.1": 2, "1.2": 9, "1.3": 11, "1.4": 3, "1.5": 2, "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1},
    **{"3.2": 2, "3.3": 4, "3.4": 6, "3.5": 5, "3.7": 2, "4.1": 3, "4.2": 1, "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 3, "5.3": 2, "5.4": 3},
    **{"6.1": 3, "6.2": 12, "6.3": 4, "6.4": 4, "6.5": 5, "6.6": 3, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 2, "7.6": 2},
    **{"8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1, "9.1": 3, "9.2": 4},
    **{"10.1": 2, "10.2": 2, "10.3": 4, "10.4": 11, "10.5": 5, "10.6": 2, "10.7": 3},
    **{"11.1": 2, "11.2": 3, "11.3": 3, "11.4": 4, "11.5": 1, "11.6": 1, "12.1": 3, "12.2": 2, "12.3": 4},
    **{"13.1": 1, "13.2": 5, "13.3": 2, "13.4": 5, "14.1": 2, "14.2": 4, "14.3": 3, "15.1": 3, "15.2": 3, "15.3": 7},
    **{"16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 3, "17.1": 1, "17.2": 4, "17.3": 2},
}
_ROW = re.compile(r"^\| ([0-9., ]+) \| [^|]+ \| (.) \| ([^|]+) \|$", re.MULTILINE)


def test_the_security_document_names_tests() -> None:
    assert len(NAMED) > 100


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED}))
def test_every_test_named_in_the_security_document_exists(path: str) -> None:
    tree = ast.parse((TESTS / path).read_text())
    there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {name for named, name in NAMED if named == path} - there == set()


def test_every_asvs_requirement_is_listed_once() -> None:
    requirements = [f"{section}.{number}" for section, count in ASVS.items() for number in range(1, count + 1)]
    assert len(requirements) == 253
    rows_by_requirement = Counter(requirement for ids, _, _ in _ROW.findall(PAGE) for requirement in ids.split(", "))
    assert rows_by_requirement == Counter(requirements)


def test_the_summary_counts_the_requirements() -> None:
    counts = Counter(mark for ids, mark, _ in _ROW.findall(PAGE) for _ in ids.split(", "))
    summary = f"{counts['✓']} are met, {counts['◐']} in part, {counts['✗']} are not, and {counts['–']} do not apply"
    assert f"Of 253 requirements, {summary}." in PAGE


def test_met_requirements_name_evidence_and_others_a_reason() -> None:
    for ids, mark, text in _ROW.findall(PAGE):
        assert mark in "✓◐✗–", ids
        assert "`" in text or len(text) >= 10, ids

"""The version stands in one place, `kalends/core/version.py`; what shows it takes it from there."""

import re
from pathlib import Path

from kalends.core.version import __version__
from tests.client import Client

ROOT = Path(__file__).parents[2]


def test_the_service_says_its_version(client: Client) -> None:
    assert client.get("/healthz").json == {"status": "alive", "version": __version__}
    assert client.get("/api/openapi.json").json["info"]["version"] == __version__


def test_no_other_file_repeats_the_version() -> None:
    files = [*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "pyproject.toml", *ROOT.glob("deploy/*")]
    assert [file.name for file in files if __version__ in file.read_text()] == []


def test_the_changes_begin_with_the_version() -> None:
    """A development version leads to the next release."""
    released = __version__.partition(".dev")[0]
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading
    assert heading[1] == released

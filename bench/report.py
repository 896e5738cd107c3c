"""The results as Markdown: tables under a line with the date and the machine."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

LISTED = Path(__file__).parent / "results"


class Report(Struct, frozen=True):
    """The folder into which results are written."""

    folder: Path

    def write(self, name: str, title: str, parts: list[str]) -> None:
        """Keep a page of results, and print it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        page = "\n\n".join([f"# {title}", _machine(), *parts]) + "\n"
        (self.folder / f"{name}.md").write_text(page)
        print(f"\n{page}", flush=True)

    def draw(self, name: str, svg: str) -> None:
        """Keep a picture."""
        (self.folder / f"{name}.svg").write_text(svg)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; all columns but the first are numbers."""
    lines = [head, ["---", *["---:" for _ in head[1:]]], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{datetime.now(UTC):%Y-%m-%d}, {model}, {os.cpu_count()} cores, Python {platform.python_version()}."

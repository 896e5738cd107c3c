"""Tables as files, for spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from kalends.context import Context
from kalends.http.endpoint import Document

# A cell that begins like this would be run as a formula; some spreadsheets take the full-width signs (U+FF1D and so on) for the plain
# ones. The apostrophes before it count too, so that nothing looks defused that is not.
_DANGEROUS = re.compile(r"'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]")


def csv_file(ctx: Context, name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Document:
    """A CSV file to download."""
    ctx.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return Document(csv_text(header, rows).encode(), "text/csv; charset=utf-8")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The table as text, in which no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([_defused(name) for name in header])
    writer.writerows([_defused(value) for value in row] for row in rows)
    return out.getvalue()


def original(cell: str) -> str:
    """The text of which a cell was written."""
    return cell[1:] if cell.startswith("'") and _DANGEROUS.match(cell) else cell


def _defused(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and _DANGEROUS.match(value):
        return f"'{value}"
    return value

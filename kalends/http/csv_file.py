"""Tables as files, for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from kalends.context import Context
from kalends.http.endpoint import Document

# A cell that begins like this would be run as a formula.
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


def csv_file(ctx: Context, name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Document:
    """A CSV file to download."""
    ctx.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return Document(out.getvalue().encode(), "text/csv; charset=utf-8")


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_DANGEROUS):
        return f"'{value}"
    return value

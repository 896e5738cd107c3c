"""Files that people import and export: tables for spreadsheets, and remarks on what an import could not take over."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct

from kalends.http.context import Context
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


MAX_REMARKS = 1_000


class Remark(Struct, frozen=True):
    """What could not be imported, and why. The line is that on which the entry begins."""

    line: Annotated[int, Meta(description="Line in the file at which the entry begins.")]
    field: Annotated[str, Meta(description="The field of the file.")]
    message: Annotated[str, Meta(description="What could not be imported, and why.")]


def limit_remarks(remarks: list[Remark]) -> list[Remark]:
    """The first 1,000 remarks in the order of the file, and one that says how many more there are."""
    ordered = sorted(remarks, key=lambda remark: remark.line)
    listed, rest = ordered[:MAX_REMARKS], ordered[MAX_REMARKS:]
    if rest:
        listed.append(Remark(rest[0].line, "file", f"remarks on this line and those after it that are not listed: {len(rest):,}"))
    return listed

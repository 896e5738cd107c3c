"""Remarks: what an import could not take over from a file, and why."""

from msgspec import Struct

MAX_REMARKS = 1_000


class Remark(Struct, frozen=True):
    """What could not be imported, and why. The line is that on which the entry begins."""

    line: int
    field: str
    message: str


def limit_remarks(remarks: list[Remark]) -> list[Remark]:
    """The first 1,000 remarks in the order of the file, and one that says how many more there are."""
    ordered = sorted(remarks, key=lambda remark: remark.line)
    listed, rest = ordered[:MAX_REMARKS], ordered[MAX_REMARKS:]
    if rest:
        listed.append(Remark(rest[0].line, "file", f"remarks on this line and those after it that are not listed: {len(rest):,}"))
    return listed

"""Events as programs write them, from what is documented of their habits: nothing of them is lost, whatever is changed here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kalends.ical.merge import GROUPS
from kalends.ical.raw_lines import split_lines
from tests.cast import Cast, a_calendar
from tests.dav.clients import calendar_path
from tests.dav.test_write import put

CORPUS = Path(__file__).parent / "corpus"
# The properties of an event that a change here may replace.
MODELLED = {name for group in GROUPS for name in group} | {"DTSTAMP", "LAST-MODIFIED", "SEQUENCE"}
CHANGES = [
    {"title": "Changed; with, separators"},
    {"description": "New\ntext", "location": "Elsewhere"},
    {"start_time": "2026-07-25T09:00", "end_time": "2026-07-25T11:00"},
]


def read(program: str) -> bytes:
    file = (CORPUS / f"{program}.ics").read_bytes().replace(b"\n", b"\r\n")
    # Some programs fold in the middle of a character.
    return file.replace("Café".encode(), b"Caf\xc3\r\n \xa9")


def unmodelled(file: bytes) -> Iterator[str]:
    """The lines that no change here may touch, as they were written."""
    components: list[str] = []
    for line in split_lines(file.decode("utf-8", "surrogateescape")):
        if line.name == "END":
            components.pop()
        if components[-1:] != ["VEVENT"] or line.name not in MODELLED:
            yield line.raw
        if line.name == "BEGIN":
            components.append(line.value)


def missing(file: bytes, changed: bytes) -> list[str]:
    """The lines of the file that are not in the changed one, in their order."""
    lines = iter([line.raw for line in split_lines(changed.decode("utf-8", "surrogateescape"))])
    return [line for line in unmodelled(file) if line not in lines]


@pytest.mark.on_one_database
@pytest.mark.parametrize("scope", ["this", "all"])
@pytest.mark.parametrize("program", sorted(path.stem for path in CORPUS.iterdir()))
def test_nothing_that_a_program_wrote_is_lost(cast: Cast, program: str, scope: str) -> None:
    calendar = a_calendar(cast.alice, time_zone="Europe/Berlin")
    path, file = f"{calendar_path(cast.alice, calendar['id'])}a.ics", read(program)
    assert put(cast.alice, path, file).status == 201
    assert cast.alice.get(path).content == file
    events = cast.alice.get("/api/events", query={"calendar_id": calendar["id"], "limit": 50}).json["events"]
    event = events[-1]
    scoped = {"scope": scope} if len(events) > 1 else {}
    for fields in CHANGES:
        if "start_time" in fields and scope == "all":
            continue
        reply = cast.alice.put(f"/api/events/{event['id']}", json=fields | scoped)
        assert reply.status == 200, reply
        changed = cast.alice.get(path).content
        assert changed != file
        assert missing(file, changed) == []
        # What the program then sends back is what it got.
        assert put(cast.alice, path, changed).status == 204
        assert cast.alice.get(path).content == changed
        assert b"SUMMARY:Changed\\; with\\, separators\r\n" in changed

"""The file of a backup tells when it is not what was written."""

from collections import Counter
from io import BytesIO

import pytest

from kalends.backup.file import BackupError, Header, Reader, Table, write

ROWS = [(number, f"event {number * number}") for number in range(300)]
HEADER = Header("kalends backup 1", "1.0", "0001", "2026-11-15T12:00:00Z", "", [Table("events", ["id", "title"], len(ROWS), len(ROWS))])
# Before it stand things that nobody reads, such as when the file was made.
HEAD = 10


@pytest.fixture(scope="module")
def whole() -> bytes:
    file = BytesIO()
    write(file, HEADER, [ROWS])
    return file.getvalue()


def rows(content: bytes) -> list[tuple[int, str]]:
    return [tuple(row) for _, run in Reader(BytesIO(content), "the file").batches() for row in run]


def test_what_was_written_is_read(whole: bytes) -> None:
    assert rows(whole) == ROWS


def test_whichever_bit_is_wrong_the_file_is_damaged_or_says_the_same(whole: bytes) -> None:
    heard = Counter(said(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :]) for place in range(HEAD, len(whole)))
    assert set(heard) <= {"the same", "is damaged", "is cut off"}
    # What was compressed can be told in more than one way.
    assert heard["the same"] < heard.total() / 100


def said(content: bytes) -> str:
    try:
        return "the same" if rows(content) == ROWS else "something else"
    except BackupError as unusable:
        return str(unusable).removeprefix("the file ").partition(":")[0].rstrip(".")


def test_wherever_it_ends_too_soon_it_is_cut_off(whole: bytes) -> None:
    for length in range(HEAD, len(whole)):
        with pytest.raises(BackupError, match="is cut off"):
            rows(whole[:length])


@pytest.mark.parametrize("content", [b"", b"\x1f", b"SQLite format 3\x00", b"{}"])
def test_what_is_something_else_is_no_backup(content: bytes) -> None:
    with pytest.raises(BackupError, match="is not a backup"):
        rows(content)

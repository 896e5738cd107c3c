"""A damaged backup file is detected."""

from collections import Counter
from io import BytesIO

import pytest

from kalends.db.backup.file import BackupError, Header, Reader, Table, write

ROWS = [(number, f"event {number * number}") for number in range(300)]
HEADER = Header("kalends backup 1", "1.0", "0001", "2026-11-15T12:00:00Z", "", [Table("events", ["id", "title"], len(ROWS), len(ROWS))])
# The gzip header, whose fields (such as the time) are not checked.
GZIP_HEADER = 10


@pytest.fixture(scope="module")
def whole() -> bytes:
    file = BytesIO()
    write(file, HEADER, [ROWS])
    return file.getvalue()


def rows(content: bytes) -> list[tuple[int, str]]:
    return [tuple(row) for _, run in Reader(BytesIO(content), "the file").batches() for row in run]


def test_a_written_file_is_read_back(whole: bytes) -> None:
    assert rows(whole) == ROWS


def test_a_flipped_bit_is_detected_or_harmless(whole: bytes) -> None:
    flipped = (whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :] for at in range(GZIP_HEADER, len(whole)))
    outcomes = Counter(map(outcome, flipped))
    assert set(outcomes) <= {"the same", "is damaged", "is cut off"}
    # Some bits of a compressed stream do not change its content.
    assert outcomes["the same"] < outcomes.total() / 100


def outcome(content: bytes) -> str:
    try:
        return "the same" if rows(content) == ROWS else "something else"
    except BackupError as unusable:
        return str(unusable).removeprefix("the file ").partition(":")[0].rstrip(".")


def test_a_truncated_file_is_reported_as_cut_off(whole: bytes) -> None:
    for length in range(GZIP_HEADER, len(whole)):
        with pytest.raises(BackupError, match="is cut off"):
            rows(whole[:length])


@pytest.mark.parametrize("content", [b"", b"\x1f", b"SQLite format 3\x00", b"{}"])
def test_another_kind_of_file_is_not_a_backup(content: bytes) -> None:
    with pytest.raises(BackupError, match="is not a backup"):
        rows(content)

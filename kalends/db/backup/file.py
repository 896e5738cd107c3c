"""The backup file: compressed lines of JSON. A header, then the rows of each table, then a SHA-256 checksum of both."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from io import BufferedReader
from itertools import chain, islice
from typing import Any, BinaryIO, Literal

import msgspec
from msgspec import Struct

from kalends.db.table_copy import batch_size

# A higher compression level takes much longer and gains little.
COMPRESSION_LEVEL = 3
BUFFER_SIZE = 1024 * 1024
GZIP_MAGIC = b"\x1f\x8b"
NOT_A_BACKUP = "is not a backup that this Kalends can read"


class BackupError(Exception):
    """Why a backup could not be taken or restored, in one line."""


class Table(Struct, frozen=True):
    """A table and the number of its rows; `last_id` is the highest id that it ever generated."""

    name: str
    columns: list[str]
    rows: int
    last_id: int


class Header(Struct, frozen=True):
    """The contents of the file.

    `migration` is the newest one that the tables have, and `secret` the fingerprint of the server's secret, which is not in the backup.
    """

    format: Literal["kalends backup 1"]
    version: str
    migration: str
    taken_at: str
    secret: str
    tables: list[Table]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


class Checksum(Struct, frozen=True):
    """The last line."""

    sha256: str


def write(file: BinaryIO, header: Header, batches: Iterable[Sequence[tuple[Any, ...]]]) -> None:
    """Write the header and the rows of all tables, one table after the other."""
    encoder = msgspec.json.Encoder()
    digest = hashlib.sha256()
    with GzipFile(fileobj=file, mode="wb", compresslevel=COMPRESSION_LEVEL) as compressed:
        for lines in chain([encoder.encode_lines([header])], map(encoder.encode_lines, batches)):
            digest.update(lines)
            compressed.write(lines)
        compressed.write(encoder.encode_lines([Checksum(digest.hexdigest())]))


class Reader:
    """Reads a backup file from its beginning. The checksum is compared after the last rows."""

    def __init__(self, file: BinaryIO, name: str):
        self._name = name
        file.seek(0)
        if file.read(len(GZIP_MAGIC)) != GZIP_MAGIC:
            raise BackupError(f"{name} {NOT_A_BACKUP}.")
        file.seek(0)
        self._lines = BufferedReader(GzipFile(fileobj=file, mode="rb"), BUFFER_SIZE)
        self._digest = hashlib.sha256()
        self._decoder = msgspec.json.Decoder(list[Any])
        # The buffer reads beyond the first line, so damage may be noticed here already.
        with self._decoding("is damaged"):
            line = self._lines.readline()
        with self._decoding(NOT_A_BACKUP):
            self.header = msgspec.json.decode(line, type=Header)
        self._digest.update(line)

    def batches(self) -> Iterator[tuple[Table, list[list[Any]]]]:
        """The rows in batches, each with its table."""
        for table in self.header.tables:
            size = batch_size(table.name)
            for begin in range(0, table.rows, size):
                yield table, self._rows(min(size, table.rows - begin))
        self._verify_checksum()

    def _rows(self, count: int) -> list[list[Any]]:
        with self._decoding("is damaged"):
            content = b"".join(islice(self._lines, count))
            self._digest.update(content)
            rows = self._decoder.decode_lines(content)
        if len(rows) < count:
            raise BackupError(f"{self._name} is cut off.")
        return rows

    def _verify_checksum(self) -> None:
        with self._decoding("is damaged"):
            checksum = msgspec.json.decode(self._lines.readline(), type=Checksum)
            more = self._lines.read(1)
        if more or checksum.sha256 != self._digest.hexdigest():
            raise BackupError(f"{self._name} is damaged: its checksum is not that of its content.")

    @contextmanager
    def _decoding(self, problem: str) -> Iterator[None]:
        try:
            yield
        except EOFError:
            raise BackupError(f"{self._name} is cut off.") from None
        except (BadGzipFile, zlib.error, msgspec.MsgspecError, UnicodeDecodeError):
            raise BackupError(f"{self._name} {problem}.") from None
        except OSError as error:
            raise BackupError(f"{self._name} cannot be read: {error.strerror}.") from None

"""The file of a backup: lines of JSON, compressed. First what is in it, then the rows of each table, then a SHA-256 of all that."""

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

from kalends.db.contents import RUN

# Beyond this, it takes much longer and gains little.
LEVEL = 3
BUFFER = 1024 * 1024
# What a compressed file begins with.
PACKED = b"\x1f\x8b"
NO_BACKUP = "is no backup that this Kalends can read"


class Unusable(Exception):
    """Why there is no backup, or no restoring, in one line."""


class Table(Struct, frozen=True):
    """The rows of one table that follow; `last_id` is the highest number that it ever gave."""

    name: str
    columns: list[str]
    rows: int
    last_id: int


class Header(Struct, frozen=True):
    """What the file holds. `migration` says how the tables were made, `secret` is a mark of the server's secret, which is kept apart."""

    format: Literal["kalends backup 1"]
    version: str
    migration: str
    taken_at: str
    secret: str
    tables: list[Table]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


class End(Struct, frozen=True):
    """The last line."""

    sha256: str


def write(file: BinaryIO, header: Header, runs: Iterable[Sequence[tuple[Any, ...]]]) -> None:
    """Write the rows, those of all tables one after the other."""
    encoder = msgspec.json.Encoder()
    digest = hashlib.sha256()
    with GzipFile(fileobj=file, mode="wb", compresslevel=LEVEL) as packed:
        for piece in chain([encoder.encode_lines([header])], map(encoder.encode_lines, runs)):
            digest.update(piece)
            packed.write(piece)
        packed.write(encoder.encode_lines([End(digest.hexdigest())]))


class Reader:
    """Reads such a file from its beginning. That it is whole and unaltered is known once the last rows were read."""

    def __init__(self, file: BinaryIO, name: str):
        self._name = name
        file.seek(0)
        if file.read(len(PACKED)) != PACKED:
            raise Unusable(f"{name} {NO_BACKUP}.")
        file.seek(0)
        self._lines = BufferedReader(GzipFile(fileobj=file, mode="rb"), BUFFER)
        self._digest = hashlib.sha256()
        self._decoder = msgspec.json.Decoder(list[Any])
        # More is read ahead than the line.
        with self._damage("is damaged"):
            line = self._lines.readline()
        with self._damage(NO_BACKUP):
            self.header = msgspec.json.decode(line, type=Header)
        self._digest.update(line)

    def runs(self) -> Iterator[tuple[Table, list[list[Any]]]]:
        """Some rows at a time, with their table."""
        for table in self.header.tables:
            for begin in range(0, table.rows, RUN):
                yield table, self._rows(min(RUN, table.rows - begin))
        self._end()

    def _rows(self, number: int) -> list[list[Any]]:
        with self._damage("is damaged"):
            content = b"".join(islice(self._lines, number))
            self._digest.update(content)
            rows = self._decoder.decode_lines(content)
        if len(rows) < number:
            raise Unusable(f"{self._name} is cut off.")
        return rows

    def _end(self) -> None:
        with self._damage("is damaged"):
            end = msgspec.json.decode(self._lines.readline(), type=End)
            more = self._lines.read(1)
        if more or end.sha256 != self._digest.hexdigest():
            raise Unusable(f"{self._name} is damaged: its checksum is not that of its content.")

    @contextmanager
    def _damage(self, words: str) -> Iterator[None]:
        try:
            yield
        except EOFError:
            raise Unusable(f"{self._name} is cut off.") from None
        except (BadGzipFile, zlib.error, msgspec.MsgspecError, UnicodeDecodeError):
            raise Unusable(f"{self._name} {words}.") from None
        except OSError as error:
            raise Unusable(f"{self._name} cannot be read: {error.strerror}.") from None

"""The calendar files in a ZIP archive, as services hand out all calendars of an account at once."""

import zlib
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from kalends.core.i18n import gettext

SIGNATURE = b"PK\x03\x04"
MAX_FILES = 1_000
# What all files have together, unpacked.
MAX_BYTES = 10 * 2**20
# The directory of an archive is read as a whole before its files are: of 65,535 files, it has about 4 MiB.
MAX_DIRECTORY = 2**20
_DAMAGED = gettext("is a ZIP archive that is damaged or encrypted")
_END, _END_SIZE, _LARGE = b"PK\x05\x06", 22, b"PK\x06\x07"


def join_calendars(content: bytes) -> bytes:
    """The calendar files of the archive, one after the other; what is no archive stays as it is. ValueError: it cannot be read.

    Archives within the archive are not opened."""
    if not content.startswith(SIGNATURE):
        return content
    _check_directory(content)
    try:
        with ZipFile(BytesIO(content)) as archive:
            files = [each for each in archive.infolist() if each.filename.lower().endswith((".ics", ".ical"))]
            if not files:
                raise ValueError(gettext("is a ZIP archive without .ics files"))
            if len(files) > MAX_FILES:
                raise ValueError(
                    gettext(
                        "is a ZIP archive with %(count)s calendars; at most %(max)s can be read at once", count=len(files), max=MAX_FILES
                    )
                )
            return _read_all(archive, files)
    except (BadZipFile, EOFError, NotImplementedError, OverflowError, RuntimeError, zlib.error, OSError):
        raise ValueError(_DAMAGED) from None


def _check_directory(content: bytes) -> None:
    """Refuse an archive with a large directory, where ZipFile finds it."""
    is_last = content[-_END_SIZE:].startswith(_END) and content.endswith(b"\0\0")
    position = len(content) - _END_SIZE if is_last else content.rfind(_END)
    if position < 0:
        raise ValueError(_DAMAGED)
    size = int.from_bytes(content[position + 12 : position + 16], "little")
    if size > MAX_DIRECTORY or content[max(0, position - 20) : position].startswith(_LARGE):
        raise ValueError(gettext("is a ZIP archive with too many files"))


def _read_all(archive: ZipFile, files: list[ZipInfo]) -> bytes:
    joined = bytearray()
    for each in files:
        # Other methods need as much memory as the archive asks for.
        if each.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise NotImplementedError
        with archive.open(each) as file:
            joined += file.read(MAX_BYTES - len(joined) + 1)
        if len(joined) > MAX_BYTES:
            raise ValueError(gettext("is a ZIP archive with more than %(max)s MiB of calendars", max=MAX_BYTES // 2**20))
        joined += b"\r\n"
    return bytes(joined)

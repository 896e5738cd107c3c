"""Convert an uploaded picture into the files that are served, in a child process: a hostile file can exhaust that one alone."""

import subprocess

import msgspec
from msgspec import Struct

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.pictures.steps.child_process import run

MAX_BYTES = 8 * 1024 * 1024
DAMAGED = "cannot be opened; save it in another program first"


class Converted(Struct, frozen=True):
    """The size of the largest file, and all files, the smallest first."""

    width: int
    height: int
    files: list[bytes]


class _Header(Struct, frozen=True):
    """What the child process says first: the sizes of the files that follow, or what is wrong with the picture."""

    width: int = 0
    height: int = 0
    files: list[int] = []
    problem: str = ""


def convert(content: bytes) -> Converted:
    """The files of the picture; raises Invalid if it is none, or too large."""
    if len(content) > MAX_BYTES:
        raise errors.invalid("file", gettext("must be at most %(max)s MiB", max=MAX_BYTES // 1024 // 1024), "too_large")
    line, _, body = _reencode(content).partition(b"\n")
    try:
        header = msgspec.json.decode(line, type=_Header)
    except msgspec.DecodeError:
        # It was killed by its limits.
        raise errors.invalid("file", DAMAGED) from None
    if header.problem:
        raise errors.invalid("file", header.problem)
    files = []
    for size in header.files:
        files.append(body[:size])
        body = body[size:]
    return Converted(header.width, header.height, files)


def _reencode(content: bytes) -> bytes:
    try:
        return run("kalends.features.pictures.steps.reencode", content)
    except subprocess.TimeoutExpired:
        raise errors.invalid("file", gettext("takes too long to open. Make the picture smaller first"), "too_large") from None

"""Add an uploaded picture. It is converted in a child process: a hostile file can exhaust that one alone."""

import subprocess
from hashlib import sha256

import msgspec
from msgspec import Struct

from kalends import policy
from kalends.core import errors, tokens
from kalends.core.i18n import gettext
from kalends.core.values.picture import Picture
from kalends.features.pictures import store
from kalends.features.pictures.steps.child_process import run
from kalends.http.context import Context
from kalends.http.input.multipart import Upload

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


def add_picture(ctx: Context, upload: Upload) -> str:
    """Convert and store the picture, in a transaction of its own; returns its path. Until an event has it, it is unused."""
    policy.user(ctx)
    converted = convert(upload.content)
    with ctx.write(is_last=False):
        return store_picture(ctx, converted)


def store_picture(ctx: Context, converted: Converted) -> str:
    """Store a picture of the actor in the open transaction; returns its path."""
    owner = policy.user(ctx)
    content_hash = sha256(converted.files[-1]).hexdigest()
    # Nobody who has the file can find out by its hash whether it is here, nor whether another account has it.
    key = tokens.derive(ctx.settings, "picture", f"{owner.id}:{content_hash}")
    picture = Picture(key, converted.width, converted.height)
    store.insert(ctx, owner.id, picture, converted.files)
    return picture.path

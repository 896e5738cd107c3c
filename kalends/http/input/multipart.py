"""The parts of a multipart/form-data body (RFC 7578) that is in memory."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from msgspec import Struct

from kalends.core import errors


class Upload(Struct, frozen=True):
    """A file that came in multipart/form-data."""

    filename: str
    content: bytes


MAX_HEAD = 8 * 1024
MAX_BOUNDARY = 70

_CRLF = b"\r\n"
_PARAMETER = re.compile(r';\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)')
_ESCAPED = re.compile(r'\\(["\\])')
# Encodings that leave the content as it is. RFC 7578 deprecates the header field.
_IDENTITY = {"7bit", "8bit", "binary"}


class Part(NamedTuple):
    """A field of a form, or a file if it has a file name."""

    name: str
    filename: str
    content: bytes


def read_parts(body: bytes, content_type: str) -> Iterator[Part]:
    """The parts; raises BadRequest where the body is malformed."""
    delimiter = _CRLF + b"--" + _boundary(content_type)
    # The first delimiter has no line break before it if it begins the body.
    end = -len(_CRLF) if body.startswith(delimiter.removeprefix(_CRLF)) else body.find(delimiter)
    if end == -1:
        raise _malformed("the boundary of its Content-Type is not in it")
    while not body.startswith(b"--", line := end + len(delimiter)):
        head_end = body.find(_CRLF * 2, line, line + MAX_HEAD)
        if head_end < 0 or not body.startswith(_CRLF, line):
            raise _malformed("a part has no head, or a head of more than 8 KiB")
        # The blank line after the head may be the beginning of the next delimiter: then the part is empty.
        end = body.find(delimiter, head_end + len(_CRLF))
        if end < 0:
            raise _malformed("its last boundary is missing")
        name, filename = _names(body[line:head_end])
        yield Part(name, filename, body[head_end + 2 * len(_CRLF) : end])


def _boundary(content_type: str) -> bytes:
    boundary = _parameters(content_type).get("boundary", "").rstrip()
    if not boundary.isascii() or not 1 <= len(boundary) <= MAX_BOUNDARY:
        raise _malformed(f"its Content-Type must have a boundary of 1 to {MAX_BOUNDARY} characters")
    return boundary.encode()


def _names(head: bytes) -> tuple[str, str]:
    """The name of the field and that of its file."""
    try:
        lines = head.decode().split("\r\n")
    except UnicodeDecodeError:
        raise errors.BadRequest("A name in the multipart body is not valid UTF-8.") from None
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if fields.get("content-transfer-encoding", "binary").lower() not in _IDENTITY:
        raise _malformed("a part has a Content-Transfer-Encoding. Send its content as it is")
    names = _parameters(fields.get("content-disposition", ""))
    # RFC 7578 forbids `filename*` (RFC 8187), and some clients send it for names that are not ASCII.
    filename = unquote(names["filename*"].rpartition("'")[2]) if "filename*" in names else names.get("filename", "")
    return names.get("name", ""), filename


def _parameters(value: str) -> dict[str, str]:
    return {name.lower(): _unquoted(text.strip()) for name, text in _PARAMETER.findall(value)}


def _unquoted(text: str) -> str:
    if len(text) < 2 or not text.startswith('"') or not text.endswith('"'):
        return text
    return _ESCAPED.sub(r"\1", text[1:-1])


def _malformed(reason: str) -> errors.BadRequest:
    return errors.BadRequest(f"The multipart body cannot be read: {reason}.")

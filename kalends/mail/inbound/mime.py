"""The header fields and parts of a message, within bounds: to read a message takes time in proportion to its size, whatever it contains.

Python's email package takes quadratic time for hostile fields and parts, so it does not see them."""

import binascii
import re
from collections.abc import Iterator

from msgspec import Struct

# Longer header fields are cut, further ones are not read.
MAX_HEAD = 65_536
MAX_FIELDS = 500
MAX_VALUE = 1_000
MAX_PARTS = 100
MAX_LEVELS = 5

_FIELD = re.compile(rb"^([!-9;-~]{1,100}):[ \t]*([^\n]*(?:\n[ \t][^\n]*)*)", re.MULTILINE)
_PARAMETER = r""";\s*{}\*?\s*=\s*(?:"([^"]*)"|([^\s;"]+))"""


class Part(Struct, frozen=True):
    """A message or a part of one: its header fields, with their names in lower case, and its body as it was sent."""

    fields: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """The first value of a header field, or an empty text."""
        return next((value for field, value in self.fields if field == name), "")

    @property
    def content_type(self) -> str:
        kind = self.header("content-type").partition(";")[0].strip().lower()
        return kind if kind.count("/") == 1 else "text/plain"

    def parameter(self, name: str, of: str = "content-type") -> str:
        """A parameter of a header field, or an empty text."""
        match = re.search(_PARAMETER.format(name), self.header(of), re.IGNORECASE)
        return (match[1] or match[2] or "").strip() if match else ""

    @property
    def is_attachment(self) -> bool:
        return self.header("content-disposition").strip().lower().startswith("attachment")

    @property
    def file_name(self) -> str:
        return self.parameter("filename", "content-disposition") or self.parameter("name")

    def content(self, max_octets: int) -> bytes:
        """The decoded body, of which at most this much is decoded."""
        encoding = self.header("content-transfer-encoding").strip().lower()
        try:
            if encoding == "base64":
                # Four characters are three octets, and lines have ends. Missing padding is added.
                return binascii.a2b_base64(self.body[: 2 * max_octets] + b"==")[:max_octets]
            if encoding == "quoted-printable":
                return binascii.a2b_qp(self.body[: 3 * max_octets])[:max_octets]
        except binascii.Error:
            return b""
        return self.body[:max_octets]


def parse(octets: bytes) -> Part:
    """The header fields and the body of a message or a part."""
    octets = octets.replace(b"\r\n", b"\n")
    end = 0 if octets.startswith(b"\n") else octets.find(b"\n\n", 0, MAX_HEAD)
    return Part(parse_fields(octets[: MAX_HEAD if end < 0 else end]), octets[end:].lstrip(b"\n") if end >= 0 else b"")


def parse_fields(head: bytes) -> list[tuple[str, str]]:
    """The header fields, each on one line."""
    fields = []
    for match in _FIELD.finditer(head):
        fields.append((match[1].decode().lower(), match[2][:MAX_VALUE].decode("utf-8", "replace").replace("\n", "")))
        if len(fields) == MAX_FIELDS:
            break
    return fields


def leaves(message: Part) -> Iterator[Part]:
    """The parts that have none themselves, in their order; an attached message is one of them."""
    waiting, count = [(message, 0)], 0
    while waiting and count < MAX_PARTS:
        part, level = waiting.pop()
        count += 1
        if not part.content_type.startswith("multipart/"):
            yield part
        elif level < MAX_LEVELS:
            waiting += [(child, level + 1) for child in reversed(list(children(part)))]


def children(part: Part) -> Iterator[Part]:
    """The parts between the boundaries of a multipart."""
    boundary = part.parameter("boundary")
    if not boundary:
        return
    # It begins with a literal, for which Python searches fast.
    line = re.compile(rb"\n--" + re.escape(boundary.encode()) + rb"(--)?[ \t]*(?=\n|\Z)")
    body, start, count = b"\n" + part.body, None, 0
    for match in line.finditer(body):
        if start is not None:
            yield parse(body[start : match.start()])
            count += 1
        if match[1] or count == MAX_PARTS:
            return
        start = match.end() + 1
    if start is not None:
        yield parse(body[start:])

"""A file in a request."""

from msgspec import Struct


class Upload(Struct, frozen=True):
    """A file that came in multipart/form-data."""

    filename: str
    content: bytes

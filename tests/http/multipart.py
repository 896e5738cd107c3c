"""Write a multipart/form-data request, as browsers do."""

from collections.abc import Iterable
from typing import Any

BOUNDARY = "----kalends-boundary"


def multipart(fields: dict[str, str] | None = None, files: Iterable[tuple[str, str, bytes]] = ()) -> dict[str, Any]:
    """The body and the headers of a request with these fields and these files (name, file name, content)."""
    parts = [(f'form-data; name="{name}"', value.encode()) for name, value in (fields or {}).items()]
    parts += [(f'form-data; name="{name}"; filename="{filename}"', content) for name, filename, content in files]
    return of_parts(parts)


def of_parts(parts: Iterable[tuple[str, bytes]]) -> dict[str, Any]:
    """The same from raw parts: Content-Disposition and content."""
    encoded = [f"--{BOUNDARY}\r\nContent-Disposition: {about}\r\n\r\n".encode() + content + b"\r\n" for about, content in parts]
    body = b"".join(encoded) + f"--{BOUNDARY}--\r\n".encode()
    return {"body": body, "headers": {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}}

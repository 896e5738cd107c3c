"""The errors that actions raise; each knows its HTTP status, and http/server.py turns it into an answer."""

from collections.abc import Iterable

from msgspec import Struct


class FieldError(Struct, frozen=True):
    """One broken field, and what is wrong with it."""

    field: str
    message: str


class Problem(Exception):
    """What the client is told when a request fails (RFC 9457)."""

    status = 500
    title = "Internal error"
    kind = "about:blank"

    def __init__(self, detail: str = "", errors: Iterable[FieldError] = (), headers: dict[str, str] | None = None):
        super().__init__(detail)
        self.detail = detail
        self.errors = list(errors)
        self.headers = headers or {}


class BadRequest(Problem):
    status = 400
    title = "The request cannot be read"


class Unauthorized(Problem):
    status = 401
    title = "Sign in first"

    def __init__(self, detail: str = "Send a session token or a key as 'Authorization: Bearer …'."):
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(Problem):
    status = 403
    title = "Not allowed"


class NotFound(Problem):
    status = 404
    title = "Not found"

    def __init__(self, detail: str = "There is no such record, or you may not see it.", errors: Iterable[FieldError] = ()):
        super().__init__(detail, errors)


class MethodNotAllowed(Problem):
    status = 405
    title = "Method not allowed"

    def __init__(self, allowed: Iterable[str]):
        names = ", ".join(sorted(allowed))
        super().__init__(f"This path answers {names}.", headers={"Allow": names})


class TooSlow(Problem):
    status = 408
    title = "The request took too long to arrive"


class Conflict(Problem):
    status = 409
    title = "Conflict"


class Stale(Problem):
    status = 412
    title = "The record has changed"


class TooLarge(Problem):
    status = 413
    title = "Too large"


class UnsupportedMediaType(Problem):
    status = 415
    title = "Unsupported media type"


class Invalid(Problem):
    """A value breaks a rule; every broken field is named at once."""

    status = 422
    title = "Some values are not valid"

    def __init__(self, errors: Iterable[FieldError], detail: str = ""):
        broken = list(errors)
        super().__init__(detail or "; ".join(f"{e.field}: {e.message}" for e in broken), broken)


class TooMany(Problem):
    status = 429
    title = "Too many requests"

    def __init__(self, detail: str, retry_after: int):
        super().__init__(detail, headers={"Retry-After": str(retry_after)})


class Unavailable(Problem):
    status = 503
    title = "Temporarily unavailable"

    def __init__(self, detail: str, retry_after: int = 2):
        super().__init__(detail, headers={"Retry-After": str(retry_after)})


def invalid(field: str, message: str) -> Invalid:
    """The common case: one broken field."""
    return Invalid([FieldError(field, message)])

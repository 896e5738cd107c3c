"""The one shape of every error: RFC 9457 problem+json."""

import msgspec
from msgspec import UNSET, UnsetType

from kalends.errors import FieldError, Problem

CONTENT_TYPE = "application/problem+json"


class ProblemBody(msgspec.Struct):
    """What went wrong, for people and programs."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError]
    request_id: str
    event_id: int | UnsetType = UNSET


def type_of(kind: str) -> str:
    """The `type` of a problem: a reference that leads to its line in the catalogue on this very server."""
    return f"/docs/errors#{kind}"


def encode(problem: Problem, request_id: str) -> bytes:
    event_id = UNSET if problem.event_id is None else problem.event_id
    body = ProblemBody(type_of(problem.kind), problem.title, problem.status, problem.detail, problem.errors, request_id, event_id)
    # Programs get messages in English: a Text is that, as another type.
    return msgspec.json.encode(body, enc_hook=str)

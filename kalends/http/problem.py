"""The one shape of every error: RFC 9457 problem+json."""

from typing import Any

import msgspec

from kalends.context import Actor
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


def type_of(kind: str) -> str:
    """The `type` of a problem: a reference that leads to its line in the catalogue on this very server."""
    return f"/docs/errors#{kind}"


class Failure(msgspec.Struct, frozen=True):
    """A failed request of a browser: the problem, the request, its actor, and the values of its form.

    is_for_members: the path needs a signed-in user.
    """

    problem: Problem
    request_id: str
    method: str
    path: str
    query: str
    actor: Actor | None
    is_for_members: bool
    form: dict[str, Any] | None


def encode(problem: Problem, request_id: str) -> bytes:
    return msgspec.json.encode(
        ProblemBody(type_of(problem.kind), problem.title, problem.status, problem.detail, problem.errors, request_id),
    )

"""Hooks for Schemathesis: the exceptions from its checks, with their reasons."""

from typing import Any
from uuid import uuid4

import schemathesis
from hypothesis.strategies import builds, sampled_from
from schemathesis import Case, HookContext
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.core.transport import Response
from schemathesis.openapi.checks import IgnoredAuth, RejectedPositiveData
from schemathesis.transport.serialization import Binary

from kalends.app.application import ENDPOINTS, FEATURES
from kalends.http.input.multipart import Upload

assert FEATURES

MAX_WAIT = 60
UNREADABLE = ("must not be empty", "must not contain control characters")

# Formats of our own, by which the document says what a text is. A list of all time zones would be out of date with the next one.
schemathesis.openapi.format("date-or-date-time", sampled_from(["2026-05-11T17:00:00+02:00", "2028-02-29", "2026-05-11T17:00", "20260511"]))
schemathesis.openapi.format("user-name", builds(lambda: f"ana.{uuid4().hex[:12]}"))
schemathesis.openapi.format("uri", sampled_from(["https://example.org/a.png", "http://example.org"]))
schemathesis.openapi.format("time-zone", sampled_from(["UTC", "Europe/Paris", "America/Argentina/Buenos_Aires"]))

schemathesis.openapi.format("phone", sampled_from(["+33 6 12 34 56 78", "+12125550123", "0049 171 1234567"]))

# Each time another, as each request should have.
schemathesis.openapi.format("idempotency-key", builds(lambda: str(uuid4())))


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """A request that may wait for a change does not: nothing would change meanwhile. Writes are no dry runs: their records are used."""
    if case.query:
        case.query.pop("dry_run", None)
    if case.query and str(case.query.get("wait")).isdecimal() and int(case.query["wait"]) <= MAX_WAIT:
        case.query["wait"] = 0


@schemathesis.hook
def filter_failure(context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    is_right = _is_hidden(failure, case) or _breaks_a_rule(failure, case, response) or _is_too_long(response)
    return not (is_right or _is_forgotten(case, response) or _is_read_anyway(failure, case))


def _is_hidden(failure: Failure, case: Case[Any]) -> bool:
    """A record that a guest may not see is 404, not 401: otherwise its URL would disclose that it exists."""
    return isinstance(failure, IgnoredAuth) and "got `404 Not Found`" in failure.message and _names_a_record(case)


def _names_a_record(case: Case[Any]) -> bool:
    return "{" in case.path or "event_id" in (case.query or {})


def _breaks_a_rule(failure: Failure, case: Case[Any], response: Response) -> bool:
    """No schema can tie two fields together. The document names in x-rules the fields that are tied, and only those may be refused;
    and text of white space or with control characters: patterns that say so break the programs that write clients."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 422:
        return False
    tied = case.operation.definition.raw.get("x-rules", {})
    errors = response.json()["errors"]
    return bool(errors) and all(error["message"] in UNREADABLE or error["field"].partition("[")[0] in tied for error in errors)


def _is_forgotten(case: Case[Any], response: Response) -> bool:
    """The history goes back 90 days."""
    return response.status_code == 410 and "as_of" in (case.query or {})


def _is_too_long(response: Response) -> bool:
    """A URL of more than 64 KiB is refused before it is parsed."""
    return response.status_code == 431 or (response.status_code == 414 and not response.content)


def _is_read_anyway(failure: Failure, case: Case[Any]) -> bool:
    """The document describes one form of each value; the service accepts others too, such as `yes` for true and `"7"` for 7."""
    if not isinstance(failure, AcceptedNegativeData):
        return False
    endpoint = next(e for e in ENDPOINTS if case.method.upper() in e.methods and e.url == case.path)
    values = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
    values = {name: Upload(name, value.data) if isinstance(value, Binary) else value for name, value in values.items()}
    return endpoint.params is not None and not endpoint.read(endpoint.params, values)[1]

"""What Schemathesis is told beyond its settings: where the service is right, and a check cannot know it."""

from typing import Any
from uuid import uuid4

import schemathesis
from hypothesis.strategies import builds, sampled_from
from schemathesis import Case, HookContext
from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response
from schemathesis.openapi.checks import IgnoredAuth, RejectedPositiveData

# The document calls it a time zone, and no more: a list of all of them would be out of date with the next one that the world makes.
schemathesis.openapi.format("time-zone", sampled_from(["UTC", "Europe/Paris", "America/Argentina/Buenos_Aires"]))

schemathesis.openapi.format("phone", sampled_from(["+33 6 12 34 56 78", "+12125550123", "0049 171 1234567"]))

# Each time another, as each request should have.
schemathesis.openapi.format("idempotency-key", builds(lambda: str(uuid4())))


@schemathesis.hook
def filter_failure(context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    is_right = _is_hidden(failure, case) or _breaks_a_rule(failure, case, response) or _asks_who_is_away(case, response)
    return not (is_right or _is_too_long(response))


def _is_hidden(failure: Failure, case: Case[Any]) -> bool:
    """A record that a guest may not see is not found, rather than unauthorized: else its address would tell that it exists."""
    return isinstance(failure, IgnoredAuth) and "got `404 Not Found`" in failure.message and _names_a_record(case)


def _names_a_record(case: Case[Any]) -> bool:
    return "{" in case.path or "event_id" in (case.query or {})


def _breaks_a_rule(failure: Failure, case: Case[Any], response: Response) -> bool:
    """No schema can tie two fields together. The document names in x-rules the fields that are tied, and only those may be refused."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 422:
        return False
    refused = {error["field"] for error in response.json()["errors"]}
    return bool(refused) and refused <= set(case.operation.definition.raw.get("x-rules", {}))


def _asks_who_is_away(case: Case[Any], response: Response) -> bool:
    """There is no provider of contacts here, and the service says so."""
    return case.path == "/api/contacts/import" and response.status_code == 503 and "cannot be asked now" in response.text


def _is_too_long(response: Response) -> bool:
    """An address of more than 64 KiB is not read at all, whatever it asks for."""
    return response.status_code == 414 and not response.content

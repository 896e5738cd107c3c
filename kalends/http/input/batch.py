"""A batch: a JSON array in the body, each item with the parameters of one action."""

from typing import Any

from msgspec import structs

from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.http.endpoint import Endpoint
from kalends.http.input import params as one
from kalends.http.request import Request

MAX_ITEMS = 500
# An error lists this many broken fields.
MAX_ERRORS = 100
# The array begins within this many bytes.
HEAD = 64
# The name under which an idempotency key knows the items.
ITEMS = "[]"


def is_batch(request: Request) -> bool:
    """Whether the body looks like a JSON array."""
    return request.body[:HEAD].lstrip()[:1] == b"["


def name_field(number: int, field: str) -> str:
    """The name of a field of an item in errors: `[17][title]`."""
    return f"[{number}][{field}]"


def gather(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """The parameters of each item; those of the query string hold for all."""
    shared = one.gather_query(request.query, endpoint)
    items = one.read_array(request, endpoint)
    if not items:
        raise errors.Invalid([], "The list is empty. Send at least one.")
    if len(items) > MAX_ITEMS:
        raise errors.Invalid([], f"The list has {len(items):,} items; send at most {MAX_ITEMS} in one request.")
    broken = [
        FieldError(f"[{number}]", "must be an object", "wrong_type") for number, item in enumerate(items) if not isinstance(item, dict)
    ]
    if broken:
        raise errors.Invalid(broken[:MAX_ERRORS])
    return {ITEMS: [shared | one.read_item(item, endpoint) for item in items]}


def bind(endpoint: Endpoint, params: dict[str, Any], *, is_strict: bool) -> list[Any]:
    """The parameter Struct of each item; the invalid fields of all are reported at once."""
    values, broken = [], []
    for number, item in enumerate(params[ITEMS]):
        try:
            values.append(one.bind(endpoint, item, is_strict=is_strict))
        except errors.Invalid as invalid:
            broken += [structs.replace(error, field=name_field(number, error.field)) for error in invalid.errors]
    if broken:
        raise errors.Invalid(broken[:MAX_ERRORS])
    return values

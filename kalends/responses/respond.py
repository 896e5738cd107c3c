"""Responding to an event: the one function for the API, the pages and comments with a response."""

from collections.abc import Set

from kalends import errors, policy
from kalends.context import Context
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import store
from kalends.responses.author import Author
from kalends.responses.model import ResponseFields, ResponseInput
from kalends.subscribers.opt_in import opt_in


def respond(ctx: Context, event: Event, author: Author, fields: ResponseInput, names: Set[str]) -> Response | None:
    """Create the response, or change the fields in names of the earlier response of this address.

    Return None to callers who may not see the stored response, whether or not the address has responded before.
    """
    _require_open(ctx, event)
    _check_party(event, fields)
    row = store.upsert(ctx, fields, author, names, proven=author.is_proven or event.can_edit, party_limit=event.party_limit)
    if fields.opt_in:
        opt_in(ctx, event, "email", author.email_address, source="response")
    return row if row and policy.can_see_response(ctx, row, event) else None


def change(ctx: Context, event: Event, response: Response, fields: ResponseFields) -> Response:
    """Change the stored response of a caller who may see it."""
    _require_open(ctx, event)
    if (fields.number, fields.plus_n) != (response.number, response.plus_n):
        _check_party(event, fields)
    row = store.update(ctx, response, fields, proven=event.can_edit or policy.has_verified(ctx, response.email_address))
    if fields.opt_in and not response.opt_in:
        opt_in(ctx, event, "email", row.email_address, source="response")
    return row


def _require_open(ctx: Context, event: Event) -> None:
    """Responses are closed while the event is cancelled or postponed. It may have been since it was read."""
    status = store.lock_status(ctx, event.id)
    if status is None:
        raise errors.NotFound
    if status == "cancelled":
        raise errors.Conflict("This event is cancelled: responses are closed.")
    if status == "postponed":
        raise errors.Conflict("This event is postponed: responses are closed until it has a new date.")


def _check_party(event: Event, fields: ResponseFields) -> None:
    limit = event.party_limit
    if limit is not None and fields.number + fields.plus_n > limit:
        field, other = ("plus_n", "number") if fields.plus_n else ("number", "plus_n")
        raise errors.invalid(field, f"and {other} together must be at most {limit:,} for this event")

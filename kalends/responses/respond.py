"""Responding to an event: the one function for the API, the pages and comments with a response."""

from collections.abc import Set

from kalends import policy
from kalends.context import Context
from kalends.events.model import Event
from kalends.responses import store
from kalends.responses.author import Author
from kalends.responses.model import Response, ResponseFields, ResponseInput
from kalends.subscribers.opt_in import opt_in


def respond(ctx: Context, event: Event, author: Author, fields: ResponseInput, names: Set[str]) -> Response | None:
    """Create the response, or change the earlier one of this address in what is among the names.

    None for a caller who may not see what is stored: the same whether or not the address has responded before.
    """
    row = store.upsert(ctx, fields, author, names, proven=author.is_proven or event.can_edit)
    if fields.opt_in:
        opt_in(ctx, event, "email", author.email_address, source="response")
    return row if row and policy.sees_response(ctx, row, event) else None


def change(ctx: Context, event: Event, response: Response, fields: ResponseFields) -> Response:
    """Change the stored response, for whoever may see it."""
    row = store.update(ctx, response, fields, proven=event.can_edit or policy.proves(ctx, response.email_address))
    if fields.opt_in and not response.opt_in:
        opt_in(ctx, event, "email", row.email_address, source="response")
    return row

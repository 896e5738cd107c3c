"""Replacing the personal link of a response."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.features.deliveries.steps import response_mail
from kalends.features.responses import store
from kalends.http.context import Context


def reset_link(ctx: Context, response: Response, event: Event) -> Response:
    """Make the personal link void, and mail another one to the address. If that cannot be sent now, the old link stays."""
    response = store.reset_link(ctx, response.id)
    if not response_mail.insert(ctx, event, response.email_address, response_id=response.id):
        raise errors.TooMany(gettext("This address or your network has had too many emails lately. Try again later."), 3600)
    return response

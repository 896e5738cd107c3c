"""Replacing the personal link of a response."""

from kalends import errors
from kalends.context import Context
from kalends.deliveries import response_mail
from kalends.i18n import gettext
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import store


def reset_link(ctx: Context, response: Response, event: Event) -> Response:
    """Make the personal link void, and mail another one to the address. If that cannot be sent now, the old link stays."""
    response = store.reset_link(ctx, response.id)
    if not response_mail.insert(ctx, event, response.email_address, response_id=response.id):
        raise errors.TooMany(gettext("We have sent this address, or for your network, many messages lately. Try again later."), 3600)
    return response

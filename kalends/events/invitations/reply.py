"""The response of an invited guest, who has proved the address by the link or the reply address that was mailed to it, or signed in."""

from collections.abc import Set
from typing import Literal

from msgspec import structs

from kalends.context import Context
from kalends.events.invitations import guest_calendars
from kalends.http.input.fields import Params
from kalends.records.event import Event
from kalends.records.invitation import Invitation
from kalends.records.response import Response
from kalends.responses.author import author, by_link
from kalends.responses.model import ResponseFields, ResponseInput
from kalends.responses.respond import respond
from kalends.responses.series import respond_to_series

Channel = Literal["link", "mail", "dav"]


def record(ctx: Context, invitation: Invitation, event: Event, fields: ResponseFields, names: Set[str], via: Channel) -> Response:
    """Respond to the event, or to all coming dates if the invitation is to the series and the event is not chosen alone."""
    if fields.response in ("YES", "MAYBE"):
        guest_calendars.place(ctx, invitation)
    who = author(ctx, None, None) if via == "dav" else by_link(invitation.address, fields.name or invitation.name)
    is_series = invitation.series_id is not None and event.series_id == invitation.series_id
    value = ResponseInput(event_id=event.id, scope="all" if is_series else "this", **structs.asdict(fields))
    params = Params(value, frozenset(names))
    if is_series:
        rows = respond_to_series(ctx, event, who, params, is_invited=True)
        assert rows is not None
        return rows.main
    response = respond(ctx, event, who, params)
    assert response is not None
    return response


def record_date(ctx: Context, invitation: Invitation, event: Event, fields: ResponseFields, names: Set[str], via: Channel) -> Response:
    """Respond to one date of the series alone."""
    return record(ctx, structs.replace(invitation, series_id=None, event_id=event.id), event, fields, names, via)

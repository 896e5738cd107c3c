"""The response of an invited guest, who has proved the address by the link or the reply address that was mailed to it, or signed in."""

from collections.abc import Set
from typing import Literal

from msgspec import structs

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, Response
from kalends.features.events.invitations.steps import invite
from kalends.features.responses.model import ResponseFields, ResponseInput
from kalends.features.responses.steps.author import author, by_link, on_page
from kalends.features.responses.steps.respond import respond
from kalends.features.responses.steps.series import respond_to_series
from kalends.http.context import Context
from kalends.http.input.fields import Params

Channel = Literal["link", "mail", "dav", "account"]


def find_invitation(ctx: Context, invitation_id: int, mac: str) -> tuple[Invitation, Event]:
    """The invitation to whose reply address a mail was sent, and its event."""
    return policy.replied_invitation(ctx, invitation_id, mac)


def record(ctx: Context, invitation: Invitation, event: Event, fields: ResponseFields, names: Set[str], via: Channel) -> Response:
    """Respond to the event, or to all coming dates if the invitation is to the series and the event is not chosen alone."""
    if fields.response in ("YES", "MAYBE"):
        invite.place(ctx, invitation)
    prove = on_page if via == "link" else by_link
    who = author(ctx, None, None) if via in ("dav", "account") else prove(invitation.address, fields.name or invitation.name)
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

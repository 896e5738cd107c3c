"""The pages of an invitation's link: a guest sees the event and responds without an account, or wants no more invitations.

GET changes nothing, since programs follow every link in a mail."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, Response
from kalends.core.values.picture import parse_path
from kalends.features.deliveries import refusal_store as refusals
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.rules import event_time
from kalends.features.events.invitations.steps import reply
from kalends.features.events.rules.visibility import describe_status
from kalends.features.responses import store as responses
from kalends.features.responses.link_pages import Choice, private
from kalends.features.responses.model import ResponseFields
from kalends.features.responses.rules.seating import require_few
from kalends.features.responses.rules.ticket import mask
from kalends.features.responses.steps import guest_cookie
from kalends.features.responses.steps.guest_cookie import OwnResponse
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy.site import reader_locale
from kalends.web.drawings import DEFAULT_COLOR
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

NO_CHOICE = Choice()


class StopScope(Struct, kw_only=True):
    """Whose invitations a guest does not want."""

    whose: Annotated[Literal["organiser", "service"], Meta(description="Those of this organiser, or of everybody here.")] = "organiser"


@page("GET", "/i/{invitation_token}", guests=True, credentials=False)
def show(ctx: Context, invitation_token: str, params: Choice = NO_CHOICE, form: FormState | None = None) -> Document:
    """The event, with a form to respond. Who has responded sees the response."""
    invitation, event = _load(ctx, invitation_token)
    stored = _find_response(ctx, invitation, event)
    if stored and form is None:
        scope = "&scope=all" if invitation.series_id is not None else ""
        query = f"?response={params.response}{scope}" if params.response else ""
        return redirect(ctx, f"/r/{policy.response_token(ctx.settings, stored)}{query}")
    locale = reader_locale(ctx)
    return render(
        "invitations/link.html",
        ctx,
        title=gettext("Your invitation"),
        form=form,
        invitation=invitation,
        event=event,
        address=mask(invitation.address),
        time=event_time.long(event, locale.formats),
        short_time=event_time.start(event, locale.formats),
        own_picture=parse_path(event.image_url),
        color=DEFAULT_COLOR,
        state=describe_status(event),
        choice=params.response or "YES",
        is_over=event.is_over(ctx.now),
        link_path=f"/i/{invitation_token}",
    )


@page("POST", "/i/{invitation_token}", guests=True, credentials=False, by_link=True, rate_limited=True, again=show)
def respond(ctx: Context, invitation_token: str, params: Form) -> Document:
    """Respond with one tap; the page of the response asks the questions of the event."""
    invitation, event = _load(ctx, invitation_token)
    fields = params.read(ResponseFields)
    require_few(fields.number + fields.plus_n, event.page_limit)
    names = frozenset(name for name in ResponseFields.__struct_fields__ if name in params.values)
    response = reply.record(ctx, invitation, event, fields, names, "link")
    token = policy.response_token(ctx.settings, response)
    guest_cookie.put(ctx, event.id, OwnResponse(response.response, token, is_series=invitation.series_id is not None))
    return redirect(ctx, f"/r/{token}")


@page("GET", "/i/{invitation_token}/stop", guests=True, credentials=False)
def ask_stop(ctx: Context, invitation_token: str, form: FormState | None = None) -> Document:
    """Ask whose invitations the guest does not want any more."""
    _, event = _load(ctx, invitation_token)
    return render(
        "invitations/stop.html", ctx, title=gettext("Don’t invite me again"), form=form or filled({"whose": "organiser"}), event=event
    )


@page("POST", "/i/{invitation_token}/stop", guests=True, credentials=False, by_link=True, rate_limited=True, again=ask_stop)
def stop(ctx: Context, invitation_token: str, params: Form) -> Document:
    """Send the address no more invitations; a mail program's one click (RFC 8058) means those of the organiser."""
    invitation, event = _load(ctx, invitation_token)
    whose = params.read(StopScope).whose
    owner_id = event.owner_id if whose == "organiser" else None
    suppressions.insert(ctx, "invitation", "unsubscribed", "email", invitation.address, owner_id=owner_id)
    refusals.record(ctx, event.owner_id, invitation.address)
    return render("invitations/stopped.html", ctx, title=gettext("Invitations stopped"), event=event, whose=whose)


def _find_response(ctx: Context, invitation: Invitation, event: Event) -> Response | None:
    return next(iter(responses.of_address(ctx, event.id, invitation.address)), None)


def _load(ctx: Context, token: str) -> tuple[Invitation, Event]:
    with private(ctx):
        return policy.linked_invitation(ctx, token)

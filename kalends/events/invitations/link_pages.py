"""The pages of an invitation's link: a guest sees the event and responds without an account, or wants no more invitations.

GET changes nothing, since programs follow every link in a mail."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from kalends import policy
from kalends.context import Context
from kalends.deliveries import event_time, refusals, suppressions
from kalends.events.invitations import reply
from kalends.events.status import describe
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.i18n import gettext
from kalends.questions import answer_form
from kalends.questions import store as questions
from kalends.records.event import Event
from kalends.records.invitation import Invitation
from kalends.records.response import Response
from kalends.responses import guest_cookie
from kalends.responses import store as responses
from kalends.responses.link_pages import CARRIED, Choice, private
from kalends.responses.mask import mask
from kalends.responses.model import ResponseFields
from kalends.site.reader_locale import reader_locale
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
        query = f"?response={params.response}" if params.response else ""
        return redirect(ctx, f"/r/{policy.response_token(ctx.settings, stored)}{query}")
    values = {"response": params.response or "", "number": 1, "plus_n": 0, "name": invitation.name or ""}
    return render(
        "invitations/link.html",
        ctx,
        title=gettext("Your invitation"),
        form=form or filled(values),
        invitation=invitation,
        event=event,
        address=mask(invitation.address),
        time=event_time.long(event, reader_locale(ctx).formats),
        state=describe(event),
        is_chosen=bool(params.response),
        is_over=event.is_over(ctx.now),
        link_path=f"/i/{invitation_token}",
    )


@page("POST", "/i/{invitation_token}", guests=True, credentials=False, by_link=True, rate_limited=True, again=show)
def respond(ctx: Context, invitation_token: str, params: Form) -> Document:
    """Respond; a YES answers the questions of the event first."""
    invitation, event = _load(ctx, invitation_token)
    changes = params.changes(ResponseFields)
    if changes.get("response") == "YES" and questions.of_event(ctx, event.id, event.calendar_id):
        return _ask(ctx, invitation_token, event, FormState(params.values))
    return _save(ctx, invitation, event, params)


@page("GET", "/i/{invitation_token}/questions", guests=True, credentials=False)
def ask(ctx: Context, invitation_token: str, form: FormState | None = None) -> Document:
    """The questions of the event."""
    _, event = _load(ctx, invitation_token)
    return _ask(ctx, invitation_token, event, form or FormState({}))


@page("POST", "/i/{invitation_token}/questions", guests=True, credentials=False, by_link=True, rate_limited=True, again=ask)
def answer(ctx: Context, invitation_token: str, params: Form) -> Document:
    """Answer the questions, and say YES."""
    invitation, event = _load(ctx, invitation_token)
    sent = {name: params.values[name] for name in CARRIED if name in params.values} | {"response": "YES"}
    changes = Form(sent).changes(ResponseFields)
    people = changes.get("number", 1) + changes.get("plus_n", 0)
    typed = answer_form.read(ctx, event, params.values, people)
    with typed.naming_inputs():
        return _save(ctx, invitation, event, Form(sent | {"answers": typed.params}))


@page("GET", "/i/{invitation_token}/stop", guests=True, credentials=False)
def ask_stop(ctx: Context, invitation_token: str, form: FormState | None = None) -> Document:
    """Ask whose invitations the guest does not want any more."""
    _, event = _load(ctx, invitation_token)
    return render(
        "invitations/stop.html", ctx, title=gettext("Do not invite me again"), form=form or filled({"whose": "organiser"}), event=event
    )


@page("POST", "/i/{invitation_token}/stop", guests=True, credentials=False, by_link=True, rate_limited=True, again=ask_stop)
def stop(ctx: Context, invitation_token: str, params: Form) -> Document:
    """Send the address no more invitations; a mail program's one click (RFC 8058) means those of the organiser."""
    invitation, event = _load(ctx, invitation_token)
    whose = params.read(StopScope).whose
    owner_id = event.owner_id if whose == "organiser" else None
    suppressions.insert(ctx, "invitation", "unsubscribed", "email", invitation.address, owner_id=owner_id)
    refusals.record(ctx, event.owner_id, invitation.address)
    return render("invitations/stopped.html", ctx, title=gettext("No more invitations"), event=event, whose=whose)


def _save(ctx: Context, invitation: Invitation, event: Event, form: Form) -> Document:
    fields = form.read(ResponseFields)
    names = frozenset(name for name in ResponseFields.__struct_fields__ if name in form.values)
    response = reply.record(ctx, invitation, event, fields, names, "link")
    token = policy.response_token(ctx.settings, response)
    guest_cookie.put(ctx, event.id, response.response, token)
    return redirect(ctx, f"/r/{token}", done=f"said-{response.response.lower()}")


def _ask(ctx: Context, token: str, event: Event, form: FormState) -> Document:
    people = answer_form.party_size(form.values)
    return answer_form.render_questions(ctx, event, form, people, action=f"/i/{token}/questions", back=f"/i/{token}", carried=CARRIED)


def _find_response(ctx: Context, invitation: Invitation, event: Event) -> Response | None:
    return next(iter(responses.of_address(ctx, event.id, invitation.address)), None)


def _load(ctx: Context, token: str) -> tuple[Invitation, Event]:
    with private(ctx):
        return policy.linked_invitation(ctx, token)

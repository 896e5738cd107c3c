"""The pages of an event for those who have its link: they see it, respond, comment and have it sent, without an account."""

from kalends import policy
from kalends.core import errors
from kalends.features.events import api, pages, respond_pages
from kalends.features.events.listing.query_model import LinkHolder
from kalends.features.events.pages import CHOOSING, Choice
from kalends.features.responses.link_pages import PRIVATE
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect

# Forms without any referrer would come from nowhere, which is refused to people who are signed in.
SECRET = PRIVATE | {"Referrer-Policy": "same-origin"}


@page("GET", "/e/{event_link}", guests=True)
def show(ctx: Context, event_link: str, params: Choice = CHOOSING, **submitted: FormState) -> Document:
    """The event; with `.ics`, as a calendar file. Its organisers see their overview;
    others who can open it without the link are sent to its own URL."""
    if event_link.endswith(".ics"):
        event_id = _open(ctx, event_link.removesuffix(".ics"))
        return api.show_ics(ctx, event_id, LinkHolder())
    event_id = _open(ctx, event_link)
    linked, ctx.linked = ctx.linked, None
    try:
        event = policy.event(ctx, event_id, to=Right.SEE)
        if event.link_number is not None and not submitted and not params.response and pages.is_managed(ctx, event):
            return pages.manage(ctx, event_id)
    except errors.NotFound:
        ctx.linked = linked
    return redirect(ctx, f"/events/{event_id}") if not (ctx.linked or submitted) else pages.show(ctx, event_id, params, **submitted)


@page("POST", "/e/{event_link}/respond", guests=True, rate_limited=True, fixed_time=True, is_guest_form=True, again=show, form="respond")
def respond(ctx: Context, event_link: str, params: Form) -> Document:
    """Respond to the event."""
    return respond_pages.respond(ctx, _open(ctx, event_link), params)


def ask_again(ctx: Context, event_link: str, form: FormState) -> Document:
    """The questions, with what was answered and what is wrong with it."""
    return respond_pages.ask_again(ctx, _open(ctx, event_link), form)


@page("POST", "/e/{event_link}/respond/questions", guests=True, rate_limited=True, fixed_time=True, is_guest_form=True, again=ask_again)
def answer(ctx: Context, event_link: str, params: Form) -> Document:
    """Respond with YES, and answer the questions of the event."""
    return respond_pages.answer(ctx, _open(ctx, event_link), params)


@page("POST", "/e/{event_link}/comment", guests=True, rate_limited=True, fixed_time=True, is_guest_form=True, again=show, form="comment")
def comment(ctx: Context, event_link: str, params: Form) -> Document:
    """Comment on the event."""
    return pages.comment(ctx, _open(ctx, event_link), params)


@page("POST", "/e/{event_link}/link", guests=True, rate_limited=True, fixed_time=True, again=show, form="link")
def link(ctx: Context, event_link: str, params: Form) -> Document:
    """Send the personal link of a response to its address."""
    return pages.link(ctx, _open(ctx, event_link), params)


@page("POST", "/e/{event_link}/send", guests=True, rate_limited=True, is_guest_form=True, again=show, form="send")
def send(ctx: Context, event_link: str, params: Form) -> Document:
    """Send the event to an address or a phone."""
    return pages.send(ctx, _open(ctx, event_link), params)


def _open(ctx: Context, event_link: str) -> int:
    """Let the request see the event; no cache, no other site and no search engine learns of the link."""
    ctx.headers.update(SECRET)
    try:
        return policy.open_link(ctx, event_link)
    except errors.NotFound as problem:
        problem.headers.update(SECRET)
        raise

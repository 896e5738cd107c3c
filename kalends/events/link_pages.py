"""The pages of an event for those who have its link: they see it, respond, comment and have it sent, without an account."""

from kalends import errors, policy
from kalends.context import Context
from kalends.events import api, pages
from kalends.events.pages import CHOOSING, Choice
from kalends.events.query import LinkHolder
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.responses.link_pages import PRIVATE
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect

# Forms without any referrer would come from nowhere, which is refused to people who are signed in.
SECRET = PRIVATE | {"Referrer-Policy": "same-origin"}


@page("GET", "/e/{event_link}", guests=True)
def show(ctx: Context, event_link: str, params: Choice = CHOOSING, **submitted: FormState) -> Document:
    """The event; with `.ics`, as a calendar file. Those who can open it without the link are sent to its own URL."""
    if event_link.endswith(".ics"):
        event_id = _open(ctx, event_link.removesuffix(".ics"))
        return api.show_ics(ctx, event_id, LinkHolder())
    event_id = _open(ctx, event_link)
    linked, ctx.linked = ctx.linked, None
    try:
        policy.event(ctx, event_id, to=Right.SEE)
    except errors.NotFound:
        ctx.linked = linked
    return redirect(ctx, f"/events/{event_id}") if not (ctx.linked or submitted) else pages.show(ctx, event_id, params, **submitted)


@page("POST", "/e/{event_link}/respond", guests=True, rate_limited=True, is_guest_form=True, again=show, form="respond")
def respond(ctx: Context, event_link: str, params: Form) -> Document:
    """Respond to the event."""
    return pages.respond(ctx, _open(ctx, event_link), params)


def ask_again(ctx: Context, event_link: str, form: FormState) -> Document:
    """The questions, with what was answered and what is wrong with it."""
    return pages.ask_again(ctx, _open(ctx, event_link), form)


@page("POST", "/e/{event_link}/respond/questions", guests=True, rate_limited=True, is_guest_form=True, again=ask_again)
def answer(ctx: Context, event_link: str, params: Form) -> Document:
    """Respond with YES, and answer the questions of the event."""
    return pages.answer(ctx, _open(ctx, event_link), params)


@page("POST", "/e/{event_link}/comment", guests=True, rate_limited=True, is_guest_form=True, again=show, form="comment")
def comment(ctx: Context, event_link: str, params: Form) -> Document:
    """Comment on the event."""
    return pages.comment(ctx, _open(ctx, event_link), params)


@page("POST", "/e/{event_link}/link", guests=True, rate_limited=True, again=show, form="link")
def link(ctx: Context, event_link: str, params: Form) -> Document:
    """Have the personal link of a response sent to its address."""
    return pages.link(ctx, _open(ctx, event_link), params)


@page("POST", "/e/{event_link}/send", guests=True, rate_limited=True, is_guest_form=True, again=show, form="send")
def send(ctx: Context, event_link: str, params: Form) -> Document:
    """Have the event sent to an address or a phone."""
    return pages.send(ctx, _open(ctx, event_link), params)


def _open(ctx: Context, event_link: str) -> int:
    """Let the request see the event; no cache, no other site and no search engine learns of the link."""
    ctx.headers.update(SECRET)
    try:
        return policy.open_link(ctx, event_link)
    except errors.NotFound as problem:
        problem.headers.update(SECRET)
        raise

"""Pages of events: the start page with what is on, and an event with all that people do with it."""

from typing import Annotated, Any
from urllib.parse import urlencode

from msgspec import Meta, Struct, structs

from kalends import policy
from kalends.calendars import search as calendar_search
from kalends.comments import api as comments
from kalends.comments import store as comment_store
from kalends.comments.model import CommentFor, CommentInput
from kalends.context import Context
from kalends.deliveries import message
from kalends.deliveries import store as deliveries
from kalends.events import api, span, upcoming
from kalends.events.cursor import Cursor
from kalends.events.input import CalendarChoice, SendInput
from kalends.events.query import CommentPage, EventQuery, EventView, Query
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.responses import api as responses
from kalends.responses import store as answers
from kalends.responses.model import ResponseFor, ResponseInput
from kalends.web.forms import FormState, filled, submit
from kalends.web.reader_zone import reader_zone
from kalends.web.render import redirect, render

PAGE = 24
# How many pages back the way is known, and what stands for the first one.
TRAIL, FIRST = 20, "0"
COMMENTS = 100


class Search(Struct, kw_only=True):
    """What to look for on the start page."""

    text: Annotated[Query, Meta(description="Words.")] | None = None
    tags: Annotated[Query, Meta(description="Comma-delimited tags.")] | None = None
    after: Cursor | None = None
    trail: Annotated[str, Meta(max_length=700, description="Where the pages before began, the last one last.")] | None = None


@endpoint("GET", "/", guests=True, format="html")
def home(ctx: Context, params: Search) -> Document:
    """What is on: the public events that are going on or to come, each series once, and the calendars that have the words."""
    query = EventQuery(text=_words(params.text), tags=params.tags, after=params.after, limit=PAGE)
    cards, position = upcoming.find(ctx, query, reader_zone(ctx))
    calendars = calendar_search.find(ctx, params.text) if params.text and not params.after else []
    return render(
        "events/home.html",
        ctx,
        title="What is on",
        form=filled(structs.asdict(params)),
        cards=cards,
        calendars=calendars,
        earlier=_earlier(params),
        later=_later(params, position) if position else "",
    )


def _words(text: str | None) -> str | None:
    """What people typed: with `open-stage` they mean both words, unless they put it in quotation marks."""
    return text.replace("-", " ") if text and '"' not in text else text


def _later(params: Search, position: str) -> str:
    """The address of the next page, with the way back."""
    passed = [*(params.trail or "").split(","), params.after or FIRST]
    return _address(params, after=position, trail=",".join(filter(None, passed[-TRAIL:])))


def _earlier(params: Search) -> str:
    """The address of the page before; the first one, if the way is not known."""
    if params.after is None:
        return ""
    *passed, before = (params.trail or FIRST).split(",")
    return _address(params, after="" if before == FIRST else before, trail=",".join(passed))


def _address(params: Search, **position: str) -> str:
    query = {"text": params.text, "tags": params.tags} | position
    return "/?" + urlencode({name: value for name, value in query.items() if value}, safe=",")


@endpoint("GET", "/events/{event_id}", guests=True, format="html")
def show(ctx: Context, event_id: int) -> Document:
    """An event: when, where and what, who comes, and what people say."""
    return _page(ctx, event_id)


@endpoint("POST", "/events/{event_id}/respond", guests=True, limited=True, transaction=False, format="html")
def respond(ctx: Context, event_id: int, params: Form) -> Document:
    """Answer the event."""

    def act() -> Document:
        made = responses.create(ctx, Form(_filled_in(ctx, params) | {"event_id": event_id}).given(ResponseInput))
        return redirect(ctx, f"/events/{event_id}", done=f"said-{made.response.lower()}")

    return submit(ctx, params, act, lambda state: _page(ctx, event_id, respond=state))


@endpoint("POST", "/events/{event_id}/comment", guests=True, limited=True, transaction=False, format="html")
def comment(ctx: Context, event_id: int, params: Form) -> Document:
    """Comment on the event."""

    def act() -> Document:
        made = comments.create(ctx, Form(params.values | {"event_id": event_id}).read(CommentInput))
        return redirect(ctx, f"/events/{event_id}", done="commented" if made.approved == "true" else "waiting")

    return submit(ctx, params, act, lambda state: _page(ctx, event_id, comment=state))


@endpoint("POST", "/events/{event_id}/send", guests=True, limited=True, transaction=False, format="html")
def send(ctx: Context, event_id: int, params: Form) -> Document:
    """Have the event sent to an address or a phone."""

    def act() -> Document:
        api.send_to_me(ctx, event_id, params.read(SendInput))
        return redirect(ctx, f"/events/{event_id}", done="sent")

    return submit(ctx, params, act, lambda state: _page(ctx, event_id, send=state))


@endpoint("GET", "/events/{event_id}/announce", format="html")
def ask_announcement(ctx: Context, event_id: int) -> Document:
    """Ask before the event is announced, with what is sent and to how many."""
    return _announcement(ctx, event_id, FormState())


@endpoint("POST", "/events/{event_id}/announce", transaction=False, format="html")
def announce(ctx: Context, event_id: int, params: Form) -> Document:
    """Send the event to every confirmed address on its owner's list."""

    def act() -> Document:
        announced = api.announce(ctx, event_id)
        return redirect(ctx, f"/events/{event_id}", done="announced", count=announced.queued)

    return submit(ctx, params, act, lambda state: _announcement(ctx, event_id, state))


def _announcement(ctx: Context, event_id: int, state: FormState) -> Document:
    event = policy.event(ctx, event_id, to=Right.EDIT)
    return render(
        "events/announce.html",
        ctx,
        title="Announce the event",
        form=state,
        event=event,
        recipients=deliveries.count_recipients(ctx, event),
        preview=message.preview(ctx.settings, event),
    )


@endpoint("POST", "/events/{event_id}/copy", transaction=False, format="html")
def copy(ctx: Context, event_id: int, params: Form) -> Document:
    """Copy the event to a calendar of one's own."""

    def act() -> Document:
        made = api.copy(ctx, event_id, params.read(CalendarChoice))
        return redirect(ctx, f"/events/{made.id}", done="copied")

    return submit(ctx, params, act, lambda state: _page(ctx, event_id, place=state))


@endpoint("POST", "/events/{event_id}/add", transaction=False, format="html")
def add(ctx: Context, event_id: int, params: Form) -> Document:
    """Put the event on a calendar of one's own."""

    def act() -> Document:
        api.add(ctx, event_id, params.read(CalendarChoice))
        return redirect(ctx, f"/events/{event_id}", done="saved")

    return submit(ctx, params, act, lambda state: _page(ctx, event_id, place=state))


def _page(ctx: Context, event_id: int, **states: FormState) -> Document:
    """The event's page, with its forms as they stand."""
    event = api.show(ctx, event_id, EventView(comments=CommentPage(limit=COMMENTS)))
    # What the page says depends on more than the event, so it is not for the caches of those who asked before.
    del ctx.headers["ETag"]
    ctx.etag_has_body_hash = False
    calendars = [c for c in policy.own_calendars(ctx) if policy.can_edit(c)] if ctx.actor else []
    shown: dict[str, Any] = {
        "respond": _own_answer(ctx, event_id),
        "comment": filled(comments.new(ctx, CommentFor(event_id=event_id))),
        "send": FormState({"email": ctx.actor.email_address if ctx.actor else ""}),
        "place": FormState(),
    } | states
    forms = {name: structs.replace(state, prefix=f"{name}-") for name, state in shown.items()}
    return render(
        "events/show.html",
        ctx,
        title=event.title,
        event=event,
        forms=forms,
        calendars=calendars,
        own_comments=comment_store.own_ids(ctx, event_id) if ctx.actor else set(),
        is_over=span.is_over(event, ctx.now),
    )


def _filled_in(ctx: Context, form: Form) -> dict[str, Any]:
    """What somebody typed. An input that was left empty changes nothing, nor does a guest's empty box."""
    left_empty = ("", "false") if ctx.actor is None else ("",)
    return {name: value for name, value in form.values.items() if value not in left_empty}


def _own_answer(ctx: Context, event_id: int) -> FormState:
    """The form to answer, with what the reader answered before."""
    blank = structs.asdict(responses.new(ctx, ResponseFor(event_id=event_id))) | {"number": None, "plus_n": None}
    earlier = answers.of_user(ctx, ctx.actor.id, event_id, 1, 0) if ctx.actor else []
    if earlier:
        blank |= {
            name: getattr(earlier[0], name) for name in ("email_address", "response", "name", "number", "plus_n", "comment", "opt_in")
        }
    return filled(blank)

"""Pages of responses: the latest to one's events, those counted by event, and those to one event."""

from collections.abc import Iterable

from kalends import errors, policy
from kalends.comments import present as comment_present
from kalends.comments import store as comments
from kalends.context import Context
from kalends.events import listing
from kalends.events import present as event_present
from kalends.events.model import EventItem
from kalends.events.query import EventQuery
from kalends.http import paging
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.i18n import gettext
from kalends.policy import Right
from kalends.questions import answers as question_answers
from kalends.questions import present as question_present
from kalends.records.event import Event
from kalends.records.response import Tally
from kalends.responses import api, guest_list, present, proposals, store
from kalends.responses.guest_list import GuestQuery
from kalends.responses.model import ResponseInput, ResponseItem
from kalends.responses.proposals import Proposal
from kalends.values import timestamps
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect, redirect_permanently
from kalends.web.render import render

LATEST = 8


@page("GET", "/responses")
def index(ctx: Context, params: Paging) -> Document:
    """The latest responses, and the comments: those that wait for approval first."""
    tallies = store.by_event(ctx, LATEST + 1)
    rows, next_page = paging.paginate(ctx, params, comments.to_review(ctx, params.fetch, params.offset))
    return render(
        "responses/index.html",
        ctx,
        title=gettext("Responses and comments"),
        tallies=tallies[:LATEST],
        has_more=len(tallies) > LATEST,
        comments=[comment_present.item(comment, for_editor=True) for comment in rows],
        waiting=comments.count_waiting(ctx),
        offset=params.offset,
        next_page=next_page,
        events=_find_events(ctx, [*(tally.event_id for tally in tallies), *(comment.event_id for comment in rows)]),
        utc=timestamps.format_utc,
    )


@page("GET", "/responses/events")
def events(ctx: Context, params: Paging) -> Document:
    """The responses counted by event, of all events that one may edit."""
    tallies, next_page = paging.paginate(ctx, params, store.by_event(ctx, params.fetch, params.offset))
    return render(
        "responses/events.html",
        ctx,
        title=gettext("Responses by event"),
        tallies=tallies,
        events=_find_events(ctx, [tally.event_id for tally in tallies]),
        next_page=next_page,
        utc=timestamps.format_utc,
    )


@page("GET", "/events/{event_id}/responses")
def responses(ctx: Context, event_id: int, params: GuestQuery) -> Document:
    """The guests of an event: who responded, and how."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    tally = store.tally(ctx, event)
    guests, proposed, next_page = _page_of_guests(ctx, event_id, params)
    questions = question_present.load(ctx, event.id, event.calendar_id)
    return render(
        "events/responses.html",
        ctx,
        title=gettext("Responses to %(title)s", title=event.title),
        event=_find_events(ctx, [event_id])[event_id],
        tally=tally,
        tabs=_tabs(ctx, event, tally, params),
        guests=guests,
        proposed=proposed,
        next_page=next_page,
        query=params,
        form=filled(params),
        is_open=event.is_open,
        questions=questions,
        counted=question_answers.count(ctx, event_id) if questions else {},
        describe=question_present.describe,
        utc=timestamps.format_utc,
    )


def _page_of_guests(ctx: Context, event_id: int, query: GuestQuery) -> tuple[list[ResponseItem], list[Proposal], str | None]:
    """The guests of a page, or what waits for confirmation, and the address of the next page."""
    if query.tab == "unconfirmed":
        rows = [] if query.offset else guest_list.find(ctx, event_id, query)
        guests, next_page = paging.paginate(ctx, query, rows, after=lambda guest: str(guest.id))
        if next_page:
            return present.items(ctx, guests), [], next_page
        proposed, next_page = paging.paginate(ctx, query, proposals.of_event(ctx, event_id, query.fetch, query.offset))
        return present.items(ctx, guests), proposed, next_page
    guests, next_page = paging.paginate(ctx, query, guest_list.find(ctx, event_id, query), after=lambda guest: str(guest.id))
    return present.items(ctx, guests), [], next_page


def _tabs(ctx: Context, event: Event, tally: Tally, query: GuestQuery) -> list[tuple[str, str, int]]:
    """The tabs that have something to show: name, label and number of responses."""
    settings, unconfirmed = event.settings, guest_list.count(ctx, event.id, "unconfirmed")
    # The tally has those alone who count.
    is_partial = settings.approval or unconfirmed
    total = store.count_of_event(ctx, event.id) if is_partial else tally.yes + tally.maybe + tally.no
    has_places = settings.capacity is not None or settings.approval
    going = guest_list.count(ctx, event.id, "going") if has_places else tally.yes
    tabs: list[tuple[str, str, int]] = [
        ("all", gettext("All"), total),
        ("going", gettext("Going"), going),
        ("maybe", gettext("Maybe"), tally.maybe),
        ("no", gettext("No"), tally.no),
    ]
    if settings.capacity is not None:
        tabs.append(("waiting", gettext("Waiting"), guest_list.count(ctx, event.id, "waiting")))
    if settings.approval:
        tabs.append(("pending", gettext("To accept"), guest_list.count(ctx, event.id, "pending")))
    unconfirmed += proposals.count(ctx, event.id)
    if unconfirmed or query.tab == "unconfirmed":
        tabs.append(("unconfirmed", gettext("Unconfirmed"), unconfirmed))
    return tabs


@page("GET", "/events/{event_id}/responses/new")
def new_guest(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """The form to add a guest."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    return render("events/new_guest.html", ctx, title=gettext("Add a guest"), event=event, form=form or filled({"notify": True}))


@page("POST", "/events/{event_id}/responses/new", again=new_guest)
def add_guest(ctx: Context, event_id: int, params: Form) -> Document:
    """Respond for a guest, as an editor of the event."""
    policy.event(ctx, event_id, to=Right.EDIT)
    if not params.text("email_address").strip():
        raise errors.invalid("email_address", gettext("is required"), "required")
    api.create(ctx, Form(params.values | {"event_id": event_id}).params(ResponseInput))
    return redirect(ctx, f"/events/{event_id}/responses", done="guest-added", can_undo=True)


@page("GET", "/events/{event_id}/answers", guests=True, transaction=False, credentials=False)
def answers(ctx: Context, event_id: int) -> Document:
    """Redirect from the former URL of the responses."""
    return redirect_permanently(ctx, f"/events/{event_id}/responses")


def _find_events(ctx: Context, ids: Iterable[int | None]) -> dict[int, EventItem]:
    """Those of the events that the reader can see, by their ids."""
    event_ids = sorted({event_id for event_id in ids if event_id is not None})
    batches = [event_ids[start : start + paging.MAX_PAGE] for start in range(0, len(event_ids), paging.MAX_PAGE)]
    rows = [row for batch in batches for row in listing.find_tuples(ctx, EventQuery(ids=batch, limit=len(batch)), None, "UTC")]
    return {item.id: item for item in event_present.items(ctx.settings, rows)}

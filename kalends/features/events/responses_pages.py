"""Pages of responses: the latest to one's events, those counted by event, and those to one event."""

from collections.abc import Iterable

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext, pgettext
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, Tally
from kalends.core.values import timestamps
from kalends.features.comments import present as comment_present
from kalends.features.comments import store as comments
from kalends.features.events import present as event_present
from kalends.features.events.invitations import store as invitations
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.store import listing
from kalends.features.events.messages import pages as message_pages
from kalends.features.events.model import EventItem
from kalends.features.questions import answer_store as question_answers
from kalends.features.questions import present as question_present
from kalends.features.responses import api, present, store
from kalends.features.responses import guest_list_store as guest_list
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses.guest_list_store import GuestQuery
from kalends.features.responses.model import ResponseInput, ResponseItem
from kalends.features.responses.proposal_store import Proposal
from kalends.features.responses.steps import selection
from kalends.http import paging
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
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
        title=gettext("RSVPs and comments"),
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
        title=gettext("RSVPs by event"),
        tallies=tallies,
        events=_find_events(ctx, [tally.event_id for tally in tallies]),
        next_page=next_page,
        utc=timestamps.format_utc,
    )


EVERYBODY = GuestQuery()


@page("GET", "/events/{event_id}/responses")
def responses(ctx: Context, event_id: int, params: GuestQuery = EVERYBODY, form: FormState | None = None) -> Document:
    """The guests of an event: who responded and how, and who is invited. A form that was submitted keeps what was selected."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    tally = store.tally(ctx, event)
    guests, proposed, next_page = _page_of_guests(ctx, event_id, params)
    invited: list[Invitation] = []
    if params.tab == "invited":
        invited, next_page = paging.paginate(ctx, params, invitations.unanswered(ctx, event, params.fetch, params.offset))
    elif params.tab == "all" and not next_page and not params.text:
        invited = invitations.unanswered(ctx, event, paging.MAX_PAGE)
    questions = question_present.load(ctx, event.id, event.calendar_id)
    return render(
        "events/responses.html",
        ctx,
        title=gettext("Guests of %(title)s", title=event.title),
        event=_find_events(ctx, [event_id])[event_id],
        tally=tally,
        tabs=_tabs(ctx, event, tally, params),
        guests=guests,
        invited=invited,
        proposed=proposed,
        next_page=next_page,
        query=params,
        form=filled(params),
        selection=form or FormState(),
        selected=selection.names(form.values.get("guests", [])) if form else [],
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
    invited = invitations.count_unanswered(ctx, event)
    tabs: list[tuple[str, str, int]] = [
        ("all", gettext("All"), total + invited),
        ("going", pgettext("guests", "Going"), going),
        ("maybe", pgettext("guests", "Maybe"), tally.maybe),
        ("invited", gettext("Invited"), invited),
    ]
    if settings.capacity is not None:
        tabs.append(("waiting", gettext("Waiting list"), guest_list.count(ctx, event.id, "waiting")))
    tabs.append(("no", pgettext("guests", "Can’t go"), tally.no))
    if settings.approval:
        tabs.append(("pending", gettext("To approve"), guest_list.count(ctx, event.id, "pending")))
    unconfirmed += proposals.count(ctx, event.id)
    if unconfirmed or query.tab == "unconfirmed":
        tabs.append(("unconfirmed", gettext("Unconfirmed"), unconfirmed))
    return tabs


@page("GET", "/events/{event_id}/responses/new")
def new_guest(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """The form to add a guest."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    return render("events/new_guest.html", ctx, title=gettext("Add guest"), event=event, form=form or filled({"notify": True}))


@page("POST", "/events/{event_id}/responses/new", again=new_guest)
def add_guest(ctx: Context, event_id: int, params: Form) -> Document:
    """Respond for a guest, as an editor of the event."""
    policy.event(ctx, event_id, to=Right.EDIT)
    if not params.text("email_address").strip():
        raise errors.invalid("email_address", gettext("is required"), "required")
    api.create(ctx, Form(params.values | {"event_id": event_id}).params(ResponseInput))
    return redirect(ctx, f"/events/{event_id}/responses", done="guest-added", can_undo=True)


@page("POST", "/events/{event_id}/responses/selected", again=responses)
def change_selected(ctx: Context, event_id: int, params: Form) -> Document:
    """Remind the selected people, write to them, or set their answer."""
    event, action = policy.event(ctx, event_id, to=Right.EDIT), params.text("action")
    chosen = selection.read(ctx, event, params.values.get("guests", []))
    if action == "message":
        ctx.status = 200
        return message_pages.index(ctx, event_id, form=FormState({"to": selection.recipients(chosen)}))
    path = f"/events/{event_id}/responses"
    if action == "remind":
        return redirect(ctx, f"{path}?tab=invited", done="announced", count=selection.remind(ctx, chosen))
    return redirect(ctx, path, done="answers-set", count=selection.set_answer(ctx, chosen, action), can_undo=True)


def _find_events(ctx: Context, ids: Iterable[int | None]) -> dict[int, EventItem]:
    """The given events that the reader can see, by their ids."""
    event_ids = sorted({event_id for event_id in ids if event_id is not None})
    batches = [event_ids[start : start + paging.MAX_PAGE] for start in range(0, len(event_ids), paging.MAX_PAGE)]
    rows = [row for batch in batches for row in listing.find(ctx, EventQuery(ids=batch, limit=len(batch)), None, "UTC")]
    return {item.id: item for item in event_present.items(ctx.settings, rows)}

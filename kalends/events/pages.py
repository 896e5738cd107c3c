"""The page of an event, with all that people do there: respond, comment, have it sent, announce, copy and add it."""

from typing import Any

from msgspec import UNSET, Struct, structs

from kalends import policy
from kalends.comments import api as comments
from kalends.comments import store as comment_store
from kalends.comments.model import CommentFor, CommentInput
from kalends.context import Context
from kalends.deliveries import store as deliveries
from kalends.events import add_links, api, present, room, structured_data
from kalends.events.input import CalendarChoice, SendInput
from kalends.events.model import EventDetail
from kalends.events.placements import api as placements
from kalends.events.query import CommentPage
from kalends.events.share_picture_pages import share_picture_url
from kalends.hidden_events import store as hidden_events
from kalends.http.endpoint import Document
from kalends.http.input.fields import Params
from kalends.http.input.form import Form
from kalends.i18n import gettext
from kalends.outbound import message
from kalends.policy import Right
from kalends.questions import answer_form
from kalends.questions import store as questions
from kalends.records.event import Event
from kalends.records.hidden_event import HiddenEvent
from kalends.responses import admission, guest_cookie
from kalends.responses import api as responses
from kalends.responses import store as response_store
from kalends.responses.guest_cookie import OwnResponse
from kalends.responses.model import Attendance, LinkRequest, ResponseCreated, ResponseFor, ResponseInput
from kalends.responses.store import EventState
from kalends.site.reader_locale import reader_locale
from kalends.web.cover import DEFAULT_COLOR
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

MAX_COMMENTS = 100
RESPONSE_FIELDS = ("email_address", "response", "name", "number", "plus_n", "comment", "opt_in", "min_party")


class Choice(Struct, frozen=True, kw_only=True):
    """What someone chose before the form."""

    response: Attendance | None = None


CHOOSING = Choice()


@page("GET", "/events/{event_id}", guests=True)
def show(ctx: Context, event_id: int, params: Choice = CHOOSING, **submitted: FormState) -> Document:
    """An event: when, where and what, who comes, and the comments. A form that was submitted keeps its state."""
    event = policy.event_with_counts(ctx, event_id)
    detail = present.detail_with_comments(ctx, event, CommentPage(limit=MAX_COMMENTS))
    forms = _blank_forms(ctx, event_id, params.response) | submitted
    dates, following = policy.count_coming_dates(ctx, event.series_id, event.start_at) if event.series_id is not None else (1, 1)
    own = _own_response(ctx, event_id)
    share_picture = share_picture_url(ctx, event)
    return render(
        "events/show.html",
        ctx,
        title=detail.title,
        event=detail,
        event_path=path_of(ctx, event_id),
        linked=ctx.linked,
        link_url=f"{ctx.settings.url}{path_of(ctx, event_id)}" if ctx.linked else detail.link_url,
        color=_cover_color(ctx, detail),
        add_links=add_links.build(detail),
        forms={name: structs.replace(form, prefix=f"{name}-") for name, form in forms.items()},
        calendars=[calendar for calendar in policy.member_calendars(ctx) if policy.can_edit(calendar)] if ctx.actor else [],
        own_comments=comment_store.own_ids(ctx, event_id) if ctx.actor else set(),
        is_over=event.is_over(ctx.now),
        has_organiser_page=detail.public and policy.is_organiser(ctx, detail.owner.id),
        own=own,
        is_asking=not (own or params.response or submitted or event.can_edit),
        dates=dates,
        following=following,
        room=room.describe(ctx, event),
        hidden=_hidden_by_admin(ctx, event),
        share_picture=share_picture,
        structured_data=structured_data.build(detail, share_picture) if detail.public else None,
    )


def _blank_forms(ctx: Context, event_id: int, response: str | None) -> dict[str, FormState]:
    """The forms of the page by name, each filled with what is known of the reader; response: what they chose before."""
    return {
        "respond": _response_form(ctx, event_id, response),
        "comment": filled(comments.new(ctx, CommentFor(event_id=event_id))),
        "send": FormState({"email": ctx.actor.email_address if ctx.actor else ""}),
        "place": FormState(),
        "link": FormState(),
    }


def _hidden_by_admin(ctx: Context, event: Event) -> HiddenEvent | None:
    """What editors are told of an event that an admin hides."""
    return hidden_events.find_by_event(ctx, event.id) if event.can_edit and not event.is_open else None


def path_of(ctx: Context, event_id: int) -> str:
    """Where the reader can open the event: at its link, if that is how they see it."""
    return f"/e/{ctx.linked.link}" if ctx.linked else f"/events/{event_id}"


def _cover_color(ctx: Context, event: EventDetail) -> str:
    """The colour of the first calendar that the reader can see."""
    ids = [calendar.id for calendar in event.calendars[:1]]
    return str(ctx.tx.value("SELECT color FROM calendars WHERE id = :id", id=ids[0])) if ids else DEFAULT_COLOR


@page("POST", "/events/{event_id}/respond", guests=True, rate_limited=True, is_guest_form=True, again=show, form="respond")
def respond(ctx: Context, event_id: int, params: Form) -> Document:
    """Respond to the event."""
    fields = Form(_filled_in(ctx, params) | {"event_id": event_id}).params(ResponseInput)
    event = policy.event(ctx, event_id, to=Right.SEE)
    if fields.value.response == "YES" and questions.of_event(ctx, event.id, event.calendar_id):
        return _ask(ctx, event, FormState(params.values))
    return _submit(ctx, event_id, fields)


def ask_again(ctx: Context, event_id: int, form: FormState) -> Document:
    """The questions, with what was answered and what is wrong with it."""
    return _ask(ctx, policy.event(ctx, event_id, to=Right.SEE), form)


@page("POST", "/events/{event_id}/respond/questions", guests=True, rate_limited=True, is_guest_form=True, again=ask_again)
def answer(ctx: Context, event_id: int, params: Form) -> Document:
    """Respond with YES, and answer the questions of the event."""
    values = _filled_in(ctx, params) | {"event_id": event_id}
    event = policy.event(ctx, event_id, to=Right.SEE)
    typed = answer_form.read(ctx, event, values, answer_form.party_size(values))
    with typed.naming_inputs():
        return _submit(ctx, event_id, Form(values | {"answers": typed.params}).params(ResponseInput))


def _ask(ctx: Context, event: Event, form: FormState) -> Document:
    path, people = path_of(ctx, event.id), answer_form.party_size(form.values)
    return answer_form.render_questions(ctx, event, form, people, action=f"{path}/respond/questions", back=path, carried=RESPONSE_FIELDS)


def _submit(ctx: Context, event_id: int, fields: Params[ResponseInput]) -> Document:
    response = responses.create(ctx, fields)
    if ctx.actor is None:
        guest_cookie.put(ctx, event_id, response.response)
    state = response_store.find_state(ctx, event_id) if response.id is UNSET else None
    if state and (done := _ask_for_confirmation(ctx, event_id, fields.value, state)):
        return redirect(ctx, path_of(ctx, event_id), done=done)
    is_queued = response.response == "YES" and _may_wait(ctx, event_id, response)
    return redirect(ctx, path_of(ctx, event_id), done="said-yes-or-waits" if is_queued else f"said-{response.response.lower()}")


def _ask_for_confirmation(ctx: Context, event_id: int, fields: ResponseInput, state: EventState) -> str | None:
    """The notice that says what a response without proof needs to count, whatever is stored."""
    if state.confirm_responses == "always":
        return "confirm-response"
    confirm_until = admission.hold(ctx, policy.event(ctx, event_id, to=Right.SEE), state).confirm_until(fields)
    if confirm_until is None:
        return None
    return "confirm-places" if confirm_until else "confirm-response"


@page("POST", "/events/{event_id}/comment", guests=True, rate_limited=True, is_guest_form=True, again=show, form="comment")
def comment(ctx: Context, event_id: int, params: Form) -> Document:
    """Comment on the event."""
    created = comments.create(ctx, Form(params.values | {"event_id": event_id}).read(CommentInput))
    return redirect(ctx, path_of(ctx, event_id), done="commented" if created.approved == "true" else "waiting")


@page("POST", "/events/{event_id}/link", guests=True, rate_limited=True, again=show, form="link")
def link(ctx: Context, event_id: int, params: Form) -> Document:
    """Have the personal link of a response sent to its address."""
    responses.link(ctx, Form(params.values | {"event_id": event_id}).read(LinkRequest))
    return redirect(ctx, path_of(ctx, event_id), done="guest-link-sent")


@page("POST", "/events/{event_id}/send", guests=True, rate_limited=True, is_guest_form=True, again=show, form="send")
def send(ctx: Context, event_id: int, params: Form) -> Document:
    """Have the event sent to an address or a phone."""
    api.send_to_me(ctx, event_id, params.read(SendInput))
    return redirect(ctx, path_of(ctx, event_id), done="sent")


@page("GET", "/events/{event_id}/announce")
def ask_announcement(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """Ask before the event is announced, with a preview of the message and the number of recipients."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    return render(
        "events/announce.html",
        ctx,
        title=gettext("Announce the event"),
        form=form,
        event=event,
        recipients=deliveries.count_recipients(ctx, event),
        preview=message.preview(ctx.settings, event, reader_locale(ctx)),
    )


@page("POST", "/events/{event_id}/announce", again=ask_announcement)
def announce(ctx: Context, event_id: int, params: Form) -> Document:
    """Send the event to every confirmed address on its owner's list."""
    announced = api.announce(ctx, event_id)
    return redirect(ctx, f"/events/{event_id}", done="announced", count=announced.queued)


@page("POST", "/events/{event_id}/reset_link", again=show, form="place")
def reset_link(ctx: Context, event_id: int, params: Form) -> Document:
    """Replace the link of the event by a new one."""
    api.reset_link(ctx, event_id)
    return redirect(ctx, f"/events/{event_id}", done="link-reset")


@page("POST", "/events/{event_id}/copy", again=show, form="place")
def copy(ctx: Context, event_id: int, params: Form) -> Document:
    """Copy the event to a calendar of one's own."""
    event = placements.copy(ctx, event_id, params.read(CalendarChoice))
    return redirect(ctx, f"/events/{event.id}", done="copied")


@page("POST", "/events/{event_id}/add", again=show, form="place")
def add(ctx: Context, event_id: int, params: Form) -> Document:
    """Put the event on a calendar of one's own."""
    placements.add(ctx, event_id, params.read(CalendarChoice))
    return redirect(ctx, f"/events/{event_id}", done="saved")


def _may_wait(ctx: Context, event_id: int, response: ResponseCreated) -> bool:
    """Whether the response may be on the waiting list; without proof, nobody is told whether it is."""
    if response.place is UNSET:
        return policy.event(ctx, event_id, to=Right.SEE).settings.waiting_list != "off"
    return response.place is not None and response.place.place != "held"


def _own_response(ctx: Context, event_id: int) -> OwnResponse | None:
    """What a guest responded from this browser; the page with it is not cached."""
    own = guest_cookie.find(ctx, event_id) if ctx.actor is None else None
    if own:
        ctx.headers["Cache-Control"] = "no-store"
    return own


def _filled_in(ctx: Context, form: Form) -> dict[str, Any]:
    """The values that were typed. An empty input changes nothing, nor does a box that a guest has not ticked."""
    empty = ("", "false") if ctx.actor is None else ("",)
    return {name: value for name, value in form.values.items() if value not in empty}


def _response_form(ctx: Context, event_id: int, chosen: str | None) -> FormState:
    """The form to respond, with the reader's latest response, or the one that was chosen."""
    values = structs.asdict(responses.new(ctx, ResponseFor(event_id=event_id))) | {"number": None, "plus_n": None}
    latest = response_store.of_user(ctx, ctx.actor.id, event_id, 1, 0) if ctx.actor else []
    if latest:
        values |= {name: getattr(latest[0], name) for name in RESPONSE_FIELDS}
    return filled(values | ({"response": chosen} if chosen else {}))

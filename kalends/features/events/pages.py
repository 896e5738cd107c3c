"""The page of an event, with what people do there: comment, have it sent, announce, copy, add and detach it."""

from typing import Literal

from msgspec import Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.administration import HiddenEvent
from kalends.core.records.event import Event, EventWithCounts
from kalends.features.calendars import store as calendar_store
from kalends.features.comments import api as comments
from kalends.features.comments import store as comment_store
from kalends.features.comments.model import CommentFor, CommentInput
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.messages import message
from kalends.features.events import api, present
from kalends.features.events.feeds.rules import structured_data
from kalends.features.events.feeds.rules.links import build_add_links
from kalends.features.events.input_model import CalendarChoice, SendInput
from kalends.features.events.listing.query_model import CommentPage
from kalends.features.events.model import EventDetail
from kalends.features.events.placements import api as placements
from kalends.features.events.share_picture_pages import share_picture_url
from kalends.features.events.steps import card, overview, response_settings
from kalends.features.hidden_events import store as hidden_events
from kalends.features.responses import api as responses
from kalends.features.responses.model import Attendance, LinkRequest, ResponseFor
from kalends.features.responses.steps import guest_cookie
from kalends.features.sources import api as sources
from kalends.features.subscribers import store as subscribers
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.policy.site import reader_locale
from kalends.web.drawings import DEFAULT_COLOR
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

MAX_COMMENTS = 100


class Choice(Struct, frozen=True, kw_only=True):
    """What someone chose before the form, and whether all dates of the series are shown."""

    response: Attendance | None = None
    dates: Literal["all"] | None = None


CHOOSING = Choice()


@page("GET", "/events/{event_id}", guests=True)
def show(ctx: Context, event_id: int, params: Choice = CHOOSING, **submitted: FormState) -> Document:
    """An event: an overview for those who may edit it, at the address that guests can open; for others, its page. A
    form that was submitted keeps its state."""
    event = policy.event_with_counts(ctx, event_id)
    if submitted or params.response or not is_managed(ctx, event):
        return _show_to_guests(ctx, event, params, submitted)
    if event.link_number is not None:
        return redirect(ctx, policy.guest_url(ctx.settings, event).removeprefix(ctx.settings.url))
    return manage(ctx, event_id)


def is_managed(ctx: Context, event: Event) -> bool:
    """Whether the reader gets the overview of the event: they may edit it, and no admin hides it."""
    return event.can_edit and not _hidden_by_admin(ctx, event)


def manage(ctx: Context, event_id: int) -> Document:
    """The overview of an event for those who may edit it."""
    return overview.show_overview(ctx, policy.event_with_counts(ctx, event_id), _forms(ctx, event_id, None, {}))


@page("GET", "/events/{event_id}/preview")
def preview(ctx: Context, event_id: int, params: Choice = CHOOSING) -> Document:
    """The page of an event as its guests see it, for those who may edit it."""
    policy.event(ctx, event_id, to=Right.EDIT)
    return _show_to_guests(ctx, policy.event_with_counts(ctx, event_id), params, {})


def _show_to_guests(ctx: Context, event: EventWithCounts, params: Choice, submitted: dict[str, FormState]) -> Document:
    """When, where and what, who comes, and the comments."""
    event_id = event.id
    if card.open_own(ctx, event_id):
        event = policy.event_with_counts(ctx, event_id)
    detail = present.detail_with_comments(ctx, event, CommentPage(limit=MAX_COMMENTS))
    forms = _forms(ctx, event_id, params.response, submitted)
    shown = card.build(ctx, event, detail, with_all_dates=params.dates == "all")
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
        add_links=build_add_links(detail),
        forms=forms,
        calendars=[calendar for calendar in policy.member_calendars(ctx) if policy.can_edit(calendar)] if ctx.actor else [],
        own_comments=comment_store.own_ids(ctx, event_id) if ctx.actor else set(),
        is_over=event.is_over(ctx.now),
        organiser_calendar_id=policy.public_calendar_id(ctx, detail.owner.id) if detail.public else None,
        card=shown,
        is_changing=bool(params.response or "respond" in submitted),
        room=response_settings.describe_room(ctx, event, shown.own.place.seats if shown.own and shown.own.place else 0),
        hidden=_hidden_by_admin(ctx, event),
        share_picture=share_picture,
        structured_data=structured_data.build(detail, share_picture) if detail.public else None,
    )


def _forms(ctx: Context, event_id: int, response: str | None, submitted: dict[str, FormState]) -> dict[str, FormState]:
    """The forms of the page by name, each filled with what is known of the reader, or as it was submitted; response: what they chose
    before."""
    forms = {
        "respond": _response_form(ctx, event_id, response),
        "comment": _comment_form(ctx),
        "send": FormState({"email": ctx.actor.email_address if ctx.actor else ""}),
        "subscribe": FormState({"email_address": ctx.actor.email_address if ctx.actor else guest_cookie.read(ctx).address}),
        "place": FormState(),
        "link": FormState(),
    }
    return {name: structs.replace(form, prefix=f"{name}-") for name, form in (forms | submitted).items()}


def _comment_form(ctx: Context) -> FormState:
    guest = guest_cookie.read(ctx) if ctx.actor is None else guest_cookie.NOBODY
    return filled(
        comments.new(ctx, CommentFor()),
        FormState({"name": guest.name, "email_address": guest.address}) if guest.address else None,
    )


def _hidden_by_admin(ctx: Context, event: Event) -> HiddenEvent | None:
    """What editors see of an event that an admin hides."""
    return hidden_events.find_by_event(ctx, event.id) if event.can_edit and not event.is_open else None


def path_of(ctx: Context, event_id: int) -> str:
    """Where the reader can open the event: at its link, if that is how they see it."""
    return f"/e/{ctx.linked.link}" if ctx.linked else f"/events/{event_id}"


def _cover_color(ctx: Context, event: EventDetail) -> str:
    """The colour of the first calendar that the reader can see."""
    ids = [calendar.id for calendar in event.calendars[:1]]
    return calendar_store.find_color(ctx, ids[0]) if ids else DEFAULT_COLOR


@page("POST", "/events/{event_id}/comment", guests=True, rate_limited=True, fixed_time=True, is_guest_form=True, again=show, form="comment")
def comment(ctx: Context, event_id: int, params: Form) -> Document:
    """Comment on the event."""
    created = comments.create(ctx, Form(params.values | {"event_id": event_id}).read(CommentInput))
    return redirect(ctx, path_of(ctx, event_id), done="commented" if created.approved == "true" else "waiting")


@page("POST", "/events/{event_id}/link", guests=True, rate_limited=True, fixed_time=True, again=show, form="link")
def link(ctx: Context, event_id: int, params: Form) -> Document:
    """Send the personal link of a response to its address."""
    responses.link(ctx, Form(params.values | {"event_id": event_id}).read(LinkRequest))
    return redirect(ctx, path_of(ctx, event_id), done="guest-link-sent")


@page("POST", "/events/{event_id}/send", guests=True, rate_limited=True, is_guest_form=True, again=show, form="send")
def send(ctx: Context, event_id: int, params: Form) -> Document:
    """Send the event to an address or a phone."""
    api.send_to_me(ctx, event_id, params.read(SendInput))
    return redirect(ctx, path_of(ctx, event_id), done="sent")


@page("GET", "/events/{event_id}/announce")
def ask_announcement(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """Ask before the event is announced, with a preview of the message and the number of recipients."""
    event, organiser = policy.event(ctx, event_id, to=Right.EDIT), policy.organiser_id(ctx, event_id)
    return render(
        "events/announce.html",
        ctx,
        title=gettext("Announce event"),
        form=form,
        event=event,
        recipients=deliveries.count_recipients(ctx, event),
        has_subscribers=subscribers.count(ctx, organiser) > subscribers.count_unconfirmed(ctx, organiser),
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


@page("POST", "/events/{event_id}/detach")
def detach(ctx: Context, event_id: int, params: Form) -> Document:
    """Make an event from a source an ordinary one."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    origin = policy.origin(ctx, event.id, event.series_id)
    if origin is None:
        raise errors.NotFound
    sources.detach(ctx, origin.source_id, event.id)
    return redirect(ctx, f"/events/{event_id}", done="detached")


def _response_form(ctx: Context, event_id: int, chosen: str | None) -> FormState:
    """The form to respond, with the reader's latest response, or the one that was chosen."""
    values = structs.asdict(responses.new(ctx, ResponseFor())) | {"number": None, "plus_n": None}
    own = guest_cookie.find(ctx, event_id) if ctx.actor is None else None
    latest = policy.my_response(ctx, event_id) if ctx.actor else None
    if latest:
        values |= {"response": latest.response, "number": latest.number + latest.plus_n}
    elif own and chosen:
        values |= {"number": own.people, "scope": "all" if own.is_series else "this"}
    return filled(values | ({"response": chosen} if chosen else {}))

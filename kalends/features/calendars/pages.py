"""Pages of calendars: the list, one with its events and its feed, and changing them."""

from typing import Annotated

from msgspec import Meta, Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values.datetimes import known_zones
from kalends.features.calendars import api, store
from kalends.features.calendars.model import CalendarDetail, CalendarInput
from kalends.features.events import api as events
from kalends.features.events.feeds.rules.links import FollowLinks, build_follow_links
from kalends.features.events.input_model import EventInput
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.steps import upcoming
from kalends.features.events.model import EventImport
from kalends.features.events.rules import days
from kalends.features.subscribers.steps.opt_in import request_opt_in
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.input.types import EmailAddress
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.policy.site import reader_locale
from kalends.web import labels
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import local_path, redirect
from kalends.web.render import render
from kalends.web.times import reader_zone

UPCOMING = 12


class Subscription(Struct, kw_only=True):
    """Who subscribes to announcements."""

    email_address: Annotated[EmailAddress, Meta(description="The address to notify.")]


@page("GET", "/calendars")
def index(ctx: Context, params: Paging) -> Document:
    """The calendars that one owns or that are shared with one."""
    calendars = api.index(ctx, params)
    return render("calendars/index.html", ctx, title=gettext("Calendars"), calendars=calendars.calendars, next_page=calendars.next)


@page("GET", "/calendars/{calendar_id}", guests=True)
def show(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """A calendar: what it is, what is to come, and how to follow it."""
    calendar = api.show(ctx, calendar_id)
    zone = reader_zone(ctx)
    calendars = policy.visible_calendars(ctx, [calendar_id])
    cards, position = upcoming.find(ctx, EventQuery(limit=UPCOMING), ctx.now, zone, calendars)
    return render(
        "calendars/show.html",
        ctx,
        title=labels.calendar_name(ctx, calendar.name),
        calendar=calendar,
        days=days.group(cards, ctx.now, ctx.now, zone, reader_locale(ctx).formats),
        has_more=position is not None,
        follow_links=_follow(ctx, calendar) if calendar.public else None,
        color=store.find_reader_color(ctx, calendar_id) or calendar.color,
        subscription=form or FormState({"email_address": ctx.actor.email_address if ctx.actor else ""}),
    )


def _follow(ctx: Context, calendar: CalendarDetail) -> FollowLinks:
    assert calendar.feed_url
    return build_follow_links(ctx.settings, calendar.name, calendar.feed_url, f"calendar_id={calendar.id}")


@page("POST", "/calendars/{calendar_id}/subscribe", guests=True, rate_limited=True, fixed_time=True, is_guest_form=True, again=show)
def subscribe(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Subscribe by e-mail to what the owner of a public calendar announces, after a link has confirmed the address."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.SEE)
    if not calendar.public:
        raise errors.Forbidden(gettext("The calendar is private, so its events can’t be announced."))
    request_opt_in(ctx, calendar.owner_id, params.without("next").read(Subscription).email_address)
    return redirect(ctx, local_path(params.text("next") or f"/calendars/{calendar_id}"), done="confirm-subscription")


@page("GET", "/calendars/{calendar_id}/edit")
def edit(ctx: Context, calendar_id: int, form: FormState | None = None, share: FormState | None = None) -> Document:
    """The forms to change a calendar and to share it."""
    forms = {
        "fields": filled(api.edit(ctx, calendar_id), form),
        "share": structs.replace(share or FormState(), prefix="share-"),
    }
    calendar = api.show(ctx, calendar_id)
    return render(
        "calendars/edit.html",
        ctx,
        title=gettext("Edit %(name)s", name=labels.calendar_name(ctx, calendar.name)),
        calendar=calendar,
        forms=forms,
        zones=sorted(known_zones()),
    )


@page("POST", "/calendars/{calendar_id}/edit", again=edit)
def update(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Change a calendar."""
    api.update(ctx, calendar_id, params.changes(CalendarInput))
    return redirect(ctx, f"/calendars/{calendar_id}", done="saved", can_undo=True)


@page("GET", "/calendars/{calendar_id}/delete")
def ask(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """Ask before a calendar is deleted."""
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    calendar = api.show(ctx, calendar_id)
    contents = events.index(ctx, EventQuery(calendar_id=calendar_id, limit=0, count=True))
    return render(
        "calendars/delete.html",
        ctx,
        title=gettext("Delete %(name)s", name=labels.calendar_name(ctx, calendar.name)),
        form=form,
        calendar=calendar,
        contents=contents,
    )


@page("POST", "/calendars/{calendar_id}/delete", again=ask, transaction=False)
def destroy(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Delete a calendar."""
    api.destroy(ctx, calendar_id)
    with ctx.read():
        return redirect(ctx, "/calendars", done="deleted", can_undo=True)


@page("GET", "/calendars/{calendar_id}/import")
def choose(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """The form to import a calendar file."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.EDIT)
    name = labels.calendar_name(ctx, calendar.name)
    return render("calendars/import.html", ctx, title=gettext("Import into %(name)s", name=name), form=form, calendar=calendar, name=name)


@page("POST", "/calendars/{calendar_id}/import", again=choose, pool="upload")
def import_(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Put the events of a file on the calendar, and list what could not be imported."""
    if params.file("file") is None:
        raise errors.invalid("file", gettext("is required: choose an .ics file"), "required")
    values = {name: params.values.get(name) for name in ("file", "public")}
    result = events.create(ctx, Form(values | {"calendar_id": calendar_id}).read(EventInput))
    assert isinstance(result, EventImport)
    return render("calendars/imported.html", ctx, title=gettext("Imported events"), result=result, calendar_id=calendar_id)

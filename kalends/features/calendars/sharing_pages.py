"""Pages on which a calendar is shared, left, and given another feed URL."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.calendars import api
from kalends.features.calendars.model import Leaving, ReaderColor, Sharing, Unsharing
from kalends.features.calendars.pages import edit, show
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("POST", "/calendars/{calendar_id}/color", again=show)
def color(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Choose the colour in which one sees a shared calendar."""
    api.color(ctx, calendar_id, params.read(ReaderColor))
    return redirect(ctx, f"/calendars/{calendar_id}", done="saved")


@page("POST", "/calendars/{calendar_id}/share", again=edit, form="share", transaction=False, fixed_time=True)
def share(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Share a calendar with a user, or change their role."""
    shared = api.share(ctx, calendar_id, params.read(Sharing))
    return redirect(ctx, f"/calendars/{calendar_id}/edit#sharing", done="shared", count=shared.notified.email)


@page("GET", "/calendars/{calendar_id}/unshare")
def ask_unshare(ctx: Context, calendar_id: int, params: Unsharing, form: FormState | None = None) -> Document:
    """Ask before a calendar is no longer shared with somebody, and what becomes of what they made on it."""
    left = api.find_left(ctx, calendar_id, params.user_name)
    calendar = api.show(ctx, calendar_id)
    return render(
        "calendars/unshare.html",
        ctx,
        title=gettext("Stop sharing"),
        calendar=calendar,
        name=params.user_name,
        role=next((each.role for each in calendar.shares or [] if params.user_name in (each.user_name, each.email_address)), None),
        left=left,
        form=form or FormState({}),
    )


@page("POST", "/calendars/{calendar_id}/unshare", again=edit, form="share", transaction=False, fixed_time=True)
def unshare(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Stop sharing a calendar with a user."""
    api.unshare(ctx, calendar_id, params.read(Unsharing))
    return redirect(ctx, f"/calendars/{calendar_id}/edit#sharing", done="unshared")


@page("GET", "/calendars/{calendar_id}/leave")
def ask_leave(ctx: Context, calendar_id: int) -> Document:
    """Ask before someone leaves a calendar, and whether its owner may share others with them."""
    policy.shared_calendar(ctx, calendar_id)
    return render("calendars/leave.html", ctx, title=gettext("Leave calendar"), calendar=api.show(ctx, calendar_id))


@page("POST", "/calendars/{calendar_id}/leave", transaction=False)
def leave(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Leave a calendar that someone shares with one."""
    with ctx.read():
        policy.shared_calendar(ctx, calendar_id)
    blocks = params.read(Leaving).block
    api.unshare(ctx, calendar_id, Unsharing(user_name=policy.user(ctx).user_name, block=blocks))
    return redirect(ctx, "/calendars", done="left-and-blocked" if blocks else "left")


@page("GET", "/calendars/{calendar_id}/reset_feed")
def ask_reset(ctx: Context, calendar_id: int) -> Document:
    """Ask before the feed's URL changes, since programs that have the old one lose it."""
    policy.calendar(ctx, calendar_id, to=Right.MANAGE)
    return render("calendars/reset_feed.html", ctx, title=gettext("New feed link"), calendar=api.show(ctx, calendar_id))


@page("POST", "/calendars/{calendar_id}/reset_feed")
def reset_feed(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Give a calendar's feed another URL."""
    api.reset_feed(ctx, calendar_id)
    return redirect(ctx, f"/calendars/{calendar_id}", done="reset")

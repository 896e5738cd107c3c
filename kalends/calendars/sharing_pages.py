"""What the page to change a calendar does beside its fields: with whom it is shared, and its feed's address."""

from kalends import policy
from kalends.calendars import api
from kalends.calendars.model import Leaving, Sharing, Unsharing
from kalends.calendars.pages import editing
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.web.forms import submit
from kalends.web.render import redirect, render


@endpoint("POST", "/calendars/{calendar_id}/share", transaction=False, format="html")
def share(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Share a calendar with a user, or change their role."""

    def act() -> Document:
        api.share(ctx, calendar_id, params.read(Sharing))
        return redirect(ctx, f"/calendars/{calendar_id}/edit#sharing", done="shared")

    return submit(ctx, params, act, lambda state: editing(ctx, calendar_id, share=state), write=False)


@endpoint("POST", "/calendars/{calendar_id}/unshare", transaction=False, format="html")
def unshare(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Share a calendar with a user no longer."""

    def act() -> Document:
        api.unshare(ctx, calendar_id, params.read(Unsharing))
        return redirect(ctx, f"/calendars/{calendar_id}/edit#sharing", done="unshared")

    return submit(ctx, params, act, lambda state: editing(ctx, calendar_id, share=state))


@endpoint("GET", "/calendars/{calendar_id}/leave", format="html")
def ask_leave(ctx: Context, calendar_id: int) -> Document:
    """Ask before somebody leaves a calendar, and whether its owner may share others with them."""
    policy.shared_calendar(ctx, calendar_id)
    return render("calendars/leave.html", ctx, title="Leave the calendar", calendar=api.show(ctx, calendar_id))


@endpoint("POST", "/calendars/{calendar_id}/leave", format="html")
def leave(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Leave a calendar that somebody shares with one."""
    policy.shared_calendar(ctx, calendar_id)
    blocks = params.read(Leaving).block
    api.unshare(ctx, calendar_id, Unsharing(user_name=policy.user(ctx).user_name, block=blocks))
    return redirect(ctx, "/calendars", done="left-and-blocked" if blocks else "left")


@endpoint("GET", "/calendars/{calendar_id}/reset_feed", format="html")
def ask_reset(ctx: Context, calendar_id: int) -> Document:
    """Ask before the feed's address changes, since programs that have the old one lose it."""
    api.edit(ctx, calendar_id)
    calendar = api.show(ctx, calendar_id)
    return render("calendars/reset_feed.html", ctx, title="New feed address", calendar=calendar)


@endpoint("POST", "/calendars/{calendar_id}/reset_feed", format="html")
def reset_feed(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Give a calendar's feed another address."""
    api.reset_feed(ctx, calendar_id)
    return redirect(ctx, f"/calendars/{calendar_id}", done="reset")

"""The colour in which a reader sees a calendar."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.calendars import store
from kalends.features.calendars.model import ReaderColor
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.policy import Right


@endpoint("PUT", "/api/calendars/{calendar_id}/color")
def color(ctx: Context, calendar_id: int, params: ReaderColor) -> ReaderColor:
    """Choose the colour in which you alone see a calendar that is shared with you, on the pages of this site."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.SEE)
    policy.user(ctx)
    if calendar.role is None:
        raise errors.Forbidden(gettext("This calendar isn’t shared with you."))
    if calendar.role == "owner":
        raise errors.Conflict(gettext("The calendar is yours. Change its own colour instead."))
    store.set_reader_color(ctx, calendar_id, params.color)
    return params

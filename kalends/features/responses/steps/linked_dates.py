"""The dates of a series behind a personal link: which one its page shows, and for which a change there can be."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.values import datetimes
from kalends.features.responses.steps import own_series
from kalends.features.responses.steps.own_series import ANSWERS, OwnSeries
from kalends.http.context import Context
from kalends.policy.site import reader_locale

ALL = "all"
# The dates that the page offers.
MAX_DATES = 100


def find_next(ctx: Context, response: Response, event: Event) -> Response | None:
    """The response to the next date, if the date is over and the guest has responded to the series as a whole."""
    own = own_series.find(ctx, event, response.email_address) if event.is_over(ctx.now) else None
    return next((each.response for each in own.dates if not each.event.is_over(ctx.now)), None) if own else None


def choices(ctx: Context, event: Event, response: Response, own: OwnSeries | None) -> list[tuple[str, str]]:
    """The values and texts of what a change can be for: all dates, or one of those to which the guest has responded; empty if there is
    the one of the link alone."""
    if own:
        dates = [(each.event, each.state) for each in own.dates if not each.event.is_over(ctx.now)][:MAX_DATES]
    elif event.public and event.series_id is not None and len(policy.next_dates(ctx, event.series_id, 2)) > 1:
        dates = [(event, ANSWERS[response.response])]
    else:
        return []
    locale = reader_locale(ctx)
    texts = [(str(date.id), locale.translate(gettext("%(day)s: %(rsvp)s", day=_day(date, ctx), rsvp=state))) for date, state in dates]
    return [(ALL, locale.translate(gettext("All dates"))), *texts]


def _day(event: Event, ctx: Context) -> str:
    day = datetimes.to_local(event.start_at, event.time_zone).date()
    return reader_locale(ctx).formats.short_days(day, day)


def find_chosen(ctx: Context, event: Event, response: Response, chosen: str) -> Response:
    """The response to the date that was chosen on the page."""
    if chosen in ("", str(event.id)):
        return response
    own = own_series.find(ctx, event, response.email_address)
    for each in own.dates if own else []:
        if str(each.event.id) == chosen:
            return each.response
    raise errors.NotFound

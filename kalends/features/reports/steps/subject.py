"""What a report is about: an event, a comment or a calendar that its author sees; and the mail about it."""

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.deliveries import store as deliveries
from kalends.features.reports import store
from kalends.features.reports.model import Subject
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.policy import Right


class Reported(Struct, frozen=True):
    """The thing that is reported: what it is, its name or text, its page, and the event that it belongs to."""

    kind: str
    name: str
    path: str
    event_id: int | None = None


def load(ctx: Context, subject: Subject) -> Reported:
    """The one thing that the request names; NotFound if the actor does not see it."""
    if sum(each is not None for each in (subject.event_id, subject.comment_id, subject.calendar_id)) != 1:
        raise errors.invalid("event_id", gettext("is required: send exactly one of event_id, comment_id and calendar_id"), "required")
    if subject.calendar_id is not None:
        with errors.naming("calendar_id"):
            calendar = policy.calendar(ctx, subject.calendar_id, to=Right.SEE)
        return Reported("calendar", calendar.name, f"/calendars/{calendar.id}")
    policy.open_link(ctx, subject.link)
    if subject.comment_id is not None:
        with errors.naming("comment_id"):
            comment, event = policy.visible_comment(ctx, subject.comment_id)
        return Reported("comment", comment.comment, f"/events/{event.id}", event.id)
    assert subject.event_id is not None
    with errors.naming("event_id"):
        event = policy.event(ctx, subject.event_id, to=Right.SEE)
    return Reported("event", event.title, f"/events/{event.id}", event.id)


def notify_admins(ctx: Context) -> None:
    """Mail the admins that a report waits: when no other one does, and once a day while others come. Strangers cause this mail."""
    is_first = store.count(ctx, closed=False) == 1
    for admin in users.find_admins(ctx):
        if is_first or not deliveries.was_notified(ctx, admin, "report_waiting", ctx.now - deliveries.DAY):
            deliveries.insert_notice(ctx, admin, "report_waiting")

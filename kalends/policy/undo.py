"""Who may undo a change: those who have the rights that the change needed."""

from collections.abc import Mapping

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.http.context import Context
from kalends.policy.actor import Right, user
from kalends.policy.calendars import calendar
from kalends.policy.event_link import event_of_guest
from kalends.policy.events import require_each, visible_events
from kalends.policy.guests import response


def require_undo_in_events(ctx: Context, rights: Mapping[int, Right]) -> None:
    """Changes of these events, and of what belongs to them, need these rights."""
    visible = visible_events(ctx, rights)
    # The author of a response or a comment undoes it without the link of the event.
    by_author = [event_id for event_id, right in rights.items() if right is Right.SEE and event_id not in visible]
    require_each(ctx, visible | {event_id: event_of_guest(ctx, event_id) for event_id in by_author}, rights)


def require_restored_event(ctx: Context, owner_id: int, calendar_id: int) -> None:
    """A deleted event is restored by the owner and editors of its home calendar. If this was deleted, too, its owner learns so."""
    if owner_id != user(ctx).id or ctx.tx.rows("SELECT 1 FROM calendars WHERE id = :id", id=calendar_id):
        calendar(ctx, calendar_id, to=Right.EDIT)


def require_restored_placement(ctx: Context, calendar_id: int) -> None:
    """To put an event on a calendar again needs the right to edit the calendar, as putting it there does."""
    calendar(ctx, calendar_id, to=Right.EDIT)


def require_undo_in_calendar(ctx: Context, calendar_id: int, *, creates: bool) -> None:
    """Changes of a calendar are undone by its owner and managers, its creation by the owner alone. The primary one is always there."""
    if calendar(ctx, calendar_id, to=Right.OWN if creates else Right.MANAGE).is_primary and creates:
        raise errors.Conflict(gettext("This is your primary calendar, which can’t be removed."))


def require_own_record(ctx: Context, owner_id: int | None) -> None:
    """A contact, and a calendar that was deleted, are restored by their owner alone."""
    if owner_id != user(ctx).id:
        raise errors.NotFound


def may_undo_own(ctx: Context, owner_id: int | None, actor_id: int | None) -> bool:
    """Whether the actor made this change to their own comment or response; an author may not undo what an editor did to it."""
    return ctx.actor is not None and owner_id == actor_id == ctx.actor.id


def require_response_now(ctx: Context, response_id: int) -> None:
    """An author undoes changes of a response and of its answers while they may see it: the owner of its address may have taken it over."""
    if ctx.tx.value("SELECT id FROM responses WHERE id = :id", id=response_id):
        response(ctx, response_id)

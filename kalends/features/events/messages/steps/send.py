"""Writing to the guests of an event: whom a message reaches, and queueing its mails."""

from msgspec import Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import GUEST_GROUPS
from kalends.core.records.event import Event
from kalends.core.values.text import fold_case
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.deliveries.model import Notified, Recipient
from kalends.features.deliveries.steps import guest_notice, limits
from kalends.features.events.invitations import store as invitations
from kalends.features.events.messages import store
from kalends.features.events.messages.model import MessageInput
from kalends.http.context import Context
from kalends.policy import Right


class Selection(Struct, frozen=True):
    """Who gets a message, and how many of those whom it names do not."""

    recipients: list[Recipient]
    skipped: int

    @property
    def notified(self) -> Notified:
        return Notified(len(self.recipients), 0, self.skipped)


def send(ctx: Context, event_id: int, params: MessageInput) -> Notified:
    """Queue the message for each of the guests whom it names, once for each address."""
    event, selection = select(ctx, event_id, params)
    if selection.recipients:
        policy.require_verified_sender(ctx)
        limits.count_announcement(ctx, {"email": len(selection.recipients)})
        message_id = store.insert(ctx, event.id, params.subject, params.text)
        notified = guest_notice.insert(ctx, event, "message", store.cause(message_id), selection.recipients)
        return structs.replace(notified, skipped=notified.skipped + selection.skipped)
    return selection.notified


def select(ctx: Context, event_id: int, params: MessageInput) -> tuple[Event, Selection]:
    """The event, and those whom the message names. The author gets it only if their response is named by its id, and someone whom an
    editor added only after an answer."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    policy.require_sending(ctx, event.owner_id)
    if not params.to:
        raise errors.invalid(
            "to", gettext("must name at least one recipient: %(groups)s, or ids of responses", groups=", ".join(GUEST_GROUPS)), "required"
        )
    ids = {int(each) for each in params.to if each not in GUEST_GROUPS}
    rows = store.find_guests(ctx, event.id, set(params.to) - set(map(str, ids)), ids)
    if unknown := ids - {row.id for row in rows}:
        raise errors.invalid(
            "to", gettext("includes response %(id)s, which doesn’t belong to this event", id=str(min(unknown))), "not_found"
        )
    me = policy.me(ctx)
    guests = [row for row in rows if row.id in ids or row.user_id != me]
    strangers = reactions.find_unanswered(ctx, event.owner_id, {row.email_address for row in guests if row.added})
    reached = [row for row in guests if row.email_address and row.sees and row.email_address not in strangers]
    named = {fold_case(row.email_address): Recipient(row.email_address, row.id, group=row.group) for row in reached}
    unreachable = len(guests) - len(reached)
    if "not_answered" in params.to:
        own = fold_case(policy.user(ctx).email_address)
        for _, address in invitations.find_unanswered(ctx, [event.id], with_queued=True):
            if fold_case(address) != own:
                named.setdefault(fold_case(address), Recipient(address, group="not_answered"))
    recipients = guest_notice.find_reachable(ctx, event, "message", list(named.values()))
    return event, Selection(recipients, unreachable + len(named) - len(recipients))

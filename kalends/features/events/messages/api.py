"""Messages to the guests of an event."""

from kalends import policy
from kalends.core.values import timestamps
from kalends.features.events.messages import store
from kalends.features.events.messages.model import MessageIndex, MessageInput, MessageItem, MessageSent
from kalends.features.events.messages.steps import send
from kalends.features.events.messages.store import GuestMessageWithCounts
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import Paging, build_page
from kalends.policy import Right


@endpoint("GET", "/api/events/{event_id}/messages")
def messages(ctx: Context, event_id: int, params: Paging) -> MessageIndex:
    """What was written to the guests of the event in the last 90 days, newest first, with the number of mails, for its editors."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    rows, page = build_page(
        ctx, params, store.of_event(ctx, event.id, params.fetch, params.offset), lambda: store.count_of_event(ctx, event.id)
    )
    return MessageIndex([_item(row) for row in rows], **page)


@endpoint("POST", "/api/events/{event_id}/messages", status=202, rate_limited=True)
def send_message(ctx: Context, event_id: int, params: MessageInput) -> MessageSent:
    """Write to guests of the event by mail, also when it is over, for those who may edit it.

    Each gets a mail of their own, with their personal link. Replies go to the organiser's address. Who wants no more messages about the
    event is skipped. On servers that send real mail, your e-mail address must be verified.
    """
    return MessageSent(send.send(ctx, event_id, params))


def _item(message: GuestMessageWithCounts) -> MessageItem:
    names = ("id", "subject", "text", "mails", "sent", "failed")
    return MessageItem(**{name: getattr(message, name) for name in names}, created_at=timestamps.format_utc(message.created_at))

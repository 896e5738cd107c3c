"""Messages to the guests of an event."""

from kalends.context import Context
from kalends.http.endpoint import endpoint
from kalends.messages import send
from kalends.messages.model import MessageInput, MessageSent


@endpoint("POST", "/api/events/{event_id}/messages", status=202, rate_limited=True)
def send_message(ctx: Context, event_id: int, params: MessageInput) -> MessageSent:
    """Write to guests of the event by mail, also when it is over, for those who may edit it.

    Each gets a mail of their own, with their personal link. Replies go to the organiser's address. Who wants no more messages about the
    event is skipped. On servers that send real mail, your e-mail address must be verified.
    """
    return MessageSent(send.send(ctx, event_id, params))

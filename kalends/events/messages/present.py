"""Representations of messages to guests in API replies and on pages."""

from kalends.events.messages.model import MessageItem
from kalends.events.messages.store import GuestMessageWithCounts
from kalends.values import timestamps


def item(message: GuestMessageWithCounts) -> MessageItem:
    names = ("id", "subject", "text", "mails", "sent", "failed")
    return MessageItem(**{name: getattr(message, name) for name in names}, created_at=timestamps.format_utc(message.created_at))

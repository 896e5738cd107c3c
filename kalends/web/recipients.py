"""How many guests a request emails: counted from the messages that it queues, in the same words on every page."""

from collections.abc import Callable, Sequence
from functools import reduce

from kalends.core.i18n import Text, gettext, ngettext
from kalends.core.records.delivery import GuestGroup
from kalends.http.context import Context, Message

_GROUPS: dict[GuestGroup, Callable[[int], Text]] = {
    "going": lambda num: ngettext("1 going", "%(num)s going", num),
    "maybe": lambda num: ngettext("1 maybe", "%(num)s maybe", num),
    "waiting": lambda num: ngettext("1 waiting", "%(num)s waiting", num),
    "not_answered": lambda num: ngettext("1 invited", "%(num)s invited", num),
    "no": lambda num: ngettext("1 can’t go", "%(num)s can’t go", num),
}


def count(ctx: Context) -> int:
    """How many guests get an email by what the request has queued."""
    return len(_find(ctx))


def describe(ctx: Context) -> Text:
    """`6 people will be emailed: 1 going, 5 invited.`."""
    return describe_groups([message.group for message in _find(ctx) if message.group])


def describe_groups(groups: Sequence[GuestGroup]) -> Text:
    """The same for people of these groups."""
    parts = [text(groups.count(group)) for group, text in _GROUPS.items() if group in groups]
    if not parts:
        return gettext("Nobody will be emailed.")
    listed = reduce(lambda first, more: gettext("%(first)s, %(more)s", first=first, more=more), parts)
    return ngettext("1 person will be emailed: %(groups)s.", "%(num)s people will be emailed: %(groups)s.", len(groups), groups=listed)


def try_out(ctx: Context, action: Callable[[], object]) -> None:
    """Do what opens its own transactions, and roll it back: what it would queue can be counted then."""
    ctx.messages.clear()
    ctx.is_dry_run = True
    try:
        action()
    finally:
        ctx.roll_back()
        ctx.is_dry_run = False


def _find(ctx: Context) -> list[Message]:
    return [message for message in ctx.messages.values() if message.group is not None and message.channel == "email"]

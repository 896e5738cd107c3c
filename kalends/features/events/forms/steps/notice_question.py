"""The question whether a change that is about to be saved emails guests, on a page of its own."""

from collections.abc import Callable

from msgspec import Struct

from kalends.core.i18n import Text, ngettext
from kalends.core.records.event import Event
from kalends.features.deliveries.rules import event_time
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web import notices, recipients
from kalends.web.failures import flatten
from kalends.web.render import HTML, render

# The field that the answer sends, and the one that leads back to the form.
FIELD, KEEP = "notify", "keep"
# Sent by the script, which shows the question in a dialog: nothing is saved.
ASK = "ask"


class Change(Struct, frozen=True):
    """What differs: the name of it in the heading, and how it was and will be."""

    heading: Callable[[int], Text]
    pairs: list[tuple[str, str]]


class Unanswered(Exception):
    """Rolls the change back, since nobody has said yet whether guests are emailed."""

    def __init__(self, change: Change):
        self.change = change


def require_answer(ctx: Context, params: Form, change: Change) -> None:
    """Raise Unanswered if the messages that were queued need an answer, or the question is all that was asked for."""
    if params.text(ASK) or (recipients.count(ctx) and not params.text(FIELD)):
        raise Unanswered(change)


def count_for_notice(ctx: Context, params: Form) -> int | None:
    """How many people the notice says are emailed: none if somebody chose that, and no number if it was not asked."""
    return recipients.count(ctx) if params.text(FIELD) or recipients.count(ctx) else None


def ask(ctx: Context, path: str, params: Form, change: Change) -> Document:
    """The page with the question, which carries the form along; empty if nobody would be emailed."""
    number = recipients.count(ctx)
    if not number:
        return Document(b"", HTML, 200)
    return render(
        "events/ask.html",
        ctx,
        title=change.heading(number),
        number=number,
        summary=recipients.describe(ctx),
        pairs=change.pairs,
        action=path,
        notices=[notices.describe_mail(ctx, each) for each in (number, 0)],
        carried=[pair for pair in flatten(params.values) if pair[0] not in (FIELD, ASK, "message")],
    )


def compare(ctx: Context, before: Event, after: Event) -> Change:
    """What guests must know of the difference between an event and its new version."""
    old, new = (event_time.long(each, ctx.locale.formats) for each in (before, after))
    is_moved = (before.start_at, before.end_at, before.all_day) != (after.start_at, after.end_at, after.all_day)
    is_elsewhere = before.location != after.location
    pairs = [(old, new)] if is_moved else []
    if is_elsewhere:
        pairs.append((before.location or "–", after.location or "–"))
    heading = _about_both if is_moved and is_elsewhere else _about_time if is_moved else _about_place if is_elsewhere else about_change
    return Change(heading, pairs)


def _about_time(num: int) -> Text:
    return ngettext("Email 1 person about the new time?", "Email %(num)s people about the new time?", num)


def _about_place(num: int) -> Text:
    return ngettext("Email 1 person about the new location?", "Email %(num)s people about the new location?", num)


def _about_both(num: int) -> Text:
    return ngettext("Email 1 person about the new time and location?", "Email %(num)s people about the new time and location?", num)


def about_change(num: int) -> Text:
    return ngettext("Email 1 person about this change?", "Email %(num)s people about this change?", num)

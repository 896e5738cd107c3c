"""E-mail to the editors of an event that an admin has hidden, or shown again."""

from email.message import EmailMessage

from kalends.core.i18n import gettext
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.features.deliveries.messages.account_message import Wording, compose
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.hidden_events import store
from kalends.http.context import Context


def build(ctx: Context, delivery: Delivery, event: Event) -> EmailMessage:
    """The message; raises Undeliverable if the opposite has happened since."""
    hidden = store.find_by_event(ctx, event.id)
    if (hidden is None) == (delivery.notice == "event_hidden"):
        raise Undeliverable("It was hidden, or shown again, before it was sent.")
    if hidden:
        wording = Wording(
            gettext("Your event was hidden: %(title)s", title=event.title),
            gettext(
                "An administrator of %(service)s has hidden “%(title)s”. Only its editors can still see it. Reason: %(reason)s",
                service=ctx.settings.url,
                title=event.title,
                reason=hidden.reason,
            ),
            gettext("You can view or delete the event. You can edit it again once an administrator unhides it."),
        )
    else:
        wording = Wording(
            gettext("Your event is visible again: %(title)s", title=event.title),
            gettext(
                "An administrator of %(service)s has unhidden “%(title)s”. Everyone who could see it before can see it again.",
                service=ctx.settings.url,
                title=event.title,
            ),
            gettext("You can edit it again."),
        )
    return compose(ctx.settings, delivery, wording, ctx.locale, f"{ctx.settings.url}/events/{event.id}", gettext("View event"))

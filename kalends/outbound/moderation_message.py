"""E-mail to the editors of an event that an admin has hidden, or shown again."""

from email.message import EmailMessage

from kalends.context import Context
from kalends.hidden_events import store
from kalends.i18n import gettext
from kalends.outbound.account_message import Wording, compose
from kalends.outbound.outcome import Undeliverable
from kalends.records.delivery import Delivery
from kalends.records.event import Event


def build(ctx: Context, delivery: Delivery, event: Event) -> EmailMessage:
    """The message; raises Undeliverable if the opposite has happened since."""
    hidden = store.find_by_event(ctx, event.id)
    if (hidden is None) == (delivery.notice == "event_hidden"):
        raise Undeliverable("It was hidden, or shown again, before it was sent.")
    if hidden:
        wording = Wording(
            gettext("Your event is hidden: %(title)s", title=event.title),
            gettext(
                "An administrator of %(service)s has hidden “%(title)s”. Only those who may edit it still see it. The reason: %(reason)s",
                service=ctx.settings.url,
                title=event.title,
                reason=hidden.reason,
            ),
            gettext("You can read the event and delete it. It can be changed when an administrator shows it again."),
        )
    else:
        wording = Wording(
            gettext("Your event is shown again: %(title)s", title=event.title),
            gettext(
                "An administrator of %(service)s shows “%(title)s” again, to all who saw it before.",
                service=ctx.settings.url,
                title=event.title,
            ),
            gettext("You can change it again."),
        )
    return compose(ctx.settings, delivery, wording, ctx.locale, f"{ctx.settings.url}/events/{event.id}", gettext("Look at the event"))

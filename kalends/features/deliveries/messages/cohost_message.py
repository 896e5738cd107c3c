"""E-mail to a person who may edit an event from now on."""

from email.message import EmailMessage

from kalends.core.i18n import gettext
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.values.text import fold_case
from kalends.features.deliveries.messages.account_message import Wording, compose
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.events.cohosts import store
from kalends.features.users import store as users
from kalends.http.context import Context


def build(ctx: Context, delivery: Delivery, event: Event) -> EmailMessage:
    """The message; raises Undeliverable if they are no co-host any more."""
    recipient, cohosts = fold_case(delivery.address), store.of_event(ctx, event.id)
    addresses = [each.email_address or users.get(ctx, each.user_id or 0).email_address for each in cohosts]
    if recipient not in map(fold_case, addresses):
        raise Undeliverable("They were removed, or have another address, before it was sent.")
    wording = Wording(
        gettext("You’re a co-host: %(title)s", title=event.title),
        gettext(
            "%(owner)s made you a co-host of “%(title)s”. You can edit the event, invite people and see the guest list. Sign in with this "
            "email address to find it under My events.",
            owner=event.owner_name,
            title=event.title,
        ),
        gettext("If you don’t want to be a co-host, remove yourself on the event’s Edit page, under Co-hosts."),
    )
    return compose(ctx.settings, delivery, wording, ctx.locale, f"{ctx.settings.url}/events/{event.id}", gettext("View event"))

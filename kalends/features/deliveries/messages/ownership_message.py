"""E-mail to a person who is offered a calendar, or may edit an event from now on."""

from email.message import EmailMessage

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.records.people import User
from kalends.core.values.text import fold_case
from kalends.features.calendars import ownership_store as ownership
from kalends.features.deliveries.messages.account_message import Wording, compose
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.events.cohosts import store as cohost_store
from kalends.features.users import store as users
from kalends.http.context import Context

_VIEW = gettext("View calendar")


def build(ctx: Context, delivery: Delivery, user: User) -> EmailMessage:
    """The message. user: who offers or gives the calendar; of the notice that it was accepted, its new owner."""
    _, calendar_id, *rest = (delivery.cause or "").split(":")
    if delivery.notice == "calendar_deleted":
        return compose(ctx.settings, delivery, _deleted(ownership.find_deleted_name(ctx, int(calendar_id))), ctx.locale)
    name = ownership.find_name(ctx, int(calendar_id))
    if delivery.notice == "calendar_given":
        if name is None:
            raise Undeliverable("The calendar was deleted before it was sent.")
        wording = _given({"name": user.name or user.user_name, "calendar": name})
        return compose(ctx.settings, delivery, wording, ctx.locale, f"{ctx.settings.url}/calendars/{calendar_id}", _VIEW)
    names = {"name": user.name or user.user_name, "calendar": name or ""}
    if name is None or (delivery.notice == "ownership_offered" and not ownership.offer_exists(ctx, int(rest[0]))):
        raise Undeliverable("The offer was withdrawn or answered before it was sent.")
    if delivery.notice == "ownership_accepted":
        return compose(ctx.settings, delivery, _accepted(names), ctx.locale, f"{ctx.settings.url}/calendars/{calendar_id}", _VIEW)
    return compose(ctx.settings, delivery, _offered(names), ctx.locale, f"{ctx.settings.url}/calendars/offers", gettext("See the offer"))


def _offered(names: dict[str, str]) -> Wording:
    return Wording(
        gettext("%(name)s offers you the calendar %(calendar)s", **names),
        gettext(
            "%(name)s wants to hand the calendar “%(calendar)s” over to you. If you accept within %(days)s days, you own it, with its "
            "events and guests.",
            days=policy.OFFER_SECONDS // 86_400,
            **names,
        ),
        gettext("If you don’t want it, decline it or ignore this email. Nothing changes then."),
    )


def _accepted(names: dict[str, str]) -> Wording:
    return Wording(
        gettext("%(name)s now owns the calendar %(calendar)s", **names),
        gettext(
            "%(name)s accepted the calendar “%(calendar)s”. You still manage it: you can edit its events, change and share it.", **names
        ),
        gettext("Only its new owner can hand it over again or delete it."),
    )


def _given(names: dict[str, str]) -> Wording:
    return Wording(
        gettext("The calendar %(calendar)s is yours now", **names),
        gettext("The calendar “%(calendar)s” belonged to an account that was deleted. %(name)s gave it to you, with its events.", **names),
        gettext("If you don’t want it, hand it over to someone else or delete it."),
    )


def _deleted(name: str | None) -> Wording:
    return Wording(
        gettext("The calendar %(calendar)s was deleted", calendar=name) if name else gettext("A calendar that you follow was deleted"),
        gettext("You followed the calendar “%(calendar)s”. Its owner deleted their account, and the calendar with it.", calendar=name)
        if name
        else gettext("You followed a calendar whose owner deleted their account, and the calendar with it."),
        gettext("Its pages and feeds no longer work. You can remove the feed from your calendar app."),
    )


def build_cohost(ctx: Context, delivery: Delivery, event: Event) -> EmailMessage:
    """The message; raises Undeliverable if they are no co-host any more."""
    recipient, cohosts = fold_case(delivery.address), cohost_store.of_event(ctx, event.id)
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

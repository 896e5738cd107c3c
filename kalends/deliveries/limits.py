"""Rate limits on sending: by an account, by the guests of a network, and by the whole installation. Password resets and
notices about an account are not counted here."""

from collections.abc import Iterator, Mapping

from kalends import policy
from kalends.context import Context
from kalends.deliveries import reactions
from kalends.errors import TooMany
from kalends.http import rate_limit
from kalends.http.rate_limit import Limit
from kalends.i18n import gettext
from kalends.net.client_network import network
from kalends.settings import Settings

HOUR, DAY, WEEK = 3600, 86_400, 7 * 86_400
# What an account may send in a day grows: by this number with each week that it exists, and with each person who answers it.
PER_WEEK, PER_ANSWER = 50, 5
# Announcements and notices go to those who have responded or subscribed.
ANNOUNCED_FACTOR = 10
# An account may send this fraction of the e-mails of the installation, and in any case so many.
SHARE, MIN_SHARE = 4, 100
# Verification links, which may go to anybody: limited by account, and with registrations by network.
ACCOUNT_LINKS = Limit(
    "account-addresses", 10, HOUR, gettext("An account may change its e-mail address %(max)s times an hour. Try again later.")
)
NETWORK_LINKS = Limit(
    "network-addresses",
    100,
    HOUR,
    gettext("From one network, %(max)s e-mail addresses an hour are registered or changed. Try again later."),
)


def count_send(ctx: Context, channel: str) -> None:
    """Count a message that the actor or a guest requests, in the open transaction, or raise TooMany."""
    for limit, subject in _of_sender(ctx, channel):
        _count(ctx, limit, subject, 1)


def may_send(ctx: Context, channel: str) -> bool:
    """Count a message that is sent if the limits allow it; if not, nothing is counted."""
    counted: list[tuple[Limit, str]] = []
    for limit, subject in _of_sender(ctx, channel):
        counted.append((limit, subject))
        try:
            _count(ctx, limit, subject, 1)
        except TooMany:
            for each, whose in counted:
                rate_limit.uncount(ctx, each, whose)
            return False
    return True


def _of_sender(ctx: Context, channel: str) -> Iterator[tuple[Limit, str]]:
    """The limits on a message that the actor or a guest requests, with whose they are."""
    if ctx.actor:
        subject, own = f"user {ctx.actor.id}", _of_account(ctx, ctx.actor.id, channel)
    else:
        subject, own = network(ctx.caller.address), _of_guests(ctx.settings, channel)
    yield from ((limit, subject) for limit in own)
    yield _of_installation(ctx.settings, channel), ""


def count_link(ctx: Context) -> None:
    """Count a verification link, in the open transaction, or raise TooMany."""
    if ctx.actor:
        _count(ctx, ACCOUNT_LINKS, f"user {ctx.actor.id}", 1)
    _count(ctx, NETWORK_LINKS, network(ctx.caller.address), 1)


def count_announcement(ctx: Context, messages: Mapping[str, int]) -> None:
    """Count the messages of an announcement by their channel, in the open transaction, or raise TooMany."""
    assert ctx.actor
    for channel, amount in messages.items():
        count_reminders(ctx, ctx.actor.id, channel, amount)


def count_reminders(ctx: Context, owner_id: int, channel: str, amount: int) -> None:
    """Count messages that the worker sends for the owner of an event, in the open transaction, or raise TooMany."""
    subject = f"user {owner_id}"
    _count(ctx, _announcements(ctx, owner_id), subject, amount)
    _count(ctx, _account_sms(ctx.settings) if channel == "sms" else _share(ctx.settings), subject, amount)
    _count(ctx, _of_installation(ctx.settings, channel), "", amount)


def count_invitations(ctx: Context, amount: int) -> None:
    """Count invitations by mail, in the open transaction, or raise TooMany."""
    assert ctx.actor
    subject = f"user {ctx.actor.id}"
    _count(ctx, _invitations(ctx, ctx.actor.id), subject, amount)
    _count(ctx, _share(ctx.settings), subject, amount)
    _count(ctx, _of_installation(ctx.settings, "email"), "", amount)


def count_added_guest(ctx: Context, owner_id: int, address: str) -> None:
    """Count someone whom an editor adds to the guests as an invitation, unless they have answered the organiser before."""
    assert ctx.actor
    if reactions.find_unanswered(ctx, owner_id, {address}):
        policy.require_sending(ctx, owner_id)
        _count(ctx, _invitations(ctx, ctx.actor.id), f"user {ctx.actor.id}", 1)


def _grow(ctx: Context, user_id: int, most: int, factor: int = 1) -> int:
    """What the account may send in a day: the more the older it is and the more people have answered it, up to the setting.

    Admins may send as much as the setting says."""
    if ctx.settings.rate_limits == "off":
        return most
    [(created_at, role)] = ctx.tx.rows("SELECT created_at, role FROM users WHERE id = :id", id=user_id)
    if role == "admin":
        return most
    by_age: int = PER_WEEK * (1 + max(0, ctx.now - created_at) // WEEK)
    missing = most - factor * by_age
    answers = reactions.count_answers(ctx, user_id, missing // (factor * PER_ANSWER) + 1) if missing > 0 else 0
    return min(most, factor * (by_age + PER_ANSWER * answers))


def _count(ctx: Context, limit: Limit, subject: str, amount: int) -> None:
    if amount and ctx.settings.rate_limits == "on":
        rate_limit.count(ctx, limit, subject, amount)


def _of_account(ctx: Context, user_id: int, channel: str) -> Iterator[Limit]:
    settings = ctx.settings
    yield Limit(
        "account-sends-hour",
        settings.account_sends_per_hour,
        HOUR,
        gettext("An account may send %(max)s messages an hour. Try again later, or ask the administrator to raise the limit."),
    )
    yield Limit(
        "account-sends-day",
        _grow(ctx, user_id, settings.account_sends_per_day),
        DAY,
        gettext("An account may send %(max)s messages a day. Try again later, or ask the administrator to raise the limit."),
    )
    yield _account_sms(settings) if channel == "sms" else _share(settings)


def _account_sms(settings: Settings) -> Limit:
    return Limit(
        "account-sms-day",
        settings.account_sms_per_day,
        DAY,
        gettext(
            "An account may send %(max)s SMS a day. Try again later, or ask the administrator to raise the limit. E-mail may still work."
        ),
    )


def _of_guests(settings: Settings, channel: str) -> Iterator[Limit]:
    yield Limit(
        "guest-sends-hour",
        settings.guest_sends_per_hour,
        HOUR,
        gettext("Without an account, %(max)s messages an hour are sent for one network. Try again later, or sign in."),
    )
    if channel == "sms":
        yield Limit(
            "guest-sms-day",
            settings.guest_sms_per_day,
            DAY,
            gettext("Without an account, %(max)s SMS a day are sent for one network. Try again later, or sign in."),
        )


def _share(settings: Settings) -> Limit:
    return Limit(
        "account-emails-day",
        max(MIN_SHARE, settings.emails_per_day // SHARE),
        DAY,
        gettext("An account may send %(max)s of the e-mails of this service a day. Try again later."),
    )


def _announcements(ctx: Context, user_id: int) -> Limit:
    return Limit(
        "announcements-day",
        _grow(ctx, user_id, ctx.settings.account_announcements_per_day, ANNOUNCED_FACTOR),
        DAY,
        gettext(
            "An account may announce events to %(max)s addresses a day, and nothing was sent. "
            "Try again later, or ask the administrator to raise the limit."
        ),
    )


def _invitations(ctx: Context, user_id: int) -> Limit:
    return Limit(
        "invitations-day",
        _grow(ctx, user_id, ctx.settings.account_invitations_per_day),
        DAY,
        gettext(
            "An account may invite %(max)s people a day, and nobody was invited. "
            "Try again later, or ask the administrator to raise the limit."
        ),
    )


def _of_installation(settings: Settings, channel: str) -> Limit:
    if channel == "sms":
        refusal = gettext(
            "This service sends %(max)s SMS a day, and today's are used up. Try again later, or ask the administrator to raise the limit."
        )
        return Limit("sms-day", settings.sms_per_day, DAY, refusal)
    refusal = gettext(
        "This service sends %(max)s e-mails a day, and today's are used up. Try again later, or ask the administrator to raise the limit."
    )
    return Limit(f"{channel}-day", settings.emails_per_day, DAY, refusal)

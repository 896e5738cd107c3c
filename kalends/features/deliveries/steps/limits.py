"""Rate limits on sending: by an account, by the guests of a network, and by the whole installation. Password resets and
notices about an account are not counted here."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.errors import TooMany
from kalends.core.i18n import gettext
from kalends.core.settings import ALL_COUNTRIES, Settings, listed
from kalends.core.values import phone
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.users import store as users
from kalends.http import rate_limit
from kalends.http.context import Context
from kalends.http.origin import network
from kalends.http.rate_limit import Limit
from kalends.policy import site as sites

HOUR, DAY, WEEK = 3600, 86_400, 7 * 86_400
# What an account may send in a day grows: by this number with each week that it exists, and with each person who answers it.
PER_WEEK, PER_ANSWER = 50, 5
# Announcements and notices go to those who have responded or subscribed.
ANNOUNCED_FACTOR = 10
# An account may send this fraction of the e-mails of the installation, and in any case so many.
SHARE, MIN_SHARE = 4, 100
# Verification links, which may go to anybody: limited by account, and with registrations by network.
ACCOUNT_LINKS = Limit("account-addresses", 10, HOUR, gettext("You can change your email address %(max)s times an hour. Try again later."))
NETWORK_LINKS = Limit(
    "network-addresses",
    100,
    HOUR,
    gettext("Too many email addresses were registered or changed from your network: the limit is %(max)s an hour. Try again later."),
)


def count_send(ctx: Context, channel: str) -> None:
    """Count a message that the actor or a guest requests, in the open transaction, or raise TooMany."""
    for limit, subject in _of_sender(ctx, channel):
        _count(ctx, limit, subject, 1)


def may_mail_guest(ctx: Context, owner_id: int) -> bool:
    """Count mail about a response to an event of the owner, which is sent if the limits allow it; if not, nothing is counted."""
    of_owner = [] if ctx.actor else [(_guest_mails(ctx.settings), f"user {owner_id}")]
    return _count_if_allowed(ctx, (*of_owner, *_of_sender(ctx, "email")))


def may_invite(ctx: Context) -> bool:
    """Count mail that invites somebody, if the limits allow it; if not, nothing is counted."""
    return _count_if_allowed(ctx, _of_invitations(ctx))


def _count_if_allowed(ctx: Context, limits: Iterable[tuple[Limit, str]]) -> bool:
    counted: list[tuple[Limit, str]] = []
    for limit, subject in limits:
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
    for limit, subject in _of_invitations(ctx):
        _count(ctx, limit, subject, amount)


def _of_invitations(ctx: Context) -> Iterator[tuple[Limit, str]]:
    """The limits on invitations by mail, with whose they are."""
    assert ctx.actor
    subject = f"user {ctx.actor.id}"
    yield _invitations(ctx, ctx.actor.id), subject
    yield _share(ctx.settings), subject
    yield _of_installation(ctx.settings, "email"), ""


def count_added_guest(ctx: Context, owner_id: int, address: str) -> None:
    """Count someone whom an editor adds to the guests as an invitation, unless they have answered the organiser before."""
    assert ctx.actor
    if reactions.find_unanswered(ctx, owner_id, {address}):
        policy.require_sending(ctx, owner_id)
        _count(ctx, _invitations(ctx, ctx.actor.id), f"user {ctx.actor.id}", 1)
        reactions.record_counted(ctx, owner_id, {address})


def count_strangers(ctx: Context, owner_id: int, addresses: Collection[str]) -> set[str]:
    """Count people to whom the organiser writes, and who have never proved their address, as invitations, each of them once. Return
    the addresses beyond the limit."""
    if ctx.settings.rate_limits == "off":
        return set()
    strangers = reactions.find_uncounted(ctx, owner_id, addresses)
    if not strangers:
        return set()
    allowed = rate_limit.count_up_to(ctx, _invitations(ctx, owner_id), f"user {owner_id}", len(strangers))
    reactions.record_counted(ctx, owner_id, strangers[:allowed])
    return set(strangers[allowed:])


def _grow(ctx: Context, user_id: int, most: int, factor: int = 1) -> int:
    """What the account may send in a day: the more the older it is and the more people have answered it, up to the setting.

    Admins may send as much as the setting says."""
    if ctx.settings.rate_limits == "off":
        return most
    user = users.get(ctx, user_id)
    if user.role == "admin":
        return most
    by_age = PER_WEEK * (1 + max(0, ctx.now - user.created_at) // WEEK)
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
        gettext("You can send %(max)s messages an hour. Try again later, or ask the administrator to raise the limit."),
    )
    yield Limit(
        "account-sends-day",
        _grow(ctx, user_id, settings.account_sends_per_day),
        DAY,
        gettext("You can send %(max)s messages a day. Try again later, or ask the administrator to raise the limit."),
    )
    yield _account_sms(settings) if channel == "sms" else _share(settings)


def _account_sms(settings: Settings) -> Limit:
    return Limit(
        "account-sms-day",
        settings.account_sms_per_day,
        DAY,
        gettext(
            "You can send %(max)s text messages a day. Try again later, ask the administrator to raise the limit, or use email instead."
        ),
    )


def _of_guests(settings: Settings, channel: str) -> Iterator[Limit]:
    yield Limit(
        "guest-sends-hour",
        settings.guest_sends_per_hour,
        HOUR,
        gettext("Without an account, your network can request %(max)s messages an hour. Try again later, or sign in."),
    )
    if channel == "sms":
        yield Limit(
            "guest-sms-day",
            settings.guest_sms_per_day,
            DAY,
            gettext("Without an account, your network can request %(max)s text messages a day. Try again later, or sign in."),
        )


def _share(settings: Settings) -> Limit:
    return Limit(
        "account-emails-day",
        max(MIN_SHARE, settings.emails_per_day // SHARE),
        DAY,
        gettext("An account may send %(max)s of the e-mails of this service a day. Try again later."),
    )


def _guest_mails(settings: Settings) -> Limit:
    """On mail that guests request about the events of one organiser, who may have written them for people who never asked. It is another
    limit than that of the organiser, whom guests keep from sending nothing."""
    return structs.replace(_share(settings), name="guest-emails-day")


def _announcements(ctx: Context, user_id: int) -> Limit:
    return Limit(
        "announcements-day",
        _grow(ctx, user_id, ctx.settings.account_announcements_per_day, ANNOUNCED_FACTOR),
        DAY,
        gettext(
            "You can announce events to %(max)s addresses a day, and this would exceed it. Nothing was sent. Try "
            "again later, or ask the administrator to raise the limit."
        ),
    )


def _invitations(ctx: Context, user_id: int) -> Limit:
    return Limit(
        "invitations-day",
        _grow(ctx, user_id, ctx.settings.account_invitations_per_day),
        DAY,
        gettext(
            "You can invite %(max)s people a day, and this would exceed it. Nobody was invited. Try again later, "
            "or ask the administrator to raise the limit."
        ),
    )


def _of_installation(settings: Settings, channel: str) -> Limit:
    if channel == "sms":
        refusal = gettext(
            "This site can send %(max)s text messages a day and has reached that limit. Try again later, or ask "
            "the administrator to raise the limit."
        )
        return Limit("sms-day", settings.sms_per_day, DAY, refusal)
    refusal = gettext(
        "This site can send %(max)s emails a day and has reached that limit. Try again later, or ask the administrator to raise the limit."
    )
    return Limit(f"{channel}-day", settings.emails_per_day, DAY, refusal)


def require_allowed(ctx: Context, field: str, number: str) -> None:
    """Raise an error about the field if no SMS is sent to the number."""
    if phone.country_of(number) not in _find_countries(ctx):
        text = gettext("must be a number of a country to which this site sends SMS. Give one, or an e-mail address instead")
        raise errors.invalid(field, text, "forbidden")


def is_allowed(ctx: Context, number: str) -> bool:
    """Whether SMS are sent to the number."""
    return phone.is_mobile(number) and phone.country_of(number) in _find_countries(ctx)


def _find_countries(ctx: Context) -> set[str]:
    """The countries that the operator has set, else that of the site's time zone. Without one, all if SMS are only written to files."""
    names = listed(ctx.settings.sms_countries)
    if names:
        return phone.countries() if ALL_COUNTRIES in names else set(names)
    country = phone.country_of_zone(sites.get(ctx).time_zone)
    if country:
        return {country}
    return set() if ctx.settings.sends("sms") else phone.countries()

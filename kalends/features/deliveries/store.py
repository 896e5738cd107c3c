"""The SQL of deliveries: the queue that actions write to."""

import json
from collections import Counter
from typing import Any

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import (
    OWNERSHIP_NOTICES,
    PLACE_NOTICES,
    AccountNotice,
    Channel,
    CohostNotice,
    Delivery,
    ModerationNotice,
    Notice,
    OrganiserNotice,
    OwnershipNotice,
    ShareNotice,
)
from kalends.core.records.event import Event
from kalends.core.records.people import User
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.features.deliveries import batch_store as batches
from kalends.features.deliveries.model import AccountMail, DeliveryQuery, DeliveryQueued
from kalends.features.deliveries.rules.outcome import WRITTEN
from kalends.http.context import Context, Message

HOUR = 3600
DAY = 24 * HOUR
# Anybody may request messages to an address, so the limit is by recipient.
MAX_SENDS_PER_HOUR = 10
# The kinds of messages that count together towards that limit; invitations count alone.
NOTICES = ("send_to_me", "change", "cancel", "message")
# Messages about an account, by recipient.
MAX_ACCOUNT_MAILS_PER_HOUR: dict[AccountMail, int] = {"reset": 5, "verify": 5, "notice": 10}
# By recipient, from all event owners together; each owner's list sends one a day.
MAX_CONFIRMATIONS_PER_DAY = 5
GMAIL = ("gmail.com", "googlemail.com")
# Notices that an event has a new date; others are about an account, and `notice` says what happened to it.
ABOUT_NEW_DATE = "(kind = 'notice' AND notice IS NULL)"
# Notices that an event has a new date, and notices to guests of their places.
ABOUT_GUESTS = f"({ABOUT_NEW_DATE} OR kind = 'notice' AND notice IN {PLACE_NOTICES})"
# Others can cause these, and must not be able to use up what a user gets about the account.
_NOTICES_BY_OTHERS = (
    *("response_news", "event_hidden", "event_shown", "account_waiting", "address_registered", "sending_stopped"),
    *("cohost_added", "calendar_shared", "report_waiting", *OWNERSHIP_NOTICES),
)
CAUSED_BY_OTHERS = f"({ABOUT_GUESTS} OR kind = 'notice' AND notice IN {_NOTICES_BY_OTHERS})"
# What organisers see of the messages about their events, beside those.
LISTED = ("send_to_me", "announce", "confirm", "response", "proposal", "change", "cancel", "message", "reminder", "invitation")
# A message about an event that the actor may no longer edit: they were an editor of its calendar.
_OF_OTHERS = f"""EXISTS (
    SELECT 1 FROM events e JOIN calendars c ON c.id = e.calendar_id WHERE e.id = deliveries.event_id AND NOT {policy.EVENT_EDITABLE}
)"""
RETENTION = 90 * 24 * HOUR

_DELIVERY = columns(Delivery)


def insert(ctx: Context, event: Event, channel: Channel, address: str, subscriber_id: int | None) -> DeliveryQueued:
    """Queue the event for the address; it is sent after this transaction has committed."""
    delivery_id: int = ctx.tx.value(
        """INSERT INTO deliveries (owner_id, event_id, subscriber_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at)
           VALUES (:owner_id, :event_id, :subscriber_id, 'send_to_me', :channel, :address, :address_key, :public, 'queued', 0,
                   :now, :now, :now)
           RETURNING id""",
        owner_id=event.owner_id,
        event_id=event.id,
        subscriber_id=subscriber_id,
        channel=channel,
        address=address,
        address_key=mailbox(address),
        public=policy.may_share(ctx, event),
        now=ctx.now,
    )
    ctx.add_message(Message("send_to_me", channel, address))
    return DeliveryQueued(delivery_id, channel, address, "queued")


def insert_account_mail(
    ctx: Context, user: User, kind: AccountMail, notice: AccountNotice | None = None, cause: str | None = None
) -> int | None:
    """Queue mail to the address in this user record, and return its id; None if the address has reached its limit for this kind.
    Other kinds of messages do not count. cause: what they get one message for."""
    limit = MAX_ACCOUNT_MAILS_PER_HOUR[kind]
    if ctx.settings.rate_limits == "on" and len(_recent_times(ctx, kind, user.email_address, limit)) >= limit:
        return None
    return _insert_mail(ctx, user, kind, notice, cause=cause)


def insert_notice(
    ctx: Context,
    user: User,
    notice: AccountNotice | OrganiserNotice | ModerationNotice | CohostNotice | ShareNotice | OwnershipNotice,
    event_id: int | None = None,
    address: str | None = None,
    cause: str | None = None,
    user_name: str | None = None,
) -> int:
    """Queue a notice without a limit, since the person who asks for it has one; return its id. address: of someone else; cause: what
    they get one message for; user_name: of someone whose address the person who asks for it does not know."""
    return _insert_mail(ctx, user, "notice", notice, event_id, address, cause, user_name)


def was_notified(ctx: Context, user: User, notice: AccountNotice, since: int) -> bool:
    """Whether a notice of this kind to the user was queued since then."""
    rows = ctx.tx.rows(
        "SELECT 1 FROM deliveries WHERE address_key = :address_key AND created_at > :since AND notice = :notice LIMIT 1",
        address_key=mailbox(user.email_address),
        since=since,
        notice=notice,
    )
    return bool(rows)


def _insert_mail(
    ctx: Context,
    user: User,
    kind: AccountMail,
    notice: Notice | None,
    event_id: int | None = None,
    address: str | None = None,
    cause: str | None = None,
    user_name: str | None = None,
) -> int:
    address = address or user.email_address
    delivery_id: int = ctx.tx.value(
        """INSERT INTO deliveries (owner_id, event_id, kind, channel, address, address_key, public, state, attempts, due_at, created_at,
                                   updated_at, notice, cause)
           VALUES (:owner_id, :event_id, :kind, 'email', :address, :address_key, FALSE, 'queued', 0, :now, :now, :now, :notice, :cause)
           RETURNING id""",
        owner_id=user.id,
        event_id=event_id,
        kind=kind,
        address=address,
        address_key=mailbox(address),
        notice=notice,
        cause=cause,
        now=ctx.now,
    )
    ctx.add_message(Message(kind, "email", user_name or address))
    return delivery_id


def insert_confirmation(ctx: Context, owner_id: int, channel: str, address: str, event: Event | None = None) -> None:
    """Queue a link to confirm an opt-in to the owner's list, at most once a day for each address and owner. event: what led to it."""
    address_key = mailbox(address)
    ctx.tx.advisory_lock(f"sends to {address_key}")
    rows = ctx.tx.rows(
        "SELECT owner_id FROM deliveries WHERE address_key = :address_key AND created_at > :since AND kind = 'confirm'",
        address_key=address_key,
        since=ctx.now - DAY,
    )
    is_flooded = ctx.settings.rate_limits == "on" and len(rows) >= MAX_CONFIRMATIONS_PER_DAY
    if is_flooded or (owner_id,) in rows:
        skip_id(ctx)
        return
    ctx.tx.run(
        """INSERT INTO deliveries (owner_id, event_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at)
           VALUES (:owner_id, :event_id, 'confirm', :channel, :address, :address_key, :public, 'queued', 0, :now, :now, :now)""",
        owner_id=owner_id,
        event_id=event.id if event else None,
        channel=channel,
        address=address,
        address_key=address_key,
        public=event is None or event.is_open,
        now=ctx.now,
    )
    ctx.add_message(Message("confirm", channel, address))


def skip_id(ctx: Context) -> None:
    """Consume the id of a message that is not sent, so that gaps in ids do not disclose whether an address is known."""
    ctx.tx.run(ctx.db.skip_delivery_id)


def announce(ctx: Context, event: Event) -> Counter[str]:
    """Queue the event for all confirmed subscribers to whom it was not announced before; return the number of messages by channel."""
    rows = ctx.tx.rows(
        """INSERT INTO deliveries (owner_id, event_id, subscriber_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at)
           SELECT s.owner_id, e.id, s.id, 'announce', s.channel, s.address, s.address_key, e.public, 'queued', 0,
                  CAST(:now AS BIGINT), CAST(:now AS BIGINT), CAST(:now AS BIGINT)
           FROM events e JOIN subscribers s ON s.owner_id = :owner_id WHERE e.id = :event_id AND s.confirmed_at IS NOT NULL ORDER BY s.id
           ON CONFLICT (event_id, channel, address_key) WHERE kind = 'announce' DO NOTHING
           RETURNING channel, address""",
        event_id=event.id,
        owner_id=event.owner_id,
        now=ctx.now,
    )
    for channel, address in rows:
        ctx.add_message(Message("announce", channel, address))
    return Counter(channel for channel, _ in rows)


def count_recipients(ctx: Context, event: Event) -> int:
    """The number of subscribers to whom the event would be announced now."""
    return int(
        ctx.tx.value(
            """SELECT count(*) FROM subscribers s WHERE s.owner_id = :owner_id AND s.confirmed_at IS NOT NULL AND NOT EXISTS (
                   SELECT 1 FROM deliveries d WHERE d.event_id = :event_id AND d.channel = s.channel
                   AND d.address_key = s.address_key AND d.kind = 'announce')""",
            owner_id=policy.organiser_id(ctx, event.id),
            event_id=event.id,
        )
    )


def insert_note(ctx: Context, event: Event, address: str, note_id: int) -> None:
    """Queue a note about a guest's reply to an invitation."""
    ctx.tx.run(
        """INSERT INTO deliveries (owner_id, event_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at, cause)
           VALUES (:owner_id, :event_id, 'confirmation', 'email', :address, :address_key, FALSE, 'queued', 0, :now, :now, :now, :cause)""",
        owner_id=event.owner_id,
        event_id=event.id,
        address=address,
        address_key=mailbox(address),
        cause=f"note:{note_id}",
        now=ctx.now,
    )


def limit_recipient(ctx: Context, field: str, address: str) -> None:
    """Raise TooMany if the address has reached its hourly limit."""
    if ctx.settings.rate_limits == "off":
        return
    recent = _recent_times(ctx, "send_to_me", address, MAX_SENDS_PER_HOUR)
    if len(recent) == MAX_SENDS_PER_HOUR:
        wait = recent[-1] + HOUR - ctx.now
        raise errors.TooMany(
            gettext(
                "%(field)s: this address has been sent %(max)s messages in the last hour. Try again later.",
                field=field,
                max=MAX_SENDS_PER_HOUR,
            ),
            wait,
        )


def _recent_times(ctx: Context, kind: str, address: str, limit: int) -> list[int]:
    """Lock the address, and return the times of its last messages of this kind within an hour, the newest first."""
    address_key = mailbox(address)
    ctx.tx.advisory_lock(f"sends to {address_key}")
    rows = ctx.tx.rows(
        f"""SELECT created_at FROM deliveries WHERE address_key = :address_key AND created_at > :since AND kind = :kind
            AND NOT {CAUSED_BY_OTHERS} ORDER BY created_at DESC LIMIT :limit""",
        address_key=address_key,
        since=ctx.now - HOUR,
        kind=kind,
        limit=limit,
    )
    return [created_at for (created_at,) in rows]


def find_flooded(ctx: Context, addresses: set[str], kinds: tuple[str, ...] = NOTICES) -> set[str]:
    """The given addresses whose mailbox got as many messages of these kinds in the last hour as one may get."""
    if ctx.settings.rate_limits == "off":
        return set()
    keys = {address: mailbox(address) for address in addresses}
    rows = ctx.tx.rows(
        f"""SELECT d.address_key FROM {ctx.db.records("recipients", {"address_key": "TEXT"})}
            JOIN deliveries d ON d.address_key = recipients.address_key AND d.created_at > :since
            WHERE d.kind IN ({", ".join(f"'{kind}'" for kind in kinds)}) GROUP BY d.address_key HAVING count(*) >= :limit""",
        recipients=json.dumps([{"address_key": key} for key in sorted(set(keys.values()))]),
        since=ctx.now - HOUR,
        limit=MAX_SENDS_PER_HOUR,
    )
    flooded = {address_key for (address_key,) in rows}
    return {address for address, key in keys.items() if key in flooded}


def mailbox(address: str) -> str:
    """The mailbox of the address: gus+jazz@example.org is that of gus@example.org, and Gmail ignores dots."""
    local, at, host = fold_case(address).rpartition("@")
    local = local.partition("+")[0] or local
    if host in GMAIL:
        local, host = local.replace(".", ""), GMAIL[0]
    return f"{local}{at}{host}"


def index(ctx: Context, query: DeliveryQuery) -> list[Delivery]:
    """The deliveries of one event, or of all events of the actor, newest first."""
    where, params = _conditions(ctx, query)
    return ctx.tx.all(
        Delivery,
        f"SELECT {_DELIVERY} FROM deliveries WHERE {where} ORDER BY id DESC LIMIT :limit OFFSET :offset",
        **params,
        limit=query.fetch,
        offset=query.offset,
    )


def count(ctx: Context, query: DeliveryQuery) -> int:
    where, params = _conditions(ctx, query)
    return int(ctx.tx.value(f"SELECT count(*) FROM deliveries WHERE {where}", **params))


def _conditions(ctx: Context, query: DeliveryQuery) -> tuple[str, dict[str, Any]]:
    if query.event_id is None:
        opened = policy.and_event_opened(ctx, "deliveries.event_id")
        where = f"owner_id = :me AND (kind IN {LISTED} OR {ABOUT_GUESTS}) AND NOT {_OF_OTHERS}{opened}"
        params: dict[str, Any] = {"me": policy.user(ctx).id}
    else:
        where, params = "event_id = :event_id", {"event_id": query.event_id}
    if query.state is None:
        return where, params
    return f"{where} AND state = :state", params | {"state": query.state}


def get(ctx: Context, delivery_id: int) -> Delivery | None:
    """The current delivery, or None if it was deleted."""
    return ctx.tx.one(Delivery, f"SELECT {_DELIVERY} FROM deliveries WHERE id = :id", id=delivery_id)


def take_back(ctx: Context, owner_id: int, error: str) -> None:
    """Do not send what the owner wrote to guests and subscribers, and is not on its way yet."""
    batches.queue_of_owner(ctx, owner_id)
    ctx.tx.run(
        """UPDATE deliveries SET state = 'failed', error = :error, updated_at = :now
           WHERE channel IN ('email', 'sms') AND owner_id = :owner_id AND state = 'queued'
           AND kind IN ('announce', 'message', 'invitation')""",
        owner_id=owner_id,
        error=error,
        now=ctx.now,
    )


def count_queued(ctx: Context) -> list[tuple[str, str, int, int]]:
    """Queued deliveries: channel, state, count, and time of the oldest."""
    rows = ctx.tx.rows(
        "SELECT channel, state, count(*), min(created_at) FROM deliveries WHERE state IN ('queued', 'sending') GROUP BY channel, state"
    )
    return [(channel, state, count, oldest) for channel, state, count, oldest in rows]


def count_finished(ctx: Context) -> list[tuple[str, str, int]]:
    """Deliveries finished in the last hour: channel, `sent`, `written` (to a file, so it reached nobody) or `failed`, count."""
    rows = ctx.tx.rows(
        """SELECT channel, CASE WHEN error = :written THEN 'written' ELSE state END, count(*) FROM deliveries
           WHERE state IN ('sent', 'failed') AND updated_at > :since GROUP BY 1, 2""",
        since=ctx.now - HOUR,
        written=WRITTEN,
    )
    return [(channel, state, count) for channel, state, count in rows]


def clean_up(ctx: Context) -> None:
    """Delete old deliveries, except announcements of existing events, which must not be sent again."""
    ctx.tx.run(
        """DELETE FROM deliveries WHERE state IN ('sent', 'failed') AND updated_at < :old
           AND (kind <> 'announce' OR event_id IS NULL)""",
        old=ctx.now - RETENTION,
    )

"""The link of an invitation, `/i/<id>-<MAC>`: anyone who has it sees the event, also a private one, and responds without an account."""

import hmac

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.core.settings import Settings
from kalends.core.tokens import derive, token_hash
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy.actor import Right
from kalends.policy.events import HIDDEN, SELECT_EVENTS, event
from kalends.policy.response_link import LINK_LIFETIME, MAX_DIGITS

INCOMPLETE = gettext(
    "This link doesn’t work: it is incomplete, or the invitation was withdrawn. Copy the whole link from your most recent email."
)
ENDED = gettext("This link expired 30 days after the event.")
# In the addresses of replies, whose letters lose their case on the way.
REPLY_MAC_DIGITS = 24


def invitation_token(settings: Settings, invitation: Invitation) -> str:
    """It covers the address, so that a row that is about someone else has another link."""
    return f"{invitation.id}-{derive(settings, 'invitation', f'{invitation.id}.{invitation.email_key}')[:32]}"


def invitation_url(settings: Settings, invitation: Invitation) -> str:
    return f"{settings.url}/i/{invitation_token(settings, invitation)}"


def reply_mac(settings: Settings, invitation: Invitation) -> str:
    """The proof in the address of a reply."""
    return token_hash(derive(settings, "reply", f"{invitation.id}.{invitation.email_key}")).hex()[:REPLY_MAC_DIGITS]


def linked_invitation(ctx: Context, token: str) -> tuple[Invitation, Event]:
    """The invitation of the link, and its event as the guest sees it, who edits nothing."""
    number = token.partition("-")[0]
    invitation = find_invitation(ctx, int(number)) if number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS else None
    if invitation is None or not hmac.compare_digest(token.encode(), invitation_token(ctx.settings, invitation).encode()):
        raise errors.NotFound(INCOMPLETE)
    return _with_event(ctx, invitation)


def replied_invitation(ctx: Context, invitation_id: int, mac: str) -> tuple[Invitation, Event]:
    """The invitation that a mail replies to, by the proof in the address that the mail was sent to."""
    invitation = find_invitation(ctx, invitation_id)
    if invitation is None or not hmac.compare_digest(mac.encode(), reply_mac(ctx.settings, invitation).encode()):
        raise errors.NotFound
    return _with_event(ctx, invitation)


def find_invitation(ctx: Context, invitation_id: int) -> Invitation | None:
    """The invitation, without a permission check."""
    return ctx.tx.one(Invitation, f"SELECT {columns(Invitation)} FROM invitations WHERE id = :id", id=invitation_id)


def invitation(ctx: Context, event_id: int, invitation_id: int) -> tuple[Invitation, Event]:
    """The invitation to the event or to its series, and the event, which the actor must be allowed to edit."""
    to_event = event(ctx, event_id, to=Right.EDIT)
    row = find_invitation(ctx, invitation_id)
    if row is None or (row.event_id != to_event.id and (row.series_id is None or row.series_id != to_event.series_id)):
        raise errors.NotFound
    return row, to_event


def invited_event(ctx: Context, invitation: Invitation) -> Event | None:
    """The event as the guest sees it; of a series, the next date that is to come, else the last. The invitation limits the party."""
    if invitation.event_id is not None:
        to_event = ctx.tx.one(Event, f"{SELECT_EVENTS} WHERE e.id = :id AND NOT {HIDDEN}", id=invitation.event_id, me=0)
    else:
        sql = f"{SELECT_EVENTS} WHERE e.series_id = :id AND NOT {HIDDEN} AND e.start_at {{}} LIMIT 1"
        to_event = ctx.tx.one(Event, sql.format("> :now ORDER BY e.start_at, e.id"), id=invitation.series_id, now=ctx.now, me=0)
        to_event = to_event or ctx.tx.one(
            Event, sql.format("<= :now ORDER BY e.start_at DESC, e.id DESC"), id=invitation.series_id, now=ctx.now, me=0
        )
    return limit_party(to_event, invitation) if to_event else None


def invited_date(ctx: Context, invitation: Invitation, *, event_id: int | None, slot: str | None) -> Event | None:
    """The date of the series that the guest is invited to, by its id or its slot."""
    where, params = ("e.id = :event_id", {"event_id": event_id}) if slot is None else ("e.slot = :slot", {"slot": slot})
    sql = f"{SELECT_EVENTS} WHERE e.series_id = :series_id AND NOT {HIDDEN} AND {where}"
    return ctx.tx.one(Event, sql, series_id=invitation.series_id, me=0, **params)


def limit_party(event: Event, invitation: Invitation) -> Event:
    """The event with the limit of the invitation, if that is lower."""
    limits = [limit for limit in (event.party_limit, invitation.party_max) if limit is not None]
    return structs.replace(event, party_max=min(limits)) if limits else event


def _with_event(ctx: Context, invitation: Invitation) -> tuple[Invitation, Event]:
    event = invited_event(ctx, invitation) if invitation.state != "withdrawn" else None
    if event is None:
        raise errors.NotFound(INCOMPLETE)
    if ctx.now >= (event.end_at or event.start_at) + LINK_LIFETIME:
        raise errors.NotFound(ENDED)
    return invitation, event

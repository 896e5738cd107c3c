"""The SQL of invitations."""

import json
from collections.abc import Iterable

from msgspec import Struct

from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, InvitationWithResponse, MailState
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.features.events.invitations.model import InvitationInput
from kalends.http.context import Context

_INVITATION = columns(Invitation)
# The response to the listed event tells for a series, too.
_WITH_RESPONSE = columns(
    InvitationWithResponse,
    "i",
    response="(SELECT r.response FROM responses r WHERE r.event_id = :event_id AND r.email_key = i.email_key) AS response",
)
_OF_EVENT = """(
    SELECT id FROM invitations WHERE event_id = :event_id UNION ALL SELECT id FROM invitations WHERE series_id = :series_id
)"""
# Of an address that is invited to the date and to its series, the invitation to the date.
_UNANSWERED = f"""i.id IN {_OF_EVENT} AND i.state <> 'withdrawn'
    AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.event_id = :event_id AND r.email_key = i.email_key)
    AND NOT (i.event_id IS NULL AND EXISTS (
        SELECT 1 FROM invitations d WHERE d.event_id = :event_id AND d.email_key = i.email_key AND d.state <> 'withdrawn'))"""
# How long it is known which messages have arrived.
RETENTION = 90 * 86_400


class Target(Struct, frozen=True):
    """What someone is invited to: an event, or all dates of a series."""

    kind: str
    id: int

    @property
    def column(self) -> str:
        return "event_id" if self.kind == "event" else "series_id"

    def cause(self, verb: str, mails: int) -> str:
        """What the mail of this number to its guests is sent for."""
        return f"{verb}:{self.kind}:{self.id}:{mails}"


def target_of(event: Event, scope: str) -> Target:
    return Target("series", event.series_id) if scope == "all" and event.series_id is not None else Target("event", event.id)


def target(invitation: Invitation) -> Target:
    if invitation.event_id is not None:
        return Target("event", invitation.event_id)
    assert invitation.series_id is not None
    return Target("series", invitation.series_id)


class Invitee(Struct, frozen=True):
    """Someone to invite."""

    address: str
    name: str | None = None


def insert(
    ctx: Context, target: Target, owner_id: int, invited_by: int, guests: Iterable[Invitee], params: InvitationInput, sequence: int
) -> None:
    """Insert an invitation for each of the guests. One that was taken back is made again."""
    ctx.tx.many(
        f"""INSERT INTO invitations ({target.column}, address, email_key, name, message, party_max, state, sequence, mails,
                                     created_at, updated_at, owner_id, invited_by)
            VALUES (:target, :address, :email_key, :name, :message, :party_max, 'queued', :sequence, 1, :now, :now, :owner_id,
                    :invited_by)
            ON CONFLICT ({target.column}, email_key) WHERE {target.column} IS NOT NULL DO UPDATE
            SET state = 'queued', detail = NULL, address = excluded.address, name = excluded.name, message = excluded.message,
                party_max = excluded.party_max, invited_by = excluded.invited_by,
                mails = invitations.mails + 1, updated_at = excluded.updated_at,
                sequence = CASE WHEN excluded.sequence > invitations.sequence THEN excluded.sequence ELSE invitations.sequence + 1 END
            WHERE invitations.state = 'withdrawn'""",
        [
            {
                "target": target.id,
                "address": guest.address,
                "email_key": fold_case(guest.address),
                "name": guest.name,
                "message": params.message,
                "party_max": params.party_max,
                "sequence": sequence,
                "owner_id": owner_id,
                "invited_by": invited_by,
                "now": ctx.now,
            }
            for guest in guests
        ],
    )


def find_by_addresses(ctx: Context, target: Target, addresses: Iterable[str]) -> dict[str, Invitation]:
    """The invitations to the target of these addresses, by the keys of the addresses."""
    rows = ctx.tx.all(
        Invitation,
        f"""SELECT {columns(Invitation, "i")} FROM {ctx.db.records("guests", {"email_key": "TEXT"})}
            JOIN invitations i ON i.{target.column} = :target AND i.email_key = guests.email_key""",
        guests=json.dumps([{"email_key": fold_case(address)} for address in addresses]),
        target=target.id,
    )
    return {row.email_key: row for row in rows}


def find(ctx: Context, target: Target, address: str) -> Invitation | None:
    """The invitation of the address to the target."""
    sql = f"SELECT {_INVITATION} FROM invitations WHERE {target.column} = :target AND email_key = :key"
    return ctx.tx.one(Invitation, sql, target=target.id, key=fold_case(address))


def find_by_cause(ctx: Context, cause: str, address: str) -> tuple[str, Invitation | None]:
    """What a mail to the address does, and the invitation that it is about."""
    verb, kind, number, _ = cause.split(":")
    return verb, find(ctx, Target(kind, int(number)), address)


def of_event(ctx: Context, event: Event, limit: int, offset: int) -> list[InvitationWithResponse]:
    """The invitations to the event and to its series."""
    return ctx.tx.all(
        InvitationWithResponse,
        f"SELECT {_WITH_RESPONSE} FROM invitations i WHERE i.id IN {_OF_EVENT} ORDER BY i.id LIMIT :limit OFFSET :offset",
        event_id=event.id,
        series_id=event.series_id,
        limit=limit,
        offset=offset,
    )


def count_of_event(ctx: Context, event: Event) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM {_OF_EVENT} AS i", event_id=event.id, series_id=event.series_id))


def unanswered(ctx: Context, event: Event, limit: int, offset: int = 0, *, ids: list[int] | None = None) -> list[Invitation]:
    """The invitations to the event or to its series whose guests have not responded to it, the newest first; ids: those of them alone."""
    where = _UNANSWERED if ids is None else f"{_UNANSWERED} AND i.id {ctx.db.in_list('ids')}"
    sql = f"SELECT {columns(Invitation, 'i')} FROM invitations i WHERE {where} ORDER BY i.id DESC LIMIT :limit OFFSET :offset"
    params = {} if ids is None else {"ids": ids}
    return ctx.tx.all(Invitation, sql, event_id=event.id, series_id=event.series_id, limit=limit, offset=offset, **params)


def count_unanswered(ctx: Context, event: Event) -> int:
    """The number of invitations to the event or to its series whose guests have not responded to it."""
    return int(ctx.tx.value(f"SELECT count(*) FROM invitations i WHERE {_UNANSWERED}", event_id=event.id, series_id=event.series_id))


def with_response(ctx: Context, invitation_id: int, event_id: int) -> InvitationWithResponse:
    sql = f"SELECT {_WITH_RESPONSE} FROM invitations i WHERE i.id = :id"
    row = ctx.tx.one(InvitationWithResponse, sql, id=invitation_id, event_id=event_id)
    assert row is not None
    return row


def count_mail(ctx: Context, invitation: Invitation, state: MailState, sequence: int) -> Invitation:
    """Record that one more mail is sent for the invitation."""
    row = ctx.tx.one(
        Invitation,
        f"""UPDATE invitations SET state = :state, detail = NULL, mails = mails + 1, sequence = :sequence, updated_at = :now
            WHERE id = :id RETURNING {_INVITATION}""",
        id=invitation.id,
        state=state,
        sequence=sequence,
        now=ctx.now,
    )
    assert row is not None
    return row


def set_state(ctx: Context, invitation_id: int, state: MailState, detail: str | None = None) -> None:
    """Record what became of the mail, unless the invitation was taken back."""
    ctx.tx.run(
        "UPDATE invitations SET state = :state, detail = :detail, updated_at = :now WHERE id = :id AND state <> 'withdrawn'",
        id=invitation_id,
        state=state,
        detail=detail,
        now=ctx.now,
    )


def find_for(ctx: Context, event: Event, address: str) -> Invitation | None:
    """The invitation of the address to the event, else to its series, unless it was taken back."""
    targets = [Target("event", event.id), *([Target("series", event.series_id)] if event.series_id is not None else [])]
    rows = (find(ctx, target, address) for target in targets)
    return next((row for row in rows if row and row.state != "withdrawn"), None)


def find_unanswered(ctx: Context, event_ids: list[int], *, with_queued: bool = False) -> list[tuple[int, str]]:
    """The events and addresses of those who were sent an invitation, to the event or to its series, and have not responded.

    with_queued: those, too, whose invitation waits to be sent."""
    states = "('queued', 'sent')" if with_queued else "('sent')"
    sql = f"""SELECT e.id, i.address FROM events e JOIN invitations i ON i.{{}}
              WHERE e.id {ctx.db.in_list("ids")} AND i.state IN {states}
              AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id AND r.email_key = i.email_key)"""
    rows = ctx.tx.rows(f"{sql.format('event_id = e.id')} UNION {sql.format('series_id = e.series_id')}", ids=event_ids)
    return sorted(rows)


def find_of_events(ctx: Context, events: list[Event]) -> list[Invitation]:
    """All invitations to the events and to their series, unless they were taken back."""
    ids, series_ids = [event.id for event in events], sorted({event.series_id for event in events if event.series_id is not None})
    sql = f"SELECT {_INVITATION} FROM invitations WHERE {{}} {ctx.db.in_list('ids')} AND state <> 'withdrawn' ORDER BY id"
    return [*ctx.tx.all(Invitation, sql.format("event_id"), ids=ids), *ctx.tx.all(Invitation, sql.format("series_id"), ids=series_ids)]


def find_first_event(ctx: Context, invitation: Invitation) -> int:
    """The event that the invitation is to, or the first one of its series."""
    if invitation.event_id is not None:
        return invitation.event_id
    event_id: int = ctx.tx.value("SELECT id FROM events WHERE series_id = :id ORDER BY start_at, id LIMIT 1", id=invitation.series_id)
    return event_id


def find_uncovered(ctx: Context, invitation: Invitation) -> list[int]:
    """The events of a withdrawn invitation that no other invitation of the same address is to."""
    other = "SELECT 1 FROM invitations i WHERE i.{} AND i.email_key = :key AND i.state <> 'withdrawn'"
    rows = ctx.tx.rows(
        f"""SELECT e.id FROM events e WHERE e.{"id" if invitation.event_id is not None else "series_id"} = :target
            AND NOT EXISTS ({other.format("event_id = e.id")}) AND NOT EXISTS ({other.format("series_id = e.series_id")})""",
        target=target(invitation).id,
        key=invitation.email_key,
    )
    return [event_id for (event_id,) in rows]


def find_event_ids(ctx: Context, invitation: Invitation) -> list[int]:
    """The event of the invitation, or all of its series."""
    column = "id" if invitation.event_id is not None else "series_id"
    return [event_id for (event_id,) in ctx.tx.rows(f"SELECT id FROM events WHERE {column} = :id", id=target(invitation).id)]


def insert_proposal(ctx: Context, invitation: Invitation, calendar_id: int, granted_by: int) -> None:
    """Record that the event is on the calendar of the guest once they have accepted."""
    ctx.tx.run(
        """INSERT INTO invitation_proposals (invitation_id, calendar_id, granted_by, accepted, created_at)
           VALUES (:invitation_id, :calendar_id, :granted_by, FALSE, :now)
           ON CONFLICT (invitation_id, calendar_id) DO UPDATE SET accepted = FALSE, granted_by = excluded.granted_by""",
        invitation_id=invitation.id,
        calendar_id=calendar_id,
        granted_by=granted_by,
        now=ctx.now,
    )


def accept_proposals(ctx: Context, invitation: Invitation) -> list[tuple[int, int]]:
    """Record that the guest takes what was proposed; returns the calendars for it, and who has proposed it."""
    sql = "UPDATE invitation_proposals SET accepted = TRUE WHERE invitation_id = :id AND NOT accepted RETURNING calendar_id, granted_by"
    return [(calendar_id, granted_by) for calendar_id, granted_by in ctx.tx.rows(sql, id=invitation.id)]


def find_proposed(ctx: Context, calendar_id: int, uid: str) -> list[Invitation]:
    """The invitations that were proposed to the owner of the calendar with a file of this UID."""
    sql = f"""SELECT {columns(Invitation, "i")} FROM invitation_proposals o JOIN invitations i ON i.id = o.invitation_id
              JOIN dav_resources r ON r.calendar_id = o.calendar_id AND r.name = 'invitation-' || i.id || '.ics'
              WHERE o.calendar_id = :calendar_id AND NOT o.accepted AND r.uid = :uid AND i.state <> 'withdrawn'"""
    return ctx.tx.all(Invitation, sql, calendar_id=calendar_id, uid=uid)


def delete_proposals(ctx: Context, invitation: Invitation) -> list[int]:
    """Delete what the guest has not accepted; returns the calendars that it was for."""
    sql = "DELETE FROM invitation_proposals WHERE invitation_id = :id AND NOT accepted RETURNING calendar_id"
    return [calendar_id for (calendar_id,) in ctx.tx.rows(sql, id=invitation.id)]


def find_split(ctx: Context, invitation: Invitation) -> list[Invitation]:
    """The invitations to other series that were one with this series when the guest's calendar last got it."""
    if invitation.series_id is None:
        return []
    family, new = {invitation.id: invitation}, [invitation]
    while new:
        before = f"id {ctx.db.in_list('before')}"
        after = f"split_from {ctx.db.in_list('after')}"
        rows = ctx.tx.all(
            Invitation,
            f"SELECT {_INVITATION} FROM invitations WHERE {before} UNION SELECT {_INVITATION} FROM invitations WHERE {after}",
            before=[each.split_from for each in new if each.split_from is not None],
            after=[each.id for each in new],
        )
        new = [row for row in rows if row.id not in family]
        family |= {row.id: row for row in new}
    return [each for each in family.values() if each.id != invitation.id and each.state != "withdrawn"]


def find_replaced(ctx: Context, invitation: Invitation) -> list[Invitation]:
    """The withdrawn invitations of the guest to single dates of the series that this one is to."""
    sql = f"""SELECT {columns(Invitation, "i")} FROM events e JOIN invitations i ON i.event_id = e.id
              WHERE e.series_id = :series_id AND i.email_key = :key AND i.state = 'withdrawn' ORDER BY i.id"""
    return ctx.tx.all(Invitation, sql, series_id=invitation.series_id, key=invitation.email_key) if invitation.series_id else []


def set_sequence(ctx: Context, invitation: Invitation) -> None:
    """Record the SEQUENCE of a calendar that is sent."""
    ctx.tx.run("UPDATE invitations SET sequence = :sequence WHERE id = :id", id=invitation.id, sequence=invitation.sequence)


def record_update(ctx: Context, delivery: Delivery) -> None:
    """Count the calendars that were sent with a notice of changes: the next ones must have a higher SEQUENCE."""
    rows = ctx.tx.all(
        Invitation,
        f"""SELECT {_INVITATION} FROM invitations WHERE email_key = :key AND id IN (
                SELECT i.id FROM events e JOIN invitations i ON i.event_id = e.id WHERE e.id {ctx.db.in_list("ids")}
                UNION SELECT i.id FROM events e JOIN invitations i ON i.series_id = e.series_id WHERE e.id {ctx.db.in_list("ids")})""",
        key=fold_case(delivery.address),
        ids=delivery.all_event_ids,
    )
    ids = {row.id for each in rows for row in (each, *find_split(ctx, each))}
    ctx.tx.run(f"UPDATE invitations SET sequence = sequence + 1, split_from = NULL WHERE id {ctx.db.in_list('ids')}", ids=sorted(ids))


def record_outcome(ctx: Context, delivery: Delivery, state: str, error: str | None) -> None:
    """Record that the mail of the invitation was sent, or that it cannot be. A guest is notified once that it was taken back."""
    verb, invitation = find_by_cause(ctx, delivery.cause or "", delivery.address)
    if verb == "invitation" and invitation and state in ("sent", "failed"):
        set_state(ctx, invitation.id, "sent" if state == "sent" else "bounced", error)


def find_of_address(ctx: Context, event: Event, address: str) -> list[Invitation]:
    """The invitations of the address to the event and to its series, also those that were taken back."""
    targets = [Target("event", event.id), *([Target("series", event.series_id)] if event.series_id is not None else [])]
    return [row for target in targets if (row := find(ctx, target, address))]


def erase(ctx: Context, invitation: Invitation) -> None:
    """Take the invitation back, and erase whose it was. Its key is not an address, so that nobody is invited by it."""
    ctx.tx.run("DELETE FROM invitation_notes WHERE invitation_id = :id", id=invitation.id)
    ctx.tx.run(
        """UPDATE invitations SET state = 'withdrawn', address = '', email_key = 'erased ' || CAST(id AS TEXT), name = NULL, message = NULL,
               detail = NULL, updated_at = :now WHERE id = :id""",
        id=invitation.id,
        now=ctx.now,
    )


def is_newest(ctx: Context, invitation_id: int, slot: str, stamp: int) -> bool:
    """Record the DTSTAMP of a reply; False if an equal or a newer one was there."""
    return bool(
        ctx.tx.rows(
            """INSERT INTO invitation_replies (invitation_id, slot, stamp) VALUES (:id, :slot, :stamp)
               ON CONFLICT (invitation_id, slot) DO UPDATE SET stamp = excluded.stamp WHERE invitation_replies.stamp < excluded.stamp
               RETURNING id""",
            id=invitation_id,
            slot=slot,
            stamp=stamp,
        )
    )


class Note(Struct, frozen=True):
    """A row of the table `invitation_notes`."""

    id: int
    invitation_id: int
    kind: str
    subject: str
    text: str
    created_at: int


def insert_note(ctx: Context, invitation_id: int, kind: str, subject: str, text: str) -> int:
    note_id: int = ctx.tx.value(
        """INSERT INTO invitation_notes (invitation_id, kind, subject, text, created_at)
           VALUES (:invitation_id, :kind, :subject, :text, :now) RETURNING id""",
        invitation_id=invitation_id,
        kind=kind,
        subject=subject,
        text=text,
        now=ctx.now,
    )
    return note_id


def count_notes(ctx: Context, invitation_id: int, since: int) -> int:
    sql = "SELECT count(*) FROM invitation_notes WHERE invitation_id = :id AND created_at > :since"
    return int(ctx.tx.value(sql, id=invitation_id, since=since))


def find_note(ctx: Context, note_id: int) -> Note | None:
    return ctx.tx.one(Note, f"SELECT {columns(Note)} FROM invitation_notes WHERE id = :id", id=note_id)


def insert_message(ctx: Context, key: str, outcome: str) -> bool:
    """Record that the message has arrived; False if it had before."""
    sql = """INSERT INTO inbound_messages (message_key, outcome, received_at) VALUES (:key, :outcome, :now)
             ON CONFLICT (message_key) DO NOTHING RETURNING id"""
    return bool(ctx.tx.rows(sql, key=key, outcome=outcome, now=ctx.now))


def clean_up(ctx: Context) -> None:
    """Delete the records of messages that arrived long ago."""
    ctx.tx.run("DELETE FROM inbound_messages WHERE received_at < :old", old=ctx.now - RETENTION)


def find_owner_address(ctx: Context, event: Event) -> str:
    return str(ctx.tx.value("SELECT email_address FROM users WHERE id = :id", id=event.owner_id))

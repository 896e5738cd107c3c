"""After an undo: the invitations to the events that it restored."""

from kalends import errors
from kalends.changes.record import Records
from kalends.context import Context
from kalends.i18n import gettext

DELETED = "The event was deleted before it was sent. Send it again."


def require_uninvited(ctx: Context, records: Records) -> None:
    """Raise Conflict if people were invited to what would be deleted. A series that was split from another has its guests from there."""
    events = [record.key[0] for record in records.all if record.kind == "event" and record.before is None]
    series = [record for record in records.all if record.kind == "series"]
    created = [record.key[0] for record in series] if all(record.before is None for record in series) else []
    for column, ids in (("event_id", events), ("series_id", created)):
        if ctx.tx.rows(f"SELECT id FROM invitations WHERE {column} {ctx.db.in_list('ids')} LIMIT 1", ids=ids):
            raise errors.Conflict(gettext("People are invited to it, so it cannot be undone. Delete it instead: then they are told."))


def settle(ctx: Context, records: Records) -> None:
    """The next calendar for a guest is newer than the one that cancelled the event. A mail that was dropped can be sent again."""
    ids = [record.key[0] for record in records.all if record.kind == "event_invitation"]
    restored = f"id {ctx.db.in_list('ids')}"
    ctx.tx.run(f"UPDATE invitations SET sequence = sequence + 1 WHERE {restored}", ids=ids)
    # The index of causes finds the mail; an expression is not tempted by the index of those that wait.
    cause = "'invitation:' || coalesce('event:' || invitations.event_id, 'series:' || series_id) || ':' || mails"
    ctx.tx.run(
        f"""UPDATE invitations SET state = 'bounced', detail = :detail WHERE {restored} AND state = 'queued' AND NOT EXISTS (
                SELECT 1 FROM deliveries d WHERE d.cause = {cause} AND d.channel = 'email' AND d.address = invitations.address
                AND d.cause IS NOT NULL AND d.state || '' IN ('queued', 'sending'))""",
        ids=ids,
        detail=DELETED,
    )

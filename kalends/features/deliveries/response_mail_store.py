"""The SQL of mail to guests about their responses, and about their places on a waiting list."""

from typing import Any, Literal

from kalends.core.records.delivery import EditorNotice, PlaceNotice
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.features.deliveries.store import HOUR, mailbox
from kalends.http.context import Context, Message

# Of the kinds `counted`, the address must have got fewer than the limit.
_INSERT = """INSERT INTO deliveries (owner_id, event_id, response_id, proposal_id, kind, channel, address, address_key, public, state,
                        attempts, due_at, created_at, updated_at, notice)
SELECT CAST(:owner_id AS BIGINT), CAST(:event_id AS BIGINT), CAST(:response_id AS BIGINT), CAST(:proposal_id AS BIGINT),
       CAST(:kind AS TEXT), 'email', CAST(:address AS TEXT), CAST(:address_key AS TEXT), {public},
       'queued', 0, CAST(:now AS BIGINT), CAST(:now AS BIGINT), CAST(:now AS BIGINT), CAST(:notice AS TEXT)
WHERE (SELECT count(*) FROM (
    SELECT 1 FROM deliveries WHERE address_key = CAST(:address_key AS TEXT) AND created_at > :since AND kind IN ({counted})
    LIMIT :limit
) AS recent) < :limit
ON CONFLICT (kind, coalesce(response_id, 0), coalesce(proposal_id, 0))
    WHERE state = 'queued' AND attempts = 0 AND kind IN ('response', 'proposal') AND coalesce(response_id, proposal_id) IS NOT NULL
    DO UPDATE SET address = excluded.address, address_key = excluded.address_key, updated_at = excluded.updated_at,
        notice = excluded.notice
RETURNING id"""

Recipients = list[tuple[int, str]]


def insert(
    ctx: Context,
    event: Event,
    address: str,
    kind: Literal["response", "proposal", "link"],
    response_id: int | None,
    proposal_id: int | None,
    limit: int,
    notice: EditorNotice | None = None,
) -> bool:
    """Queue the mail, unless the address has got as many as the limit in the last hour; return whether it is queued."""
    address_key = mailbox(address)
    ctx.tx.advisory_lock(f"sends to {address_key}")
    rows = ctx.tx.rows(
        _INSERT.format(public="TRUE" if event.is_open else "FALSE", counted="'link'" if kind == "link" else "'response', 'proposal'"),
        owner_id=event.owner_id,
        event_id=event.id,
        response_id=response_id,
        proposal_id=proposal_id,
        kind=kind,
        notice=notice,
        address=address,
        address_key=address_key,
        now=ctx.now,
        since=ctx.now - HOUR,
        limit=limit if ctx.settings.rate_limits == "on" else 1_000_000_000,
    )
    if rows:
        ctx.add_message(Message(kind, "email", address))
    return bool(rows)


def delete(ctx: Context, responses: list[Response], owner_ids: list[int]) -> None:
    """Forget the messages to the address of the responses about their events, and all that the owners' other events have sent it."""
    ctx.tx.run(
        f"""DELETE FROM deliveries WHERE address_key = :key AND owner_id {ctx.db.in_list("owner_ids")}
            AND (event_id {ctx.db.in_list("event_ids")} OR state NOT IN ('queued', 'sending'))""",
        key=mailbox(responses[0].email_address),
        owner_ids=owner_ids,
        event_ids=[each.event_id for each in responses],
    )
    in_ids = ctx.db.in_list("ids")
    ctx.tx.run(f"DELETE FROM deliveries WHERE response_id {in_ids} AND kind = 'reminder'", ids=[each.id for each in responses])


def find_event(ctx: Context, event_id: int) -> tuple[int, bool]:
    """The owner of the event, and whether guests can open it."""
    [(owner_id, public)] = ctx.tx.rows("SELECT owner_id, public OR by_link FROM events WHERE id = :id", id=event_id)
    return owner_id, bool(public)


def find_recipients(ctx: Context, response_ids: list[int]) -> Recipients:
    """The responses with their addresses."""
    sql = f"SELECT id, email_address FROM responses WHERE id {ctx.db.in_list('ids')} ORDER BY id"
    return [(response_id, address) for response_id, address in ctx.tx.rows(sql, ids=response_ids)]


def insert_notices(ctx: Context, event_id: int, owner_id: int, recipients: Recipients, notice: PlaceNotice, *, public: bool) -> None:
    common: dict[str, Any] = {"owner_id": owner_id, "event_id": event_id, "public": public, "notice": notice, "now": ctx.now}
    ctx.tx.many(
        """INSERT INTO deliveries (owner_id, event_id, response_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at, notice)
           VALUES (:owner_id, :event_id, :response_id, 'notice', 'email', :address, :address_key, :public, 'queued', 0,
                   :now, :now, :now, :notice)""",
        [common | {"response_id": each, "address": address, "address_key": mailbox(address)} for each, address in recipients],
    )

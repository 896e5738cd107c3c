"""Responses that wait until the owner of their address confirms them, by the link in a mail."""

import hmac

import msgspec
from msgspec import Struct

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.features.responses.model import Author, ResponseFields, ResponseInput
from kalends.http.context import Context
from kalends.http.input.fields import Params

LIFETIME = 48 * 3600
MAX_DIGITS = 18
ENDED = gettext(
    "This link no longer works: it is older than 48 hours, has already been used, or a newer one has "
    "replaced it. RSVP again to get a new link."
)


class Proposal(Struct, frozen=True):
    """A row of the table `proposals`."""

    id: int
    event_id: int
    email_address: str
    fields: str
    version: int
    created_at: int

    @property
    def params(self) -> Params[ResponseInput]:
        """The fields that were sent."""
        values = msgspec.json.decode(self.fields)
        return Params(msgspec.convert(values | {"event_id": self.event_id}, ResponseInput), frozenset(values))


def upsert(ctx: Context, fields: Params[ResponseInput], author: Author) -> int:
    """Store the proposal in place of an earlier one, and return its id."""
    values = {name: getattr(fields.value, name) for name in (*ResponseFields.__struct_fields__, "scope") if name in fields.names}
    values |= {"response": fields.value.response} | ({"name": author.name} if author.name and "name" not in values else {})
    proposal_id: int = ctx.tx.value(
        """INSERT INTO proposals (event_id, email_address, email_key, fields, version, created_at)
           VALUES (:event_id, :email_address, :email_key, :fields, 1, :now)
           ON CONFLICT (event_id, email_key) DO UPDATE SET email_address = excluded.email_address, fields = excluded.fields,
               version = proposals.version + 1, created_at = excluded.created_at
           RETURNING id""",
        event_id=fields.value.event_id,
        email_address=author.email_address,
        email_key=fold_case(author.email_address),
        fields=msgspec.json.encode(values).decode(),
        now=ctx.now,
    )
    return proposal_id


def find(ctx: Context, proposal_id: int) -> Proposal | None:
    """The proposal, unless it has expired."""
    sql = f"SELECT {columns(Proposal)} FROM proposals WHERE id = :id AND created_at > :old"
    return ctx.tx.one(Proposal, sql, id=proposal_id, old=ctx.now - LIFETIME)


def of_event(ctx: Context, event_id: int, limit: int, offset: int) -> list[Proposal]:
    """What waits for confirmation, the newest first."""
    sql = f"""SELECT {columns(Proposal)} FROM proposals WHERE event_id = :event_id AND created_at > :old
              ORDER BY id DESC LIMIT :limit OFFSET :offset"""
    return ctx.tx.all(Proposal, sql, event_id=event_id, old=ctx.now - LIFETIME, limit=limit, offset=offset)


def count(ctx: Context, event_id: int) -> int:
    sql = "SELECT count(*) FROM proposals WHERE event_id = :event_id AND created_at > :old"
    return int(ctx.tx.value(sql, event_id=event_id, old=ctx.now - LIFETIME))


def by_token(ctx: Context, token: str) -> Proposal:
    number = token.partition("-")[0]
    is_number = number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS
    proposal = find(ctx, int(number)) if is_number else None
    if proposal is None or not hmac.compare_digest(token.encode(), _token(ctx.settings, proposal).encode()):
        raise errors.NotFound(ENDED)
    return proposal


def url(settings: Settings, proposal: Proposal) -> str:
    return f"{settings.url}/r/confirm/{_token(settings, proposal)}"


def delete(ctx: Context, proposal_id: int) -> None:
    ctx.tx.run("DELETE FROM proposals WHERE id = :id", id=proposal_id)


def delete_of(ctx: Context, event_ids: list[int], email_address: str) -> None:
    """Delete what is proposed for the address."""
    sql = f"DELETE FROM proposals WHERE event_id {ctx.db.in_list('ids')} AND email_key = :key"
    ctx.tx.run(sql, ids=event_ids, key=fold_case(email_address))


def clean_up(ctx: Context) -> None:
    """Delete what was not confirmed in time."""
    ctx.tx.run("DELETE FROM proposals WHERE created_at <= :old", old=ctx.now - LIFETIME)


def _token(settings: Settings, proposal: Proposal) -> str:
    mac = derive(settings, "proposal", f"{proposal.id}.{proposal.version}.{fold_case(proposal.email_address)}")[:32]
    return f"{proposal.id}-{mac}"

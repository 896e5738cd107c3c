"""The log of the administration: who did what to whom, and when. An entry is written in the transaction of what it is about."""

from kalends import policy
from kalends.core.records.administration import AuditAction, AuditSubject, AuditVia, NamedAuditEntry
from kalends.db import columns
from kalends.http.context import Context
from kalends.http.paging import Paging

RETENTION = 2 * 365 * 86_400

_ENTRY = columns(NamedAuditEntry, "e", actor_name="a.user_name", subject_name="s.user_name")


def record(ctx: Context, action: AuditAction, subject_kind: AuditSubject, subject_id: int | None = None, detail: str = "") -> None:
    """Record what an admin does, or the operator with a command. The detail must not name people."""
    ctx.tx.run(
        """INSERT INTO audit_entries (at, actor_id, via, action, subject_kind, subject_id, detail)
           VALUES (:now, :actor_id, :via, :action, :subject_kind, :subject_id, :detail)""",
        now=ctx.now,
        actor_id=ctx.actor.id if ctx.actor else None,
        via=_via(ctx),
        action=action,
        subject_kind=subject_kind,
        subject_id=subject_id,
        detail=detail,
    )


def _via(ctx: Context) -> AuditVia:
    if not ctx.caller.path:
        return "command"
    if ctx.actor and policy.current_key_id(ctx):
        return "key"
    return "api" if ctx.caller.path.startswith("/api/") else "page"


def index(ctx: Context, paging: Paging) -> list[NamedAuditEntry]:
    """The entries, the newest first."""
    sql = f"""SELECT {_ENTRY} FROM audit_entries e LEFT JOIN users a ON a.id = e.actor_id
              LEFT JOIN users s ON s.id = e.subject_id AND e.subject_kind = 'account'
              WHERE e.id > 0 ORDER BY e.id DESC LIMIT :limit OFFSET :offset"""
    return ctx.tx.all(NamedAuditEntry, sql, limit=paging.fetch, offset=paging.offset)


def count(ctx: Context) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM audit_entries WHERE id > 0"))


def count_admins(ctx: Context) -> int:
    """How many entries say that an account became that of an admin."""
    return int(ctx.tx.value("SELECT count(*) FROM audit_entries WHERE id > 0 AND detail = 'admin'"))


def clean_up(ctx: Context) -> None:
    ctx.tx.run("DELETE FROM audit_entries WHERE at < :old", old=ctx.now - RETENTION)

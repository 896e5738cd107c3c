"""The limits on logins: each attempt is counted before the check, and if it succeeds, as a success instead."""

from contextlib import suppress

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values.text import fold_case
from kalends.features.sessions import store
from kalends.http.context import Context

MAX_FAILURES = 10
# Of one name, since each takes as much work as a failure.
MAX_SUCCESSES = 20

# The rows that count an attempt.
Attempt = tuple[int, ...]


def refuse(ctx: Context, subjects: list[str]) -> None:
    """Raise TooMany if one of the subjects has too many failures within a minute."""
    if ctx.settings.rate_limits == "off":
        return
    if any(store.recent_attempts(ctx, subject) >= MAX_FAILURES for subject in subjects):
        raise _too_many()


def begin(ctx: Context, subjects: list[str], name: str = "") -> Attempt:
    """Count an attempt for each subject under a lock that all processes share, or raise TooMany, also if the name has too many
    successes."""
    if ctx.settings.rate_limits == "off":
        return ()
    ctx = _counting(ctx)
    with ctx.write(is_last=False) as tx:
        for subject in sorted(subjects):
            tx.advisory_lock(f"logins {subject}")
        refuse(ctx, subjects)
        if name and store.recent_attempts(ctx, _successes(name)) >= MAX_SUCCESSES:
            raise _too_many()
        return tuple(store.insert_attempt(ctx, subject) for subject in subjects)


def succeed(ctx: Context, attempt: Attempt, name: str) -> None:
    """Count a success of the name instead of the attempt, within the open transaction."""
    for attempt_id in attempt:
        store.delete_attempt(ctx, attempt_id)
    if attempt:
        store.insert_attempt(ctx, _successes(name))


def end(ctx: Context, attempt: Attempt) -> None:
    """Uncount an attempt that did not fail. If the database is unavailable, it expires after a minute."""
    if attempt:
        ctx = _counting(ctx)
        with suppress(errors.Unavailable), ctx.write(is_last=False):
            for attempt_id in attempt:
                store.delete_attempt(ctx, attempt_id)


def _counting(ctx: Context) -> Context:
    """The context that counts: a dry run counts its attempts as well, and does not roll them back."""
    return Context(ctx.db, ctx.settings, ctx.now, ctx.caller) if ctx.is_dry_run else ctx


def _successes(name: str) -> str:
    return f"successes {fold_case(name)}"


def _too_many() -> errors.TooMany:
    """The same words in each case: which one it is would disclose whether there is such a user."""
    return errors.TooMany(gettext("Too many logins within a minute. Wait a minute, and try again."), retry_after=store.ATTEMPT_WINDOW)

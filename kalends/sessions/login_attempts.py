"""The limit on failed logins: each attempt is counted before the check, and uncounted if it succeeds."""

from contextlib import suppress

from kalends import errors
from kalends.context import Context
from kalends.i18n import gettext
from kalends.sessions import store

MAX_FAILURES = 10

# The rows that count an attempt.
Attempt = tuple[int, ...]


def refuse(ctx: Context, subjects: list[str]) -> None:
    """Raise TooMany if one of the subjects has too many failures within a minute."""
    if ctx.settings.rate_limits == "off":
        return
    if any(store.recent_failures(ctx, subject) >= MAX_FAILURES for subject in subjects):
        raise errors.TooMany(gettext("Too many failed logins. Try again in a minute."), retry_after=store.FAILURE_WINDOW)


def begin(ctx: Context, subjects: list[str]) -> Attempt:
    """Count an attempt for each subject under a lock that all processes share, or raise TooMany."""
    if ctx.settings.rate_limits == "off":
        return ()
    with ctx.write(is_last=False) as tx:
        for subject in sorted(subjects):
            tx.advisory_lock(f"logins {subject}")
        refuse(ctx, subjects)
        return tuple(store.insert_failure(ctx, subject) for subject in subjects)


def end(ctx: Context, attempt: Attempt) -> None:
    """Uncount an attempt that did not fail. If the database is unavailable, it expires after a minute."""
    if attempt:
        with suppress(errors.Unavailable), ctx.write(is_last=False):
            delete(ctx, attempt)


def delete(ctx: Context, attempt: Attempt) -> None:
    """Uncount an attempt within the open transaction."""
    for failure_id in attempt:
        store.delete_failure(ctx, failure_id)

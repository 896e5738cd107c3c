"""Counters in fixed time windows, which all processes and servers of an installation share."""

from kalends.db.database import Transaction


def increment(tx: Transaction, subject: str, window_start: int, seconds: int, amount: int) -> tuple[int, int]:
    """Add to the subject's counter of this window; returns its new value and the value of the previous window.

    The row is locked until the transaction ends.
    """
    [(current, previous)] = tx.rows(
        """INSERT INTO rate_counters (window_start, subject, uses, expires_at) VALUES (:window_start, :subject, :amount, :expires_at)
           ON CONFLICT (subject, window_start) DO UPDATE SET uses = rate_counters.uses + excluded.uses
           RETURNING uses, (SELECT p.uses FROM rate_counters p WHERE p.subject = :subject AND p.window_start = :previous_start)""",
        window_start=window_start,
        subject=subject,
        amount=amount,
        expires_at=window_start + 2 * seconds,
        previous_start=window_start - seconds,
    )
    return current, previous or 0


def clean_up(tx: Transaction, now: int) -> None:
    tx.run("DELETE FROM rate_counters WHERE expires_at <= :now", now=now)

"""When the background worker and a backup last ran: what admins look at to see whether the service is well."""

from typing import Literal

from kalends.db.database import Transaction

Task = Literal["worker", "backup"]


def record(tx: Transaction, task: Task, now: int) -> None:
    tx.run(
        "INSERT INTO last_runs (task, ran_at) VALUES (:task, :now) ON CONFLICT (task) DO UPDATE SET ran_at = excluded.ran_at",
        task=task,
        now=now,
    )


def find(tx: Transaction, task: Task) -> int | None:
    """When it last ran; None if it never did."""
    ran_at: int | None = tx.value("SELECT max(ran_at) FROM last_runs WHERE task = :task", task=task)
    return ran_at

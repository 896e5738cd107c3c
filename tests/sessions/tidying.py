"""What would be left if the worker cleaned up at some time. Nothing is cleaned up for the other tests."""

from collections.abc import Callable
from typing import Any

from kalends.db import Database
from kalends.sessions.store import clean_up


class _Undone(Exception):
    pass


def after_clean_up(db: Database, now: int) -> Callable[..., Any]:
    """Ask for a value as it would be after a clean-up."""

    def ask(sql: str, **params: Any) -> Any:
        try:
            with db.write() as tx:
                clean_up(tx, now)
                found = tx.value(sql, **params)
                raise _Undone
        except _Undone:
            return found

    return ask

"""The effect of the worker's clean-up, which is rolled back for other tests."""

from collections.abc import Callable
from typing import Any

from kalends.db import Database
from kalends.features.sessions.store import clean_up


class _Undone(Exception):
    pass


def after_clean_up(db: Database, now: int) -> Callable[..., Any]:
    """Return a function that queries a value as of after a clean-up."""

    def ask(sql: str, **params: Any) -> Any:
        try:
            with db.write() as tx:
                clean_up(tx, now)
                result = tx.value(sql, **params)
                raise _Undone
        except _Undone:
            return result

    return ask

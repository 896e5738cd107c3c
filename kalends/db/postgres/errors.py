"""The errors of psycopg, translated into those that both databases raise."""

import psycopg
from psycopg import errors as pg

from kalends.core.errors import Unavailable
from kalends.db.database import TIMED_OUT, UNAVAILABLE_DETAIL, LockTimeout, Retry, UniqueViolation

UNAVAILABLE = (psycopg.OperationalError, psycopg.InterfaceError, pg.ReadOnlySqlTransaction, pg.IdleInTransactionSessionTimeout)
# A foreign key is violated if the record existed when the action read it and was deleted since: the next attempt sees that.
RETRYABLE = (pg.SerializationFailure, pg.DeadlockDetected, pg.ForeignKeyViolation)


class TranslatedErrors:
    """Within the block, errors of psycopg are raised as both databases do."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, pg.UniqueViolation):
            raise UniqueViolation(error.diag.constraint_name or "") from error
        if isinstance(error, RETRYABLE):
            raise Retry from error
        if isinstance(error, pg.QueryCanceled):
            raise Unavailable(TIMED_OUT) from error
        if isinstance(error, pg.LockNotAvailable):
            raise LockTimeout(UNAVAILABLE_DETAIL) from error
        if isinstance(error, UNAVAILABLE):
            raise Unavailable(UNAVAILABLE_DETAIL) from error

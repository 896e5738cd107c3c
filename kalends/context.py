"""What an action is given: the transaction, who acts, when, and under which settings. Passed, never global."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from kalends import errors
from kalends.db import Database, Transaction
from kalends.settings import Settings
from kalends.values import timestamps

T = TypeVar("T")

# A time is told only when no other change can have it: one of the same second, or of a transaction that began then and ended later.
LAST_MODIFIED_DELAY = 120


class Actor(Struct, frozen=True):
    """A signed-in user, and the session or key by which they came."""

    id: int
    user_name: str
    email_address: str
    name: str | None
    time_zone: str
    session_id: str | None = None
    key_id: str | None = None
    # When they proved that the address is theirs.
    verified_at: int | None = None

    @property
    def display_name(self) -> str:
        return self.name or self.user_name


class Caller(Struct, frozen=True):
    """Where a request comes from, what it asked for, and what it says about versions."""

    address: str = ""
    is_cross_site: bool = False
    authorization: str = ""
    if_match: str | None = None
    if_none_match: str | None = None
    if_modified_since: str | None = None
    path: str = ""
    query: str = ""
    takes_gzip: bool = False
    cookies: str = ""

    def cookie(self, name: str) -> str:
        """The value of a cookie, or nothing."""
        pairs = (pair.strip().partition("=") for pair in self.cookies.split(";"))
        return next((value for key, _, value in pairs if key == name), "")

    def has_version(self, etag: str) -> bool:
        """Whether the client holds this answer already (If-None-Match)."""
        held = _tags(self.if_none_match or "")
        return etag in held or "*" in held

    def has_last_modified(self, changed_at: int) -> bool:
        """Whether the client has what was changed last at this moment, as it was told (If-Modified-Since)."""
        return self.if_modified_since is not None and timestamps.parse_http_date(self.if_modified_since) == changed_at

    def accepts_version(self, etag: str) -> bool:
        """Whether the client means this version of the record, or any (If-Match)."""
        if self.if_match is None:
            return True
        meant = _tags(self.if_match)
        return "*" in meant or any(tag == etag or tag.startswith(f"{etag[:-1]}.") for tag in meant)


def _tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


class CountedCall(Protocol):
    """A call that counts against a rate limit; settled once it is counted or refused."""

    is_settled: bool

    def count(self, tx: Transaction) -> None:
        """Count it in this transaction, or raise TooMany."""


class Context:
    """One request's surroundings (or one command's, or one page's)."""

    __slots__ = (
        "_tx",
        "actor",
        "after_commit",
        "call",
        "caller",
        "cookies",
        "db",
        "etag_has_body_hash",
        "headers",
        "keep",
        "now",
        "refusal",
        "settings",
        "status",
        "unchanged",
    )

    def __init__(self, db: Database, settings: Settings, now: int, caller: Caller | None = None):
        self.db = db
        self.settings = settings
        self.now = now
        self.caller = caller or Caller()
        self.actor: Actor | None = None
        # Counted by the first write transaction that commits.
        self.call: CountedCall | None = None
        # Why nothing may be written: a form shows it with what was typed.
        self.refusal: errors.Problem | None = None
        self.headers: dict[str, str] = {}
        self.cookies: list[str] = []
        self.status: int | None = None
        self.etag_has_body_hash = False
        self.unchanged = False
        self.keep: Callable[[Any], None] | None = None
        self.after_commit: list[Callable[[Transaction], None]] = []
        self._tx: Transaction | None = None

    @property
    def tx(self) -> Transaction:
        """The open transaction."""
        assert self._tx is not None, "no transaction is open"
        return self._tx

    def read(self) -> "_TransactionScope":
        """Open a read snapshot for the block."""
        return _TransactionScope(self, self.db.read())

    def write(self, *, alone: bool = False) -> "_TransactionScope":
        """Open a write transaction for the block; it commits when the block ends. One that takes long should be alone."""
        if self.refusal:
            raise self.refusal
        is_counting = self.call and not self.call.is_settled
        return _CountingScope(self, self.db.write(alone=alone)) if is_counting else _TransactionScope(self, self.db.write(alone=alone))

    def done(self, result: T) -> T:
        """The reply to a write, said in the transaction that wrote what it tells: so that a request that is sent again gets it too."""
        if self.keep:
            self.keep(result)
        return result

    def set_cookie(self, name: str, value: str, max_age: int) -> None:
        """Set a cookie for this site alone, which scripts cannot read; a max_age of 0 deletes it."""
        secure = "; Secure" if self.settings.https else ""
        self.cookies.append(f"{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age}{secure}")

    def tag(self, version: str, *, with_body_hash: bool = False) -> None:
        """Answer with an ETag: the record's version and, where an answer says more than the record, what it says.

        A read that the client has already becomes 304.
        """
        self.headers["ETag"] = f'"{version}"'
        self.etag_has_body_hash = with_body_hash

    def not_modified(self, version: str, changed_at: int) -> bool:
        """Tag the answer before it is made, and say whether the client has it already: then it becomes 304."""
        self.tag(version)
        has_rested = changed_at < self.now - LAST_MODIFIED_DELAY
        if has_rested:
            self.headers["Last-Modified"] = timestamps.format_http_date(changed_at)
        asked = self.caller.if_none_match is not None
        self.unchanged = (
            self.caller.has_version(self.headers["ETag"]) if asked else has_rested and self.caller.has_last_modified(changed_at)
        )
        return self.unchanged

    def require_version(self, version: str) -> None:
        """Refuse to change a record that is no longer the one the client saw."""
        if not self.caller.accepts_version(f'"{version}"'):
            raise errors.Stale("Somebody changed it since you read it. Read it again, then send your change with the new ETag.")


class _TransactionScope:
    """A transaction of the context, for a block."""

    __slots__ = ("_ctx", "_transaction")

    def __init__(self, ctx: Context, transaction: AbstractContextManager[Transaction]):
        self._ctx = ctx
        self._transaction = transaction

    def __enter__(self) -> Transaction:
        self._ctx._tx = tx = self._transaction.__enter__()
        return tx

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ctx._tx = None
        self._transaction.__exit__(kind, error, trace)


class _CountingScope(_TransactionScope):
    """The transaction in which the call is counted."""

    __slots__ = ()

    def __enter__(self) -> Transaction:
        tx = super().__enter__()
        try:
            assert self._ctx.call
            self._ctx.call.count(tx)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return tx

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        super().__exit__(kind, error, trace)
        if error is None and self._ctx.call:
            self._ctx.call.is_settled = True

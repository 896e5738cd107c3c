"""The context of an action: its transaction, its actor, the time and the settings. It is passed as an argument, never global."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from random import getrandbits
from time import thread_time, time_ns
from types import TracebackType
from typing import Annotated, Protocol

from msgspec import Meta, Struct, structs

from kalends.core import errors
from kalends.core.i18n import gettext, locale
from kalends.core.i18n.locale import Locale
from kalends.core.records.administration import Site
from kalends.core.records.delivery import GUEST_GROUPS, GuestGroup
from kalends.core.records.response import Response
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Author, Database, Transaction, journal
from kalends.http.reply import Wait, has_version, parse_etags

# Send Last-Modified only when it is this many seconds old: until then, another change may still commit with the same time.
LAST_MODIFIED_DELAY = 120
# The random part of the number of a set of changes, after its milliseconds: neighbours in time are neighbours in the index.
SET_ID_BITS = 21
# How long a dry run may compute, in seconds, before it begins a further step: its steps are one transaction, for which other writes wait.
MAX_DRY_RUN_SECONDS = 0.2
_LANGUAGE = re.compile(r"(?:^|&)lang=([a-z]{2})(?:&|$)")


def new_set_id() -> int:
    """The number of a new set of changes."""
    return time_ns() // 1_000_000 << SET_ID_BITS | getrandbits(SET_ID_BITS)


class _DryRun(Exception):
    """Rolls a dry run back."""


class Message(Struct, frozen=True):
    """A message that an action queued."""

    kind: Annotated[str, Meta(description="What the message is about.")]
    channel: Annotated[str, Meta(description="How the message is sent.")]
    address: Annotated[str, Meta(description="E-mail address or mobile number; of somebody who is named by it, the user name.")]
    group: Annotated[GuestGroup | None, Meta(description="Of a message to a guest of an event: what they have responded; else null.")] = (
        None
    )


class Actor(Struct, frozen=True):
    """A signed-in user, and the session or key of the request."""

    id: int
    user_name: str
    email_address: str
    name: str | None
    time_zone: str
    session_id: str | None = None
    key_id: str | None = None
    # When they verified the e-mail address.
    verified_at: int | None = None
    # What they set for pages and mail; empty: as their browser says.
    language: str = ""
    hour_cycle: str = ""
    week_start: str = ""
    # Of the key of the request, or of the one that opened its session; empty: all.
    scopes: str = ""
    # The calendars of the same key, separated by blanks; empty: all.
    calendar_ids: str = ""

    @property
    def display_name(self) -> str:
        return self.name or self.user_name


class LinkedEvent(Struct, frozen=True):
    """The event that the request may see because it has its link, and its series; the link is what follows /e/."""

    id: int
    series_id: int | None
    link: str


class Caller(Struct, frozen=True):
    """The client of a request: its address, its path, and its header fields by their names in lower case."""

    address: str = ""
    is_cross_site: bool = False
    path: str = ""
    query: str = ""
    headers: dict[str, str] = {}
    request_id: str | None = None

    @property
    def is_browser(self) -> bool:
        """Whether a browser sent the request: it says from where. A program that keeps cookies does not."""
        return "sec-fetch-site" in self.headers or "origin" in self.headers

    @property
    def language(self) -> str:
        """The language that the URL of the page names (`?lang=de`), as search engines find it; empty without one."""
        match = _LANGUAGE.search(self.query)
        return match[1] if match else ""

    def cookie(self, name: str) -> str:
        """The value of a cookie, or an empty text."""
        return read_cookie(self.headers.get("cookie", ""), name) or ""

    def has_version(self, etag: str) -> bool:
        """Whether the client has this version already (If-None-Match)."""
        return has_version(self.headers, etag)

    def has_last_modified(self, changed_at: int) -> bool:
        """Whether the client has the version that was last changed at this moment (If-Modified-Since)."""
        date = self.headers.get("if-modified-since")
        return date is not None and timestamps.parse_http_date(date) == changed_at

    def accepts_version(self, etag: str) -> bool:
        """Whether If-Match names this version of the record, or any, or is missing."""
        if "if-match" not in self.headers:
            return True
        sent = parse_etags(self.headers["if-match"])
        return "*" in sent or any(tag == etag or tag.startswith(f"{etag[:-1]}.") for tag in sent)


def read_cookie(header: str, name: str) -> str | None:
    """The value of a cookie in the header field."""
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    return next((value for key, _, value in pairs if key == name), None)


class CountedCall(Protocol):
    """A call that counts against a rate limit. It is settled when it was counted or refused."""

    is_settled: bool

    def count(self, tx: Transaction) -> None:
        """Count the call in this transaction, or raise TooMany."""


class Context(Struct, eq=False):
    """The context of one request, page or command."""

    db: Database
    settings: Settings
    now: int
    caller: Caller = Caller()
    actor: Actor | None = None
    # Set by a request that has the link of an event.
    linked: LinkedEvent | None = None
    # The response of a guest who has its personal link.
    guest_response: Response | None = None
    # Counted by the first write transaction that commits.
    call: CountedCall | None = None
    # The error of every write, if writing is refused: a form shows it together with its values.
    refusal: errors.Problem | None = None
    headers: dict[str, str] = {}
    cookies: list[str] = []
    # Whether the new record has no Location, since its author cannot read it there.
    hides_location: bool = False
    status: int | None = None
    etag_has_body_hash: bool = False
    unchanged: bool = False
    # The path of the page that the reply shows, where another path shows it again.
    page_path: str = ""
    # Set by an action that has nothing to tell yet.
    wait: Wait | None = None
    # Set for a request with an Idempotency-Key: its last write commits together with the stored response.
    defers_commit: bool = False
    after_commit: list[Callable[[Transaction], None]] = []
    # Set for a request that says what it would do: all its transactions are one, which is rolled back.
    is_dry_run: bool = False
    # The messages that the action has queued.
    messages: dict[object, Message] = {}
    # What the journal records instead of the kind of the request.
    via: str | None = None
    # The settings of the site, once they are read (kalends/policy/site.py).
    site: Site | None = None
    _tx: Transaction | None = None
    _deferred: "_TransactionScope | None" = None
    # The processor time when the transaction of a dry run began.
    _dry_run_began: float = 0.0
    _set_id: int = 0
    _locale: Locale | None = None

    @property
    def locale(self) -> locale.Locale:
        """The language and the formats of the reader."""
        if self._locale:
            return self._locale
        default = self.site.language if self.site else self.settings.language or locale.ENGLISH.language
        accepted = self.caller.headers.get("accept-language", "")
        user = self.caller.language or (self.actor.language if self.actor else "")
        formats = (self.actor.hour_cycle, self.actor.week_start) if self.actor else ("", "")
        chosen = locale.choose_locale(user, self.caller.cookie(locale.COOKIE), accepted, default, *formats)
        if self.site:
            # Until the site is read, its language is not known.
            self._locale = chosen
        return chosen

    def set_locale(self, value: Locale) -> None:
        """Write for another reader: the recipient of a message."""
        self._locale = value

    def author(self) -> Author:
        """What the journal records of the changes of this request or command."""
        self._set_id = self._set_id or new_set_id()
        path = self.caller.path
        via = "worker" if not path else "api" if path.startswith("/api/") else "page"
        return Author(self._set_id, self.now, self.actor.id if self.actor else None, self.via or via, self.caller.request_id)

    def last_change(self) -> int | None:
        """The number of the last change of this request, by which it can be undone."""
        return journal.last_of_set(self.tx, self.author().set_id)

    def continue_set(self, set_id: int) -> None:
        """Let the journal record the next changes as those of an earlier request, which they complete."""
        self._set_id = set_id

    @contextmanager
    def record_apart(self, set_id: int) -> Iterator[None]:
        """Let the journal record the changes of the block as those of another request; a dry run lists them with the rest."""
        own, via = self.author().set_id, self.via
        if not self.is_dry_run:
            self._change_set(set_id, None)
        try:
            yield
        finally:
            self._change_set(own, via)

    def _change_set(self, set_id: int, via: str | None) -> None:
        self._set_id, self.via = set_id, via
        if self._tx is not None:
            self._tx.author = self.author

    @property
    def tx(self) -> Transaction:
        """The open transaction."""
        assert self._tx is not None, "no transaction is open"
        return self._tx

    def read(self) -> "_TransactionScope":
        """Open a read snapshot for the block."""
        if self._deferred and self.is_dry_run:
            return self._reopen()
        if self._deferred:
            self.commit()
        return _TransactionScope(self, self.db.read())

    def read_replica(self) -> "_TransactionScope":
        """Open a read snapshot for the block that may be a little older than now."""
        return _TransactionScope(self, self.db.read_replica())

    def join_read(self) -> "AbstractContextManager[Transaction]":
        """The open transaction, or else a read snapshot for the block."""
        return nullcontext(self._tx) if self._tx else self.read()

    def write(self, *, alone: bool = False, is_last: bool = True) -> "_TransactionScope":
        """Open a write transaction for the block, which commits when the block ends.

        alone: commit it apart from the writes of other requests, since it takes long.
        is_last: False where slow work of the same request follows. Under an Idempotency-Key the commit of the last write waits for
            the reply, which is stored in the same transaction.
        """
        if self.refusal:
            raise self.refusal
        if self._deferred and self.is_dry_run:
            self._require_short_dry_run()
            return self._reopen()
        if self._deferred:
            self.commit()
        self._dry_run_began = thread_time()
        scope = _CountingScope if self.call and not self.call.is_settled else _WriteScope
        return scope(self, self.db.write(alone=alone), is_deferred=self.is_dry_run or (self.defers_commit and is_last))

    def resume_write(self) -> "_TransactionScope":
        """Reopen the last write transaction if its commit was deferred, or else open a new one."""
        self.defers_commit = False
        scope, self._deferred = self._deferred, None
        return scope or self.write()

    def roll_back(self) -> None:
        """Undo all that a dry run did."""
        scope, self._deferred = self._deferred, None
        if scope:
            with suppress(_DryRun):
                scope.close(_DryRun())

    def _require_short_dry_run(self) -> None:
        if thread_time() - self._dry_run_began > MAX_DRY_RUN_SECONDS:
            raise errors.Conflict(
                gettext("This changes so much that it is done in several steps. A dry run of them would make everybody else wait.")
            )

    def _reopen(self) -> "_TransactionScope":
        """The open transaction of a dry run, for its next block."""
        scope, self._deferred = self._deferred, None
        assert scope
        scope.stay_open()
        return scope

    def commit(self) -> None:
        """Commit the deferred transaction, if there is one."""
        scope, self._deferred = self._deferred, None
        if scope:
            scope.close(None)

    def add_message(self, message: Message, cause: str | None = None) -> None:
        """Record that the message is queued. An address gets one for a cause, of which a cancellation comes first; its guest belongs to
        the first of their groups."""
        key = (cause, message.channel, message.address) if cause else len(self.messages)
        if (known := self.messages.get(key)) is not None:
            groups = [each.group for each in (known, message) if each.group]
            kind = "cancel" if "cancel" in (known.kind, message.kind) else message.kind
            message = structs.replace(message, kind=kind, group=min(groups, key=GUEST_GROUPS.index, default=None))
        self.messages[key] = message

    def set_cookie(self, name: str, value: str, max_age: int) -> None:
        """Set a cookie that scripts cannot read and other sites cannot send; a max_age of 0 deletes it."""
        secure = "; Secure" if self.settings.https else ""
        self.cookies.append(f"{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age}{secure}")

    def tag(self, version: str, *, with_body_hash: bool = False) -> None:
        """Set the ETag: the record's version and, if the reply has more than the record, a hash of its body.

        A GET of a version that the client has becomes 304.
        """
        self.headers["ETag"] = f'"{version}"'
        self.etag_has_body_hash = with_body_hash

    def not_modified(self, version: str, changed_at: int) -> bool:
        """Set ETag and Last-Modified before the body is made. True if the client has this version: the HTTP response is then 304."""
        self.tag(version)
        is_settled = changed_at < self.now - LAST_MODIFIED_DELAY
        if is_settled:
            self.headers["Last-Modified"] = timestamps.format_http_date(changed_at)
        if "if-none-match" in self.caller.headers:
            self.unchanged = self.caller.has_version(self.headers["ETag"])
        else:
            self.unchanged = is_settled and self.caller.has_last_modified(changed_at)
        return self.unchanged

    def require_existence(self, exists: bool) -> None:
        """Raise Stale if the client expects a record (If-Match) that is missing, or none (If-None-Match: *) that is there."""
        if not exists and "if-match" in self.caller.headers:
            raise errors.Stale("It is not there any more. Send it without If-Match to create it.")
        if exists and "*" in parse_etags(self.caller.headers.get("if-none-match", "")):
            raise errors.Stale("It is there already. Send it without If-None-Match to change it.")

    def require_version(self, version: str) -> None:
        """Raise Stale if the client means another version of the record (If-Match)."""
        if not self.caller.accepts_version(f'"{version}"'):
            raise errors.Stale(
                gettext("Someone else changed this after you read it. Read it again, then send your change with the new ETag.")
            )


class _TransactionScope:
    """A transaction of the context for a block. A deferred one stays open at the end of the block, and can be entered again."""

    __slots__ = ("_ctx", "_is_deferred", "_transaction", "_tx")

    def __init__(self, ctx: Context, transaction: AbstractContextManager[Transaction], *, is_deferred: bool = False):
        self._ctx = ctx
        self._transaction = transaction
        self._is_deferred = is_deferred
        self._tx: Transaction | None = None

    def __enter__(self) -> Transaction:
        if self._tx is None:
            self._tx = self._begin()
        self._ctx._tx = self._tx
        return self._tx

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ctx._tx = None
        if self._is_deferred and error is None:
            self._is_deferred = False
            self._ctx._deferred = self
        else:
            self.close(error)

    def stay_open(self) -> None:
        """Do not end at the end of the next block."""
        self._is_deferred = True

    def close(self, error: BaseException | None) -> None:
        """Commit, or roll back if there is an error."""
        self._transaction.__exit__(type(error) if error else None, error, error.__traceback__ if error else None)

    def _begin(self) -> Transaction:
        return self._transaction.__enter__()


class _WriteScope(_TransactionScope):
    """A write transaction, which tells the journal its author."""

    __slots__ = ()

    def _begin(self) -> Transaction:
        tx = super()._begin()
        tx.author = self._ctx.author
        return tx


class _CountingScope(_WriteScope):
    """The transaction that also counts the call against its rate limit."""

    __slots__ = ()

    def close(self, error: BaseException | None) -> None:
        super().close(error)
        if error is None and self._ctx.call:
            self._ctx.call.is_settled = True

    def _begin(self) -> Transaction:
        tx = super()._begin()
        try:
            assert self._ctx.call
            self._ctx.call.count(tx)
        except BaseException as error:
            super().close(error)
            raise
        return tx

"""Rate limits. Writes are counted in the database, across processes and servers; refusals are remembered in memory, so that a flood of
refused calls writes nothing. Guests' searches are counted in the memory of each process, so that no read writes."""

import threading

from msgspec import Struct

from kalends.core import tokens
from kalends.core.errors import TooMany
from kalends.core.i18n import Text, gettext
from kalends.core.settings import Settings
from kalends.db import Transaction, counters
from kalends.http.context import Context
from kalends.http.origin import network

MAX_REFUSALS = 10_000
MAX_SEARCHERS = 10_000

TOO_MANY_WRITES = gettext(
    "Too many changes from your network without an account: the limit is %(max)s a minute. Wait a minute, or sign in."
)
TOO_MANY_WRITES_TO_EVENT = gettext(
    "A lot of people are writing to this event right now: the limit is %(max)s an hour without an account. Try again later, or sign in."
)
TOO_MANY_SEARCHES = gettext(
    "Too many searches from your network without an account: the limit is %(max)s a minute. Wait a minute, or sign in."
)


class Limit(Struct, frozen=True):
    """At most `max_uses` uses in a sliding window of `seconds`; `refusal` tells people which limit it is, as %(max)s, and what to do."""

    name: str
    max_uses: int
    seconds: int
    refusal: Text

    def headers(self, remaining: int, reset: int) -> dict[str, str]:
        """The header fields of draft-ietf-httpapi-ratelimit-headers."""
        return {
            "RateLimit-Policy": f'"{self.name}";q={self.max_uses};w={self.seconds}',
            "RateLimit": f'"{self.name}";r={remaining};t={reset}',
        }

    def refuse(self, retry_after: int) -> TooMany:
        return TooMany(gettext(self.refusal, max=self.max_uses), retry_after, self.headers(0, retry_after))


def guest_writes(settings: Settings) -> Limit:
    return Limit("guest-writes", settings.guest_writes_per_minute, 60, TOO_MANY_WRITES)


def event_writes(settings: Settings) -> Limit:
    return Limit("event-writes", settings.guest_writes_per_event_per_hour, 3600, TOO_MANY_WRITES_TO_EVENT)


def guest_searches(settings: Settings) -> Limit:
    return Limit("guest-searches", settings.guest_searches_per_minute, 60, TOO_MANY_SEARCHES)


def subject_of(settings: Settings, limit: Limit, subject: str) -> str:
    """The counter's name. Neither the database nor a backup tells whose it is."""
    return tokens.derive(settings, "rate limit", f"{limit.name} {subject}")


def count(ctx: Context, limit: Limit, subject: str, amount: int = 1) -> dict[str, str]:
    """Count uses by the subject in the open transaction, and return the RateLimit header fields; or raise TooMany."""
    return _count(ctx.tx, limit, subject_of(ctx.settings, limit, subject), ctx.now, amount)


def count_up_to(ctx: Context, limit: Limit, subject: str, amount: int) -> int:
    """Count as many of these uses as the limit allows, in the open transaction, and return their number."""
    counter, elapsed = subject_of(ctx.settings, limit, subject), ctx.now % limit.seconds
    current, previous = counters.increment(ctx.tx, counter, ctx.now - elapsed, limit.seconds, amount)
    used = current + previous * (limit.seconds - elapsed) // limit.seconds
    excess = min(amount, max(0, used - limit.max_uses))
    if excess:
        counters.increment(ctx.tx, counter, ctx.now - elapsed, limit.seconds, -excess)
    return amount - excess


def count_event_write(ctx: Context, event_id: int) -> None:
    """Count a guest's write to an event: a flood from many networks at once is stopped, too."""
    if ctx.actor is None and ctx.settings.rate_limits == "on":
        count(ctx, event_writes(ctx.settings), str(event_id))


def uncount(ctx: Context, limit: Limit, subject: str) -> None:
    """Take back a use that was counted in the open transaction."""
    counters.increment(ctx.tx, subject_of(ctx.settings, limit, subject), ctx.now - ctx.now % limit.seconds, limit.seconds, -1)


def _count(tx: Transaction, limit: Limit, subject: str, now: int, amount: int) -> dict[str, str]:
    current, previous = counters.increment(tx, subject, now - now % limit.seconds, limit.seconds, amount)
    return _judge(limit, current, previous, now, amount)


def _judge(limit: Limit, current: int, previous: int, now: int, amount: int) -> dict[str, str]:
    """The RateLimit header fields; or raise TooMany. The window slides: the uses of the window before count for as much of it as the
    sliding window still covers."""
    elapsed = now % limit.seconds
    used = current + previous * (limit.seconds - elapsed) // limit.seconds
    if used > limit.max_uses:
        raise limit.refuse(_wait(limit, current - amount, previous, elapsed, amount))
    return limit.headers(limit.max_uses - used, limit.seconds - elapsed)


def _wait(limit: Limit, current: int, previous: int, elapsed: int, amount: int) -> int:
    """The seconds until the same call would be allowed, if nothing else is counted meanwhile."""
    if amount > limit.max_uses:
        return limit.seconds
    remaining = limit.max_uses - current - amount
    if remaining >= 0:
        return _allowed_at(limit, previous, remaining) - elapsed
    return limit.seconds - elapsed + _allowed_at(limit, current, limit.max_uses - amount)


def _allowed_at(limit: Limit, previous: int, remaining: int) -> int:
    """The first second of a window in which the uses of the window before weigh no more than `remaining`."""
    return max(0, limit.seconds + 1 + -(remaining + 1) * limit.seconds // previous)


class GuestCall:
    """A call to be settled once, that is counted or refused: in the first write transaction, or in one of its own if none commits."""

    def __init__(self, limit: "RateLimit", subject: str, now: int):
        self._limit = limit
        self._subject = subject
        self._now = now
        self.is_settled = False
        self.headers: dict[str, str] = {}

    def count(self, tx: Transaction) -> None:
        try:
            self.headers = self._limit.count(tx, self._subject, self._now)
        except TooMany as refusal:
            self.headers = refusal.headers
            self.is_settled = True
            raise


class RateLimit:
    """A limit on calls, with the subjects that this process refuses for now."""

    def __init__(self, settings: Settings, limit: Limit):
        self._settings = settings
        self._limit = limit
        self._refused_until: dict[str, int] = {}
        self._lock = threading.Lock()

    def call(self, subject: str, now: int) -> GuestCall:
        """A call that is still to be counted; raises TooMany if it is known that it would be refused."""
        counter = subject_of(self._settings, self._limit, subject)
        until = self._refused_until.get(counter, 0)
        if now < until <= now + 2 * self._limit.seconds:
            raise self._limit.refuse(until - now)
        return GuestCall(self, counter, now)

    def count(self, tx: Transaction, counter: str, now: int) -> dict[str, str]:
        try:
            return _count(tx, self._limit, counter, now, 1)
        except TooMany as refusal:
            self._remember(counter, now, now + refusal.retry_after)
            raise

    def _remember(self, counter: str, now: int, until: int) -> None:
        """In the order in which they were made, so that the oldest are dropped without a search."""
        with self._lock:
            self._refused_until.pop(counter, None)
            self._refused_until[counter] = until
            while len(self._refused_until) > MAX_REFUSALS or self._refused_until[next(iter(self._refused_until))] <= now:
                del self._refused_until[next(iter(self._refused_until))]


class SearchCounters:
    """The searches of guests in this process, by their network."""

    def __init__(self) -> None:
        # The start of the window, the uses in it, and those in the window before.
        self._windows: dict[str, tuple[int, int, int]] = {}
        self._lock = threading.Lock()

    def count(self, ctx: Context) -> None:
        """Count a search, unless someone is signed in; raise TooMany beyond the limit."""
        if ctx.actor is not None or ctx.settings.rate_limits == "off":
            return
        limit, subject = guest_searches(ctx.settings), network(ctx.caller.address)
        start = ctx.now - ctx.now % limit.seconds
        with self._lock:
            began, current, previous = self._windows.pop(subject, (start, 0, 0))
            if began != start:
                current, previous = 0, current if began == start - limit.seconds else 0
            # A refused search costs nothing and is not counted, so those who wait are served.
            self._windows[subject] = (start, min(current + 1, limit.max_uses), previous)
            if len(self._windows) > MAX_SEARCHERS:
                del self._windows[next(iter(self._windows))]
        _judge(limit, current + 1, previous, ctx.now, 1)


search_counters = SearchCounters()

"""Tell devices that a calendar or an address book has changed: one message for all changes of ten seconds."""

import threading

from kalends import policy
from kalends.core import errors
from kalends.core.log import get_logger
from kalends.core.net.post import AddressRefused, PostFailed, post
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.dav.books import book_store
from kalends.dav.books import sync as book_sync
from kalends.dav.calendars import sync
from kalends.dav.push import store, web_push
from kalends.dav.push.store import Subscription
from kalends.dav.xml import DAV, PUSH, escape
from kalends.db import Database
from kalends.features.changes import journal_store
from kalends.features.changes.journal_store import Journal
from kalends.features.deliveries.steps import dispatcher
from kalends.features.deliveries.steps.dispatcher import Backoff, Dispatcher
from kalends.features.users import store as users
from kalends.http.context import Actor, Context

log = get_logger(__name__)

THREADS = 8
TIMEOUT: float = 5
BACKOFF = Backoff(first=10, longest=3600)
# The push service knows the subscription no more.
GONE = (404, 410)


class PushSender:
    """The queue of devices to tell."""

    def __init__(self, db: Database, settings: Settings):
        self._db = db
        self._settings = settings

    def run(self, stopping: threading.Event) -> None:
        """Send until `stopping` is set."""
        if web_push.is_on(self._settings):
            Dispatcher("push", THREADS, self._claim, self._send).run(stopping)

    def _claim(self, idle: int) -> list[Subscription]:
        return claim_due(Context(self._db, self._settings, timestamps.now()), idle)

    def _send(self, subscription: Subscription) -> None:
        send(self._db, self._settings, subscription)


def claim_due(ctx: Context, limit: int) -> list[Subscription]:
    """Reserve subscriptions with a change to tell."""
    with ctx.read():
        due = store.find_due(ctx, journal_store.find_journal(ctx), limit)
    if not due:
        return []
    with ctx.write():
        return [each for each in due if store.claim(ctx, each, dispatcher.LEASE)]


def send(db: Database, settings: Settings, subscription: Subscription) -> None:
    """Send one message, and record the outcome. A subscription of somebody who may not read any more is deleted."""
    ctx = Context(db, settings, timestamps.now())
    with ctx.read():
        journal = journal_store.find_journal(ctx)
        token = _find_token(ctx, subscription)
    status = _post(settings, subscription, token, ctx.now) if token else None
    ctx = Context(db, settings, timestamps.now())
    with ctx.write():
        _record(ctx, subscription, journal, status if token else GONE[0])
    log.info("push_message", subscription=subscription.id, status=status)


def _find_token(ctx: Context, subscription: Subscription) -> str:
    """The sync token that the device will find; empty if its user may not read any more."""
    user = users.get(ctx, subscription.user_id)
    if user.status != "active":
        return ""
    ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone, verified_at=user.verified_at)
    if subscription.calendar_id is None:
        book_ids = [book.id for book in book_store.find_all(ctx)]
        return book_sync.current_token(ctx, subscription.book_id or 0) if subscription.book_id in book_ids else ""
    try:
        return sync.current_token(ctx, policy.home_calendar(ctx, subscription.calendar_id, to=policy.Right.SEE))
    except errors.NotFound:
        return ""


def _post(settings: Settings, subscription: Subscription, token: str, now: int) -> int | None:
    """The status of the push service; None if there was none. What the operator does not allow any more is gone."""
    url = subscription.url
    if not web_push.is_allowed(settings, url):
        return GONE[0]
    body = web_push.encrypt(write_message(subscription.topic, token), subscription.public_key, subscription.auth_secret)
    headers = web_push.headers(settings, url, subscription.topic, now)
    try:
        return post(url, body, headers, seconds=TIMEOUT, any_network=web_push.is_named(settings, url))
    except AddressRefused:
        return GONE[0]
    except PostFailed:
        return None


def write_message(topic: str, token: str) -> bytes:
    content = f"<P:content-update><D:sync-token>{escape(token)}</D:sync-token></P:content-update>"
    root = f'<P:push-message xmlns:D="{DAV}" xmlns:P="{PUSH}"><P:topic>{topic}</P:topic>{content}</P:push-message>'
    return f'<?xml version="1.0" encoding="utf-8"?>\n{root}'.encode()


def _record(ctx: Context, subscription: Subscription, journal: Journal, status: int | None) -> None:
    if status in GONE:
        store.delete(ctx, subscription.id)
    elif status is not None and 200 <= status < 300:
        store.succeed(ctx, subscription.id, journal)
    else:
        store.fail(ctx, subscription, ctx.now + BACKOFF.pause(subscription.failures + 1))

"""Mail about accounts: password reset and verification links."""

import re
from contextlib import closing
from urllib.parse import urlsplit

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database
from kalends.features.deliveries import store
from kalends.features.users import store as users
from kalends.features.users.steps.mailed_links import reset_url, verify_url
from kalends.http.context import Context
from kalends.mail import sender


def a_reset_token(settings: Settings, user_id: int, issued_at: int) -> str:
    """The token in a password reset link."""
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, issued_at)
        with ctx.read():
            return reset_url(settings, users.get(ctx, user_id), issued_at).rsplit("/", 1)[1]


def a_verify_token(settings: Settings, user_id: int, issued_at: int) -> str:
    """The token in a verification link."""
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, issued_at)
        with ctx.read():
            return verify_url(settings, users.get(ctx, user_id), issued_at).rsplit("/", 1)[1]


def mailed(db: Database, settings: Settings, user_id: int) -> list[str]:
    """Send the links that wait for the user, as a worker does, into files; return their paths."""
    sender.queue_resets(Context(db, settings, timestamps.now()))
    return [link_in(mail) for mail in mails(db, settings, user_id, "reset")]


def mails(db: Database, settings: Settings, user_id: int, kind: str) -> list[str]:
    """Send the queued messages of this kind to the user, as a worker does, into files; return the files' texts."""
    texts = []
    with db.read() as tx:
        waiting = tx.rows("SELECT id FROM deliveries WHERE owner_id = :id AND kind = :kind ORDER BY id", id=user_id, kind=kind)
    for (delivery_id,) in waiting:
        ctx = Context(db, settings, 0)
        with ctx.write() as tx:
            tx.run("UPDATE deliveries SET state = 'sending', attempts = 1 WHERE id = :id", id=delivery_id)
            delivery = store.get(ctx, delivery_id)
        assert delivery is not None
        sender.attempt(db, settings, delivery)
        file = settings.folder / "outbox" / f"{delivery_id}.eml"
        if file.exists():
            texts.append(file.read_text())
    return texts


def last_mails(db: Database, settings: Settings) -> list[str]:
    """Send the last mail to people whose account is deleted, which is that of the first admin."""
    with db.read() as tx:
        admin_id = tx.value("SELECT min(id) FROM users WHERE role = 'admin' AND status = 'active' AND id > 0")
    return [text for text in mails(db, settings, admin_id, "notice") if "Subject: Your account was deleted" in text]


def link_in(mail: str) -> str:
    """The path of the link in a message, quoted-printable or not."""
    link = re.search(r"https?://\S+/(?:reset|verify)/\S+", mail.replace("=\n", ""))
    assert link, mail
    return urlsplit(link.group()).path

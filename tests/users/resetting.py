"""Links to a new password, as they are mailed."""

import re
from contextlib import closing
from urllib.parse import urlsplit

from kalends.context import Context
from kalends.db import Database, open_database
from kalends.deliveries import sending, store
from kalends.settings import Settings
from kalends.users import store as users
from kalends.users.link import reset_url


def a_reset_token(settings: Settings, user_id: int, issued_at: int) -> str:
    """What stands in the link of a user, on a service that runs elsewhere."""
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, issued_at)
        with ctx.read():
            return reset_url(settings, users.get(ctx, user_id), issued_at).rsplit("/", 1)[1]


def mailed(db: Database, settings: Settings, user_id: int) -> list[str]:
    """Send what waits for the user, as a worker does, into files; answer the paths of the links in them."""
    found = []
    with db.read() as tx:
        waiting = tx.rows("SELECT id FROM deliveries WHERE owner_id = :id AND kind = 'reset' ORDER BY id", id=user_id)
    for (delivery_id,) in waiting:
        ctx = Context(db, settings, 0)
        with ctx.write() as tx:
            tx.run("UPDATE deliveries SET state = 'sending', attempts = 1 WHERE id = :id", id=delivery_id)
            delivery = store.get(ctx, delivery_id)
        assert delivery is not None
        sending.attempt(db, settings, delivery)
        file = settings.folder / "outbox" / f"{delivery_id}.eml"
        if file.exists():
            found.append(link_in(file.read_text()))
    return found


def link_in(mail: str) -> str:
    """The path of the link in a message, quoted-printable or not."""
    link = re.search(r"https?://\S+/reset/\S+", mail.replace("=\n", ""))
    assert link, mail
    return urlsplit(link.group()).path

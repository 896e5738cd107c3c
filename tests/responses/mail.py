"""Mail about responses: the personal links of guests, and the mail that carries them."""

import email
import email.policy
import re
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import urlsplit

from kalends import policy
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database
from kalends.features.deliveries import store
from kalends.features.events import change_notice_store as change_notices
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses import store as responses
from kalends.http.context import Context
from kalends.mail import sender


def a_response_token(settings: Settings, response_id: int) -> str:
    """What follows /r/ in the personal link."""
    with closing(open_database(settings)) as db:
        return token_of(db, settings, response_id)


def an_invitation_token(settings: Settings, invitation_id: int) -> str:
    """What follows /i/ in the link of an invitation."""
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, 0)
        with ctx.read():
            invitation = policy.find_invitation(ctx, invitation_id)
            assert invitation is not None
            return policy.invitation_token(settings, invitation)


def token_of(db: Database, settings: Settings, response_id: int) -> str:
    ctx = Context(db, settings, 0)
    with ctx.read():
        return policy.response_token(settings, responses.find_by_ids(ctx, [response_id])[0])


def a_proposal_token(settings: Settings, now: int) -> str:
    """The token of the newest proposal."""
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, now)
        with ctx.read():
            proposal = proposals.find(ctx, ctx.tx.value("SELECT max(id) FROM proposals"))
            assert proposal is not None
            return proposals.url(settings, proposal).rsplit("/", 1)[1]


def mails_about(db: Database, settings: Settings, event_id: int, now: int | None = None) -> list[EmailMessage]:
    """Send the queued messages about the event, as a worker does, into files; return them."""
    with db.read() as tx:
        rows = tx.rows("SELECT id FROM deliveries WHERE event_id = :id AND state = 'queued' ORDER BY id", id=event_id)
    return _send(db, settings, [delivery_id for (delivery_id,) in rows], now)


def mails_about_deleted(db: Database, settings: Settings, owner_id: int) -> list[EmailMessage]:
    """The same for the deleted events of an owner."""
    sql = "SELECT id FROM deliveries WHERE event_id IS NULL AND owner_id = :id AND state = 'queued' AND cause IS NOT NULL ORDER BY id"
    with db.read() as tx:
        rows = tx.rows(sql, id=owner_id)
    return _send(db, settings, [delivery_id for (delivery_id,) in rows], None)


def _send(db: Database, settings: Settings, ids: list[int], now: int | None) -> list[EmailMessage]:
    messages = []
    for delivery_id in ids:
        ctx = Context(db, settings, timestamps.now() if now is None else now)
        with ctx.write() as tx:
            tx.run("UPDATE deliveries SET state = 'sending', attempts = 1 WHERE id = :id", id=delivery_id)
            delivery = store.get(ctx, delivery_id)
            assert delivery is not None
            change_notices.close(ctx, [delivery])
        sender.attempt(db, settings, delivery)
        file = settings.folder / "outbox" / f"{delivery_id}.eml"
        if file.exists():
            messages.append(read_mail(file))
    return messages


def read_mail(file: Path) -> EmailMessage:
    """The message in a file of the outbox."""
    message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


def text_of(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def links_in(message: EmailMessage) -> list[str]:
    """The paths and queries of the links in all parts of the message; neither that of the site nor the picture above it."""
    bodies = [message.get_body((kind,)) for kind in ("plain", "html")]
    urls = [url for body in bodies if body for url in re.findall(r"https?://[^\s\"<>]+", body.get_content().replace("&amp;", "&"))]
    split = [urlsplit(url) for url in urls]
    own = [each for each in split if each.path != "/" and not each.path.endswith("share_picture.png")]
    return [f"{each.path}?{each.query}" if each.query else each.path for each in own]

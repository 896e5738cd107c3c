"""A form that makes something carries a token, so that Back and a second click make it once: the same form leads to what was made."""

import hashlib
import json
import secrets

from kalends import policy
from kalends.context import Context
from kalends.http.input.form import Form
from kalends.idempotency import store
from kalends.idempotency.key import IdempotencyKeyInUse, StoredResponse

FIELD = "form_token"


class SentTwice(Exception):
    """Another request with the same form was quicker."""


def new_token() -> str:
    return secrets.token_urlsafe(16)


def find(ctx: Context, form: Form) -> str:
    """The path of what the same form made before. With another content it is another form."""
    kept = store.find(ctx, _name(ctx, form)) if form.text(FIELD) else None
    return kept.reply.decode() if kept else ""


def remember(ctx: Context, form: Form, path: str) -> None:
    """Keep where what was made is, in the transaction that makes it."""
    if not form.text(FIELD):
        return
    try:
        store.insert(ctx, _name(ctx, form), StoredResponse(b"", path.encode()))
    except IdempotencyKeyInUse:
        raise SentTwice from None


def _name(ctx: Context, form: Form) -> bytes:
    content = json.dumps([policy.user(ctx).id, form.values], sort_keys=True, default=repr)
    return hashlib.blake2b(content.encode(), digest_size=32, person=b"form").digest()

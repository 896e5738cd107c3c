"""Tokens in forms that create something, so that Back and a second click create it once and lead to the same record.

The token is part of the form's URL: a browser that goes back to the form loads it again, and gets it with the same token."""

import hashlib
import json
import secrets
from typing import Annotated

from msgspec import Meta

from kalends import policy
from kalends.db import Retry
from kalends.features.idempotency import store
from kalends.http.context import Caller, Context
from kalends.http.idempotency_key import IdempotencyKeyInUse, StoredResponse
from kalends.http.input.form import Form

FIELD = "form_token"


FormToken = Annotated[str, Meta(max_length=100, description="The token of the form.")]


def add_to(caller: Caller) -> str:
    """The path and query that the caller requested, with a new token."""
    query = f"{caller.query}&" if caller.query else ""
    return f"{caller.path}?{query}{FIELD}={secrets.token_urlsafe(16)}"


def find_path(ctx: Context, form: Form) -> str:
    """The path of the record that the same form created before. A form with other values is another one."""
    stored = store.find(ctx, _name(ctx, form)) if form.text(FIELD) else None
    return stored.reply.decode() if stored else ""


def insert_path(ctx: Context, form: Form, path: str) -> None:
    """Store the path of the new record, in the transaction that creates it."""
    if not form.text(FIELD):
        return
    try:
        store.insert(ctx, _name(ctx, form), StoredResponse(b"", path.encode()))
    except IdempotencyKeyInUse:
        # The same form was submitted at the same time: the next attempt finds its path.
        raise Retry from None


def _name(ctx: Context, form: Form) -> bytes:
    content = json.dumps([policy.user(ctx).id, form.values], sort_keys=True, default=repr)
    return hashlib.blake2b(content.encode(), digest_size=32, person=b"form").digest()

"""API write keys: for programs that act for a user."""

from msgspec import UNSET

from kalends import policy, times
from kalends.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import Paging, page
from kalends.http.types import TextDeletion
from kalends.keys import store
from kalends.keys.model import KeyCreated, KeyIndex, KeyInput, KeyItem


@endpoint("GET", "/api/keys")
def index(ctx: Context, params: Paging) -> KeyIndex:
    """Your keys, without their secrets."""
    user = policy.user(ctx)
    keys, next_page = page(ctx, params, store.index(ctx, user.id, params))
    return KeyIndex(
        keys=[KeyItem(key.id, key.name, times.utc(key.created_at)) for key in keys],
        limit=params.size,
        offset=params.offset,
        next=next_page,
        total=store.count(ctx, user.id) if params.count else UNSET,
    )


@endpoint("GET", "/api/keys/new")
def new(ctx: Context) -> KeyInput:
    """The editable fields with defaults. Nothing is saved."""
    policy.user(ctx)
    return KeyInput(name="")


@endpoint("POST", "/api/keys", status=201)
def create(ctx: Context, params: KeyInput) -> KeyCreated:
    """Make a key. `wkey` and `shared_secret` are answered this once: keep them."""
    key, wkey = store.insert(ctx, policy.user(ctx).id, params.name)
    return KeyCreated(key.id, key.name, wkey, store.shared_secret(ctx.settings, key.id), times.utc(key.created_at))


@endpoint("DELETE", "/api/keys/{key_id}")
def destroy(ctx: Context, key_id: str) -> TextDeletion:
    """Delete the key; it stops working at once, and so do the sessions that it opened."""
    store.delete(ctx, policy.key(ctx, key_id).id)
    return TextDeletion([key_id])

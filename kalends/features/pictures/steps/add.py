"""Add an uploaded picture."""

from hashlib import sha256

from kalends import policy
from kalends.core import tokens
from kalends.core.values.picture import Picture
from kalends.features.pictures import store
from kalends.features.pictures.steps.convert import Converted, convert
from kalends.http.context import Context
from kalends.http.input.multipart import Upload


def add_picture(ctx: Context, upload: Upload) -> str:
    """Convert and store the picture, in a transaction of its own; returns its path. Until an event has it, it is unused."""
    policy.user(ctx)
    converted = convert(upload.content)
    with ctx.write(is_last=False):
        return store_picture(ctx, converted)


def store_picture(ctx: Context, converted: Converted) -> str:
    """Store a picture of the actor in the open transaction; returns its path."""
    owner = policy.user(ctx)
    content_hash = sha256(converted.files[-1]).hexdigest()
    # Nobody who has the file can find out by its hash whether it is here, nor whether another account has it.
    key = tokens.derive(ctx.settings, "picture", f"{owner.id}:{content_hash}")
    picture = Picture(key, converted.width, converted.height)
    store.insert(ctx, owner.id, picture, converted.files)
    return picture.path

"""Who may read the birthdays of contacts: their user, and whoever has the secret URL of the feed."""

from hmac import compare_digest

from kalends.core import errors
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.http.context import Context
from kalends.policy.actor import user


def birthdays_owner(ctx: Context, user_id: int | None, key: str | None) -> int:
    """The id of the user whose birthdays are asked for."""
    if key is None:
        own = user(ctx).id
        if user_id not in (None, own):
            raise errors.NotFound
        return own
    sql = "SELECT birthdays_version FROM users WHERE id = :id AND status = 'active'"
    version = ctx.tx.value(sql, id=user_id) if user_id is not None else None
    if version is None or not compare_digest(key.encode(), _feed_key(ctx.settings, user_id or 0, version).encode()):
        raise errors.NotFound
    return user_id or 0


def birthdays_url(settings: Settings, user_id: int, version: int) -> str:
    """The secret URL of the feed; a new version changes it."""
    return f"{settings.url}/api/contacts/birthdays.ics?user_id={user_id}&key={_feed_key(settings, user_id, version)}"


def _feed_key(settings: Settings, user_id: int, version: int) -> str:
    return derive(settings, "birthdays", f"{user_id}.{version}")[:32]

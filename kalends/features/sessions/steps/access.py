"""What a request needs to call an endpoint: on a site for members an account, and if it has a key, the scope."""

from functools import lru_cache

from kalends import policy
from kalends.http.context import Context
from kalends.http.endpoint import Endpoint

_is_open_to_guests = lru_cache(1_000)(policy.is_open_to_guests)


def require_access(ctx: Context, endpoint: Endpoint) -> None:
    """Raise Unauthorized for a guest of a site for members, and InsufficientScope for a key that does not open the endpoint."""
    if ctx.actor:
        policy.require_scope(ctx.actor, endpoint)
    elif endpoint.guests and not _is_open_to_guests(endpoint.url):
        policy.require_member(ctx)

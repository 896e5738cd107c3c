"""Delete the example data of `kalends demo` again."""

from msgspec import structs

from kalends.cli.demo_data.story import ORGANISERS, PROFILE, SITE
from kalends.core.records.people import User
from kalends.features.site import store as site_store
from kalends.features.users import store as users
from kalends.features.users.steps import deletion
from kalends.http.context import Actor, Context


def remove(ctx: Context) -> int:
    """Delete the people of the example with all that is theirs, and what it says about the site. Returns how many people there were."""
    found = _find(ctx)
    for user in found:
        # As if they deleted their accounts themselves: the audit log has nothing of the example.
        ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone)
        deletion.delete_account(ctx, user, erase=True)
    ctx.actor = None
    with ctx.write():
        row = site_store.lock(ctx)
        said = {name: None for name, value in SITE.items() if getattr(row, name) == value}
        if said:
            site_store.update(ctx, structs.replace(row, **said))
    return len(found)


def _find(ctx: Context) -> list[User]:
    """The accounts with the names and the addresses of the example: others may have taken one of the names."""
    profiles = [PROFILE, *(profile for profile, _ in ORGANISERS)]
    with ctx.read():
        accounts = [(users.find(ctx, profile["user_name"]), profile["email_address"]) for profile in profiles]
    return [user for user, address in accounts if user and user.email_address == address]

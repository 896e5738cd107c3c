"""Ask an admin for the password before what cannot be taken back."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.credentials import VERY_RECENT
from kalends.features.sessions.steps import credentials
from kalends.features.users import store as users
from kalends.http.context import Context


def confirm(ctx: Context, password: str | None) -> None:
    """Raise an error unless the admin has signed in within the last 15 minutes, and not with a key, or gives the password."""
    with ctx.read():
        session = policy.administrating_session(ctx)
        admin = users.get(ctx, session.user_id)
    if password:
        credentials.confirm(ctx, admin, password)
    elif not session.is_recent(ctx.now, VERY_RECENT):
        rule = gettext("is required, since you signed in more than 15 minutes ago")
        raise errors.SignInAgain(
            gettext("You signed in more than 15 minutes ago. Sign in again, or send your password as current_password."),
            [errors.FieldError("current_password", rule, "required")],
        )


def needs_password(ctx: Context) -> bool:
    """Whether the admin has to type the password, having signed in some time ago."""
    return not policy.administrating_session(ctx).is_recent(ctx.now, VERY_RECENT)

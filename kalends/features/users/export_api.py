"""The account's own records as a file."""

from io import BytesIO

from kalends import policy
from kalends.features.users import store
from kalends.features.users.steps.export import export as write
from kalends.http.context import Context
from kalends.http.endpoint import Document, endpoint


@endpoint("GET", "/api/users/{user_id}/export", format="zip", pool="upload", transaction=False)
def export(ctx: Context, user_id: int) -> Document:
    """All your own records as a zip file: JSON of every record, your calendars as iCalendar, your contacts as vCards, and pictures.

    `records` has what `kalends users import` reads, `elsewhere` what you created on calendars of others. Passwords, keys, sessions, the
    history and messages are not in it.
    """
    with ctx.read():
        user = store.get(ctx, policy.own_account(ctx, user_id).id)
        ctx.tx.without_statement_timeout()
        file = BytesIO()
        write(ctx, user, file, lambda steps: lambda done: None)
    ctx.headers["Content-Disposition"] = f'attachment; filename="{user.user_name}.zip"'
    return Document(file.getvalue(), "application/zip")

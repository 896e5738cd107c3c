"""`kalends demo` and `kalends import`: what puts events in."""

import secrets
import sys

import click

from kalends.commands.options import checked_password, context, data_option, database_option, stop
from kalends.context import Actor
from kalends.errors import NotFound
from kalends.users import passwords
from kalends.users import store as user_store


@click.command("demo")
@click.option("--password", help="The password of the user demo. Default: a random one.")
@data_option
@database_option
def demo(data: str | None, database: str | None, password: str | None) -> None:
    """Fill in a lively example: a user called demo with calendars, events, answers, comments and contacts."""
    # Imported late: what the example is made of takes a moment that the other commands can do without.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.demo.fill import STEPS, fill

    chosen = checked_password(password or secrets.token_hex(8))
    password_hash = passwords.hashed(chosen)
    with context(data, database) as ctx, ctx.write():
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
            for _ in progress.track(fill(ctx, password_hash), total=STEPS, description="Filling in the example"):
                pass
        url = ctx.settings.url
    click.echo(f"The example is there. Sign in at {url}/sign-in as demo with the password {chosen}")


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--user", "user_name", required=True, metavar="NAME", help="Whose events they become.")
@click.option("--calendar", "calendar_id", type=click.IntRange(1), metavar="ID", help="The calendar. Default: the user's primary one")
@data_option
@database_option
def import_file(data: str | None, database: str | None, file: str, user_name: str, calendar_id: int | None) -> None:
    """Import the events of an iCalendar file; those that are there already become what the file says."""
    # Imported late, as for the example.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.events.imports.file import Choice, from_file
    from kalends.http.input.request import UPLOAD_LIMIT

    content = _content(file, UPLOAD_LIMIT)
    with context(data, database) as ctx:
        with ctx.read():
            user = user_store.find(ctx, user_name)
        if user is None:
            stop(f"There is no user called {user_name}.")
        ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone)
        try:
            with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
                came = from_file(ctx, content, Choice(calendar_id), lambda items, words: progress.track(items, description=words))
        except NotFound:
            stop(f"There is no calendar {calendar_id} that {user.user_name} can see.")
    for remark in came.remarks:
        click.echo(f"{file}:{remark.line}: {remark.field}: {remark.message}")
    click.echo(f"{came.imported:,} imported, {came.updated:,} updated, {came.unchanged:,} unchanged, {came.skipped:,} left out.")


def _content(file: str, most: int) -> bytes:
    try:
        with open(file, "rb") as opened:
            content = opened.read(most + 1)
    except OSError as error:
        stop(f"{file} cannot be read: {error.strerror}.")
    if len(content) > most:
        stop(f"{file} has more than {most // 1024**2} MiB; import it in parts.")
    return content

"""`kalends import`: import an iCalendar file."""

import sys

import click

from kalends.cli.options import data_option, database_option, open_context, stop
from kalends.core.errors import NotFound
from kalends.features.users import store as user_store
from kalends.http.context import Actor


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--user", "user_name", required=True, metavar="NAME", help="The user who will own the events.")
@click.option("--calendar", "calendar_id", type=click.IntRange(1), metavar="ID", help="The calendar. Default: the user's primary calendar.")
@data_option
@database_option
def import_file(data: str | None, database: str | None, file: str, user_name: str, calendar_id: int | None) -> None:
    """Import the events of an iCalendar file; events imported earlier are updated."""
    # Imported here because they take time that the other commands do not need.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.features.events.imports.steps.file import ImportOptions, import_file
    from kalends.http.input.params import UPLOAD_LIMIT

    content = _read_file(file, UPLOAD_LIMIT)
    with open_context(data, database) as ctx:
        with ctx.read():
            user = user_store.find(ctx, user_name)
        if user is None:
            stop(f"There is no user called {user_name}.")
        ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone)
        try:
            with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
                options = ImportOptions(calendar_id)
                result = import_file(ctx, content, options, lambda items, step: progress.track(items, description=step))
        except NotFound:
            stop(f"There is no calendar {calendar_id} that {user.user_name} can see.")
    for remark in result.remarks:
        click.echo(f"{file}:{remark.line}: {remark.field}: {remark.message}")
    click.echo(f"{result.imported:,} imported, {result.updated:,} updated, {result.unchanged:,} unchanged, {result.skipped:,} skipped.")


def _read_file(file: str, max_bytes: int) -> bytes:
    try:
        with open(file, "rb") as stream:
            content = stream.read(max_bytes + 1)
    except OSError as error:
        stop(f"{file} cannot be read: {error.strerror}.")
    if len(content) > max_bytes:
        stop(f"{file} has more than {max_bytes // 1024**2} MiB; import it in parts.")
    return content

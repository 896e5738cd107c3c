"""`kalends serve`: migrate the database, serve HTTP and run the background worker; `kalends work`: run the worker alone."""

import os
import shutil
from contextlib import closing, nullcontext
from typing import Any

import click
from msgspec.structs import replace

from kalends.app.worker import attached_worker
from kalends.app.worker import work as run_worker
from kalends.cli.checks import unsent_channels
from kalends.cli.options import data_option, database_option, no_migrate_option, open_migrated_database
from kalends.core import log
from kalends.core.settings import Settings, export, load
from kalends.core.values import timestamps
from kalends.core.version import __version__
from kalends.db import Database
from kalends.features.users.steps import first_admin
from kalends.http.context import Context
from kalends.mail.mail import outbox


@click.command()
@click.option("--host", help="Address to listen on. Default: 127.0.0.1")
@click.option("--port", type=int, help="Port to listen on. Default: 8000")
@data_option
@database_option
@click.option("--workers", type=int, help="Number of server processes. Default: 1")
@click.option("--no-work", is_flag=True, help="Do not run the background worker; run 'kalends work' beside it.")
@no_migrate_option
def serve(no_work: bool, no_migrate: bool, **options: Any) -> None:
    """Migrate the database, serve HTTP and run the background worker."""
    settings = load(options)
    log.configure(settings)
    # Imported here because Granian takes 0.1 s that the other commands do not need.
    from kalends.http.serving import granian

    sockets = granian.bind(settings)
    settings = replace(settings, port=sockets[0].getsockname()[1])
    # Before the database is opened: prometheus_client reads PROMETHEUS_MULTIPROC_DIR when it is imported.
    _share_metrics(settings)
    with closing(open_migrated_database(settings, no_migrate=no_migrate)) as db:
        first_admin_url, code = _find_first_admin(db, settings)
    export(settings)
    _announce(settings, first_admin_url, code)
    from kalends.app.application import rsgi

    with nullcontext() if no_work else attached_worker(no_migrate=no_migrate):
        granian.serve(rsgi, sockets, settings)


def _share_metrics(settings: Settings) -> None:
    """Let prometheus_client add up the metrics of all server processes."""
    if settings.metrics_token:
        folder = settings.folder / "metrics"
        shutil.rmtree(folder, ignore_errors=True)
        # The mode of `mkdir` is not that of the parents that it creates.
        settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _find_first_admin(db: Database, settings: Settings) -> tuple[str | None, str | None]:
    """Where the first administrator creates an account, and with which code; None if there is an administrator."""
    ctx = Context(db, settings, timestamps.now())
    with ctx.read():
        return first_admin.find_url(ctx), first_admin.find_code(ctx)


def _announce(settings: Settings, first_admin_url: str | None, code: str | None) -> None:
    database = "PostgreSQL" if settings.database else f"SQLite in {settings.folder}"
    note = _outbox_note(settings)
    if log.for_people(settings):
        click.echo(f"Kalends {__version__} on {settings.url} ({database}). API reference: {settings.url}/docs. Stop with Ctrl-C.", err=True)
        click.echo(note, err=True, nl=bool(note))
        if code:
            click.echo(
                f"\nFirst start. To create the administrator’s account, open {first_admin_url}\nor enter this code:\n\n    {code}\n",
                err=True,
            )
    else:
        log.get_logger(__name__).info(
            "serving",
            version=__version__,
            url=settings.url,
            port=settings.port,
            database=database,
            note=note,
            first_admin=first_admin_url,
        )


def _outbox_note(settings: Settings) -> str:
    """Which messages are written to files because no transport is configured."""
    channels = unsent_channels(settings)
    if not channels:
        return ""
    return f"Written to {outbox(settings)} and not sent: {', '.join(channels)}. To send, set {' and '.join(channels.values())}."


@click.command("work")
@data_option
@database_option
@click.option("--attached", is_flag=True, hidden=True, help="Exit at the end of standard input; 'serve' starts it this way.")
@no_migrate_option
def work(attached: bool, no_migrate: bool, **options: Any) -> None:
    """Run the background worker alone, beside 'kalends serve --no-work'."""
    settings = load(options)
    log.configure(settings)
    # The database is not closed at the end: a thread that waits for a mail server may still use it.
    run_worker(open_migrated_database(settings, no_migrate=no_migrate), settings, attached=attached)

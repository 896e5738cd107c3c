"""`kalends serve` and `kalends work`: what runs until it is stopped."""

import os
import shutil
from contextlib import nullcontext
from typing import Any

import click
from msgspec.structs import replace

from kalends import __version__, log, settings
from kalends.commands.options import data_option, database_option, migrated
from kalends.deliveries.outbox_files import outbox
from kalends.doctor import unsent
from kalends.settings import Settings
from kalends.worker import attached_worker
from kalends.worker import work as run_worker


@click.command()
@click.option("--host", help="Address to listen on. Default: 127.0.0.1")
@click.option("--port", type=int, help="Port to listen on. Default: 8000")
@data_option
@database_option
@click.option("--workers", type=int, help="Number of server processes. Default: 1")
@click.option("--no-work", is_flag=True, help="Leave the background worker out; run 'kalends work' beside it.")
def serve(no_work: bool, **options: Any) -> None:
    """Migrate, serve, and run the background worker."""
    chosen = settings.load(options)
    log.configure(chosen)
    # Imported late, since Granian takes a tenth of a second that the other commands can do without.
    from kalends.http.serving import granian

    sockets = granian.bind(chosen)
    chosen = replace(chosen, port=sockets[0].getsockname()[1])
    migrated(chosen).close()
    settings.export(chosen)
    _share_figures(chosen)
    _announce(chosen)
    # And this, since prometheus_client decides as it is imported whether several processes share their figures.
    from kalends.app import rsgi

    with nullcontext() if no_work else attached_worker():
        granian.serve(rsgi, sockets, chosen)


def _share_figures(chosen: Settings) -> None:
    if chosen.metrics_token:
        figures = chosen.folder / "metrics"
        shutil.rmtree(figures, ignore_errors=True)
        figures.mkdir(mode=0o700, parents=True)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(figures)


def _announce(chosen: Settings) -> None:
    database = "PostgreSQL" if chosen.database else f"SQLite in {chosen.folder}"
    if log.for_people(chosen):
        click.echo(f"Kalends {__version__} on {chosen.url} ({database}). API reference: {chosen.url}/docs. Stop with Ctrl-C.", err=True)
        click.echo(_unsent(chosen), err=True, nl=bool(_unsent(chosen)))
    else:
        log.log.info("serving", version=__version__, url=chosen.url, port=chosen.port, database=database, note=_unsent(chosen))


def _unsent(chosen: Settings) -> str:
    """What is written to files because nothing is set up to send it."""
    kept = unsent(chosen)
    return f"Written to {outbox(chosen)} and not sent: {', '.join(kept)}. To send, set {' and '.join(kept.values())}." if kept else ""


@click.command("work")
@data_option
@database_option
@click.option("--attached", is_flag=True, hidden=True, help="End when standard input does; so 'serve' runs it.")
def work(attached: bool, **options: Any) -> None:
    """Run the background worker alone, beside 'kalends serve --no-work'."""
    chosen = settings.load(options)
    log.configure(chosen)
    # Not closed at the end: a sender that waits for a mail server may still come back to it.
    run_worker(migrated(chosen), chosen, attached=attached)

"""`kalends backup` and `kalends restore`: the whole database in one file, for SQLite and PostgreSQL."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from kalends.cli.options import data_option, database_option, report_setting, stop
from kalends.core import tokens
from kalends.core.settings import Settings, load, variable
from kalends.db import open_database


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@data_option
@database_option
def backup(file: Path, force: bool, **options: Any) -> None:
    """Back up the database to FILE while the service runs, and verify it by a trial restore."""
    from kalends.db.backup.take import take

    settings = load(options)
    if file.exists() and not force:
        stop(f"{file} is there already. Choose another name, or replace it with --force.")
    if not settings.database and not (settings.folder / "kalends.sqlite3").exists():
        stop(f"There is no database in {settings.folder}. Choose the folder with --data.")
    with report_setting(settings), _progress() as step, closing(open_database(settings)) as db:
        header = take(db, settings, file, step)
    size = file.stat().st_size
    click.echo(f"Backed up {header.rows:,} rows of {len(header.tables)} tables into {file} ({size:,} bytes), and restored it on trial.")
    if header.secret:
        click.echo(f"The server's secret is not in it: keep a copy of {_secret_name(settings)} apart.")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Delete all records of the database first.")
@data_option
@database_option
def restore(file: Path, force: bool, **options: Any) -> None:
    """Restore FILE into an empty database, SQLite or PostgreSQL, in one transaction."""
    from kalends.db.backup.restore import restore as restore_file

    settings = load(options)
    with report_setting(settings), _progress() as step, closing(open_database(settings)) as db:
        restored = restore_file(db, file, step, force=force)
    click.echo(f"Restored {restored.rows:,} rows of {len(restored.tables)} tables, as they were at {restored.taken_at}.")
    if restored.secret and restored.secret != tokens.secret_fingerprint(settings):
        click.echo(
            f"Put the secret of that server into {_secret_name(settings)} before you start the service: "
            "without it, keys that sign, secret feed URLs and links in messages no longer work."
        )


def _secret_name(settings: Settings) -> str:
    return variable("secret") if settings.secret else str(settings.folder / "secret")


@contextmanager
def _progress() -> Iterator[Callable[[str, int], Callable[[int], None]]]:
    """A progress bar for each step on a terminal; an error becomes one line."""
    # Imported here because they take time that the other commands do not need.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.db.backup.file import BackupError

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:

            def step(words: str, rows: int) -> Callable[[int], None]:
                task = progress.add_task(words, total=rows)
                return lambda done: progress.advance(task, done)

            yield step
    except BackupError as error:
        stop(str(error))

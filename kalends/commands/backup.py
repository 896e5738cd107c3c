"""`kalends backup` and `kalends restore`: all that the database holds, in one file that either database takes."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from kalends import settings, tokens
from kalends.commands.options import data_option, database_option, stop, usable
from kalends.db import open_database
from kalends.settings import Settings, variable


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
@data_option
@database_option
def backup(file: Path, force: bool, **options: Any) -> None:
    """Back the database up into FILE, while the service runs, and restore it on trial."""
    from kalends.backup.take import take

    chosen = settings.load(options)
    if file.exists() and not force:
        stop(f"{file} is there already. Choose another name, or replace it with --force.")
    if not chosen.database and not (chosen.folder / "kalends.sqlite3").exists():
        stop(f"There is no database in {chosen.folder}. Choose the folder with --data.")
    with usable(chosen), _steps() as step, closing(open_database(chosen)) as db:
        taken = take(db, chosen, file, step)
    size = file.stat().st_size
    click.echo(f"Backed up {taken.rows:,} rows of {len(taken.tables)} tables into {file} ({size:,} bytes), and restored it on trial.")
    if taken.secret:
        click.echo(f"The server's secret is not in it: keep a copy of {_secret(chosen)} apart.")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace all that the database holds.")
@data_option
@database_option
def restore(file: Path, force: bool, **options: Any) -> None:
    """Restore the backup FILE, of either database, into an empty one: all of it or nothing."""
    from kalends.backup.restore import restore as restore_file

    chosen = settings.load(options)
    with usable(chosen), _steps() as step, closing(open_database(chosen)) as db:
        restored = restore_file(db, file, step, force=force)
    click.echo(f"Restored {restored.rows:,} rows of {len(restored.tables)} tables, as they were at {restored.taken_at}.")
    if restored.secret and restored.secret != tokens.trace(chosen):
        click.echo(
            f"Put the secret of that server into {_secret(chosen)} before you start the service: "
            "without it, keys that sign, secret feed addresses and links in messages no longer work."
        )


def _secret(chosen: Settings) -> str:
    return variable("secret") if chosen.secret else str(chosen.folder / "secret")


@contextmanager
def _steps() -> Iterator[Callable[[str, int], Callable[[int], None]]]:
    """A bar for each step, for people who watch. What went wrong is said in one line, and what was begun is cleared away."""
    # Imported late: it takes a moment that the other commands can do without.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.backup.file import Unusable

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:

            def step(words: str, rows: int) -> Callable[[int], None]:
                task = progress.add_task(words, total=rows)
                return lambda done: progress.advance(task, done)

            yield step
    except Unusable as trouble:
        stop(str(trouble))

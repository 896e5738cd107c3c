"""`kalends work`: run the background worker."""

from typing import Any

import click

from kalends.app.worker import work as run_worker
from kalends.cli.options import data_option, database_option, no_migrate_option, open_migrated_database
from kalends.core import log
from kalends.core.settings import load


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

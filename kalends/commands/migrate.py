"""`kalends migrate`: bring the database schema up to date."""

from typing import Any

import click

from kalends.commands.options import data_option, database_option, report_setting
from kalends.db import open_database
from kalends.db.migrate import migrate as run_migrations
from kalends.settings import load


@click.command("migrate")
@data_option
@database_option
def migrate(**options: Any) -> None:
    """Bring the database schema up to date; 'serve' does this at every start."""
    settings = load(options)
    with report_setting(settings):
        db = open_database(settings)
        names = run_migrations(db)
    click.echo(f"Ran {', '.join(names)}." if names else "The database is up to date.")
    db.close()

"""`kalends migrate`: bring the database schema up to date."""

from typing import Any

import click

from kalends.cli.options import data_option, database_option, report_setting
from kalends.core import tokens
from kalends.core.settings import load
from kalends.db import open_database, shared_secret
from kalends.db.migrate import migrate as run_migrations


@click.command("migrate")
@data_option
@database_option
@click.option("--accept-secret", is_flag=True, help="Use the database with the secret of this server from now on.")
def migrate(accept_secret: bool, **options: Any) -> None:
    """Bring the database schema up to date; 'serve' does this at every start."""
    settings = load(options)
    with report_setting(settings):
        db = open_database(settings)
        names = run_migrations(db)
        if accept_secret:
            tokens.ensure_secret(settings)
            shared_secret.store(db, settings, replace=True)
    click.echo(f"Ran {', '.join(names)}." if names else "The database is up to date.")
    db.close()

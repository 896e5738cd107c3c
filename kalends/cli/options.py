"""Options and functions that several commands share: the data folder, the database, passwords, errors."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from kalends.cli.checks import describe_unavailable
from kalends.core import tokens
from kalends.core.errors import Invalid, Unavailable
from kalends.core.log import get_logger
from kalends.core.settings import Settings, WrongSetting, load, variable
from kalends.core.values import timestamps
from kalends.db import Database, open_database, shared_secret
from kalends.db.migrate import check_migrated, migrate
from kalends.features.users.model import NewPassword
from kalends.http.context import Context
from kalends.http.input import fields

log = get_logger(__name__)

data_option = click.option("--data", metavar="DIR", help="Folder of the SQLite database, the outbox and the secret. Default: ./data")
database_option = click.option("--database", metavar="URL", help="Use PostgreSQL at postgresql://… instead of SQLite.")

no_migrate_option = click.option("--no-migrate", is_flag=True, help="Do not migrate the database; 'kalends migrate' must have done it.")


class Group(click.Group):
    """A group whose help shows the whole first sentence of each command; click truncates it at the terminal's width."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(limit=1000)) for name, command in sorted(self.commands.items())])


@contextmanager
def open_context(data: str | None, database: str | None) -> Iterator[Context]:
    """A context on the migrated database, for commands that read or write records."""
    settings = load({"data": data, "database": database})
    db = open_migrated_database(settings)
    try:
        yield Context(db, settings, timestamps.now())
    finally:
        db.close()


def open_migrated_database(settings: Settings, *, no_migrate: bool = False) -> Database:
    """The database, migrated; or only checked, where migrations are run by hand."""
    with report_setting(settings):
        tokens.ensure_secret(settings)
        db = open_database(settings)
        if no_migrate:
            check_migrated(db)
        else:
            migrate(db)
        shared_secret.check(db, settings)
        if statements := db.find_missing_settings():
            log.warning("database_settings_missing", statements=statements, note="Run these as an administrator, then RECONNECT PgBouncer.")
    return db


@contextmanager
def report_setting(settings: Settings) -> Iterator[None]:
    """If the data folder or the database cannot be used, raise an error that names the setting."""
    try:
        yield
    except OSError as error:
        raise WrongSetting(f"{variable('data')} is {settings.data!r}, and cannot be used: {error.strerror}.") from None
    except Unavailable as error:
        raise WrongSetting(f"{variable('database' if settings.database else 'data')}: {describe_unavailable(error)}") from None


def validate_password(password: str) -> str:
    params, errors = fields.read(NewPassword, {"password": password})
    if params is None:
        raise Invalid(errors)
    return params.password


def stop(line: str) -> NoReturn:
    """Print one line to standard error and exit with status 1."""
    click.echo(f"kalends: {line}", err=True)
    sys.exit(1)

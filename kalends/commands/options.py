"""What the commands share: where the data is, and how the database is opened."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from kalends import settings, tokens
from kalends.context import Context
from kalends.db import Database, open_database
from kalends.db.migrate import migrate
from kalends.doctor import reason
from kalends.errors import Invalid, Unavailable
from kalends.http.input import fields
from kalends.settings import Settings, WrongSetting, variable
from kalends.users.model import NewPassword
from kalends.values import timestamps

data_option = click.option("--data", metavar="DIR", help="Folder for the database and the secret. Default: ./data")
database_option = click.option("--database", metavar="URL", help="postgresql://… instead of SQLite")


class Group(click.Group):
    """A group whose help has the whole first sentence of each command; click cuts it at the width of the terminal."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(limit=1000)) for name, command in sorted(self.commands.items())])


@contextmanager
def context(data: str | None, database: str | None) -> Iterator[Context]:
    """The surroundings of a command that works on the database."""
    chosen = settings.load({"data": data, "database": database})
    db = migrated(chosen)
    try:
        yield Context(db, chosen, timestamps.now())
    finally:
        db.close()


def migrated(chosen: Settings) -> Database:
    with usable(chosen):
        tokens.prepare(chosen)
        db = open_database(chosen)
        migrate(db)
    return db


@contextmanager
def usable(chosen: Settings) -> Iterator[None]:
    """Says which setting is to blame when the data folder or the database cannot be used."""
    try:
        yield
    except OSError as error:
        raise WrongSetting(f"{variable('data')} is {chosen.data!r}, and cannot be used: {error.strerror}.") from None
    except Unavailable as away:
        raise WrongSetting(f"{variable('database' if chosen.database else 'data')}: {reason(away)}") from None


def checked_password(password: str) -> str:
    chosen, broken = fields.read(NewPassword, {"password": password})
    if chosen is None:
        raise Invalid(broken)
    return chosen.password


def stop(line: str) -> NoReturn:
    click.echo(f"kalends: {line}", err=True)
    sys.exit(1)

"""`kalends users`: create and list users, and set passwords."""

import sys
from typing import Any

import click

from kalends.commands.options import Group, data_option, database_option, open_context, stop, validate_password
from kalends.db import UniqueViolation
from kalends.errors import Invalid
from kalends.http.input import fields
from kalends.keys import store as key_store
from kalends.sessions import store as session_store
from kalends.users import passwords
from kalends.users import store as user_store
from kalends.users.model import Registration
from kalends.values import timestamps
from kalends.webhooks import store as webhook_store


@click.group(cls=Group)
def users() -> None:
    """Create and list users, and set passwords."""


@users.command("create")
@click.argument("user_name")
@click.argument("email_address")
@click.option("--password", help="The password. Default: prompt for it, or read it from standard input.")
@click.option("--name", help="The name that other people see.")
@click.option("--time-zone", help="IANA time zone, such as Europe/Paris. Default: UTC")
@data_option
@database_option
def create(data: str | None, database: str | None, **params: Any) -> None:
    """Create a user, even if registration is closed. The e-mail address counts as verified."""
    params["password"] = params["password"] or _prompt_password()
    registration, errors = fields.read(Registration, params)
    if registration is None:
        raise Invalid(errors)
    password_hash = passwords.hash_password(registration.password)
    with open_context(data, database) as ctx, ctx.write():
        try:
            user_id = user_store.insert(ctx, registration, password_hash, verified=True)
        except UniqueViolation:
            stop("Somebody has this user name or e-mail address already.")
    click.echo(f"Created {registration.user_name} (id {user_id}).")


@users.command("list")
@data_option
@database_option
def list_(data: str | None, database: str | None) -> None:
    """List all users, one per line: id, user name, e-mail address, name, time of registration."""
    with open_context(data, database) as ctx, ctx.read():
        for user in user_store.every(ctx):
            click.echo(f"{user.id}\t{user.user_name}\t{user.email_address}\t{user.name or ''}\t{timestamps.format_utc(user.created_at)}")


@users.command("password")
@click.argument("user_name")
@click.option("--password", help="The password. Default: prompt for it, or read it from standard input.")
@data_option
@database_option
def password_(data: str | None, database: str | None, user_name: str, password: str | None) -> None:
    """Set a user's password, end their sessions and delete their keys."""
    password_hash = passwords.hash_password(validate_password(password or _prompt_password()))
    with open_context(data, database) as ctx, ctx.write():
        user = user_store.find(ctx, user_name)
        if user is None:
            stop(f"There is no user called {user_name}.")
        user_store.update_password(ctx, user.id, password_hash)
        session_store.delete_all(ctx, user.id)
        key_store.delete_all(ctx, user.id)
        webhook_store.disable_all(ctx, user.id)
    click.echo(f"{user.user_name} has a new password, no open sessions and no keys.")


def _prompt_password() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")

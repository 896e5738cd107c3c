"""`kalends users`: create, invite, approve and list users, set passwords, make admins, and suspend and delete accounts."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import click

from kalends.cli.options import Group, data_option, database_option, open_context, stop, validate_password
from kalends.core import private_file
from kalends.core.errors import Conflict, Invalid
from kalends.core.records.people import Role, User
from kalends.core.values import timestamps
from kalends.db import UniqueViolation
from kalends.features.admin.audit import store as audit
from kalends.features.admin.invitations.api import AccountInvitationInput
from kalends.features.keys import store as key_store
from kalends.features.sessions import store as session_store
from kalends.features.users import invitation_store as invitations
from kalends.features.users import store as user_store
from kalends.features.users.model import Registration
from kalends.features.users.rules import passwords
from kalends.features.users.steps import account_status, deletion
from kalends.features.webhooks import store as webhook_store
from kalends.http.context import Actor, Context
from kalends.http.input import fields


@click.group(cls=Group)
def users() -> None:
    """Create, invite, approve and list users, set passwords, make admins, and suspend and delete accounts."""


@users.command("create")
@click.argument("user_name")
@click.argument("email_address")
@click.option("--password", help="The password. Default: prompt for it, or read it from standard input.")
@click.option("--name", help="The name that other people see.")
@click.option("--time-zone", help="IANA time zone, such as Europe/Paris. Default: UTC")
@click.option("--admin", is_flag=True, help="The user administers the site. The first one that is made here always does.")
@data_option
@database_option
def create(data: str | None, database: str | None, admin: bool, **params: Any) -> None:
    """Create a user, even if registration is closed. The e-mail address counts as verified."""
    params["password"] = params["password"] or _prompt_password()
    person, errors = fields.read(Registration, params)
    if person is None:
        raise Invalid(errors)
    password_hash = passwords.hash_password(person.password)
    with open_context(data, database) as ctx, ctx.write():
        try:
            role = "admin" if admin else user_store.role_of_next(ctx)
            user_id = user_store.insert(ctx, person, password_hash, verified=True, role=role)
            audit.record(ctx, "account_created", "account", user_id, role)
            if role == "admin":
                account_status.notify_admins(ctx, user_store.get(ctx, user_id))
        except UniqueViolation:
            stop("Someone has this user name or e-mail address already.")
    click.echo(f"Created {person.user_name} (id {user_id}{', admin' if role == 'admin' else ''}).")


@users.command("invite")
@click.argument("email_address")
@data_option
@database_option
def invite(data: str | None, database: str | None, email_address: str) -> None:
    """Print a link by which the owner of an e-mail address makes an account, once, within two weeks. It is not mailed."""
    params, errors = fields.read(AccountInvitationInput, {"email_address": email_address})
    if params is None:
        raise Invalid(errors)
    with open_context(data, database) as ctx, ctx.write():
        if user_store.find(ctx, params.email_address):
            stop("Someone has this e-mail address already.")
        invitation = invitations.insert(ctx, params.email_address, None)
        audit.record(ctx, "account_invited", "invitation", invitation.id)
        click.echo(invitations.invitation_url(ctx.settings, invitation))


@users.command("approve")
@click.argument("user_name")
@data_option
@database_option
def approve(data: str | None, database: str | None, user_name: str) -> None:
    """Approve a pending account, and notify the user by mail."""
    with open_context(data, database) as ctx, ctx.write(), _report_conflict():
        user = _find(ctx, user_name)
        account_status.approve(ctx, user)
    click.echo(f"{user.user_name} can sign in, and gets mail about it.")


@users.command("refuse")
@click.argument("user_name")
@data_option
@database_option
def refuse(data: str | None, database: str | None, user_name: str) -> None:
    """Delete a pending account, and notify the user by mail."""
    with open_context(data, database) as ctx, ctx.write(), _report_conflict():
        user = _find(ctx, user_name)
        account_status.refuse(ctx, user, next(iter(user_store.find_admins(ctx)), None))
    click.echo(f"The registration of {user.user_name} is deleted.")


@users.command("list")
@data_option
@database_option
def list_(data: str | None, database: str | None) -> None:
    """List all users, one per line: id, user name, e-mail address, name, time of registration, role, status."""
    with open_context(data, database) as ctx, ctx.read():
        for user in user_store.every(ctx):
            created_at = timestamps.format_utc(user.created_at)
            fields = (user.id, user.user_name, user.email_address, user.name or "", created_at, user.role, user.status)
            click.echo("\t".join(map(str, fields)))


@users.command("password")
@click.argument("user_name")
@click.option("--password", help="The password. Default: prompt for it, or read it from standard input.")
@data_option
@database_option
def password_(data: str | None, database: str | None, user_name: str, password: str | None) -> None:
    """Set a user's password, end their sessions and delete their keys."""
    password_hash = passwords.hash_password(validate_password(password or _prompt_password()))
    with open_context(data, database) as ctx, ctx.write():
        user = _find(ctx, user_name)
        user_store.update_password(ctx, user.id, password_hash)
        session_store.delete_all(ctx, user.id)
        key_store.delete_all(ctx, user.id)
        webhook_store.disable_all(ctx, user.id)
        audit.record(ctx, "password_set", "account", user.id)
    click.echo(f"{user.user_name} has a new password, no open sessions and no keys.")


@users.command("remove-factors")
@click.argument("user_name")
@click.option("--identities", is_flag=True, help="Also unlink the accounts at providers of OpenID Connect.")
@data_option
@database_option
def remove_factors(data: str | None, database: str | None, user_name: str, *, identities: bool) -> None:
    """Turn off a user's one-time codes, and remove passkeys: the password alone signs in. The user gets mail.

    Accounts at providers are unlinked only with KALENDS_PASSWORDS=on."""
    with open_context(data, database) as ctx, ctx.write(), _report_conflict():
        user = _find(ctx, user_name)
        has_password = account_status.remove_factors(ctx, user, with_identities=identities)
    way = "with the password alone" if has_password else "through a provider alone: passwords are switched off"
    click.echo(f"{user.user_name} signs in {way}.")


@users.command("role")
@click.argument("user_name")
@click.argument("role", type=click.Choice(get_args(Role)))
@data_option
@database_option
def role_(data: str | None, database: str | None, user_name: str, role: Role) -> None:
    """Make a user an admin, who administers the site, or a member again."""
    with open_context(data, database) as ctx, ctx.write(), _report_conflict():
        user = _find(ctx, user_name)
        account_status.change_role(ctx, user, role)
    click.echo(f"{user.user_name} is {'an admin' if role == 'admin' else 'a member'} now.")


@users.command("suspend")
@click.argument("user_name")
@data_option
@database_option
def suspend(data: str | None, database: str | None, user_name: str) -> None:
    """Suspend an account: the user cannot sign in, sessions end, keys are deleted. Events stay."""
    with open_context(data, database) as ctx, ctx.write(), _report_conflict():
        user = _find(ctx, user_name)
        account_status.suspend(ctx, user.id)
    click.echo(f"{user.user_name} is suspended, and has no open sessions and no keys.")


@users.command("activate")
@click.argument("user_name")
@data_option
@database_option
def activate(data: str | None, database: str | None, user_name: str) -> None:
    """Lift the suspension of a user."""
    with open_context(data, database) as ctx, ctx.write():
        user = _find(ctx, user_name)
        if user.status == "waiting":
            stop(f"{user.user_name} waits for approval. Run: kalends users approve {user.user_name}")
        account_status.activate(ctx, user.id)
    click.echo(f"{user.user_name} can sign in.")


@users.command("delete")
@click.argument("user_name")
@click.option("--give", metavar="NAME", help="Give all its calendars to this user. Default: those that others edit go to these.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_option
@database_option
def delete(data: str | None, database: str | None, user_name: str, give: str | None, yes: bool) -> None:
    """Delete an account with its contacts and the calendars that nobody else edits. Nobody is notified."""
    with open_context(data, database) as ctx, _report_conflict():
        with ctx.read():
            user = _find(ctx, user_name)
            heir = _find(ctx, give).id if give else None
            if heir == user.id:
                stop("Give the calendars to somebody else.")
        bequests = deletion.preview(ctx, user, give_to=heir)
        for bequest in bequests:
            to = f"goes to {bequest.user_name}" if bequest.user_name else "is deleted, and stays in the trash for 30 days"
            click.echo(f"The calendar “{bequest.name}” (id {bequest.calendar_id}) {to}.")
        if not yes:
            click.confirm("Its contacts are gone for good. Delete the account?", abort=True)
        deletion.delete_account(ctx, user, give_to=heir)
    click.echo(f"The account of {user.user_name} is deleted.")


@users.command("export")
@click.argument("user_name")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@data_option
@database_option
def export(data: str | None, database: str | None, user_name: str, file: Path, force: bool) -> None:
    """Write all records of an account into FILE, a zip of JSON, calendars, contacts and pictures."""
    from kalends.features.users.steps.export import export as write

    if file.exists() and not force:
        stop(f"{file} is there already. Choose another name, or replace it with --force.")
    with open_context(data, database) as ctx, ctx.read(), _progress("Exporting") as begin:
        user = _find(ctx, user_name)
        ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone)
        ctx.tx.without_statement_timeout()
        with private_file.create(file) as stream:
            manifest = write(ctx, user, stream, begin)
    count = sum(manifest.records.values())
    click.echo(f"Exported {count:,} records of {user.user_name} into {file} ({file.stat().st_size:,} bytes).")


@users.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--password", help="The password of the account here. Default: prompt for it, or read it from standard input.")
@data_option
@database_option
def import_(data: str | None, database: str | None, file: str, password: str | None) -> None:
    """Import an exported account into a service where nobody has one. It administers the site."""
    from kalends.features.users.steps.account_import import import_account

    password_hash = passwords.hash_password(validate_password(password or _prompt_password()))
    with open_context(data, database) as ctx, _report_conflict(), _progress("Importing") as begin:
        manifest = import_account(ctx, file, password_hash, begin)
    click.echo(f"Imported {sum(manifest.records.values()):,} records of {manifest.user_name}, as they were at {manifest.exported_at}.")


@contextmanager
def _progress(words: str) -> Iterator[Callable[[int], Callable[[int], None]]]:
    """A progress bar on a terminal."""
    # Imported here because they take time that the other commands do not need.
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:

        def begin(steps: int) -> Callable[[int], None]:
            task = progress.add_task(words, total=steps)
            return lambda done: progress.advance(task, done)

        yield begin


def _find(ctx: Context, user_name: str) -> User:
    """The user with this user name or e-mail address; the command ends if there is none."""
    return user_store.find(ctx, user_name) or stop(f"There is no user called {user_name}.")


@contextmanager
def _report_conflict() -> Iterator[None]:
    try:
        yield
    except Conflict as conflict:
        stop(conflict.detail)


def _prompt_password() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")

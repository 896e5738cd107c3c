"""The `kalends` command."""

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NoReturn

import click
from msgspec.structs import replace

from kalends import __version__, settings, times, tokens
from kalends.context import Actor, Context
from kalends.db import Database, Taken, open_database
from kalends.db.migrate import TooNew, migrate
from kalends.deliveries.files import outbox
from kalends.doctor import examine, reason, try_email, try_sms
from kalends.errors import Invalid, NotFound, Problem, Unavailable
from kalends.http import fields, log
from kalends.sessions import store as session_store
from kalends.settings import Settings, WrongSetting, variable
from kalends.transports import FILES
from kalends.users import passwords
from kalends.users import store as user_store
from kalends.users.model import NewPassword, Registration
from kalends.worker import attached_worker, work

HIDDEN = ("secret", "database", "metrics_token", "email", "sms")


def main() -> None:
    """Run the command; what a person can mend is said in one line."""
    try:
        cli(standalone_mode=False)
    except (WrongSetting, TooNew) as error:
        _stop(str(error))
    except Problem as problem:
        _stop(problem.detail)
    except click.NoSuchOption as error:
        _stop(error.format_message())
    except click.UsageError as error:
        _stop(f"{error.format_message()} See '{error.ctx.command_path if error.ctx else 'kalends'} --help'.")
    except click.ClickException as error:
        _stop(error.format_message())
    except click.Abort:
        _stop("Stopped.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kalends")
def cli() -> None:
    """Kalends: an event calendar service that you host yourself."""


_data = click.option("--data", metavar="DIR", help="Folder for the database and the secret. Default: ./data")
_database = click.option("--database", metavar="URL", help="postgresql://… instead of SQLite")


@cli.command()
@click.option("--host", help="Address to listen on. Default: 127.0.0.1")
@click.option("--port", type=int, help="Port to listen on. Default: 8000")
@_data
@_database
@click.option("--workers", type=int, help="Number of server processes. Default: 1")
@click.option("--no-work", is_flag=True, help="Leave the background worker out; run 'kalends work' beside it.")
def serve(no_work: bool, **options: Any) -> None:
    """Migrate, serve, and run the background worker."""
    chosen = settings.load(options)
    log.configure(chosen)
    # Imported late, since Granian takes a tenth of a second that the other commands can do without.
    from kalends.http import listen

    sockets = listen.bind(chosen)
    chosen = replace(chosen, port=sockets[0].getsockname()[1])
    _migrated(chosen).close()
    settings.export(chosen)
    _share_figures(chosen)
    _announce(chosen)
    # And this, since prometheus_client decides as it is imported whether several processes share their figures.
    from kalends.app import rsgi

    with nullcontext() if no_work else attached_worker():
        listen.serve(rsgi, sockets, chosen)


def _share_figures(chosen: Settings) -> None:
    if chosen.metrics_token:
        figures = chosen.folder / "metrics"
        shutil.rmtree(figures, ignore_errors=True)
        figures.mkdir(parents=True)
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
    kept = {words: variable(name) for name, words in {"email": "e-mail", "sms": "SMS"}.items() if getattr(chosen, name) == FILES}
    return f"Written to {outbox(chosen)} and not sent: {', '.join(kept)}. To send, set {' and '.join(kept.values())}." if kept else ""


@cli.command("work")
@_data
@_database
@click.option("--attached", is_flag=True, hidden=True, help="End when standard input does; so 'serve' runs it.")
def work_(attached: bool, **options: Any) -> None:
    """Run the background worker alone, beside 'kalends serve --no-work'."""
    chosen = settings.load(options)
    log.configure(chosen)
    db = _migrated(chosen)
    work(db, chosen, attached=attached)
    db.close()


@cli.command("migrate")
@_data
@_database
def migrate_(**options: Any) -> None:
    """Bring the database up to date."""
    with _usable(chosen := settings.load(options)):
        db = open_database(chosen)
        done = migrate(db)
    click.echo(f"Ran {', '.join(done)}." if done else "The database is up to date.")
    db.close()


@cli.command("settings")
def settings_() -> None:
    """List every setting: its meaning, what it may be, and what it is now."""
    now = settings.load()
    for name in Settings.__struct_fields__:
        value = getattr(now, name)
        shown = "(hidden)" if value and value != FILES and (name in HIDDEN or ("@" in str(value) and name != "email_from")) else value
        click.echo(f"{variable(name)} = {shown}\n    {settings.meaning(name)} ({settings.choices(name)})")


@cli.command("doctor")
@click.option("--email", metavar="ADDRESS", help="Send a test message to this e-mail address.")
@click.option("--sms", metavar="NUMBER", help="Send a test SMS to this number, such as +33612345678.")
@_data
@_database
def doctor_(email: str | None, sms: str | None, **options: Any) -> None:
    """Check the settings, the data folder, the database and the mail server, and say what to do."""
    chosen = settings.load(options)
    findings = examine(chosen)
    if email:
        findings[f"test message to {email}"] = try_email(chosen, email)
    if sms:
        findings[f"test SMS to {sms}"] = try_sms(chosen, sms)
    for name, trouble in findings.items():
        click.echo(f"BAD  {name}: {trouble}" if trouble else f"ok   {name}")
    sys.exit(1 if any(findings.values()) else 0)


@cli.command("demo")
@click.option("--password", help="The password of the user demo. Default: a random one.")
@_data
@_database
def demo_(data: str | None, database: str | None, password: str | None) -> None:
    """Fill in a lively example: a user called demo with calendars, events, answers, comments and contacts."""
    # Imported late: what the example is made of takes a moment that the other commands can do without.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.demo.fill import STEPS, fill

    chosen = _checked(password or secrets.token_hex(8))
    password_hash = passwords.hashed(chosen)
    with _context(data, database) as ctx, ctx.write():
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
            for _ in progress.track(fill(ctx, password_hash), total=STEPS, description="Filling in the example"):
                pass
        url = ctx.settings.url
    click.echo(f"The example is there. Sign in at {url}/sign-in as demo with the password {chosen}")


@cli.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--user", "user_name", required=True, metavar="NAME", help="Whose events they become.")
@click.option("--calendar", "calendar_id", type=click.IntRange(1), metavar="ID", help="The calendar. Default: the user's primary one")
@_data
@_database
def import_(data: str | None, database: str | None, file: str, user_name: str, calendar_id: int | None) -> None:
    """Import the events of an iCalendar file; those that are there already become what the file says."""
    # Imported late, as for the example.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.events.importing.file import Choice, from_file
    from kalends.http.params import UPLOAD_LIMIT

    content = _content(file, UPLOAD_LIMIT)
    with _context(data, database) as ctx:
        with ctx.read():
            user = user_store.find(ctx, user_name)
        if user is None:
            _stop(f"There is no user called {user_name}.")
        ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone)
        try:
            with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
                came = from_file(ctx, content, Choice(calendar_id), lambda items, words: progress.track(items, description=words))
        except NotFound:
            _stop(f"There is no calendar {calendar_id} that {user.user_name} can see.")
    for remark in came.remarks:
        click.echo(f"{file}:{remark.line}: {remark.field}: {remark.message}")
    click.echo(f"{came.imported:,} imported, {came.updated:,} updated, {came.unchanged:,} unchanged, {came.skipped:,} left out.")


def _content(file: str, most: int) -> bytes:
    try:
        with open(file, "rb") as opened:
            content = opened.read(most + 1)
    except OSError as error:
        _stop(f"{file} cannot be read: {error.strerror}.")
    if len(content) > most:
        _stop(f"{file} has more than {most // 1024**2} MiB; import it in parts.")
    return content


@cli.group()
def users() -> None:
    """Create and list users, and set passwords."""


@users.command("create")
@click.argument("user_name")
@click.argument("email_address")
@click.option("--password", help="Asked for, or read from standard input, when it is not given.")
@click.option("--name", help="The name that others see.")
@click.option("--time-zone", help="Default: UTC")
@_data
@_database
def users_create(data: str | None, database: str | None, **given: Any) -> None:
    """Create a user, whether or not registration is open."""
    given["password"] = given["password"] or _ask_password()
    registration, broken = fields.read(Registration, given)
    if registration is None:
        raise Invalid(broken)
    password_hash = passwords.hashed(registration.password)
    with _context(data, database) as ctx, ctx.write():
        try:
            user_id = user_store.insert(ctx, registration, password_hash)
        except Taken:
            _stop("Somebody has this user name or e-mail address already.")
    click.echo(f"Created {registration.user_name} (id {user_id}).")


@users.command("list")
@_data
@_database
def users_list(data: str | None, database: str | None) -> None:
    """List the users."""
    with _context(data, database) as ctx, ctx.read():
        for user in user_store.every(ctx):
            click.echo(f"{user.id}\t{user.user_name}\t{user.email_address}\t{user.name or ''}\t{times.utc(user.created_at)}")


@users.command("password")
@click.argument("user_name")
@click.option("--password", help="Asked for, or read from standard input, when it is not given.")
@_data
@_database
def users_password(data: str | None, database: str | None, user_name: str, password: str | None) -> None:
    """Set a user's password and end their sessions."""
    password_hash = passwords.hashed(_checked(password or _ask_password()))
    with _context(data, database) as ctx, ctx.write():
        user = user_store.find(ctx, user_name)
        if user is None:
            _stop(f"There is no user called {user_name}.")
        user_store.update_password(ctx, user.id, password_hash)
        session_store.delete_all(ctx, user.id)
    click.echo(f"{user.user_name} has a new password, and no open sessions.")


def _checked(password: str) -> str:
    chosen, broken = fields.read(NewPassword, {"password": password})
    if chosen is None:
        raise Invalid(broken)
    return chosen.password


def _ask_password() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")


@contextmanager
def _context(data: str | None, database: str | None) -> Iterator[Context]:
    """The surroundings of a command that works on the database."""
    chosen = settings.load({"data": data, "database": database})
    db = _migrated(chosen)
    try:
        yield Context(db, chosen, times.now())
    finally:
        db.close()


def _migrated(chosen: Settings) -> Database:
    with _usable(chosen):
        tokens.prepare(chosen)
        db = open_database(chosen)
        migrate(db)
    return db


@contextmanager
def _usable(chosen: Settings) -> Iterator[None]:
    """Says which setting is to blame when the data folder or the database cannot be used."""
    try:
        yield
    except OSError as error:
        raise WrongSetting(f"{variable('data')} is {chosen.data!r}, and cannot be used: {error.strerror}.") from None
    except Unavailable as away:
        raise WrongSetting(f"{variable('database' if chosen.database else 'data')}: {reason(away)}") from None


def _stop(line: str) -> NoReturn:
    click.echo(f"kalends: {line}", err=True)
    sys.exit(1)

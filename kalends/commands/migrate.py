"""`kalends migrate`, `settings` and `doctor`: what whoever looks after the service asks."""

import sys
from typing import Any

import click

from kalends import settings
from kalends.commands.options import data_option, database_option, usable
from kalends.db import open_database
from kalends.db.migrate import migrate as run_migrations
from kalends.deliveries.outbox_files import outbox
from kalends.doctor import examine, try_email, try_sms, unsent
from kalends.settings import Settings, listed, variable
from kalends.transports import FILES

HIDDEN = ("secret", "database", "metrics_token", "email", "sms")


@click.command("migrate")
@data_option
@database_option
def migrate(**options: Any) -> None:
    """Bring the database up to date."""
    with usable(chosen := settings.load(options)):
        db = open_database(chosen)
        done = run_migrations(db)
    click.echo(f"Ran {', '.join(done)}." if done else "The database is up to date.")
    db.close()


@click.command("settings")
def show_settings() -> None:
    """List every setting: its meaning, what it may be, and what it is now."""
    now = settings.load()
    for name in Settings.__struct_fields__:
        value = getattr(now, name)
        shown = "(hidden)" if value and value != FILES and (name in HIDDEN or ("@" in str(value) and name != "email_from")) else value
        click.echo(f"{variable(name)} = {shown}\n    {settings.meaning(name)} ({settings.choices(name)})")


@click.command("doctor")
@click.option("--email", metavar="ADDRESS", help="Send a test message to this e-mail address.")
@click.option("--sms", metavar="NUMBER", help="Send a test SMS to this number, such as +33612345678.")
@data_option
@database_option
def doctor(email: str | None, sms: str | None, **options: Any) -> None:
    """Check the settings, the data folder, the database and the mail server, and say what to do."""
    chosen = settings.load(options)
    findings = examine(chosen)
    if email:
        findings[f"test message to {email}"] = try_email(chosen, email)
    if sms:
        findings[f"test SMS to {sms}"] = try_sms(chosen, sms)
    for name, trouble in findings.items():
        click.echo(f"BAD  {name}: {trouble}" if trouble else f"ok   {name}")
    for words, name in unsent(chosen).items():
        click.echo(f"note {words} is written to files in {outbox(chosen)}, not sent. To send it, set {name}.")
    if "*" in listed(chosen.cors_origins):
        click.echo(
            f"note {variable('cors_origins')} has *: scripts of every site may read what guests may read (GET without a credential)."
        )
    sys.exit(1 if any(findings.values()) else 0)

"""`kalends doctor`: check the installation and print what to do; `kalends settings`: print every setting and its current value."""

import sys
from typing import Any

import click

from kalends.cli.checks import check_site, find_problems, try_email, try_sms, unsent_channels
from kalends.cli.options import data_option, database_option
from kalends.core.settings import SECRETS, Settings, choices, listed, load, meaning, variable
from kalends.core.transports import FILES
from kalends.mail.mail import outbox

# Of each state of a check.
LINES = {"ok": "ok   {0}", "wrong": "BAD  {0}: {1}", "unknown": "note {0}: {1}"}


@click.command("doctor")
@click.option("--email", metavar="ADDRESS", help="Send a test message to this e-mail address.")
@click.option("--sms", metavar="NUMBER", help="Send a test SMS to this number, such as +33612345678.")
@data_option
@database_option
def doctor(email: str | None, sms: str | None, **options: Any) -> None:
    """Check settings, database, mail, providers of sign-in, base URL, proxy, newest backup and clock, and print what
    to do."""
    settings = load(options)
    problems = find_problems(settings)
    if email:
        problems[f"test message to {email}"] = try_email(settings, email)
    if sms:
        problems[f"test SMS to {sms}"] = try_sms(settings, sms)
    for name, problem in problems.items():
        click.echo(f"BAD  {name}: {problem}" if problem else f"ok   {name}")
    site = check_site(settings)
    for item in site:
        click.echo(LINES[item.state].format(item.name, item.advice))
    for words, name in unsent_channels(settings).items():
        click.echo(f"note {words} is written to files in {outbox(settings)}, not sent. To send it, set {name}.")
    if "*" in listed(settings.cors_origins):
        click.echo(
            f"note {variable('cors_origins')} has *: scripts of every site may read what guests may read (GET without a credential)."
        )
    sys.exit(1 if any(problems.values()) or any(item.state == "wrong" for item in site) else 0)


@click.command("settings")
def show_settings() -> None:
    """Print every setting: its value, its meaning and the values it accepts; secrets are hidden."""
    settings = load()
    for name in Settings.__struct_fields__:
        click.echo(f"{variable(name)} = {_printable(name, getattr(settings, name))}\n    {meaning(name)} ({choices(name)})")


def _printable(name: str, value: object) -> object:
    may_hold_secret = name in SECRETS or ("@" in str(value) and name != "email_from")
    return "(hidden)" if value and value != FILES and may_hold_secret else value

"""`kalends receive`: take one message from a mail server's pipe."""

import sys
from typing import Any

import click

from kalends.cli.options import data_option, database_option, open_migrated_database
from kalends.core import log
from kalends.core.errors import Unavailable
from kalends.core.settings import WrongSetting, load
from kalends.db import Retry
from kalends.mail.inbound.handle import handle
from kalends.mail.inbound.message import MAX_OCTETS

# What mail servers take for "try again later" (sysexits.h).
TEMPORARY_FAILURE = 75


@click.command("receive")
@click.argument("recipients", nargs=-1, metavar="[RECIPIENT]...")
@data_option
@database_option
def receive(recipients: tuple[str, ...], **options: Any) -> None:
    """Take a reply to an invitation from standard input, for a mail server; exits with 75 if it should try again later."""
    octets = sys.stdin.buffer.read(MAX_OCTETS + 1)
    # The rest of a message that is too large is read, or the mail server would see a broken pipe.
    while sys.stdin.buffer.read(MAX_OCTETS):
        pass
    try:
        settings = load(options)
        log.configure(settings)
        db = open_migrated_database(settings)
        try:
            handle(db, settings, octets, recipients)
        finally:
            db.close()
    except (WrongSetting, Unavailable, Retry) as error:
        click.echo(f"kalends: {error}", err=True)
        sys.exit(TEMPORARY_FAILURE)

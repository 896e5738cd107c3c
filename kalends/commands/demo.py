"""`kalends demo`: create example data to look around in."""

import secrets
import sys

import click

from kalends.commands.options import data_option, database_option, open_context, validate_password
from kalends.users import passwords
from kalends.users import store as users


@click.command("demo")
@click.option("--password", help="The password of the three users. Default: a random one, which is printed.")
@data_option
@database_option
def demo(data: str | None, database: str | None, password: str | None) -> None:
    """Create example data: users called demo, noor and theo with calendars, events, pictures, responses, comments and contacts."""
    # Imported here because they take time that the other commands do not need.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.demo.fill import STEPS, fill

    password = validate_password(password or secrets.token_hex(8))
    password_hash = passwords.hash_password(password)
    with open_context(data, database) as ctx, ctx.write():
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
            for _ in progress.track(fill(ctx, password_hash), total=STEPS, description="Creating the example"):
                pass
        url, role = ctx.settings.url, users.get(ctx, ctx.actor.id).role if ctx.actor else "member"
    admin = " demo is the admin, because the service had no users." if role == "admin" else ""
    click.echo(f"The example is there, with the users demo, noor and theo.{admin}")
    click.echo(f"Sign in at {url}/sign-in as demo with the password {password}")

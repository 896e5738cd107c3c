"""`kalends demo`: create example data to look around in."""

import secrets
import sys

import click

from kalends.cli.options import data_option, database_option, open_context, validate_password
from kalends.cli.public_demo import serve_until_stopped
from kalends.core.settings import load
from kalends.features.users.rules import passwords

# Everybody reads it on the pages of a public demonstration.
PUBLIC_PASSWORD = "look-around"  # noqa: S105


@click.command("demo")
@click.option("--password", help="The password of the three users. Default: a random one, which is printed.")
@click.option("--remove", is_flag=True, help="Delete the three users again, with everything that they have.")
@click.option("--public", is_flag=True, help="Serve the example to everybody: it sends no mail, and begins again each night (UTC).")
@data_option
@database_option
def demo(data: str | None, database: str | None, password: str | None, remove: bool, public: bool) -> None:
    """Create example data: users called demo, noor and theo with calendars, events, pictures, responses, comments and contacts."""
    if public:
        serve_until_stopped(load({"data": data, "database": database}), validate_password(password or PUBLIC_PASSWORD))
    elif remove:
        _remove(data, database)
    else:
        _fill(data, database, validate_password(password or secrets.token_hex(8)))


def _fill(data: str | None, database: str | None, password: str) -> None:
    # Imported here because they take time that the other commands do not need.
    from rich.console import Console
    from rich.progress import Progress

    from kalends.cli.demo_data.fill import STEPS, fill

    password_hash = passwords.hash_password(password)
    with open_context(data, database) as ctx, ctx.write():
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
            for _ in progress.track(fill(ctx, password_hash), total=STEPS, description="Creating the example"):
                pass
        settings = ctx.settings
    click.echo("The example is there, with the users demo, noor and theo. Delete it with: kalends demo --remove")
    # The server may have another port than this command knows.
    where = f"{settings.url}/sign-in" if settings.base_url else "/sign-in of the address that 'kalends serve' printed"
    click.echo(f"Sign in at {where} as demo with the password {password}")


def _remove(data: str | None, database: str | None) -> None:
    from kalends.cli.demo_data.fill import remove

    with open_context(data, database) as ctx:
        count = remove(ctx)
    click.echo("The example is deleted." if count else "The example is not here.")

"""`kalends settings`: print every setting and its current value."""

import click

from kalends.core.settings import SECRETS, Settings, choices, load, meaning, variable
from kalends.core.transports import FILES


@click.command("settings")
def show_settings() -> None:
    """Print every setting: its value, its meaning and the values it accepts; secrets are hidden."""
    settings = load()
    for name in Settings.__struct_fields__:
        click.echo(f"{variable(name)} = {_printable(name, getattr(settings, name))}\n    {meaning(name)} ({choices(name)})")


def _printable(name: str, value: object) -> object:
    may_hold_secret = name in SECRETS or ("@" in str(value) and name != "email_from")
    return "(hidden)" if value and value != FILES and may_hold_secret else value

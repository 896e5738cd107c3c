"""The `kalends` command."""

import click

from kalends.cli.backup import backup, restore
from kalends.cli.demo import demo
from kalends.cli.doctor import doctor, show_settings
from kalends.cli.import_ import import_file
from kalends.cli.migrate import migrate
from kalends.cli.options import Group, stop
from kalends.cli.receive import receive
from kalends.cli.serve import serve, work
from kalends.cli.users import users
from kalends.core.errors import Problem
from kalends.core.settings import WrongSetting
from kalends.core.version import __version__
from kalends.db.migrate import NotMigrated, TooNew, TooOld, WrongEncoding


def main() -> None:
    """Run the command; errors that the user can correct are printed in one line."""
    try:
        cli(standalone_mode=False)
    except (WrongSetting, TooNew, TooOld, NotMigrated, WrongEncoding) as error:
        stop(str(error))
    except Problem as problem:
        stop(problem.detail)
    except click.NoSuchOption as error:
        stop(error.format_message())
    except click.UsageError as error:
        stop(f"{error.format_message()} See '{error.ctx.command_path if error.ctx else 'kalends'} --help'.")
    except click.ClickException as error:
        stop(error.format_message())
    except click.Abort:
        stop("Stopped.")


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kalends")
def cli() -> None:
    """Kalends: an event calendar service that you host yourself."""


for command in (serve, work, receive, migrate, show_settings, doctor, backup, restore, demo, import_file, users):
    cli.add_command(command)

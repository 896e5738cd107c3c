"""The `kalends` command."""

import click

from kalends import __version__
from kalends.commands.backup import backup, restore
from kalends.commands.demo import demo
from kalends.commands.doctor import doctor
from kalends.commands.import_ import import_file
from kalends.commands.migrate import migrate
from kalends.commands.options import Group, stop
from kalends.commands.receive import receive
from kalends.commands.serve import serve
from kalends.commands.settings import show_settings
from kalends.commands.users import users
from kalends.commands.work import work
from kalends.db.migrate import NotMigrated, TooNew, WrongEncoding
from kalends.errors import Problem
from kalends.settings import WrongSetting


def main() -> None:
    """Run the command; errors that the user can correct are printed in one line."""
    try:
        cli(standalone_mode=False)
    except (WrongSetting, TooNew, NotMigrated, WrongEncoding) as error:
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

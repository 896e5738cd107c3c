"""What a key costs: `python -m bench.keys` counts the instructions of `show` with a session and with keys (needs valgrind).

To compare it with another version, copy this file into a worktree of that one; `--plain` leaves out keys that it does not know."""

from functools import partial
from pathlib import Path

import click

from bench.databases import Where
from bench.instructions import COUNTED, WARM_UP, LocalUser, call, count_on_each, local_user, profile
from bench.wrk import Request


@click.command()
@click.option("--plain", is_flag=True, envvar="BENCH_PLAIN_KEYS", help="Keys without limits alone.")
@click.option("--data", type=Path, hidden=True, help="Send the requests; valgrind runs this.")
@click.option("--database", default="", hidden=True)
def main(plain: bool, data: Path | None, database: str) -> None:
    """Print the thousands of instructions of a `show` with each credential, and how many more than with a session, on both databases."""
    if data:
        _send_requests(Where(data, database), plain=plain)
        return
    for kind, totals in count_on_each("bench.keys"):
        for name, number in totals.items():
            click.echo(f"{kind:12}{name:12}{number / COUNTED / 1000:8,.1f}{number / totals['session'] - 1:+8.1%}")


def _send_requests(where: Where, *, plain: bool) -> None:
    user = local_user(where)
    limits: dict[str, dict[str, str | int]] = {"key": {}}
    if not plain:
        limits |= {"scopes": {"scopes": "events:read"}, "calendars": {"calendar_ids": str(user.calendar_id)}}
    users = {"session": user} | {name: _with_key(user, fields) for name, fields in limits.items()}
    for name, each in users.items():
        each.ask_often(user.requests["show"], WARM_UP)
        with profile(name):
            call(partial(each.ask_often, user.requests["show"], COUNTED))


def _with_key(user: LocalUser, fields: dict[str, str | int]) -> LocalUser:
    """The same user, with a new key."""
    other = LocalUser(user.edge, user)
    other.token = user.json(Request("/api/keys", {"name": "bench", **fields}))["wkey"]
    return other


if __name__ == "__main__":
    main()

"""Fill a database with many events: `python -m bench.load --events 1000000 --data DIR` (or --database URL)."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import click

from kalends.core import settings, tokens
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database
from kalends.db.migrate import migrate
from kalends.features.calendars import store as calendars
from kalends.features.calendars.model import CalendarInput
from kalends.features.events.listing.store import search
from kalends.features.users import store as users
from kalends.features.users.model import Registration
from kalends.features.users.rules import passwords
from kalends.http.context import Context

PASSWORD = "correct horse battery"  # noqa: S105 - of people who do not exist
START = 1_767_225_600
TWO_YEARS = 2 * 365 * 86_400
EVENTS_OF_A_CALENDAR = 500
CALENDARS_OF_A_USER = 20
# Events of one transaction.
BATCH = 500

WORDS = (
    "autumn ballad bebop blues brass choir circle city coast concert dance dawn dinner drum early evening fair family "
    "festival film folk garden gather guitar harbor history hour improv island kitchen lantern late letter library light "
    "listen market meadow meeting midnight morning museum music night open orchestra paint park piano picnic poetry "
    "quartet radio reading rehearsal river salon saxophone school season session singer song story street studio summer "
    "sunday swing table talk tango theatre together tour trio valley violin walk water weekend window winter wonder "
    "workshop yard"
).split()
# About ten of 10,000 events have each.
RARE_WORDS = [f"{first}{second}" for first in WORDS[:32] for second in WORDS[-32:]]
CITIES = ("New York", "Paris", "Berlin", "Oslo", "Lisbon", "Kyoto", "Dakar", "Lima", "Quito", "Perth")

_EVENT = """
INSERT INTO events (id, owner_id, calendar_id, title, description, start_at, end_at, until_at, all_day, time_zone, location, city,
                    tags, public, search, version, created_at, updated_at)
VALUES (:id, :owner_id, :calendar_id, :title, :description, :start_at, :end_at, :end_at, :all_day, 'UTC', :location, :city,
        :tags, :public, :search, 1, :now, :now)
"""
_PLACEMENT = """
INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, takes_days, grants, created_at)
VALUES (:id, :calendar_id, :start_at, :public, :lasts, :lasts, CAST(1 AS BOOLEAN), :now)
"""
_COPIED = ("id", "calendar_id", "start_at", "public", "lasts", "now")

Place = tuple[int, int, bool]


@click.command()
@click.option("--events", default=10_000)
@click.option("--data")
@click.option("--database")
def main(events: int, data: str | None, database: str | None) -> None:
    """Load the events."""
    fill(settings.load({"data": data, "database": database}), events)


def fill(configuration: Settings, events: int, *, one_calendar: bool = False, lasting: int = 0) -> None:
    """Load the events, 500 to a calendar and 20 calendars to a user, or all to one; nothing when they are there already.

    lasting: one of this number of events lasts for two years.
    """
    tokens.ensure_secret(configuration)
    db = open_database(configuration)
    migrate(db)
    ctx = Context(db, configuration, timestamps.now())
    with ctx.read() as tx:
        held = int(tx.value("SELECT coalesce(max(id), 0) FROM events"))
    if held < events:
        # The third is the first private one that is not primary.
        places = _places(ctx, events)
        _load(db, event_rows(ctx.now, [places[2]] if one_calendar else places, events, lasting), events)
        _settle(db, configuration)
    db.close()


def _settle(db: Database, configuration: Settings) -> None:
    """What the worker, and autovacuum, would do within minutes. Nothing analyzes the tables of SQLite in an installation."""
    db.merge_text_indexes()
    if configuration.database:
        with db.write() as tx:
            tx.without_statement_timeout()
            tx.script("SELECT setval(pg_get_serial_sequence('events', 'id'), (SELECT max(id) FROM events))")
            tx.script("ANALYZE")


def _places(ctx: Context, events: int) -> list[Place]:
    """Owner, calendar and whether it is public: every other one is. A user has 20 calendars, with 500 events each."""
    password_hash = passwords.hash_password(PASSWORD)
    places: list[Place] = []
    with ctx.write():
        for i in range(max(1, events // EVENTS_OF_A_CALENDAR // CALENDARS_OF_A_USER)):
            registration = Registration(user_name=f"user{i}", email_address=f"user{i}@example.org", password=PASSWORD)
            user_id = users.insert(ctx, registration, password_hash)
            first = ctx.tx.value("SELECT id FROM calendars WHERE owner_id = :id", id=user_id)
            places.append((user_id, int(first), False))
            for j in range(1, CALENDARS_OF_A_USER):
                calendar_input = CalendarInput(name=f"Calendar {j}", time_zone="UTC", public=j % 2 == 1)
                places.append((user_id, calendars.insert(ctx, user_id, calendar_input), j % 2 == 1))
    return places


def _load(db: Database, rows: Iterator[dict[str, Any]], events: int) -> None:
    with click.progressbar(length=events, label=f"Loading {events:,} events") as bar:
        while batch := list(islice(rows, BATCH)):
            with db.write() as tx:
                tx.many(_EVENT, batch)
                tx.many(_PLACEMENT, [{name: row[name] for name in _COPIED} for row in batch])
            bar.update(len(batch))


def event_rows(now: int, places: list[Place], events: int, lasting: int = 0) -> Iterator[dict[str, Any]]:
    """One in five says jazz, ten say zanzibar, however many there are, and each has a rare word."""
    chance = random.Random(7)  # noqa: S311 - the same events every time
    rare = events // 10
    for i in range(1, events + 1):
        owner_id, calendar_id, public = chance.choice(places)
        words = chance.sample(WORDS, 4)
        title = " ".join([*words[:2], "jazz"] if i % 5 == 0 else words[:3])
        start_at = START + chance.randrange(TWO_YEARS // 900) * 900
        lasts = bool(lasting) and i % lasting == 0
        fields: dict[str, str | None] = {
            "title": f"{title} {chance.choice(RARE_WORDS)}".title() + (" Zanzibar" if i % rare == rare // 2 else ""),
            "description": " ".join(chance.choices(WORDS, k=25)),
            "location": f"{words[3].title()} hall, {chance.choice(CITIES)}",
            "city": chance.choice(CITIES),
        }
        yield fields | {
            "id": i,
            "owner_id": owner_id,
            "calendar_id": calendar_id,
            "start_at": start_at,
            "end_at": start_at + (TWO_YEARS if lasts else 5_400),
            "lasts": lasts,
            "all_day": False,
            "tags": f"{words[0]},{words[1]}",
            "public": public,
            "search": search.build_column(fields, words[:2]),
            "now": now,
        }


if __name__ == "__main__":
    main()

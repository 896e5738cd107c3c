"""`kalends demo`: example data, created as a whole or not at all, and once."""

import os
import pty
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kalends.app.application import application
from kalends.cli.demo_data import fill as demo
from kalends.cli.demo_data.fill import remove
from kalends.cli.demo_data.story import CALENDARS, COMMENTS, EVENTS, ORGANISERS, OTHER_EVENTS, POSTERS, PROFILE, SERIES, SITE, STATUS
from kalends.core.settings import Settings
from kalends.db import Database, open_database
from kalends.features.events.rules import days
from kalends.features.users.rules import passwords
from kalends.http.context import Context
from tests.cast import Person
from tests.client import Client
from tests.conftest import NOON
from tests.http.stored_rows import fresh_service
from tests.migrated import put_sqlite
from tests.serve.conftest import database  # noqa: F401
from tests.serve.running import command, environment, run

PASSWORD = "the password of the example"


@pytest.fixture(scope="module")
def ana(db: Database, settings: Settings) -> Iterator[Client]:
    """The example's user, signed in, and the example with her; both are deleted afterwards."""
    ctx = Context(db, settings, NOON)
    with ctx.write():
        assert len(list(demo.fill(ctx, passwords.hash_password(PASSWORD)))) == demo.STEPS
    assert ctx.now == NOON
    guest = Client(application(db, settings, lambda: NOON))
    session = guest.post("/api/session", json={"user_name": "demo", "password": PASSWORD})
    assert session.status == 201, session
    yield guest.signed_in(session.json["token"])
    for profile in (PROFILE, *(profile for profile, _ in ORGANISERS)):
        session = guest.post("/api/session", json={"user_name": profile["user_name"], "password": PASSWORD})
        user = guest.signed_in(session.json["token"])
        assert user.delete(f"/api/users/{session.json['user_id']}", json={"current_password": PASSWORD}).status == 200
    with db.write() as tx:
        tx.run("DELETE FROM site WHERE headline = :headline", headline=SITE["headline"])


def every_event(ana: Client, **query: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = ana.get("/api/events", query={"limit": 500, **query}).json["events"]
    return events


@pytest.mark.parametrize("is_used", [False, True])
@pytest.mark.on_sqlite
def test_a_site_without_other_people_introduces_itself(tmp_path: Path, is_used: bool) -> None:
    settings = Settings(data=str(tmp_path))
    put_sqlite(tmp_path)
    with closing(open_database(settings)) as db:
        guest = Client(application(db, settings))
        if is_used:
            Person(guest, "olga")
        ctx = Context(db, settings, NOON)
        with ctx.write():
            list(demo.fill(ctx, "no password"))
        assert (str(SITE["headline"]) in guest.get("/").text) is not is_used


@pytest.mark.on_one_database
def test_the_demo_has_records_of_every_kind(ana: Client) -> None:
    calendars = ana.get("/api/calendars").json["calendars"]
    assert [calendar["name"] for calendar in calendars] == ["Ana Souza", "Jazz in town", "Canal runners"]
    assert len({calendar["color"] for calendar in calendars}) == 3
    events = every_event(ana)
    assert {event["title"] for event in events} == {event.title for event in EVENTS}
    assert any(event["all_day"] for event in events)
    assert len({event["time_zone"] for event in events}) >= 4
    assert len({event["series_id"] for event in events if event["series_id"]}) == len(SERIES)
    assert Counter(event["public"] for event in events)[False] > 5
    contacts = ana.get("/api/contacts?count=true").json
    assert contacts["total"] >= 10
    assert ana.get("/api/subscribers?limit=1").json["next"]
    comments = ana.get("/api/comments").json["comments"]
    assert Counter(comment["approved"] for comment in comments) == {"true": 7, "false": 4}
    assert len(comments) == len(COMMENTS)


@pytest.mark.on_one_database
def test_the_demo_has_several_organisers_and_posters(ana: Client) -> None:
    now = datetime.fromtimestamp(NOON, UTC)
    events = every_event(ana, scope="public", start_time=now.isoformat())
    posters = {event["title"]: event["image_url"] for event in events if event["image_url"]}
    assert {event.title for event in OTHER_EVENTS} <= set(posters)
    assert {each["title"] for each in every_event(ana) if each["image_url"]} == set(POSTERS)
    assert len({posters[event.title] for event in OTHER_EVENTS}) == len(OTHER_EVENTS)
    owners = {ana.get(f"/api/events/{event['id']}").json["owner"]["name"] for event in events if event["image_url"]}
    assert owners >= {"Ana Souza", "Noor Haddad", "Théo Lindqvist"}
    assert ana.get(posters["Silent film with piano"].removeprefix("http://testserver")).status == 200


@pytest.mark.on_one_database
def test_the_demo_events_are_around_today(ana: Client) -> None:
    now = datetime.fromtimestamp(NOON, UTC)
    before = every_event(ana, start_time=(now - timedelta(days=15)).isoformat(), end_time=now.isoformat())
    to_come = every_event(ana, start_time=now.isoformat(), end_time=(now + timedelta(days=36)).isoformat())
    assert len(before) >= 8
    assert len(to_come) >= 35
    assert len({event["start_time"][:10] for event in to_come}) >= 20


@pytest.mark.parametrize("weekday", range(7))
def test_there_is_jazz_this_weekend_whichever_day_it_is(weekday: int) -> None:
    today = date(2026, 1, 5) + timedelta(days=weekday)
    first, last = days.choose("weekend", today)
    starts = [today + timedelta(days=event.day) for event in EVENTS if "jazz" in event.tags and event.title not in STATUS]
    # The open stage is every week on the weekday of today.
    assert any(first <= start <= last for start in [today, *starts])


@pytest.mark.on_one_database
def test_guests_have_responded_to_upcoming_demo_events(ana: Client) -> None:
    (concert,) = every_event(ana, title='"Blue Hour"')
    event = ana.get(f"/api/events/{concert['id']}").json
    assert sum(event["responses"][reply] for reply in ("yes", "maybe", "no")) == 14
    assert min(event["responses"].values()) > 0
    first = every_event(ana, title="Open stage", start_time=datetime.fromtimestamp(NOON, UTC).date().isoformat())[0]
    assert ana.get(f"/api/events/{first['id']}").json["responses"]["yes"] > 0


@pytest.mark.on_one_database
def test_the_demo_has_a_cancelled_a_postponed_event_and_series_with_rich_rules(ana: Client) -> None:
    statuses = {event["title"]: (event["status"], event["status_note"]) for event in every_event(ana) if event["status"] != "planned"}
    assert statuses == STATUS
    assert {status for status, _ in statuses.values()} == {"cancelled", "postponed"}
    series = {event["series_id"]: event["id"] for event in every_event(ana) if event["series_id"]}
    rules = {ana.get(f"/api/events/{event_id}").json["repeat"]["text"] for event_id in series.values()}
    assert "Every last Sunday of the month" in rules
    assert any(text.startswith("Every week on Tuesday and Thursday until") for text in rules)
    assert all(datetime.fromisoformat(run["start_time"]).weekday() in (1, 3) for run in every_event(ana, title="Evening run"))


def test_after_the_removal_nothing_of_the_example_is_left_and_it_can_be_filled_again(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path) as service:
        ctx = Context(service.db, service.settings, NOON)
        before = service.contents()
        for _ in range(2):
            with ctx.write():
                list(demo.fill(ctx, "no password"))
            # What a worker would send by and by: digests of responses and comments.
            with ctx.write() as tx:
                assert tx.value("SELECT count(*) FROM deliveries WHERE state = 'queued' AND owner_id > 0") == 0
            assert remove(ctx) == 1 + len(ORGANISERS)
        with ctx.write() as tx:
            tx.run("DELETE FROM pictures WHERE unused_at IS NOT NULL")
        after = service.contents()
        # As of any deleted account, clients that synchronise learn for a while that something is gone: numbers, times and rules.
        left = {table for table, rows in after.items() if [row for row in rows if row not in before[table]]}
        assert left <= {"changes", "change_author", "series", "series_versions", "sync_entries"}
        words = [PROFILE["name"], str(SITE["headline"]), *(event.title for event in (*EVENTS, *OTHER_EVENTS)), "@example.org", *CALENDARS]
        text = "\n".join(str(row) for table in left for row in after[table])
        assert [word for word in words if word in text] == []


@pytest.mark.on_one_database
def test_the_demo_sends_no_messages(ana: Client, db: Database) -> None:
    with db.read() as tx:
        owned = "SELECT count(*) FROM deliveries WHERE owner_id = (SELECT id FROM users WHERE user_name = :name)"
        assert tx.value(owned, name=PROFILE["user_name"]) == 0


@pytest.mark.on_one_database
def test_the_demo_command_says_how_to_sign_in_and_refuses_a_second_run(tmp_path: Path, database: str) -> None:  # noqa: F811
    settings = {"folder": tmp_path, "data": tmp_path / "data", "database": database}
    done = run("demo", **settings)  # type: ignore[arg-type]
    assert (done.returncode, done.stderr) == (0, "")
    whom, how = done.stdout.splitlines()
    assert whom == "The example is there, with the users demo, noor and theo. Delete it with: kalends demo --remove"
    where = "/sign-in of the address that 'kalends serve' printed"
    assert re.fullmatch(f"Sign in at {where} as demo with the password [0-9a-f]{{16}}", how)
    rows = [line.split("\t") for line in run("users", "list", **settings).stdout.splitlines()]  # type: ignore[arg-type]
    assert [(row[1], row[5]) for row in rows] == [("demo", "member"), ("noor", "member"), ("theo", "member")]
    again = run("demo", **settings)  # type: ignore[arg-type]
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == "kalends: The example is here already: there is a user called demo, or with its address.\n"
    created = run("users", "create", "nora", "nora@example.org", folder=tmp_path, data=tmp_path / "data", database=database, stdin=PASSWORD)
    assert "admin" in created.stdout
    removed = run("demo", "--remove", **settings)  # type: ignore[arg-type]
    assert (removed.returncode, removed.stdout) == (0, "The example is deleted.\n")
    assert len(run("users", "list", **settings).stdout.splitlines()) == 1  # type: ignore[arg-type]
    assert run("demo", "--remove", **settings).stdout == "The example is not here.\n"  # type: ignore[arg-type]


def test_the_demo_command_refuses_a_short_password(tmp_path: Path) -> None:
    done = run("demo", "--password", "short", folder=tmp_path, data=tmp_path / "data")
    assert (done.returncode, done.stderr) == (1, "kalends: password: must have at least 8 characters\n")


@pytest.mark.soak
def test_the_demo_command_shows_progress_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    env = environment(data=tmp_path / "data") | {"TERM": "xterm"}
    process = subprocess.Popen(command("demo"), cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    output = b""
    try:
        while chunk := os.read(ours, 4096):
            output += chunk
    except OSError:
        # Linux raises this when the other end is closed.
        pass
    finally:
        os.close(ours)
    assert process.wait(20) == 0
    assert b"Creating the example" in output

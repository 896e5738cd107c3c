"""A device that follows a calendar by sync-collection holds exactly what a fresh PROPFIND lists, whatever happens."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.dav.calendars import sync
from kalends.db import Database
from kalends.db.backup.restore import restore
from kalends.db.backup.take import take
from kalends.features.changes.journal_store import Entry
from kalends.features.changes.rules.cursor import Position
from tests.cast import Cast, a_calendar, an_event, shared
from tests.changes.triggers import without_trigger
from tests.dav import clients
from tests.dav.devices import DavWriters, Device
from tests.dav.test_write import ics, put
from tests.http.stored_rows import fresh_service

SYNC_RATE = 0.15
FOREIGN_TOKEN_RATE = 0.02
# How often the devices of a walk are compared while it goes on.
COMPARE_STEPS = 50
NOTICED = "was not told|has old ETags"


def _agree(devices: list[Device]) -> None:
    for device in devices:
        device.sync()
        expected = device.listing()
        if expected is None:
            continue
        assert device.etags.keys() - expected.keys() == set(), f"{device} was not told that these are gone"
        assert expected.keys() - device.etags.keys() == set(), f"{device} was not told of these"
        assert device.etags == expected, f"{device} has old ETags"


def _walk(cast: Cast, random: Random, steps: int) -> None:
    """Let people do things at random, while their devices sync now and then, sometimes with the token of another calendar."""
    people = [cast.alice, cast.bob, cast.vera]
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    writers = DavWriters(people, random)
    devices = [Device(person, calendar["id"], random) for person in people]
    devices += [Device(person, person.primary_calendar_id, random) for person in people]
    for step in range(1, steps + 1):
        writers.act()
        if random.random() < SYNC_RATE:
            random.choice(devices).sync()
        if random.random() < FOREIGN_TOKEN_RATE:
            one = random.choice(devices)
            one.token = random.choice([each.token for each in devices if each.calendar_id != one.calendar_id])
        if step % COMPARE_STEPS == 0 or step == steps:
            _agree(devices)
    assert writers.done > steps / 5


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 20))])
def test_devices_hold_what_a_listing_holds(cast: Cast, soak: bool, seed: int) -> None:
    _walk(cast, Random(seed), 1_000 if soak else 150)


def test_a_device_learns_of_a_series_of_which_another_date_changed(cast: Cast) -> None:
    """Its version is that of all its dates, also of those that are not on the calendar."""
    other = a_calendar(cast.alice)
    event = an_event(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3})
    last = cast.alice.get("/api/events?fields=id").json["events"][-1]
    assert cast.alice.put(f"/api/events/{last['id']}/add", json={"calendar_id": other["id"]}).status == 200
    device = Device(cast.alice, other["id"], Random(1))
    device.sync()
    for title in ("One", "Two"):
        assert cast.alice.put(f"/api/events/{event['id']}", json={"title": title, "scope": "this"}).status == 200
        _agree([device])


def test_a_device_learns_what_another_calendar_shows_its_owner(cast: Cast) -> None:
    """A member who may not edit a private event has placed it. Whether they see it depends on the share of its home."""
    home = a_calendar(cast.alice)
    shared(cast.alice, home, cast.bob, "viewer")
    event = an_event(cast.alice, calendar_id=home["id"])
    device = Device(cast.bob, cast.bob.primary_calendar_id, Random(1))
    put(cast.alice, f"{clients.calendar_path(cast.alice, home['id'])}a.ics", ics())
    assert cast.bob.put(f"/api/events/{event['id']}/add", json={"calendar_id": device.calendar_id}).status == 200
    name = f"event-{event['id']}.ics"
    for role in ("viewer", "editor"):
        shared(cast.alice, home, cast.bob, role)
        _agree([device])
        assert set(device.etags) == {name}
        cast.alice.put(f"/api/calendars/{home['id']}/unshare", json={"user_name": cast.bob.user_name})
        assert clients.sync(cast.bob, device.path, device.token)[0] == {name: 404}
        _agree([device])


@pytest.mark.parametrize(
    ("table", "trigger"),
    [
        ("placements", "placements_sync_delete"),
        pytest.param("events", "events_sync_update", marks=pytest.mark.soak),
        pytest.param("placements", "placements_sync_insert", marks=pytest.mark.soak),
        pytest.param("dav_resources", "dav_resources_sync_update", marks=pytest.mark.soak),
    ],
)
@pytest.mark.on_one_database
def test_a_change_that_is_not_synced_is_noticed(cast: Cast, db: Database, table: str, trigger: str) -> None:
    with without_trigger(db, table, trigger), pytest.raises(AssertionError, match=NOTICED):
        _walk(cast, Random(1), 1_000)


@pytest.mark.on_one_database
def test_a_token_that_is_too_new_is_noticed(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a list that was cut were whole."""
    read = sync.read_entries

    def read_too_far(*args: Any) -> tuple[list[Entry], Position]:
        return read(*args)[0], args[4]

    monkeypatch.setattr(sync, "read_entries", read_too_far)
    with pytest.raises(AssertionError, match=NOTICED):
        _walk(cast, Random(1), 1_000)


def test_a_device_reads_a_restored_calendar_anew(settings: Settings, tmp_path: Path) -> None:
    """Its token is of the time before, and entries that it has not seen may have the same numbers now."""
    with fresh_service(settings, tmp_path) as service:
        alice = Cast(service.guest).alice
        device = Device(alice, alice.primary_calendar_id, Random(1))
        put(alice, f"{device.path}a.ics", ics())
        device.sync()
        take(service.db, service.settings, tmp_path / "backup", _quietly)
        lost = an_event(alice)
        device.sync()
        assert set(device.etags) == {"a.ics", f"event-{lost['id']}.ics"}
        restore(service.db, tmp_path / "backup", _quietly, force=True)
        put(alice, f"{device.path}b.ics", ics("u2"))
        _agree([device])
        assert (device.refusals, set(device.etags)) == (1, {"a.ics", "b.ics"})


def _quietly(name: str, total: int) -> Any:
    return lambda done: None

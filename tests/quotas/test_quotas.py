"""Quotas of accounts: the error of every way to exceed them says what to do."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec import structs
from PIL import Image

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, a_contact, an_event
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.events.importing import a_file, an_entry, uploaded
from tests.http.multipart import multipart
from tests.pictures.files import encode, upload

pytestmark = pytest.mark.on_one_database

Make = Callable[..., Cast]


@pytest.fixture
def with_quotas(db: Database, settings: Settings, clock: Clock) -> Make:
    """A cast on a service with these quotas."""
    return lambda **quotas: Cast(Client(application(db, structs.replace(settings, **quotas), clock)))


def _refused(response: Reply, words: str) -> bool:
    return response.status == 409 and response.json["type"].endswith("quota-reached") and words in response.json["detail"]


def _count(who: Person, path: str, **query: Any) -> int:
    count: int = who.get(path, query={"count": "true"} | query).json["total"]
    return count


def test_events_beyond_the_quota_are_refused(with_quotas: Make) -> None:
    alice = with_quotas(quota_events=4).alice
    event = an_event(alice)["id"]
    an_event(alice)
    assert _refused(alice.put(f"/api/events/{event}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-04"}), "KALENDS_QUOTA_EVENTS")
    assert _refused(uploaded(alice, a_file(*(an_entry(f"n{n}") for n in range(3)))), "limit of 4 events")
    assert _count(alice, "/api/events") == 2
    assert alice.put(f"/api/events/{event}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-02"}).status == 200
    assert alice.put(f"/api/events/{event}/copy").status == 201
    assert _refused(alice.put(f"/api/events/{event}/copy"), "limit of 4 events")
    assert _refused(alice.post("/api/events", json={"title": "x", "start_time": "2026-06-01"}), "limit of 4 events")
    assert alice.delete(f"/api/events/{event}").status == 200
    an_event(alice)


def test_pictures_beyond_the_quota_are_refused_and_a_known_one_is_not(with_quotas: Make) -> None:
    alice = with_quotas(quota_picture_megabytes=1).alice
    event = an_event(alice)
    noise = [encode(Image.frombytes("RGB", (960, 960), Random(n).randbytes(960 * 960 * 3)), "PNG", compress_level=0) for n in range(2)]
    assert upload(alice, event, noise[0]).status == 200
    assert _refused(upload(alice, event, noise[1]), "KALENDS_QUOTA_PICTURE_MEGABYTES")
    assert upload(alice, event, noise[0]).status == 200


def test_contacts_and_calendars_beyond_the_quota_are_refused(with_quotas: Make) -> None:
    alice = with_quotas(quota_contacts=2, quota_calendars=2).alice
    a_contact(alice)
    table = ("file", "contacts.csv", b"first_name\nBea\nCleo\n")
    assert _refused(alice.post("/api/contacts", **multipart({}, [table])), "KALENDS_QUOTA_CONTACTS")
    a_contact(alice, first_name="Bea")
    assert _refused(alice.post("/api/contacts", json={"first_name": "Cleo"}), "limit of 2 contacts")
    a_calendar(alice)
    assert _refused(alice.post("/api/calendars", json={"name": "Third"}), "KALENDS_QUOTA_CALENDARS")


def test_text_beyond_the_quota_is_refused(with_quotas: Make, clock: Clock) -> None:
    """The text is counted again a minute after a refusal, and not before, since counting may be slow."""
    cast = with_quotas(quota_megabytes=1)
    key = cast.alice.post("/api/keys", json={"name": "a program"}).json["wkey"]
    alice = cast.alice.signed_in(key)
    text = "word " * 3_900
    events = []
    while (response := alice.post("/api/events", json={"title": "x", "start_time": "2026-06-01", "description": text})).status == 201:
        events.append(response.json["id"])
        assert len(events) < 60
    assert len(events) > 20
    assert _refused(response, "KALENDS_QUOTA_MEGABYTES")
    assert alice.put(f"/api/events/{events[0]}", json={"description": None}).status == 200
    assert _refused(alice.put(f"/api/events/{events[0]}", json={"description": text}), "KALENDS_QUOTA_MEGABYTES")
    assert alice.delete(f"/api/events/{events[1]}", json={"ids": events[2:]}).status == 200
    clock.ahead(61)
    assert alice.put(f"/api/events/{events[0]}", json={"description": text}).status == 200


def test_a_surplus_session_ends_the_one_that_was_unused_longest(with_quotas: Make, clock: Clock) -> None:
    cast = with_quotas(quota_sessions=2)
    alice = cast.alice
    clock.ahead(10)
    tokens = [cast.anonymous.post("/api/session", json={"user_name": alice.user_name, "password": "correct horse battery"})]
    clock.ahead(10)
    tokens.append(cast.anonymous.post("/api/session", json={"user_name": alice.user_name, "password": "correct horse battery"}))
    assert alice.get("/api/session/current").status == 401
    assert [alice.signed_in(token.json["token"]).get("/api/session/current").status for token in tokens] == [200, 200]


def test_without_quotas_nothing_is_counted(with_quotas: Make) -> None:
    alice = with_quotas(quota_events=0, quota_contacts=0, quota_calendars=0, quota_megabytes=0, quota_sessions=0).alice
    an_event(alice)
    a_contact(alice)
    a_calendar(alice)

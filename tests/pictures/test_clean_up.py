"""The worker deletes pictures that no event has had for as long as changes can be undone."""

import pytest
from msgspec import structs

from kalends.app.worker import clean_up
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.pictures.files import a_picture, encode, photo

pytestmark = pytest.mark.on_one_database

DAY = 86_400


class Worker:
    """Cleans up at the time of the clock."""

    def __init__(self, db: Database, settings: Settings, clock: Clock):
        self._services = db, structs.replace(settings, history_days=5)
        self._clock = clock

    def after(self, days: int) -> None:
        self._clock.now += days * DAY
        clean_up(Context(*self._services, self._clock.now))


@pytest.fixture
def worker(db: Database, settings: Settings, clock: Clock) -> Worker:
    return Worker(db, settings, clock)


def is_there(who: Client, path: str) -> bool:
    return who.get(path).status == 200


def test_a_picture_stays_while_an_event_has_it(cast: Cast, worker: Worker) -> None:
    event = an_event(cast.alice, public=True)
    path = a_picture(cast.alice, event)
    cast.bob.put(f"/api/events/{event['id']}/copy")
    cast.alice.delete(f"/api/events/{event['id']}")
    for _ in range(3):
        worker.after(days=4)
    assert is_there(cast.anonymous, path)


@pytest.mark.parametrize("deletion", ["image", ""])
def test_a_picture_that_no_event_has_is_deleted_when_nothing_can_bring_it_back(cast: Cast, worker: Worker, deletion: str) -> None:
    event = an_event(cast.alice)
    path = a_picture(cast.alice, event)
    worker.after(days=10)
    cast.alice.delete(f"/api/events/{event['id']}/{deletion}")
    worker.after(days=0)
    worker.after(days=5)
    assert is_there(cast.anonymous, path)
    worker.after(days=2)
    assert not is_there(cast.anonymous, path)


def test_a_picture_that_came_back_stays(cast: Cast, worker: Worker) -> None:
    event = an_event(cast.alice)
    path = a_picture(cast.alice, event)
    url = cast.alice.get(f"/api/events/{event['id']}").json["image_url"]
    cast.alice.delete(f"/api/events/{event['id']}/image")
    worker.after(days=4)
    cast.alice.put(f"/api/events/{event['id']}", json={"image_url": url})
    for _ in range(3):
        worker.after(days=4)
    assert is_there(cast.anonymous, path)


def test_the_pictures_of_a_deleted_account_are_deleted_at_once(cast: Cast, worker: Worker) -> None:
    event = an_event(cast.alice, public=True)
    copied = a_picture(cast.alice, event)
    cast.bob.put(f"/api/events/{event['id']}/copy")
    removed = a_picture(cast.alice, event, _another(1))
    own = a_picture(cast.alice, event, _another(2))
    worker.after(days=1)
    assert cast.alice.delete(f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD}).status == 200
    worker.after(days=0)
    assert [is_there(cast.anonymous, path) for path in (copied, removed, own)] == [True, False, False]


def _another(number: int) -> bytes:
    return encode(photo(64 + number, 48), "PNG")

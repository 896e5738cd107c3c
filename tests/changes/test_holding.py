"""How long large writes hold SQLite's only writer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from functools import partial
from time import thread_time

import pytest

from kalends.db import Database, Transaction
from tests import writer_limit
from tests.cast import PASSWORD, Cast, a_calendar, verified
from tests.client import Reply
from tests.dav.clients import calendar_path
from tests.dav.test_write import put
from tests.events.importing import a_file, an_entry, uploaded

pytestmark = pytest.mark.on_sqlite

COUNT, LONG_COUNT = 1_500, 9_900
EXCEPTIONS = 400


@pytest.fixture
def longest(db: Database, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Reply]], float]:
    """Send a request; return the time of the longest write transaction."""
    write = type(db).write
    held: list[float] = []

    @contextmanager
    def timed(self: Database, *, alone: bool = False) -> Iterator[Transaction]:
        began = thread_time()
        try:
            with write(self, alone=alone) as tx:
                began = thread_time()
                yield tx
        finally:
            held.append(thread_time() - began)

    monkeypatch.setattr(type(db), "write", timed)

    def send(request: Callable[[], Reply]) -> float:
        held.clear()
        reply = request()
        assert reply.status in (200, 201, 204), reply
        return max(held)

    return send


def test_no_large_write_holds_the_writer_for_long(
    cast: Cast, db: Database, longest: Callable[[Callable[[], Reply]], float], soak: bool
) -> None:
    """Row by row, the second undo held it for 2 ms for each event: 3 seconds for the short form, 19 for the long one."""
    alice, calendar = cast.alice, a_calendar(cast.alice)
    file = a_file(*(an_entry(f"{i}@example.org", title=f"Concert {i}") for i in range(LONG_COUNT if soak else COUNT)))

    def undo() -> Reply:
        with db.read() as tx:
            seq = tx.value("SELECT max(id) FROM changes WHERE actor_id = :id", id=alice.id)
        return alice.post(f"/api/changes/{seq}/undo")

    requests: dict[str, Callable[[], Reply]] = {
        "import": lambda: uploaded(alice, file, calendar_id=calendar["id"]),
        "undo of the import": undo,
        "undo of the undo": undo,
        "deletion of the calendar": lambda: alice.delete(f"/api/calendars/{calendar['id']}"),
        "undo of the deletion": undo,
        "deletion of the account": lambda: alice.delete(f"/api/users/{alice.id}", json={"current_password": PASSWORD}),
    }
    held = {name: longest(request) for name, request in requests.items()}
    assert {name: seconds for name, seconds in held.items() if seconds > writer_limit.max_seconds()} == {}


def _a_series_with_exceptions(organizer: str, hour: int) -> str:
    """A file of a series whose dates all have another time and a guest."""
    guests = f"ORGANIZER:mailto:{organizer}\r\nATTENDEE:mailto:guest@example.org\r\n"
    common = f"UID:jazz\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:Jazz\r\nDURATION:PT2H\r\nDESCRIPTION:{'At the club. ' * 40}\r\n{guests}"
    days = [f"{date(2026, 6, 1) + timedelta(days=i):%Y%m%d}T" for i in range(EXCEPTIONS)]
    dates = (f"BEGIN:VEVENT\r\n{common}RECURRENCE-ID:{day}180000Z\r\nDTSTART:{day}{hour}0000Z\r\nEND:VEVENT\r\n" for day in days)
    series = f"BEGIN:VEVENT\r\n{common}DTSTART:20260601T180000Z\r\nRRULE:FREQ=DAILY;COUNT={EXCEPTIONS}\r\nEND:VEVENT\r\n"
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{series}{''.join(dates)}END:VCALENDAR\r\n"


def test_no_file_of_a_device_holds_the_writer_for_long(cast: Cast, db: Database, longest: Callable[[Callable[[], Reply]], float]) -> None:
    """Each changed date was looked at once for each of the others: 3 seconds for 400 dates, 15 for 900."""
    alice = verified(db, cast.alice)
    seconds: list[float] = []
    files = [_a_series_with_exceptions(alice.email_address, hour) for hour in (19, 20)]
    while len(seconds) < writer_limit.ATTEMPTS and (not seconds or seconds[-1] >= writer_limit.SECONDS):
        path = f"{calendar_path(alice, a_calendar(alice, time_zone='UTC')['id'])}jazz.ics"
        seconds.append(max(longest(partial(put, alice, path, file)) for file in files))
    assert min(seconds) < writer_limit.max_seconds(), seconds

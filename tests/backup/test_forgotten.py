"""A backup that is taken after a person was forgotten has no trace of them: a calendar forgot its guests, or an account was deleted."""

import gzip
import threading
from pathlib import Path

import pytest
from msgspec import structs

from kalends.app.worker import empty_trash, forget_guests
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.db.backup.daily import DAY, DailyBackup
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, Person, a_response, an_event, verified
from tests.conftest import NOON
from tests.responses.test_retention import _guest, _visited
from tests.site.administrator import Admin
from tests.users.account_mail import last_mails

RUNNING = threading.Event()
TODAY = NOON // DAY * DAY


@pytest.fixture
def daily(db: Database, settings: Settings, tmp_path: Path) -> DailyBackup:
    with db.write() as tx:
        tx.run("DELETE FROM daily_backups")
    return DailyBackup(db, structs.replace(settings, data=str(tmp_path), backup="daily:1"))


def _backed_up(daily: DailyBackup, day: int, folder: Path, *texts: str) -> set[str]:
    """Take the backup of the day, as the worker does, of which one is kept; returns which of the texts its bytes have, packed or not."""
    path = daily.take_if_due(TODAY + day * DAY, RUNNING)
    assert path is not None
    assert [file.name for file in (folder / "backups").iterdir()] == [path.name]
    packed = path.read_bytes()
    content = packed + gzip.decompress(packed)
    return {text for text in texts if text.lower().encode() in content.lower() or text in str(path)}


def test_a_backup_after_the_days_of_a_calendar_has_no_guest(
    cast: Cast, db: Database, settings: Settings, daily: DailyBackup, tmp_path: Path
) -> None:
    guest, kept = _guest(), _guest()
    event = _visited(cast, db, settings, guest, keep_responses_days=30)
    a_response(cast.anonymous, an_event(cast.alice, public=True, start_time="2037-06-01T20:00"), email_address=kept)
    assert _backed_up(daily, 0, tmp_path, guest, kept) == {guest, kept}
    forget_guests(Context(db, settings, NOON + 33 * DAY))
    assert _backed_up(daily, 1, tmp_path, guest, kept) == {kept}
    health = Admin(cast.anonymous, "ada").get("/api/admin/health").text
    assert guest not in health
    assert cast.alice.get(f"/api/events/{event['id']}").status == 200


def test_a_backup_after_an_account_was_deleted_has_neither_its_name_nor_its_address(
    cast: Cast, db: Database, settings: Settings, daily: DailyBackup, tmp_path: Path
) -> None:
    Admin(cast.anonymous, "ada")
    person = verified(db, Person(cast.anonymous, "quentin"))
    mine = an_event(person, title=f"Diary {person.id} of one", public=True)
    a_response(person, mine, name=person.user_name)
    texts = person.email_address, person.user_name, f"Diary {person.id} of one"
    assert _backed_up(daily, 0, tmp_path, *texts) == set(texts)
    assert person.delete(f"/api/users/{person.id}", json={"current_password": PASSWORD, "erase": True}).status == 200
    assert last_mails(db, settings)
    assert _backed_up(daily, 1, tmp_path, *texts) == {texts[2]}
    empty_trash(Context(db, settings, NOON + 31 * DAY))
    assert _backed_up(daily, 2, tmp_path, *texts) == set()

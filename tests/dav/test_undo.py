"""A deleted calendar comes back from the trash at its path, with the files, tasks and properties that clients wrote."""

from collections.abc import Callable

import pytest

from kalends.app.worker import prune_history
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, Person
from tests.conftest import Clock
from tests.dav.clients import report, sync
from tests.dav.test_collections import make, read, update
from tests.dav.test_write import ALARM, ODD, RULE, ics, put
from tests.site.administrator import Admin

FILES = {
    "event.ics": ics("e", more=ALARM + ODD),
    "series.ics": ics("s", title="Weekly", more=RULE + ALARM),
    "task.ics": ics("t", component="VTODO", more=ODD),
}
TABLES = ("dav_calendars", "dav_properties", "dav_resources", "dav_parts")


def by_caldav(alice: Person, path: str, calendar_id: int) -> None:
    assert alice.request("DELETE", path).status == 204


def by_api(alice: Person, path: str, calendar_id: int) -> None:
    assert alice.delete(f"/api/calendars/{calendar_id}").status == 200


def by_page(alice: Person, path: str, calendar_id: int) -> None:
    assert alice.request("POST", f"/calendars/{calendar_id}/delete", data={}).status == 303


def written(alice: Person, *names: str) -> tuple[str, int]:
    """The path and the id of a calendar that a client made, with these files."""
    path = make(alice, "Band", "<D:displayname>Band</D:displayname><A:calendar-order>3</A:calendar-order>")
    update(alice, path, '<x:odd xmlns:x="urn:x">kept</x:odd>')
    for name in names:
        assert put(alice, f"{path}{name}", FILES[name]).status == 201
    [calendar] = [each for each in alice.get("/api/calendars").json["calendars"] if each["name"] == "Band"]
    return path, calendar["id"]


def restore(alice: Person) -> None:
    item = alice.get("/api/trash").json["trash"][0]
    reply = alice.post(f"/api/changes/{item['seq']}/undo")
    assert reply.status == 200, reply


def files(alice: Person, path: str, *names: str) -> dict[str, str]:
    return {name: alice.get(f"{path}{name}").text for name in names}


def rows_left(db: Database, calendar_id: int) -> list[str]:
    with db.read() as tx:
        return [table for table in TABLES if tx.value(f"SELECT count(*) FROM {table} WHERE calendar_id = :id", id=calendar_id)]


@pytest.mark.parametrize("delete", [by_caldav, by_api, by_page])
def test_a_deleted_calendar_is_restored_as_clients_wrote_it(cast: Cast, delete: Callable[[Person, str, int], None]) -> None:
    alice = cast.alice
    path, calendar_id = written(alice, *FILES)
    _, token = sync(alice, path)
    delete(alice, path, calendar_id)
    assert {alice.get(f"{path}{name}").status for name in FILES} == {404}
    restore(alice)
    assert files(alice, path, *FILES) == FILES
    assert read(alice, path, "D:displayname", "A:calendar-order", 'x:odd xmlns:x="urn:x"') == {
        "displayname": "Band",
        "calendar-order": "3",
        "odd": "kept",
    }
    names, token = sync(alice, path)
    assert names == dict.fromkeys(FILES, 200)
    assert put(alice, f"{path}task.ics", ics("t", component="VTODO", title="Other")).status == 204
    assert sync(alice, path, token)[0] == {"task.ics": 200}


def test_a_device_that_knew_the_calendar_goes_on_after_the_undo(cast: Cast) -> None:
    alice = cast.alice
    path, _ = written(alice, *FILES)
    _, token = sync(alice, path)
    by_caldav(alice, path, 0)
    restore(alice)
    inner = f"<D:sync-token>{token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop>"
    reply = report(alice, path, "D:sync-collection", inner)
    assert reply.status == 207 or (reply.status == 403 and "valid-sync-token" in reply.text), reply


def test_a_list_of_tasks_is_in_the_trash(cast: Cast) -> None:
    alice = cast.alice
    path, calendar_id = written(alice, "task.ics")
    by_caldav(alice, path, calendar_id)
    [item] = alice.get("/api/trash", query={"count": "true"}).json["trash"]
    assert (item["id"], item["title"], item["start_time"], item["calendar_id"], item["events"]) == (
        calendar_id,
        "Band",
        None,
        calendar_id,
        0,
    )
    assert "Band" in alice.get("/trash").text
    assert cast.bob.get("/api/trash").json["trash"] == []
    restore(alice)
    assert files(alice, path, "task.ics") == {"task.ics": FILES["task.ics"]}
    assert alice.get("/api/trash").json["trash"] == []


def test_a_calendar_whose_path_was_taken_meanwhile_is_restored_under_its_id(cast: Cast) -> None:
    alice = cast.alice
    path, calendar_id = written(alice, *FILES)
    by_caldav(alice, path, calendar_id)
    make(alice, "Band")
    restore(alice)
    assert files(alice, f"/dav/users/{alice.id}/calendars/{calendar_id}/", *FILES) == FILES
    assert alice.get(f"{path}task.ics").status == 404


def test_an_undo_can_itself_be_undone(cast: Cast) -> None:
    alice = cast.alice
    path, calendar_id = written(alice, *FILES)
    by_api(alice, path, calendar_id)
    restore(alice)
    [event] = alice.get("/api/events", query={"calendar_id": calendar_id, "past": "yes", "title": "Rehearsal"}).json["events"]
    seq = alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    assert alice.post(f"/api/changes/{seq}/undo").status == 200
    assert alice.get(f"{path}task.ics").status == 404
    restore(alice)
    assert files(alice, path, *FILES) == FILES


def test_files_of_a_deleted_calendar_go_with_the_history(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    alice = cast.alice
    path, calendar_id = written(alice, *FILES)
    by_api(alice, path, calendar_id)
    assert rows_left(db, calendar_id) == list(TABLES)
    with db.read() as tx:
        newest = tx.value("SELECT max(at) FROM changes")
    prune_history(Context(db, settings, max(newest, clock()) + 91 * 86_400))
    assert rows_left(db, calendar_id) == []


def test_files_of_a_deleted_calendar_go_with_the_account(cast: Cast, db: Database) -> None:
    alice = cast.alice
    path, calendar_id = written(alice, *FILES)
    by_api(alice, path, calendar_id)
    assert alice.delete(f"/api/users/{alice.id}", json={"current_password": PASSWORD}).status == 200
    assert rows_left(db, calendar_id) == []


def test_files_go_with_the_calendar_that_an_account_leaves(cast: Cast, db: Database) -> None:
    """Such a calendar is in the trash until an admin gives or erases it."""
    alice, admin = cast.alice, Admin(cast.anonymous, "ada")
    _, calendar_id = written(alice, *FILES)
    assert alice.delete(f"/api/users/{alice.id}", json={"current_password": PASSWORD}).status == 200
    assert "dav_resources" in rows_left(db, calendar_id)
    assert admin.delete(f"/api/admin/deleted_calendars/{calendar_id}").status == 200
    assert rows_left(db, calendar_id) == []

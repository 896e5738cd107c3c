"""Every command and request of docs/administration.md, one after the other, beside a started service."""

import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.features.deliveries import suppression_store as suppressions
from kalends.http.context import Context
from tests.cast import PASSWORD
from tests.serve.conftest import Start
from tests.serve.running import Running, bearer, run
from tests.serve.test_document_commands import commands_of

PAGE = Path(__file__).parents[2] / "docs" / "administration.md"
# They wait for an administrator, as the page assumes; ids 2 and 3 are its examples.
WAITING = ("two", "three", "walter", "mallory", "ben")


@pytest.mark.on_one_database
def test_the_commands_of_the_administrator_work_as_printed(start: Start, database: str, tmp_path: Path) -> None:
    service = start(database=database, email="smtp://127.0.0.1:9")
    headers = bearer(service.sign_up_admin("root"))
    assert service.request("PUT", "/api/site", {"registration": "approval"}, headers=headers).status == 200
    for name in WAITING:
        assert service.post("/api/users", {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD}).status == 202
    _kalends(["users", "approve", "ben"], tmp_path, database)
    _refuse_an_address(Settings(data=str(tmp_path / "data"), database=database))
    left = [_calendar_of_a_deleted_account(service, name, tmp_path, database) for name in ("lea", "leo")]
    refused = []
    for words in commands_of(PAGE):
        if words[0] == "curl":
            if any("deleted_calendars/7" in word for word in words):
                # Its example is given to somebody, and then another one is erased.
                words = [word.replace("deleted_calendars/7", f"deleted_calendars/{left[0]}") for word in words]
                left.pop(0)
            status = _request(words, service, headers["Authorization"])
            refused += [] if status in (200, 201, 202, 204) else [(status, words)]
        else:
            if words[-2:] == ["--give", "ana"]:
                # The line before it has deleted him.
                _kalends(["users", "create", "ben", "ben@example.org"], tmp_path, database)
            _kalends([word.replace("/srv/another", str(tmp_path / "another")) for word in words[1:]], tmp_path, database)
    assert refused == []


def _calendar_of_a_deleted_account(service: Running, name: str, folder: Path, database: str) -> int:
    _kalends(["users", "create", name, f"{name}@example.org"], folder, database)
    session = service.sign_in(name).json
    headers = bearer(session["token"])
    calendar_id: int = service.post("/api/calendars", {"name": "Diary"}, headers=headers).json["id"]
    assert (
        service.post("/api/events", {"title": "Walk", "start_time": "2030-05-01", "calendar_id": calendar_id}, headers=headers).status
        == 201
    )
    deleted = service.request("DELETE", f"/api/users/{session['user_id']}", {"current_password": PASSWORD}, headers=headers)
    assert deleted.status == 200, deleted
    return calendar_id


def _kalends(words: list[str], folder: Path, database: str) -> None:
    """A command that asks gets a password, or a yes."""
    answers = "y\n" if "delete" in words else f"{PASSWORD}\n" * 2
    own = {"data": folder / "data", "database": database} if "--data" not in words else {}
    done = run(*words, folder=folder, stdin=answers, **own)
    assert done.returncode == 0, (words, done.stdout, done.stderr)


def _request(words: list[str], service: Running, authorization: str) -> int:
    sent = [
        word.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{service.port}").replace("Bearer $TOKEN", authorization) for word in words
    ]
    done = subprocess.run([*sent, "-s", "-o", "-", "-w", "\n%{http_code}"], capture_output=True, text=True, timeout=60, check=True)
    return int(done.stdout.rpartition("\n")[2])


def _refuse_an_address(settings: Settings) -> None:
    """A mail server has refused an address, so that it gets no more messages."""
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, 0)
        with ctx.write():
            suppressions.insert(ctx, "notice", "refused", "email", "gus@example.org", owner_id=1, detail="No such user")

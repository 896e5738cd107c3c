"""The export of an account, and its import into a service where nobody has one, on either database."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from kalends.app.application import application
from kalends.cli.demo_data.fill import fill
from kalends.core.errors import Conflict
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database
from kalends.features.users import store as users
from kalends.features.users.rules import passwords
from kalends.features.users.steps.account_import import import_account
from kalends.features.users.steps.export import export
from kalends.http.context import Actor, Context
from tests import migrated
from tests.cast import PASSWORD, Cast, a_contact, an_event
from tests.client import Client

# From each database into each: (from, to). In short, each is read once and written once.
WAYS = [
    ("sqlite", "postgres"),
    ("postgres", "sqlite"),
    *(pytest.param(each, each, marks=pytest.mark.soak) for each in ("sqlite", "postgres")),
]
LISTS = ("calendars", "events", "contacts", "subscribers")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


class Service:
    """A new service on a database of this kind."""

    def __init__(self, stack: ExitStack, folder: Path, kind: str, postgres_url: str):
        url = stack.enter_context(migrated.postgres(postgres_url)) if kind == "postgres" else ""
        self.settings = Settings(data=str(folder), database=url, base_url="http://testserver", rate_limits="off", access_log="off")
        migrated.put_sqlite(folder)
        self.db: Database = stack.enter_context(closing(open_database(self.settings)))
        self.now = timestamps.now()

    @property
    def ctx(self) -> Context:
        return Context(self.db, self.settings, self.now)

    def sign_in(self, user_name: str) -> Client:
        guest = Client(application(self.db, self.settings, lambda: self.now))
        return guest.signed_in(guest.post("/api/session", json={"user_name": user_name, "password": PASSWORD}).json["token"])

    def export(self, user_name: str, file: Path) -> list[int]:
        """Export the account into the file; returns the number of steps, and of those that were reported."""
        ctx, done = self.ctx, [0, 0]

        def begin(steps: int) -> Any:
            done[0] = steps
            return lambda count: done.__setitem__(1, done[1] + count)

        with ctx.read(), file.open("wb") as stream:
            user = users.find(ctx, user_name)
            assert user
            ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone)
            export(ctx, user, stream, begin)
        return done


def _everything(reader: Client) -> dict[str, Any]:
    """What the API shows of the account."""
    found: dict[str, Any] = {}
    for name in LISTS:
        query = {"limit": 100, "start_time": "2000-01-01"} if name == "events" else {"limit": 100}
        found[name] = reader.get(f"/api/{name}", query=query).json[name]
    ids = [event["id"] for event in found["events"]]
    found["expanded"] = [reader.get(f"/api/events/{event_id}").json for event_id in ids]
    for name in ("responses", "comments"):
        found[name] = [reader.get(f"/api/{name}", query={"event_id": event_id, "limit": 100}).json[name] for event_id in ids]
    found["feeds"] = [reader.get(f"/api/calendars/{each['id']}.ics").text for each in found["calendars"]]
    return found


@pytest.mark.on_one_database
@pytest.mark.parametrize(("source", "target"), WAYS)
def test_an_account_is_the_same_in_an_empty_service(stack: ExitStack, tmp_path: Path, postgres_url: str, source: str, target: str) -> None:
    old = Service(stack, tmp_path / "old", source, postgres_url)
    ctx = old.ctx
    with ctx.write():
        for _ in fill(ctx, passwords.hash_password(PASSWORD)):
            pass
    file = tmp_path / "demo.zip"
    steps, reported = old.export("demo", file)
    assert steps == reported > 0
    new = Service(stack, tmp_path / "new", target, postgres_url)
    records = [0]
    manifest = import_account(
        new.ctx, str(file), passwords.hash_password(PASSWORD), lambda count: lambda done: records.append(records[0] + done)
    )
    assert manifest.records["events"] > 0
    assert sum(records) == sum(manifest.records.values())
    before, after = _everything(old.sign_in("demo")), _everything(new.sign_in("demo"))
    own = {calendar["id"] for calendar in before["calendars"] if calendar["role"] == "owner"}
    assert {calendar["id"] for calendar in after["calendars"]} == own
    _compare(before, after)
    member = new.sign_in("demo")
    event = an_event(member, public=True)
    assert event["id"] > max(each["id"] for each in before["events"])
    picture = next(each["image_url"] for each in after["expanded"] if each["image_url"])
    assert member.get(picture.partition("testserver")[2] or picture).status == 200


def _compare(before: dict[str, Any], after: dict[str, Any]) -> None:
    """The events, responses, comments and contacts of the account are the same. Other people who had accounts have none."""
    kept = {each["id"] for each in after["events"]}
    assert kept
    assert len(after["contacts"]) == len(before["contacts"]) > 0
    assert after["contacts"] == before["contacts"]
    assert after["subscribers"] == before["subscribers"]
    position = {each["id"]: index for index, each in enumerate(before["events"])}
    assert kept <= position.keys()
    for index, event in enumerate(after["expanded"]):
        old = position[event["id"]]
        assert _without_people(event) == _without_people(before["expanded"][old])
        for name in ("responses", "comments"):
            assert [_without_people(each) for each in after[name][index]] == [_without_people(each) for each in before[name][old]]


def _without_people(record: dict[str, Any]) -> dict[str, Any]:
    """The record without what names the accounts of others, and what they may do."""
    return {name: value for name, value in record.items() if name not in ("user_id", "user", "owner", "calendars", "revision", "version")}


@pytest.mark.on_one_database
def test_where_somebody_has_an_account_nothing_is_imported(stack: ExitStack, tmp_path: Path, postgres_url: str) -> None:
    service = Service(stack, tmp_path / "data", "sqlite", postgres_url)
    ctx = service.ctx
    with ctx.write():
        for _ in fill(ctx, passwords.hash_password(PASSWORD)):
            pass
    service.export("demo", tmp_path / "demo.zip")
    with pytest.raises(Conflict, match="People have accounts here"):
        import_account(service.ctx, str(tmp_path / "demo.zip"), "hash", lambda count: lambda done: None)
    (tmp_path / "wrong.zip").write_bytes(b"nothing")
    with pytest.raises(Conflict, match="is damaged"):
        import_account(service.ctx, str(tmp_path / "wrong.zip"), "hash", lambda count: lambda done: None)


def test_the_file_has_what_is_ones_own_and_no_secrets(cast: Cast) -> None:
    event, other = an_event(cast.alice, title="Mine"), an_event(cast.bob, title="Theirs", public=True)
    a_contact(cast.alice, first_name="Ines")
    assert cast.alice.post("/api/comments", json={"event_id": other["id"], "comment": "See you"}).status == 201
    reply = cast.alice.get(f"/api/users/{cast.alice.id}/export")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/zip")
    with ZipFile(BytesIO(reply.content)) as archive:
        names = archive.namelist()
        records = {name: [json.loads(line) for line in archive.read(name).splitlines()] for name in names if name.endswith(".jsonl")}
        assert "Ines" in archive.read("contacts.vcf").decode()
        assert event["uid"] in archive.read(f"calendars/{cast.alice.primary_calendar_id}.ics").decode()
    assert [each["id"] for each in records["records/events.jsonl"]] == [event["id"]]
    assert [each["comment"] for each in records["elsewhere/comments.jsonl"]] == ["See you"]
    [user] = records["records/users.jsonl"]
    assert (user["user_name"], "password_hash" in user) == (cast.alice.user_name, False)
    assert b"Theirs" not in b"".join(json.dumps(rows).encode() for rows in records.values())

"""Radicale with the events of `bench.load`: its files, its settings, and the requests that are closest to ours."""

import base64
import http.client
import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench import load
from bench.databases import FOLDER
from bench.user import NOON, User
from bench.wrk import NEW, Request

USER = "user0"
AUTHORIZATION = "Basic " + base64.b64encode(f"{USER}:{load.PASSWORD}".encode()).decode()
# Passwords are not hashed, as ours are not either when a token is checked.
CONFIG = """
[auth]
type = htpasswd
htpasswd_filename = {folder}/passwords
htpasswd_encryption = plain
htpasswd_cache = True
[storage]
filesystem_folder = {folder}
use_mtime_and_size_for_item_cache = True
[logging]
level = critical
"""
EVENT = """BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//Kalends//bench//EN\r
BEGIN:VEVENT\r
UID:{uid}\r
DTSTAMP:20260101T000000Z\r
DTSTART:{start}\r
{lines}END:VEVENT\r
END:VCALENDAR\r
"""


@contextmanager
def copy(events: int) -> Iterator[Path]:
    """The configuration of a copy of the files, which are written once, for as long as the block runs."""
    original, part = FOLDER / f"radicale-events_{events}", FOLDER / "radicale-part"
    if not original.exists():
        shutil.rmtree(part, ignore_errors=True)
        _write_files(part, events)
        part.rename(original)
    folder = FOLDER.absolute() / f"radicale-copy_{uuid4().hex}"
    shutil.copytree(original, folder)
    try:
        config = folder / "config"
        config.write_text(CONFIG.format(folder=folder))
        yield config
    finally:
        shutil.rmtree(folder)


def ask(port: int, request: Request) -> str:
    """The reply's body."""
    new = uuid4().hex
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = request.body.replace(NEW, new) or None
    connection.request(request.method or "GET", request.path.replace(NEW, new), body, {"Authorization": AUTHORIZATION})
    reply = connection.getresponse()
    content = reply.read().decode()
    if reply.status >= 300:
        sys.exit(f"Radicale replied to {request.path} with {reply.status}: {content}")
    return content


def requests(user: User) -> dict[str, Request]:
    """The requests for the event and the calendar of a user of the service; the list has the events of their list."""
    calendar = f"/{USER}/{user.calendar_id}"
    ids = [event["id"] for event in user.json(user.requests["index"])["events"]]
    return {
        "show": Request(f"{calendar}/{user.event_id}.ics"),
        "index": Request(f"{calendar}/", method="REPORT", body=multiget(f"{calendar}/{event_id}.ics" for event_id in ids)),
        "create": Request(f"{calendar}/{NEW}.ics", method="PUT", body=new_event()),
    }


def multiget(hrefs: Iterable[str]) -> str:
    """RFC 4791, section 7.9."""
    listed = "".join(f"<D:href>{href}</D:href>" for href in hrefs)
    wanted = "<D:prop><D:getetag/><C:calendar-data/></D:prop>"
    return f'<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">{wanted}{listed}</C:calendar-multiget>'


def new_event() -> str:
    return _event(NEW, int(datetime.fromisoformat(NOON).timestamp()), {"SUMMARY": "Rehearsal", "CATEGORIES": "jazz,trio"})


def _event(uid: str, start_at: int, lines: dict[str, str]) -> str:
    return EVENT.format(uid=uid, start=_format(start_at), lines="".join(f"{name}:{value}\r\n" for name, value in lines.items()))


def _format(instant: int) -> str:
    return f"{datetime.fromtimestamp(instant, UTC):%Y%m%dT%H%M%SZ}"


def _write_files(folder: Path, events: int) -> None:
    """Write the calendars of the first user with their events, one file each."""
    calendars = range(1, load.CALENDARS_OF_A_USER + 1)
    home = folder / "collection-root" / USER
    for calendar_id in calendars:
        (home / str(calendar_id)).mkdir(parents=True)
        (home / str(calendar_id) / ".Radicale.props").write_text(json.dumps({"tag": "VCALENDAR"}))
    for row in load.event_rows(load.START, [(1, calendar_id, False) for calendar_id in calendars], events):
        write_event(home / str(row["calendar_id"]), row)
    write_password(folder)


def write_event(folder: Path, row: dict[str, Any]) -> None:
    """Write the event of a row of `bench.load` into a file of its own."""
    lines = {
        "DTEND": _format(row["end_at"]),
        "SUMMARY": row["title"],
        "DESCRIPTION": row["description"],
        "LOCATION": row["location"].replace(",", "\\,"),
        "CATEGORIES": row["tags"],
    }
    (folder / f"{row['id']}.ics").write_text(_event(f"event-{row['id']}", row["start_at"], lines), newline="")


def write_password(folder: Path) -> None:
    (folder / "passwords").write_text(f"{USER}:{load.PASSWORD}\n")

"""Calendars and address books with tsdav, the client of programs in JavaScript."""

import json
import subprocess
from typing import Any

import pytest

from tests.openapi.test_client import CLIENTS, NODE_MODULES
from tests.serve.running import TIMEOUT, Running
from tests.serve.test_caldav_clients import SERIES, share_calendar, sign_up, unstamped
from tests.serve.test_carddav_clients import ANA, GROUP, without_rev

pytestmark = [
    pytest.mark.on_one_database,
    pytest.mark.skipif(not (NODE_MODULES / "tsdav").exists(), reason="needs Node.js: install npm, then `make clients`"),
]


def _run(script: str, *arguments: str, typed: str = "") -> Any:
    command = ["node", str(CLIENTS / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, input=typed)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_tsdav_finds_writes_and_synchronises_a_calendar_and_an_address_book(service: Running) -> None:
    _, password = sign_up(service, "tsdav_owner")
    assert _run("use_dav.mjs", f"http://127.0.0.1:{service.port}", "tsdav_owner", password) == {
        "calendars": {
            "calendars": ["tsdav_owner", "Tour"],
            "statuses": [201, 204, 412, 204],
            "same": [True, True],
            "outside": 0,
            "sync": [["gig.ics"], ["gig.ics"], ["gig.ics"]],
        },
        "books": {
            "books": ["Contacts", "Work"],
            "statuses": [201, 204, 204],
            "same": [True, True],
            "isDirty": True,
            "left": 0,
        },
    }


def test_tsdav_loses_no_line_of_a_shared_series_nor_of_a_contact_with_a_photo_and_a_group(service: Running) -> None:
    calendar_id, users = share_calendar(service)
    texts = {
        "serverUrl": f"http://127.0.0.1:{service.port}",
        "calendarId": calendar_id,
        "users": {
            role: {"username": f"the_{role}", "password": password, "token": token["Authorization"].removeprefix("Bearer ")}
            for role, (token, password) in users.items()
        },
        "series": SERIES,
        "cards": [ANA, GROUP],
    }
    seen = _run("share_dav.mjs", typed=json.dumps(texts))
    calendar, contacts = seen["calendar"], seen["contacts"]
    # tsdav trims what it reads.
    assert (calendar["created"], calendar["read"], calendar["refused"]) == (201, SERIES.strip(), [403, 403, 403])
    assert unstamped(calendar["changed"]) == unstamped(SERIES.strip().replace("Moved", "Recording"))
    assert (calendar["move"], calendar["moved"], calendar["left"]) == ([201, 204], [calendar["changed"]], [])
    assert contacts["read"] == [ANA.strip(), GROUP.strip()]
    card, group = contacts["changed"]
    assert group == GROUP.strip()
    assert without_rev(card) == ANA.strip().replace("ana@example.org", "new@example.org")

"""Calendars and address books with tsdav, the client of programs in JavaScript."""

import json
import subprocess

import pytest

from tests.openapi.test_client import CLIENTS, NODE_MODULES
from tests.serve.running import TIMEOUT, Running
from tests.serve.test_caldav_clients import sign_up


@pytest.mark.skipif(not (NODE_MODULES / "tsdav").exists(), reason="needs Node.js: install npm, then `make clients`")
def test_tsdav_finds_writes_and_synchronises_a_calendar_and_an_address_book(plain: Running) -> None:
    _, password = sign_up(plain, "tsdav_owner")
    command = ["node", str(CLIENTS / "use_dav.mjs"), f"http://127.0.0.1:{plain.port}", "tsdav_owner", password]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
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

"""Messages that take a careless reader long: without a MAC they are not read, and with one they are read within bounds."""

import time

import pytest
from msgspec import structs

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.mail.inbound import message
from kalends.mail.inbound.handle import handle
from tests.inbound import replies
from tests.inbound.hostile import CONTENTS

# Of the processor, for a megabyte. Measured are at most 0.05; other work on the machine makes it slower, by far less than this.
MAX_SECONDS = 0.5


@pytest.mark.on_one_database
@pytest.mark.parametrize("name", CONTENTS)
def test_a_hostile_message_without_a_mac_is_not_read(db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(message, "read", lambda octets: pytest.fail("it was read"))
    inbound = structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")
    began = time.process_time()
    assert handle(db, inbound, replies.message(CONTENTS[name], to=f"reply+1-{'0' * 24}@in.example.org")) == "unknown"
    assert time.process_time() - began < MAX_SECONDS


@pytest.mark.parametrize("name", CONTENTS)
def test_reading_a_hostile_message_takes_little_time(name: str) -> None:
    octets = replies.message(CONTENTS[name])
    began = time.process_time()
    read = message.read(octets)
    assert time.process_time() - began < MAX_SECONDS * (1 + len(octets) // 1_000_000)
    assert read.bounce is None or not read.bounce.is_permanent

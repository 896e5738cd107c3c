"""Long input costs what its length says, and no expression goes back over it again and again.

The files that people upload are measured where their readers are tested."""

from collections.abc import Callable
from functools import partial
from itertools import product

import pytest

from kalends.core import transports
from kalends.core.errors import Problem
from kalends.core.values import datetimes, phone, timestamps
from kalends.db import text_search
from kalends.features.events.rules import location
from kalends.http.context import Caller
from kalends.http.input import params
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.tags import read_tags
from kalends.http.request import Request
from kalends.web.redirects import local_path
from tests.contacts.samples import work
from tests.security.writing import reading

READERS: dict[str, Callable[[str], object]] = {
    "time": datetimes.parse,
    "location": location.parse_parts,
    "mail server": transports.mail_server,
    "sms interface": transports.twilio,
    "sender": lambda text: transports.sender(text, "https://calendar.example.org"),
    "phone number": phone.to_e164,
    "address": transports.read_address,
    "date of http": timestamps.parse_http_date,
    "preference": lambda text: params.is_strict(Request("GET", "/", headers={"prefer": text})),
    "versions": lambda text: Caller(headers={"if-none-match": text}).has_version('"1"'),
    "tags": read_tags,
    "search": lambda text: list(text_search.parse_terms(text)),
    "next page": local_path,
    "form": params._form,
    "names in brackets": lambda text: params._form(f"{text}=1"),
    "json": lambda text: params._json(text.encode()),
}
PIECES = ["a", ",", "a,", "a ", "[", "[a]", '"', "a@", "a.", "-", "a-", "9", "<", "%41", "&", "a=1&", "*", "\\", "é", "\u0301", " ", "{"]


@pytest.mark.parametrize("name", READERS)
def test_twice_as_long_is_at_most_about_twice_the_work(name: str) -> None:
    def read(piece: str, length: int) -> None:
        reading(READERS[name], piece * (length // len(piece)), ValueError, FieldInvalid, Problem)

    for piece in PIECES:
        read(piece, 100)
        once, twice = work(partial(read, piece, 10_000)), work(partial(read, piece, 20_000))
        assert twice <= 2.5 * once + 200, piece


@pytest.mark.parametrize("name", READERS)
def test_a_hundred_thousand_characters_are_read_or_refused(name: str) -> None:
    """That it ends is the test: an expression that tried every way would not."""
    for piece, end in product(PIECES, ("", "!", "\x00")):
        reading(READERS[name], piece * (100_000 // len(piece)) + end, ValueError, FieldInvalid, Problem)

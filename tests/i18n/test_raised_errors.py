"""Errors about what people type and upload are messages, so that a page shows them in the reader's language."""

from collections.abc import Callable
from typing import Any

import pytest

from kalends.core.i18n.text import Text
from kalends.core.net import post
from kalends.db import text_search
from kalends.features.contacts.rules import csv_table, vcard
from kalends.features.sources.rules import address
from kalends.ical import archive, parse
from tests.cast import Cast

WRONG: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "an address without a host": (address.normalise, "http:/bad"),
    "an address that is none": (address.normalise, "https://[bad"),
    "a URL with a password": (post.split, "https://a:b@example.org"),
    "a file without a calendar": (parse.parse_file, "Hello"),
    "a calendar without events": (parse.parse_file, "BEGIN:VCALENDAR\nEND:VCALENDAR"),
    "a calendar that is cut off": (parse.parse_file, "BEGIN:VCALENDAR"),
    "an archive that is damaged": (archive.join_calendars, archive.SIGNATURE),
    "a table without names": (csv_table.read, "a,b\n1,2\n"),
    "a card that is cut off": (vcard.read, "BEGIN:VCARD\nFN:Ana\n"),
    "a search with many words": (text_search.check_term_count, 1_000),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_error_about_what_was_sent_can_be_translated(case: str) -> None:
    read, value = WRONG[case]
    with pytest.raises((ValueError, post.AddressRefused)) as raised:
        list(read(value) or ())
    assert isinstance(raised.value.args[0], Text)


@pytest.mark.on_one_database
def test_an_error_from_a_parser_is_shown_in_the_language_of_the_page(cast: Cast) -> None:
    contact = {"first_name": "Ana", "birthday": "1999-02-31"}
    shown = cast.alice.post("/contacts", data=contact, headers={"accept-language": "de"})
    assert (shown.status, "isn’t an existing date" in shown.text, 'lang="de"' in shown.text) == (422, False, True)

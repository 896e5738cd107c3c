"""Parse calendar files, valid and invalid ones, in time that is linear in their size."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kalends.core.values import text
from kalends.ical.file_time_zone import build_time_zone, find_equal_zone
from kalends.ical.lines import Property, unsplit_utf8
from kalends.ical.parse import Entry, parse_file
from kalends.ical.rrule import Budget, BudgetExceeded
from kalends.ical.values import DateTimeValue, Duration, parse_datetime, parse_duration
from kalends.ical.vtimezone import find_zone
from tests.events.importing import CORPUS, a_file, an_entry

TOKENS = [
    *("BEGIN:VCALENDAR\r\n", "END:VCALENDAR\r\n", "BEGIN:VEVENT\r\n", "END:VEVENT\r\n", "BEGIN:VTIMEZONE\n", "END:VTIMEZONE\n"),
    *("BEGIN:STANDARD\n", "END:STANDARD\n", "UID:a\n", "DTSTART:20260601T180000Z\n", "DTSTART;TZID=X:2026", "RRULE:FREQ=DAILY\n"),
    *(
        "EXDATE:20260601,x\n",
        "RECURRENCE-ID:20260601\n",
        "DURATION:P1D\n",
        "TZID:X\n",
        "TZOFFSETTO:+0100\n",
        "\n ",
        ":",
        ";",
        '"',
        "\\",
        "\x00",
    ),
]


def one(*lines: str, start: str = "DTSTART:20260601T180000Z") -> Entry:
    (entry,) = parse_file(a_file(an_entry("one", start, *lines))).entries
    return entry


def test_lines_are_unfolded_and_unescaped() -> None:
    entry = one("DESCRIPTION:One\\, two\\; three\\\\n\\nfour f", " ive", "\tsix", "CATEGORIES:a\\,b,c", "CATEGORIES:d")
    assert entry.description == "One, two; three\\n\nfour fivesix"
    assert entry.categories == ["a,b", "c", "d"]


def test_properties_of_a_reminder_are_not_taken_for_those_of_its_event() -> None:
    alarm = ["BEGIN:VALARM", "DESCRIPTION:Ring", "SUMMARY:Ring", "DTSTART:19990101", "ATTACH:bell", "END:VALARM"]
    entry = one(*alarm, "DESCRIPTION:Song")
    assert (entry.summary, entry.description, entry.unsupported) == ("Concert", "Song", {"reminders"})


def test_an_entry_has_its_line_number_and_its_times() -> None:
    entry = one("DTEND;TZID=Europe/Paris:20260601T200000", "RRULE:FREQ=DAILY", "EXDATE:20260602T180000Z,20260603T180000Z", "SEQUENCE:3")
    assert (entry.line, entry.sequence, entry.rule) == (3, 3, "FREQ=DAILY")
    assert entry.start == DateTimeValue(datetime(2026, 6, 1, 18), is_utc=True)
    assert entry.end == DateTimeValue(datetime(2026, 6, 1, 20), zone="EUROPE/PARIS")
    assert [moment.local.day for moment in entry.exdates] == [2, 3]


def test_an_entry_without_a_uid_or_with_a_very_long_one_gets_the_same_uid_each_time() -> None:
    bare = a_file("BEGIN:VEVENT\nDTSTART:20260601\nSUMMARY:A\nEND:VEVENT\n")
    uids = {parse_file(content).entries[0].uid for content in (bare, bare, bare.replace("SUMMARY:A", "SUMMARY:B"))}
    assert len(uids) == 2
    assert len({one(f"UID:{'x' * count}").uid for count in (1, 2)}) == 1
    assert len(parse_file(a_file(an_entry("é" * 300))).entries[0].uid.encode()) < 100


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_every_encoding_is_read(encoding: str) -> None:
    assert parse_file(text.decode(unsplit_utf8(a_file(an_entry(title="Soirée")).encode(encoding)))).entries[0].summary == "Soirée"


def test_a_line_folded_within_a_utf8_character_is_decoded_and_no_line_is_lost() -> None:
    content = a_file(an_entry(title="Soirée — où"), an_entry("two")).encode().replace("é".encode(), b"\xc3\r\n \xa9")
    content = content.replace("—".encode(), b"\xe2\n \x80\x94")
    first, second = parse_file(text.decode(unsplit_utf8(content))).entries
    assert (first.summary, second.line) == ("Soirée — où", 10)


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("Europe/Paris", "Europe/Paris"),
        ("EUROPE/PARIS", "Europe/Paris"),
        ("/mozilla.org/20050126_1/Europe/Paris", "Europe/Paris"),
        ("/freeassociation.sourceforge.net/Tzfile/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("Pacific Standard Time", "America/Los_Angeles"),
        ("tzone://Microsoft/Utc", "UTC"),
        ("Customized Time Zone", None),
        ("", None),
        ("/", None),
        ("/" * 100_000, None),
    ],
)
def test_zones_are_found_by_the_names_that_programs_use(name: str, zone: str | None) -> None:
    assert find_zone(name) == zone


def observance(start: str, before: str, after: str, rule: str = "") -> dict[str, list[Property]]:
    properties = {"DTSTART": start, "TZOFFSETFROM": before, "TZOFFSETTO": after} | ({"RRULE": rule} if rule else {})
    return {name: [Property({}, value)] for name, value in properties.items()}


SUMMER = observance("16010101T020000", "+0100", "+0200", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU")
WINTER = observance("16010101T030000", "+0200", "+0100", "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU")


@given(st.datetimes(datetime(1997, 1, 1), datetime(2037, 1, 1)))
@example(datetime(2026, 3, 29, 2, 0))
@example(datetime(2026, 10, 25, 3, 0))
def test_the_rules_of_a_zone_that_only_the_file_defines_are_applied(local: datetime) -> None:
    own = build_time_zone([SUMMER, WINTER], Budget(100_000))
    assert own is not None
    there = local.replace(microsecond=0, tzinfo=ZoneInfo("Europe/Paris"))
    is_once = there.astimezone(UTC).astimezone(there.tzinfo) == there and there.utcoffset() == there.replace(fold=1).utcoffset()
    if is_once:
        instant = int(there.timestamp())
        assert own.to_instant(there.replace(tzinfo=None)) == instant
        assert own.to_local(instant) == there.replace(tzinfo=None)


def test_a_zone_without_dst_and_one_that_gave_up_dst_are_applied() -> None:
    fixed = build_time_zone([observance("19700101T000000", "+0530", "+0530")], Budget(1_000))
    assert fixed
    assert fixed.to_instant(datetime(1970, 1, 1, 5, 30)) == 0
    ended = [
        observance("19700329T020000", "+0300", "+0400", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20100328T000000Z"),
        observance("19701025T030000", "+0400", "+0300", "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20101031T030000Z"),
    ]
    moscow = build_time_zone(ended, Budget(100_000))
    assert moscow
    assert moscow.to_instant(datetime(2020, 7, 1)) == int(datetime(2020, 6, 30, 21, tzinfo=UTC).timestamp())


def test_an_invalid_zone_is_none_and_one_with_many_changes_exceeds_its_budget() -> None:
    assert build_time_zone([], Budget(1)) is None
    assert build_time_zone([SUMMER] * 101, Budget(1)) is None
    assert build_time_zone([{}], Budget(1)) is None
    assert build_time_zone([observance("19700101", "+0100", "1")], Budget(1)) is None
    assert build_time_zone([observance("19700101", "+0100", "+0200", "FREQ=SECONDLY")], Budget(1)) is None
    many = build_time_zone([SUMMER, WINTER] * 40, Budget(10_000))
    assert many
    with pytest.raises(BudgetExceeded):
        many.to_instant(datetime(2026, 7, 1))


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("PT1H30M", Duration(0, 5400)),
        ("P1W", Duration(7, 0)),
        ("P1DT2H", Duration(1, 7200)),
        ("-PT15M", Duration(0, -900)),
        ("+P2D", Duration(2, 0)),
        ("PT86400S", Duration(0, 86_400)),
    ],
)
def test_durations_are_parsed(text: str, length: Duration) -> None:
    assert parse_duration(text) == length


@pytest.mark.parametrize("text", ["P", "PT", "", "1H", "PT1X", "P-1D", "PT" + "9" * 20 + "H"])
def test_an_invalid_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no length"):
        parse_duration(text)


@given(st.datetimes(), st.booleans())
def test_every_date_time_is_parsed_as_it_was_written(moment: datetime, is_utc: bool) -> None:
    text = f"{moment.year:04}{moment:%m%dT%H%M%S}{'Z' * is_utc}"
    assert parse_datetime(text, {}) == DateTimeValue(moment.replace(microsecond=0), is_utc=is_utc)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("BEGIN:VEVENT\n" * 10_001, "10,001 events"),
        ("\n" * 500_001, "500,000 lines"),
        ("\r" * 500_001, "500,000 lines"),
        ("BEGIN:A\n" * 10, "deeper"),
        ("BEGIN:VCALENDAR\nEND:VEVENT\n", "damaged"),
        ("END:VCALENDAR\n", "damaged"),
        (a_file(an_entry(title="x" * 200_001)), "line 6 is longer"),
        (a_file(an_entry("a", "DTSTART;X=" + "y" * 3_000 + ":20260601")), "line 5 has parameters"),
        ("BEGIN:VCALENDAR\n", "cut off"),
        ("SUMMARY:x", "no BEGIN:VCALENDAR"),
    ],
)
def test_hostile_and_broken_files_are_refused_with_a_reason(content: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_file(content)


@given(st.lists(st.sampled_from(TOKENS) | st.text(max_size=5), max_size=40).map("".join))
def test_any_content_is_parsed_or_refused(content: str) -> None:
    _read_or_refused(content.encode())


@given(st.data())
def test_a_damaged_file_is_parsed_or_refused(data: Any) -> None:
    content = bytearray(data.draw(st.sampled_from(sorted(CORPUS.glob("*.ics")))).read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=20))
    _read_or_refused(bytes(content))


def _read_or_refused(content: bytes) -> None:
    try:
        file = parse_file(text.decode(unsplit_utf8(content)))
    except ValueError:
        return
    assert file.entries
    assert all(entry.uid and (entry.start or entry.errors) for entry in file.entries)
    assert all(isinstance(entry.start.local - timedelta(0), datetime) for entry in file.entries if entry.start)


@pytest.mark.parametrize(
    ("zone", "year", "equal"),
    [
        ([SUMMER, WINTER], 2026, "Europe/Berlin"),
        ([SUMMER, WINTER], 9999, "Europe/Berlin"),
        ([observance("16010101T000000", "+0000", "+0000")], 2026, "UTC"),
        ([observance("16010101T000000", "+0530", "+0530")], 2026, "Asia/Kolkata"),
        ([observance("16010101T000000", "+0517", "+0517")], 2026, None),
        ([SUMMER, observance("16010101T030000", "+0200", "+0100", "FREQ=YEARLY;BYMONTH=9;BYDAY=-1SU")], 2026, None),
    ],
)
def test_a_zone_of_a_file_is_the_iana_zone_whose_clocks_change_in_the_same_weeks(
    zone: list[dict[str, list[Property]]], year: int, equal: str | None
) -> None:
    budget = Budget(10_000)
    definition = build_time_zone(zone, budget)
    assert definition
    assert find_equal_zone(definition, year, "Asia/Tokyo", budget) == equal
    assert find_equal_zone(definition, year, "Europe/Paris", budget) == ("Europe/Paris" if equal == "Europe/Berlin" else equal)

"""Events as an iCalendar file that other programs read correctly."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import icalendar
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kalends.core.settings import Settings
from kalends.core.values import datetimes
from kalends.features.events.feeds.steps.ical import build_file, feed_properties, join_file
from tests.deliveries.samples import FIVE, a_row

SETTINGS = Settings(base_url="https://calendar.example.org", secret="s" * 32)
ZONES = sorted(datetimes.known_zones())


def entry(**fields: Any) -> Any:
    (vevent,) = icalendar.Calendar.from_ical(build_file([a_row(**fields)], SETTINGS)).walk("VEVENT")
    return vevent


def test_a_file_has_the_product_id_and_the_name_of_the_calendar() -> None:
    content = join_file([], {}, feed_properties("Jazz, live", "Every\nnight", "#2f6fde"))
    file: Any = icalendar.Calendar.from_ical(content)
    assert (file["VERSION"], file["PRODID"], file["METHOD"]) == ("2.0", "-//Kalends//Kalends//EN", "PUBLISH")
    for line in (b"NAME:Jazz\\, live", b"X-WR-CALNAME:Jazz\\, live", b"DESCRIPTION:Every\\nnight"):
        assert line in content.split(b"\r\n")
    assert file["REFRESH-INTERVAL"].dt == timedelta(hours=1)


def test_a_vevent_has_every_field_of_its_event() -> None:
    vevent = entry(title="Soirée; jazz", description="One,\ntwo", location="Paris, France", tags="jazz,live", version=3)
    assert (vevent["SUMMARY"], vevent["DESCRIPTION"], vevent["LOCATION"]) == ("Soirée; jazz", "One,\ntwo", "Paris, France")
    assert (vevent["URL"], vevent["SEQUENCE"]) == ("https://calendar.example.org/events/7", 2)
    assert [str(tag) for tag in vevent["CATEGORIES"].cats] == ["jazz", "live"]
    assert vevent["CREATED"].dt == datetime(2026, 5, 5, 16, 53, 20, tzinfo=UTC)
    assert vevent["LAST-MODIFIED"].dt == vevent["DTSTAMP"].dt == datetime(2026, 5, 5, 16, 53, 21, tzinfo=UTC)


def test_the_same_events_give_the_same_bytes() -> None:
    rows = [a_row(), a_row(id=8, time_zone="Asia/Tokyo"), a_row(id=9, start_at=0)]
    assert build_file(rows, SETTINGS) == build_file(iter(rows), SETTINGS)
    assert build_file(rows, SETTINGS).count(b"BEGIN:VTIMEZONE") == 2


def test_a_uid_does_not_depend_on_the_address_and_differs_between_services() -> None:
    moved = Settings(base_url="https://elsewhere.example", secret="s" * 32)
    other = Settings(base_url="https://calendar.example.org", secret="t" * 32)
    uids = [icalendar.Calendar.from_ical(build_file([a_row()], at)).walk("VEVENT")[0]["UID"] for at in (SETTINGS, moved, other)]
    assert uids[0] == uids[1] != uids[2]
    assert uids[0] != entry(id=8)["UID"]


def test_the_end_of_an_all_day_event_is_the_day_after_its_last() -> None:
    midnight = FIVE - 17 * 3600
    vevent = entry(all_day=True, start_at=midnight, end_at=midnight + 3 * 86_400)
    assert (vevent["DTSTART"].dt, vevent["DTEND"].dt) == (date(2026, 5, 11), date(2026, 5, 14))
    assert entry(all_day=True, start_at=midnight, end_at=None)["DTEND"].dt == date(2026, 5, 12)
    assert b"VTIMEZONE" not in build_file([a_row(all_day=True, start_at=midnight)], SETTINGS)


def test_an_event_on_the_last_day_of_9999_is_written_with_a_duration() -> None:
    first, last = date(9999, 12, 30), date(9999, 12, 31)
    vevent = entry(all_day=True, start_at=datetimes.start_of_day(first, "UTC"), end_at=datetimes.end_of_day(last, "UTC"), time_zone="UTC")
    assert (vevent["DTSTART"].dt, vevent["DURATION"].dt) == (first, timedelta(days=2))


def test_an_event_without_an_end_is_written_without_dtend() -> None:
    assert "DTEND" not in entry(end_at=None)
    assert "DTEND" not in entry(end_at=FIVE)


def test_an_event_in_utc_needs_no_vtimezone() -> None:
    file = build_file([a_row(time_zone="UTC")], SETTINGS)
    assert b"DTSTART:20260511T150000Z" in file
    assert b"VTIMEZONE" not in file


@pytest.mark.parametrize(("shift", "line"), [(0, b"DTSTART;TZID=Europe/Paris:20261025T023000"), (3600, b"DTSTART:20261025T013000Z")])
def test_the_second_of_two_equal_local_times_is_written_in_utc(shift: int, line: bytes) -> None:
    first = int(datetime(2026, 10, 25, 0, 30, tzinfo=UTC).timestamp())
    assert line in build_file([a_row(start_at=first + shift, end_at=None)], SETTINGS)


@given(
    st.sampled_from(ZONES),
    st.lists(st.integers(-2_208_900_000, 253_402_200_000), min_size=1, max_size=2).map(sorted),
)
@example("Africa/Abidjan", [-1_830_383_033])
def test_every_time_is_read_back_as_the_same_instant(zone: str, moments: list[int]) -> None:
    vevent = entry(time_zone=zone, start_at=moments[0], end_at=moments[-1])
    assert [int(vevent[name].dt.timestamp()) for name in ("DTSTART", "DTEND") if name in vevent] == list(dict.fromkeys(moments))


@given(st.sampled_from(ZONES), st.integers(-2_208_900_000, 253_402_200_000))
def test_a_reader_without_a_zone_database_reads_the_same_instant(zone: str, moment: int) -> None:
    file = build_file([a_row(time_zone=zone, start_at=moment, end_at=None)], SETTINGS)
    read: Any = icalendar.Calendar.from_ical(file)
    start = read.walk("VEVENT")[0]["DTSTART"].dt
    if b"DTSTART;TZID" not in file:
        assert int(start.timestamp()) == moment
        return
    onsets = [(o["DTSTART"].dt, o["TZOFFSETFROM"].td, o["TZOFFSETTO"].td) for o in read.walk() if o.name in ("STANDARD", "DAYLIGHT")]
    # RFC 5545: the observance whose onset, on the clocks before it, is the last that is not after the time.
    wall = start.replace(tzinfo=None)
    in_force = max((onset, after) for onset, before, after in onsets if onset <= wall)
    assert int((wall - in_force[1]).replace(tzinfo=UTC).timestamp()) == moment


@pytest.mark.parametrize(
    ("zone", "rules"),
    [
        ("Europe/Paris", {"FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3", "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10"}),
        ("America/New_York", {"FREQ=YEARLY;BYDAY=2SU;BYMONTH=3", "FREQ=YEARLY;BYDAY=1SU;BYMONTH=11"}),
        ("Asia/Tokyo", set()),
        # The Friday before the last Sunday is no such rule.
        ("Asia/Jerusalem", set()),
    ],
)
def test_a_zone_goes_on_by_its_rule_after_the_years_of_the_file(zone: str, rules: set[str]) -> None:
    """An endless series is written for two years ahead, and a program that does not know the zone goes on after them."""
    file: Any = icalendar.Calendar.from_ical(build_file([a_row(time_zone=zone)], SETTINGS))
    assert {each["RRULE"].to_ical().decode() for each in file.walk() if each.name in ("STANDARD", "DAYLIGHT") and "RRULE" in each} == rules


@given(st.sampled_from(ZONES), st.integers(2_000_000_000, 2_800_000_000))
def test_a_reader_without_a_zone_database_reads_later_years_by_the_rule(zone: str, moment: int) -> None:
    file: Any = icalendar.Calendar.from_ical(build_file([a_row(time_zone=zone)], SETTINGS))
    observances = [each for each in file.walk() if each.name in ("STANDARD", "DAYLIGHT")]
    if any("RRULE" in each for each in observances):
        [read] = [each for each in file.walk() if each.name == "VTIMEZONE"]
        local = datetime.fromtimestamp(moment, read.to_tz(lookup_tzid=False))
        assert local.utcoffset() == datetime.fromtimestamp(moment, datetimes.zone_info(zone)).utcoffset()

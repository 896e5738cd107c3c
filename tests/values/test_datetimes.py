"""DATETIME: every valid form is parsed as its instant, every other is refused, and formatted instants can be parsed."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kalends.core.values import datetimes

ZONES = [
    *("UTC", "Europe/Paris", "America/New_York", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Sao_Paulo"),
    *("America/Havana", "Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati", "Africa/Monrovia", "Europe/Dublin", "Asia/Tehran"),
    *("Africa/Casablanca", "America/Scoresbysund", "Antarctica/Troll", "Etc/GMT+12"),
]
EPOCH = datetime(1970, 1, 1)

zones = st.sampled_from(ZONES) | st.sampled_from(sorted(datetimes.known_zones()))
walls = st.datetimes(datetime(1900, 1, 2), datetime(9999, 12, 30)).map(lambda moment: moment.replace(microsecond=0))
offsets = st.integers(-14 * 60, 14 * 60)
instants = walls.map(lambda wall: int((wall - EPOCH).total_seconds()))


def _format_offset(minutes: int) -> str:
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


@given(walls, offsets)
@example(datetime(2026, 5, 11, 17), 120)
def test_a_time_with_an_offset_does_not_depend_on_the_zone(wall: datetime, minutes: int) -> None:
    moment = int((wall - timedelta(minutes=minutes) - EPOCH).total_seconds())
    for text in (
        f"{wall.isoformat()}{_format_offset(minutes)}",
        f"{wall.isoformat(' ')}{_format_offset(minutes)}",
        f"{wall.isoformat()}.123456789{_format_offset(minutes)}[Asia/Tokyo]",
        f" {wall.isoformat().lower()}{_format_offset(minutes)} ",
    ):
        assert datetimes.parse(text).to_instant("Europe/Paris") == moment
        assert not datetimes.parse(text).is_date


@given(walls)
def test_a_time_with_z_is_in_utc(wall: datetime) -> None:
    moment = int((wall - EPOCH).total_seconds())
    compact = wall.isoformat().replace("-", "").replace(":", "")
    for text in (f"{wall.isoformat()}Z", f"{wall.isoformat()}z", f"{wall.isoformat()}+00:00", f"{wall.isoformat()}-00:00", f"{compact}Z"):
        assert datetimes.parse(text).to_instant("Europe/Paris") == moment


@given(walls, zones)
def test_every_form_without_an_offset_is_local_to_the_zone(wall: datetime, zone: str) -> None:
    minute = wall.replace(second=0)
    compact = minute.isoformat().replace("-", "").replace(":", "")
    forms = [minute.isoformat(), minute.isoformat()[:16], minute.isoformat(" "), compact, compact[:-2], compact.replace("T", "")[:-2]]
    assert {datetimes.parse(text).to_instant(zone) for text in forms} == {_moment(minute, zone)}
    assert datetimes.parse(f"{minute.isoformat()}[{zone}]").to_instant("Asia/Tokyo") == _moment(minute, zone)
    assert datetimes.parse(f"{minute.isoformat()[:16]}[!{zone}]").zone == zone


@given(walls, zones)
@example(datetime(2026, 3, 29, 2, 30), "Europe/Paris")
@example(datetime(2026, 10, 25, 2, 30), "Europe/Paris")
@example(datetime(2026, 4, 5, 1, 45), "Australia/Lord_Howe")
@example(datetime(2018, 11, 4, 0, 30), "America/Sao_Paulo")
@example(datetime(2011, 12, 30, 12, 0), "Pacific/Apia")
def test_an_ambiguous_local_time_is_the_first_and_one_in_a_gap_moves_forward(wall: datetime, zone: str) -> None:
    assert datetimes.parse(wall.isoformat()).to_instant(zone) == _moment(wall, zone)


def _moment(wall: datetime, zone: str) -> int:
    """By trial: of the offsets that the zone has around then, the first moment at which its clocks show this time."""
    tried = int((wall - EPOCH).total_seconds())
    around = [_offset(tried + shift * 3600, zone) for shift in (-36, -24, -12, 0, 12, 24, 36)]
    instants = [tried - offset for offset in around if _offset(tried - offset, zone) == offset]
    # In a gap the offset from before it leads as far behind it as the time was in it.
    return min(instants) if instants else tried - around[0]


def _offset(instant: int, zone: str) -> int:
    offset = datetime.fromtimestamp(instant, UTC).astimezone(ZoneInfo(zone)).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


@pytest.mark.parametrize(
    ("text", "zone", "moment"),
    [
        ("2026-03-29T02:30", "Europe/Paris", "2026-03-29T03:30:00+02:00"),
        ("2026-10-25T02:30", "Europe/Paris", "2026-10-25T02:30:00+02:00"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01T01:30:00-04:00"),
        ("2026-03-08T02:00", "America/New_York", "2026-03-08T03:00:00-04:00"),
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T01:00:00-02:00"),
        ("2026-05-11T17:00[Asia/Kathmandu]", "Europe/Paris", "2026-05-11T17:00:00+05:45"),
        ("2026-05-11T17:00Z[Asia/Kathmandu]", "Europe/Paris", "2026-05-11T17:00:00+00:00"),
        ("202605111700", "Europe/Paris", "2026-05-11T17:00:00+02:00"),
        ("20260511T1700", "Europe/Paris", "2026-05-11T17:00:00+02:00"),
        ("20260511T170000Z", "Europe/Paris", "2026-05-11T17:00:00+00:00"),
        ("20260511", "Europe/Paris", "2026-05-11T00:00:00+02:00"),
        ("2024-02-29T23:59:59.999Z", "Europe/Paris", "2024-02-29T23:59:59+00:00"),
    ],
)
def test_a_datetime_is_parsed_as_its_instant(text: str, zone: str, moment: str) -> None:
    assert datetimes.parse(text).to_instant(zone) == int(datetime.fromisoformat(moment).timestamp())


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "today", "12:00", "T17:00", "1", "2026", "2026-05", "202605", "2026-5-11", "26-05-11", "11.05.2026", "5/11/2026"),
        *("2026-05-11T", "2026-05-11T17", "2026-05-11T17:0", "2026-05-11T17:00:", "2026-05-11T17:00:00.", "2026-05-11T17:00,5"),
        *(
            "2026-05-11Z",
            "2026-05-11+02:00",
            "2026-05-11T17:00+2",
            "2026-05-11T17:00+02:",
            "2026-05-11T17:00  +02:00",
            "2026-05-11T17:00 02",
            "2026-05-11T17:00ZZ",
        ),
        *("2026-13-01", "2026-00-01", "2026-02-29", "2026-04-31", "2026-05-11T24:00", "2026-05-11T17:60", "2026-05-11T17:00:61"),
        *("2026-05-11T17:00+24:00", "2026-05-11T17:00+02:60", "2026-05-11T17:00[Mars/Olympus]", "2026-05-11T17:00[]", "2026-05-11[UTC"),
        *("2026-05-11T17:00[europe/paris]", "2026-05-11T17:00[../../etc/passwd]", "2026-05-11T17:00[localtime]", "2026-05-11\n2026-05-12"),
        *(
            "1899-12-31",
            "1899-12-31T23:59Z",
            "0000-01-01",
            "0001-01-01",
            "10000-01-01",
            "-2026-05-11",
            "+2026-05-11",
            "2026-W20-1",
            "2026-131",
        ),
        *("9999-12-31T23:59:59-00:01", "9999-12-31T20:00-12:00", "1900-01-01T00:00+23:59[UTC]x", "٢٠٢٦-٠٥-١١", "2026‐05‐11", "NaN", "1e9"),
        *("1747000000", "17470000001", "Mon, 11 May 2026 17:00:00 GMT", "2026-05-11T17:00 Europe/Paris", "2026-05-11T17:00PM"),
    ],
)
def test_an_invalid_datetime_is_refused_with_an_example_or_the_range_of_years(text: str) -> None:
    with pytest.raises(ValueError, match=r"2026-05-11T17:00:00\+02:00|from 1900 to 9999"):
        datetimes.parse(text)


@given(st.text("0123456789-:TtZz+. []/!UTC", max_size=30) | st.text(max_size=12))
def test_any_text_is_parsed_as_a_datetime_or_refused(text: str) -> None:
    try:
        read = datetimes.parse(text)
    except ValueError as error:
        assert str(error)  # noqa: PT017
    else:
        assert 1900 <= read.local.year <= 9999


@given(instants, zones)
def test_a_formatted_instant_can_be_parsed_and_has_the_offset_of_the_zone(instant: int, zone: str) -> None:
    text = datetimes.format_instant(instant, zone)
    local = datetime.fromisoformat(text)
    assert datetimes.parse(text).to_instant("Asia/Tokyo") == instant == int(local.timestamp())
    offset = local.utcoffset()
    assert offset is not None
    assert abs(offset.total_seconds() - _offset(instant, zone)) < 60
    assert len(text) == len("2026-05-11T17:00:00+02:00")


@given(st.dates(date(1900, 1, 1), date(9999, 12, 31)), zones)
@example(date(2011, 12, 30), "Pacific/Apia")
@example(date(1993, 8, 21), "Pacific/Kwajalein")
@example(date(2018, 11, 4), "America/Sao_Paulo")
@example(date(9999, 12, 31), "Pacific/Kiritimati")
@example(date(1900, 1, 1), "Africa/Monrovia")
def test_a_day_ends_where_the_next_one_begins(day: date, zone: str) -> None:
    read = datetimes.parse(day.isoformat())
    assert read.is_date
    held = read.to_date(zone)
    start, end = datetimes.start_of_day(held, zone), datetimes.end_of_day(held, zone)
    assert start < end <= start + 26 * 3600
    assert datetimes.to_local(start, zone).date() == datetimes.to_local(end - 1, zone).date() == held
    assert datetimes.parse(held.isoformat()).to_date(zone) == held
    # A day that clocks skipped altogether is the next one.
    assert held == day or (held == day + timedelta(days=1) and datetimes.start_of_day(day, zone) == start)


@pytest.mark.parametrize(
    ("text", "zone", "day"),
    [
        ("2026-05-11", "Asia/Tokyo", "2026-05-11"),
        ("2026-05-11[America/New_York]", "Asia/Tokyo", "2026-05-11"),
        ("2026-05-11T23:59", "Asia/Tokyo", "2026-05-11"),
        ("2026-05-11T15:00Z", "Asia/Tokyo", "2026-05-12"),
        ("2026-05-11T14:59Z", "Asia/Tokyo", "2026-05-11"),
        ("2011-12-30", "Pacific/Apia", "2011-12-31"),
    ],
)
def test_a_datetime_is_converted_to_its_date_in_the_zone(text: str, zone: str, day: str) -> None:
    assert datetimes.parse(text).to_date(zone).isoformat() == day


def test_a_date_as_an_end_lasts_until_the_end_of_the_day_and_a_time_does_not() -> None:
    assert datetimes.parse("2026-05-11").to_end("Europe/Paris") == datetimes.parse("2026-05-12T00:00+02:00").to_instant("UTC")
    assert datetimes.parse("2026-05-11[Asia/Tokyo]").to_end("Europe/Paris") == datetimes.parse("2026-05-12T00:00+09:00").to_instant("UTC")
    assert datetimes.parse("2026-05-11T17:00").to_end("UTC") == datetimes.parse("2026-05-11T17:00").to_instant("UTC")


def test_zones_are_those_of_the_iana_database() -> None:
    assert {"UTC", "Europe/Paris", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "US/Eastern"} <= datetimes.known_zones()
    assert not {"localtime", "posixrules", "right/UTC", "posix/UTC", "", "Europe"} & datetimes.known_zones()

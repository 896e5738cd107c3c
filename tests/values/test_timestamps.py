"""Instants are formatted and parsed without a difference."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.core.values import timestamps

# From 1970 to the end of the year 9999.
instants = st.integers(0, 253_402_300_799)
offsets = st.builds(lambda minutes: timezone(timedelta(minutes=minutes)), st.integers(-1439, 1439))


@given(instant=instants)
def test_a_formatted_instant_is_parsed_as_the_same_instant(instant: int) -> None:
    text = timestamps.format_utc(instant)
    assert timestamps.parse_instant(text) == instant
    assert datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp() == instant


@given(instant=st.integers(0, 999_999_999_999))
def test_unix_seconds_are_parsed_as_an_instant(instant: int) -> None:
    assert timestamps.parse_instant(str(instant)) == instant


@given(moment=st.datetimes(min_value=datetime(1970, 1, 2), timezones=offsets), separator=st.sampled_from("Tt"))
def test_an_instant_is_parsed_with_any_offset(moment: datetime, separator: str) -> None:
    assert timestamps.parse_instant(moment.isoformat(separator)) == int(moment.timestamp())


@given(moment=st.datetimes(timezones=offsets))
def test_an_instant_near_year_1_or_9999_is_parsed(moment: datetime) -> None:
    assert timestamps.parse_instant(moment.isoformat()) == int(moment.timestamp())


@given(moment=st.datetimes())
def test_a_local_time_is_not_parsed_as_an_instant(moment: datetime) -> None:
    assert timestamps.parse_instant(moment.isoformat()) is None


@given(text=st.text())
def test_any_text_is_parsed_as_an_instant_or_none(text: str) -> None:
    assert timestamps.parse_instant(text) is None or any(digit in text for digit in "0123456789")


@pytest.mark.parametrize("text", ["", "now", "-1", "+1", "1.5", " 1", "1" * 13, "٣", "2026-05-11", "2026-05-11 17:00Z", "17:00Z"])
def test_an_invalid_instant_is_none(text: str) -> None:
    assert timestamps.parse_instant(text) is None


def test_the_current_time_is_in_whole_seconds() -> None:
    assert abs(timestamps.now() - datetime.now(UTC).timestamp()) < 5
    assert isinstance(timestamps.now(), int)

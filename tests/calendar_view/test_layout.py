"""The layout of months and weeks: no event covers or loses another."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.core.i18n.locale import Locale
from kalends.features.calendar_view.model import Entry, Piece
from kalends.features.calendar_view.rules.days import DAY, MONTH, WEEK, around, date_range, is_weekend
from kalends.features.calendar_view.rules.month import MAX_LANES, weeks
from kalends.features.calendar_view.rules.week import COLUMNS, DAY_LANES, WEEK_LANES, Block, arrange

MAY = date(2026, 5, 11)
MIDNIGHT = int(datetime(2026, 5, 11, tzinfo=UTC).timestamp())


def an_entry(number: int, start: int, minutes: int) -> Entry:
    """An event that begins some minutes after midnight."""
    start_at, end_at = MIDNIGHT + start * 60, MIDNIGHT + (start + minutes) * 60
    return Entry(start_at, number, f"Event {number}", end_at, False, "UTC", None, "planned", True, None, first=MAY, last=MAY)


def a_bar(number: int, first: int, length: int) -> Entry:
    """An all-day event."""
    day = MAY + timedelta(days=first)
    last = day + timedelta(days=length)
    return Entry(0, number, f"Event {number}", None, True, "UTC", None, "planned", True, None, first=day, last=last, is_bar=True)


TIMES = st.lists(st.tuples(st.integers(0, 1439), st.integers(0, 600)), max_size=16)
LENGTHS = st.lists(st.tuples(st.integers(-40, 40), st.integers(0, 60)), max_size=20)


def cover(block: Block) -> set[tuple[int, int]]:
    return {(row, column) for row in range(block.start, block.end) for column in range(block.column, block.column + block.width)}


@given(TIMES, st.sampled_from([WEEK_LANES, DAY_LANES]))
def test_no_event_of_a_day_hides_another(times: list[tuple[int, int]], lanes: int) -> None:
    blocks, more = arrange(MAY, [an_entry(i, start, minutes) for i, (start, minutes) in enumerate(times)], lanes)
    assert len(blocks) + sum(overflow.count for overflow in more) == len(times)
    covered: set[tuple[int, int]] = set()
    for block in blocks:
        assert 0 <= block.start < block.end <= 96
        assert 0 <= block.column <= block.column + block.width <= COLUMNS
        assert not covered & cover(block), block
        covered |= cover(block)
    for overflow in more:
        last = range(COLUMNS - overflow.width, COLUMNS)
        assert not covered & {(row, column) for row in range(overflow.start, overflow.end) for column in last}


@pytest.mark.parametrize(("lanes", "placed", "counted", "width"), [(WEEK_LANES, 3, 14, 3), (DAY_LANES, 11, 6, 1)])
def test_more_than_there_are_lanes_at_once_are_counted(lanes: int, placed: int, counted: int, width: int) -> None:
    blocks, more = arrange(MAY, [an_entry(i, 600, 60) for i in range(17)], lanes)
    assert (len(blocks), [overflow.count for overflow in more]) == (placed, [counted])
    assert {block.width for block in blocks} == {width} == {overflow.width for overflow in more}


@given(LENGTHS)
def test_a_month_counts_every_event_on_each_of_its_days(lengths: list[tuple[int, int]]) -> None:
    entries = [a_bar(i, first, length) for i, (first, length) in enumerate(lengths)]
    for week in weeks(around(MONTH, MAY), entries):
        for cell in week:
            on = {entry.id for entry in entries if entry.first <= cell.day <= entry.last}
            event_ids = [piece.entry.id for piece in cell.lanes if isinstance(piece, Piece)]
            assert cell.count == len(on) == len(event_ids) + cell.more
            assert set(event_ids) <= on
            assert len(set(event_ids)) == len(event_ids)
            assert len(cell.lanes) <= MAX_LANES


@given(LENGTHS, st.sampled_from(["monday", "saturday", "sunday"]))
def test_a_bar_keeps_its_lane_through_a_week_and_has_one_name(lengths: list[tuple[int, int]], week_start: str) -> None:
    entries = [a_bar(i, first, length) for i, (first, length) in enumerate(lengths)]
    for week in weeks(around(MONTH, MAY, Locale(week_start=week_start)), entries):
        lanes: dict[int, set[int]] = {}
        names: dict[int, int] = {}
        for cell in week:
            for lane, piece in enumerate(cell.lanes):
                if isinstance(piece, Piece):
                    lanes.setdefault(piece.entry.id, set()).add(lane)
                    names[piece.entry.id] = names.get(piece.entry.id, 0) + ("unnamed" not in piece.shape)
        assert all(len(used) == 1 for used in lanes.values())
        assert all(count == 1 for count in names.values())


@given(st.dates(date(1900, 2, 1), date(9999, 11, 30)))
def test_periods_contain_their_day_and_follow_without_gaps(day: date) -> None:
    for view in (MONTH, WEEK, DAY):
        period = around(view, day)
        assert period.first <= day <= period.last
        assert period.first.weekday() == 0 or view == DAY
        assert period.last.weekday() == 6 or view == DAY
        assert len(date_range(period.first, period.last)) % 7 == 0 or period.first == period.last == day
        if period.later:
            after = around(view, period.later)
            assert period.first < after.first <= period.last + timedelta(days=1)
            assert after.earlier is not None
            assert around(view, after.earlier).first == period.first


def test_a_weekend_is_that_of_the_readers_week() -> None:
    days = [date(2026, 5, number) for number in range(11, 18)]
    assert [day.day for day in days if is_weekend(day, 0)] == [16, 17]
    assert [day.day for day in days if is_weekend(day, 5)] == [15, 16]

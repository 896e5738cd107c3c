"""Dates and times in words, for pages, mail and SMS."""

from datetime import date, datetime, timedelta


def clock(moment: datetime) -> str:
    """`17:00`."""
    return f"{moment:%H:%M}"


def day(moment: date) -> str:
    """`Monday, 11 May 2026`."""
    return f"{moment:%A}, {month_day(moment)}"


def month_day(moment: date) -> str:
    """`1 November 2026`."""
    return f"{moment.day} {moment:%B} {moment.year}"


def short_day(moment: date) -> str:
    """`Mon 11 May`."""
    return f"{moment:%a} {moment.day} {moment:%b}"


def short_month_day(moment: date) -> str:
    """`1 Nov 2026`."""
    return f"{moment.day} {moment:%b} {moment.year}"


def days(first: date, last: date) -> str:
    """`Monday, 11 May 2026 – Wednesday, 13 May 2026`, or one day."""
    return day(first) if first == last else f"{day(first)} – {day(last)}"


def span(start: datetime, end: datetime | None, *, folds_night: bool = False) -> str:
    """`Monday, 11 May 2026, 17:00–19:00`. With folds_night, the end has no day if it is on the next morning."""
    if end is None or end == start:
        return f"{day(start)}, {clock(start)}"
    is_night = folds_night and end - start < timedelta(hours=24) and clock(end) < clock(start)
    if end.date() == start.date() or is_night:
        return f"{day(start)}, {clock(start)}–{clock(end)}"
    return f"{day(start)}, {clock(start)} – {day(end)}, {clock(end)}"


def short_days(first: date, last: date) -> str:
    """`Mon 11 May 2026`, or `11 May 2026 - 13 May 2026`: every character is in the alphabet of SMS."""
    return f"{first:%a} {short_month_day(first)}" if first == last else f"{short_month_day(first)} - {short_month_day(last)}"


def short_span(start: datetime, end: datetime | None) -> str:
    """`Mon 11 May 2026 17:00-19:00`, or `11 May 2026 17:00 - 12 May 2026 02:00`: in the alphabet of SMS."""
    begin = f"{short_month_day(start)} {clock(start)}"
    if end is None or end == start:
        return f"{start:%a} {begin}"
    if end.date() == start.date():
        return f"{start:%a} {begin}-{clock(end)}"
    return f"{begin} - {short_month_day(end)} {clock(end)}"

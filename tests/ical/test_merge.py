"""Merging changes into files of other programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.ical.merge import GROUPS, merge

HEAD = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\n"
ALARM = "BEGIN:VALARM\r\nACTION:DISPLAY\r\nSUMMARY:Wake up\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\n"
FOLDED = 'X-LONG;P="a:b":begins here and\r\n  goes on\r\n\there\r\n'
ORIGINAL = f"""{HEAD}X-WR-CALNAME:Mine\r\nBEGIN:VEVENT\r\nUID:u1\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY;LANGUAGE=de:Probe\r\n\
DTSTART;TZID=Odd/Zone:20260601T200000\r\nDURATION:PT2H\r\n{FOLDED}CLASS:PRIVATE\r\n{ALARM}END:VEVENT\r\nEND:VCALENDAR\r\n"""


def event(uid: str = "u1", **lines: str) -> str:
    fields = {"DTSTART": ":20260601T180000Z", "DTEND": ":20260601T200000Z", "SUMMARY": ":Probe"} | lines
    inner = "".join(f"{name.replace('_', '-')}{value}\r\n" for name, value in fields.items() if value)
    return f"BEGIN:VEVENT\r\nUID:{uid}\r\n{inner}SEQUENCE:3\r\nDTSTAMP:20260102T000000Z\r\nEND:VEVENT\r\n"


def file(*events: str) -> str:
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Kalends//EN\r\n{''.join(events)}END:VCALENDAR\r\n"


def merged(original: str, base: str, current: str) -> str:
    return merge(original.encode(), base.encode(), current.encode()).decode()


def test_a_field_that_is_unchanged_stays_as_it_was_written() -> None:
    result = merged(ORIGINAL, file(event()), file(event(SUMMARY=":Concert")))
    assert "SUMMARY:Concert\r\n" in result
    for text in (FOLDED, ALARM, "DTSTART;TZID=Odd/Zone:20260601T200000\r\nDURATION:PT2H\r\n", "CLASS:PRIVATE\r\n", "X-WR-CALNAME:Mine\r\n"):
        assert text in result
    assert "Probe" not in result
    assert "DTEND" not in result


def test_new_times_replace_the_old_ones_together() -> None:
    result = merged(ORIGINAL, file(event()), file(event(DTSTART=":20260602T180000Z", DTEND=":20260602T190000Z")))
    assert "DTSTART:20260602T180000Z\r\nDTEND:20260602T190000Z\r\n" in result
    assert "DURATION" not in result
    assert "SUMMARY;LANGUAGE=de:Probe" in result


def test_a_field_that_was_taken_away_goes() -> None:
    original = ORIGINAL.replace("CLASS", "LOCATION;X-A=b:Here\r\nCLASS")
    assert "LOCATION" not in merged(original, file(event(LOCATION=":Here")), file(event()))


def test_a_changed_date_of_a_series_is_added_and_removed() -> None:
    rule, moved = event(RRULE=":FREQ=DAILY;COUNT=9"), event(RECURRENCE_ID=":20260603T180000Z", SUMMARY=":Other")
    added = merged(ORIGINAL, file(rule), file(rule, moved))
    assert added.count("BEGIN:VEVENT") == 2
    assert added.startswith(ORIGINAL.removesuffix("END:VCALENDAR\r\n"))
    assert merged(added, file(rule, moved), file(rule)) == ORIGINAL


@pytest.mark.parametrize("time", [":20260603T180000Z", ";TZID=Europe/Berlin:20260603T200000", ";VALUE=DATE:20260603"])
def test_a_date_is_known_however_its_time_is_written(time: str) -> None:
    master = event(RRULE=":FREQ=DAILY", DTSTART=";TZID=Europe/Berlin:20260601T200000", DTEND="")
    theirs = event(RECURRENCE_ID=time, X_KEPT=":yes")
    ours = event(RECURRENCE_ID=";TZID=Europe/Berlin:20260603T200000")
    result = merged(file(master, theirs), file(master, ours), file(master, ours.replace("Probe", "New")))
    assert (result.count("BEGIN:VEVENT"), "SUMMARY:New" in result, "X-KEPT:yes" in result) == (2, True, True)


def test_bytes_that_are_no_text_survive() -> None:
    original = ORIGINAL.encode().replace(b"CLASS", b"X-BYTES:\xff\xfe\r\nCLASS")
    assert b"X-BYTES:\xff\xfe\r\n" in merge(original, file(event()).encode(), file(event(SUMMARY=":Concert")).encode())


VALUES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30)
MODELLED = st.dictionaries(
    st.sampled_from(["SUMMARY", "LOCATION", "DESCRIPTION", "CATEGORIES", "RRULE", "EXDATE"]), VALUES.map(lambda each: f":{each}x")
)
FOREIGN = st.lists(
    st.one_of(
        st.sampled_from([FOLDED, ALARM, 'ATTENDEE;CN="A:B":mailto:a@example.org\r\n', "\r\n", "no colon\r\n"]),
        VALUES.map(lambda each: f"X-ANY:{each}\r\n"),
    ),
    max_size=6,
)


@given(MODELLED, MODELLED, FOREIGN)
def test_whatever_is_not_known_survives_and_merging_twice_is_merging_once(
    before: dict[str, str], after: dict[str, str], foreign: list[str]
) -> None:
    lines = [f"{name}{value}\r\n" for name, value in before.items()]
    own = "".join(part for pair in zip(lines, foreign, strict=False) for part in pair) + "".join(
        lines[len(foreign) :] + foreign[len(lines) :]
    )
    original = file(f"BEGIN:VEVENT\r\nUID:u1\r\nDTSTART:20260601T180000Z\r\n{own}END:VEVENT\r\n")
    base, current = file(event(**{"SUMMARY": ""} | before)), file(event(**{"SUMMARY": ""} | after))
    result = merged(original, base, current)
    assert merged(original, base, base) == original
    assert merged(result, base, current) == result
    assert merged(result, current, current) == result
    for line in foreign:
        assert result.count(line) >= foreign.count(line)
    known = {name for group in GROUPS for name in group}
    for name in known & (before.keys() | after.keys()):
        assert (f"\r\n{name}{after[name]}\r\n" in result) if name in after else (f"\r\n{name}:" not in result.replace(ALARM, ""))

"""PUT /api/events/<id>/repeat with the rules of RFC 5545: weekdays, days of the month, counts, added and excepted dates, dry runs."""

from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from kalends.core.i18n.locale import Locale
from kalends.features.events.series.rules.rule import Rule
from kalends.features.events.series.rules.sentence import describe
from kalends.ical.canonical_rule import canonicalise
from kalends.ical.rrule import parse
from tests.cast import Cast, Person, a_comment, a_response, an_event
from tests.client import Reply
from tests.events.series import assert_rule_agrees, events_of_series, ids_of_series, load_times
from tests.ical.test_rrule import rules

pytestmark = pytest.mark.on_one_database

TUESDAY = "2027-03-09T19:00"


def _repeat(owner: Person, event_id: int, **rule: Any) -> Reply:
    return owner.put(f"/api/events/{event_id}/repeat", json=rule)


def _days(owner: Person, event_id: int) -> list[str]:
    return [event["start_time"][:10] for event in events_of_series(owner, event_id)]


@pytest.mark.parametrize(
    ("rule", "rrule", "days", "text"),
    [
        (
            {"frequency": "MONTHLY", "by_day": "2TU", "count": 3},
            "FREQ=MONTHLY;COUNT=3;BYDAY=2TU",
            ["2027-03-09", "2027-04-13", "2027-05-11"],
            "Every second Tuesday of the month, 3 times",
        ),
        (
            {"frequency": "WEEKLY", "by_day": ["TH", "TU"], "end_date": "2027-03-18"},
            "FREQ=WEEKLY;UNTIL=20270318;BYDAY=TU,TH",
            ["2027-03-09", "2027-03-11", "2027-03-16", "2027-03-18"],
            "Every week on Tuesday and Thursday until 18 March 2027",
        ),
        (
            {"frequency": "MONTHLY", "by_month_day": -1, "count": 3},
            "FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-1",
            ["2027-03-09", "2027-03-31", "2027-04-30", "2027-05-31"],
            "Every last day of the month, 3 times",
        ),
        (
            {"frequency": "MONTHLY", "by_day": "MO,TU,WE,TH,FR", "by_set_pos": 1, "count": 2, "start_date": "2027-05-01"},
            "FREQ=MONTHLY;COUNT=2;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1",
            ["2027-03-09", "2027-05-03", "2027-06-01"],
            "Every first weekday (Monday to Friday) of the month, 2 times",
        ),
        (
            {"rrule": "RRULE:freq=yearly;byday=-1fr;bymonth=3,6;count=2"},
            "FREQ=YEARLY;COUNT=2;BYMONTH=3,6;BYDAY=-1FR",
            ["2027-03-09", "2027-03-26", "2027-06-25"],
            "Every year on the last Friday in March and June, 2 times",
        ),
        (
            {"frequency": "MONTHLY", "start_date": "2027-01-30", "short_months": "last", "count": 3},
            "FREQ=MONTHLY;COUNT=3;BYMONTHDAY=28,29,30;BYSETPOS=-1",
            ["2027-01-30", "2027-02-28", "2027-03-09", "2027-03-30"],
            "Every 30th day of the month, or on the last day of the month, 3 times",
        ),
        (
            {"frequency": "YEARLY", "start_date": "2028-02-29", "short_months": "last", "count": 2},
            "FREQ=YEARLY;COUNT=2;BYMONTH=2;BYMONTHDAY=-1",
            ["2027-03-09", "2028-02-29", "2029-02-28"],
            "Every year on the last day in February, 2 times",
        ),
        (
            {"frequency": "WEEKLY", "interval": 2, "count": 2, "also": "2027-03-20,2027-03-23", "except": "2027-03-09"},
            "FREQ=WEEKLY;INTERVAL=2;COUNT=2",
            ["2027-03-09", "2027-03-20", "2027-03-23"],
            "Every 2 weeks on Tuesday, 2 times",
        ),
    ],
)
def test_a_rule_makes_its_dates_and_is_shown_in_its_canonical_form(
    cast: Cast, rule: dict[str, Any], rrule: str, days: list[str], text: str
) -> None:
    event = an_event(cast.alice, start_time=TUESDAY)
    reply = _repeat(cast.alice, event["id"], **rule)
    assert reply.status == 200, reply
    repeat = cast.alice.get(f"/api/events/{event['id']}").json["repeat"]
    assert (repeat["rrule"], repeat["text"], repeat) == (rrule, text, reply.json["repeat"])
    assert _days(cast.alice, event["id"]) == days
    assert_rule_agrees(cast.alice, event["id"])


def test_added_and_excepted_dates_are_shown_and_an_added_date_creates_a_deleted_one_again(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=TUESDAY)
    rule = {"frequency": "WEEKLY", "count": 4}
    _repeat(cast.alice, event["id"], **rule, also=["2027-03-10"], **{"except": ["2027-03-23"]})
    cast.alice.delete(f"/api/events/{events_of_series(cast.alice, event['id'])[2]['id']}")
    assert _days(cast.alice, event["id"]) == ["2027-03-09", "2027-03-10", "2027-03-30"]
    repeat = cast.alice.get(f"/api/events/{event['id']}").json["repeat"]
    assert (repeat["also"], repeat["except"]) == (["2027-03-10"], ["2027-03-16", "2027-03-23"])
    reply = _repeat(cast.alice, event["id"], **rule, also=["2027-03-16"]).json["repeat"]
    assert (reply["also"], reply["except"]) == ([], ["2027-03-23"])
    assert _days(cast.alice, event["id"]) == ["2027-03-09", "2027-03-16", "2027-03-30"]


@pytest.mark.parametrize(
    ("rule", "broken", "reason"),
    [
        ({}, "frequency", "required"),
        ({"frequency": "DAILY", "count": 3, "end_date": "2027-05-01"}, "count", "end_date"),
        ({"frequency": "DAILY", "count": 1001}, "count", "1000"),
        ({"frequency": "DAILY", "rrule": "FREQ=DAILY"}, "rrule", "frequency"),
        ({"interval": 2, "rrule": "FREQ=DAILY"}, "rrule", "interval"),
        ({"rrule": "FREQ=DAILY;COUNT=3;UNTIL=20270501"}, "rrule", "COUNT and UNTIL"),
        ({"rrule": "FREQ=DAILY;COUNT=1000000000"}, "rrule", "COUNT"),
        ({"rrule": "FREQ=DAILY;COUNT=100000000"}, "rrule", "COUNT"),
        ({"rrule": "FREQ=SECONDLY"}, "rrule", "several times a day"),
        ({"rrule": "FREQ=DAILY;BYHOUR=9"}, "rrule", "times"),
        ({"rrule": "FREQ=DAILY;BYMONTHDAY=" + ",".join(["1"] * 10_000)}, "rrule", "2,000"),
        ({"rrule": "every day"}, "rrule", "can’t be read"),
        ({"rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}, "rrule", "never matches"),
        ({"rrule": "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"}, "rrule", "never matches"),
        ({"rrule": "FREQ=DAILY;UNTIL=20270101"}, "rrule", "before the first date"),
        ({"rrule": "FREQ=YEARLY;BYYEARDAY=366;BYDAY=SU;COUNT=1000"}, "rrule", "too long"),
        ({"frequency": "MONTHLY", "by_day": "-6MO"}, "by_day", "never matches"),
        ({"frequency": "MONTHLY", "by_day": "2XX"}, "by_day", "2XX"),
        ({"frequency": "WEEKLY", "by_day": "2TU"}, "by_day", "MONTHLY"),
        ({"frequency": "MONTHLY", "by_month_day": 32}, "by_month_day", "31"),
        ({"frequency": "MONTHLY", "by_month_day": 0}, "by_month_day", "0"),
        ({"frequency": "YEARLY", "by_month": 13}, "by_month", "12"),
        ({"frequency": "MONTHLY", "by_set_pos": 1}, "by_set_pos", "by_day"),
        ({"frequency": "WEEKLY", "short_months": "last"}, "short_months", "MONTHLY"),
        ({"frequency": "MONTHLY", "by_month_day": "15,30", "short_months": "last"}, "short_months", "one day"),
        ({"frequency": "DAILY", "count": 3, "also": "2027-03-20", "except": "2027-03-20"}, "except", "also"),
        ({"frequency": "DAILY", "count": 3, "also": "soon"}, "also", ""),
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused_with_the_field_and_the_reason(
    cast: Cast, rule: dict[str, Any], broken: str, reason: str
) -> None:
    event = an_event(cast.alice, start_time=TUESDAY)
    reply = _repeat(cast.alice, event["id"], **rule)
    assert (reply.status, reply.broken) == (422, [broken]), reply
    assert reason in reply.json["detail"]
    assert cast.alice.get(f"/api/events/{event['id']}").json["repeat"] is None


def test_a_dry_run_tells_what_would_change_and_changes_nothing(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time=TUESDAY)
    _repeat(cast.alice, event["id"], frequency="DAILY", count=10)
    before = events_of_series(cast.alice, event["id"])
    a_response(cast.anonymous, before[1], email_address="gus@example.org")
    a_comment(cast.carol, before[3])
    rule = {"frequency": "WEEKLY", "by_day": ["TU", "TH"], "count": 5}
    preview = _repeat(cast.alice, event["id"], **rule, dry_run=True).json
    counts = {name: preview[name] for name in ("kept", "created", "removed", "stranded", "occurrences")}
    assert counts == {"kept": 4, "created": 1, "removed": 4, "stranded": ["2027-03-10", "2027-03-12"], "occurrences": 5}
    assert preview["next_dates"] == ["2027-03-09", "2027-03-11", "2027-03-16", "2027-03-18", "2027-03-23"]
    assert preview["repeat"]["text"] == "Every week on Tuesday and Thursday, 5 times"
    assert events_of_series(cast.alice, event["id"]) == before
    reply = _repeat(cast.alice, event["id"], **rule).json
    after = events_of_series(cast.alice, event["id"])
    assert (reply["occurrences"], reply["repeat"]) == (5, preview["repeat"])
    assert len({e["id"] for e in after} & {e["id"] for e in before}) == preview["kept"]
    alone = [before[i] for i in (1, 3)]
    assert [cast.alice.get(f"/api/events/{e['id']}").json["series_id"] for e in alone] == [None, None]


@pytest.mark.parametrize(
    ("first", "index", "second"),
    [
        # The event itself has no date in the first rule, and none or one in the second.
        ({"by_day": "TH", "count": 3}, 1, {"by_day": "FR", "count": 2}),
        ({"by_day": "TH", "count": 3}, 2, {"by_day": "TH", "count": 2, "also": "2027-03-09"}),
        # An excepted date stays excepted, whether or not the second rule has it.
        ({"count": 3, "except": "2027-03-09,2027-03-10"}, 0, {"count": 4}),
        ({"count": 3, "except": "2027-03-16"}, 2, {"count": 4, "start_date": "2027-03-09"}),
    ],
)
def test_a_dry_run_agrees_with_the_change(cast: Cast, first: dict[str, Any], index: int, second: dict[str, Any]) -> None:
    event = an_event(cast.alice, start_time=TUESDAY)
    assert _repeat(cast.alice, event["id"], frequency="WEEKLY", **first).status == 200
    before = ids_of_series(cast.alice, event["id"])
    repeated = before[min(index, len(before) - 1)]
    preview = _repeat(cast.alice, repeated, frequency="WEEKLY", **second, dry_run=True).json
    reply = _repeat(cast.alice, repeated, frequency="WEEKLY", **second).json
    after = ids_of_series(cast.alice, repeated)
    counts = {
        "kept": len({*before} & {*after}),
        "created": len({*after} - {*before}),
        "removed": len({*before} - {*after}),
        "occurrences": len(after),
        "repeat": reply["repeat"],
    }
    assert {name: preview[name] for name in counts} == counts
    days = _days(cast.alice, repeated)
    assert len(days) == len({*days})
    assert_rule_agrees(cast.alice, repeated)


def test_a_count_is_split_twice_in_its_middle_and_single_changes_stay_with_their_dates(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time=TUESDAY)
    _repeat(cast.alice, event["id"], frequency="WEEKLY", by_day=["TU", "TH"], count=10, also="2027-03-29")
    before = events_of_series(cast.alice, event["id"])
    by_day = {e["start_time"][:10]: e["id"] for e in before}
    a_comment(cast.carol, {"id": by_day["2027-04-06"]})
    a_response(cast.anonymous, {"id": by_day["2027-03-18"]}, email_address="gus@example.org")
    cast.alice.put(f"/api/events/{by_day['2027-03-25']}", json={"start_time": "2027-03-26T21:00"})
    cast.alice.delete(f"/api/events/{by_day['2027-03-23']}")
    for day, title in (("2027-03-18", "Second part"), ("2027-03-30", "Third part")):
        assert cast.alice.put(f"/api/events/{by_day[day]}", json={"title": title, "scope": "following"}).status == 200
    details = {day: cast.alice.get(f"/api/events/{event_id}").json for day, event_id in by_day.items() if day != "2027-03-23"}
    rules = [details[day]["repeat"] for day in ("2027-03-09", "2027-03-18", "2027-03-30")]
    assert [(rule["rrule"], rule["start_date"], rule["also"], rule["except"]) for rule in rules] == [
        ("FREQ=WEEKLY;COUNT=3;BYDAY=TU,TH", "2027-03-09", [], []),
        ("FREQ=WEEKLY;COUNT=3;BYDAY=TU,TH", "2027-03-18", ["2027-03-29"], ["2027-03-23"]),
        ("FREQ=WEEKLY;COUNT=4;BYDAY=TU,TH", "2027-03-30", [], []),
    ]
    assert [e["id"] for e in details.values()] == [e["id"] for e in before if e["id"] in {s["id"] for s in details.values()}]
    assert details["2027-03-25"]["start_time"].startswith("2027-03-26T21:00")
    assert details["2027-04-06"]["comments_count"] == 1
    assert details["2027-03-18"]["responses"]["yes"] == 1
    for rule in ("2027-03-09", "2027-03-18", "2027-03-30"):
        assert_rule_agrees(cast.alice, by_day[rule])


def test_a_weekly_series_moves_to_other_weekdays(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=TUESDAY)
    _repeat(cast.alice, event["id"], frequency="WEEKLY", interval=2, by_day=["TU", "SU"], count=6)
    before = _days(cast.alice, event["id"])
    moved = cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-03-10T19:00", "scope": "all"})
    assert moved.json["repeat"]["rrule"] == "FREQ=WEEKLY;INTERVAL=2;COUNT=6;BYDAY=MO,WE;WKST=TU"
    after = _days(cast.alice, event["id"])
    assert after == [(date.fromisoformat(day) + timedelta(days=1)).isoformat() for day in before]
    repeat = moved.json["repeat"]
    assert _repeat(cast.alice, event["id"], rrule=repeat["rrule"], start_date=repeat["start_date"]).json["occurrences"] == 6
    assert _days(cast.alice, event["id"]) == after


@pytest.mark.parametrize(
    ("rule", "moved", "rrule"),
    [
        ({"frequency": "MONTHLY", "by_day": "2TU", "count": 6}, "2027-03-10", "FREQ=MONTHLY;COUNT=6;BYDAY=2WE"),
        ({"frequency": "MONTHLY", "by_day": "2TU"}, "2027-03-16", "FREQ=MONTHLY;BYDAY=3TU"),
        (
            {"frequency": "MONTHLY", "interval": 2, "by_day": "2TU", "end_date": "2028-03-01"},
            "2027-04-02",
            "FREQ=MONTHLY;INTERVAL=2;UNTIL=20280204;BYDAY=1FR",
        ),
        (
            {"frequency": "MONTHLY", "by_month_day": "9", "by_month": "3,6", "count": 5},
            "2027-03-12",
            "FREQ=MONTHLY;COUNT=5;BYMONTH=3,6;BYMONTHDAY=12",
        ),
        ({"frequency": "YEARLY", "by_day": "2TU", "by_month": "3", "count": 4}, "2027-04-30", "FREQ=YEARLY;COUNT=4;BYMONTH=4;BYDAY=-1FR"),
        ({"frequency": "MONTHLY", "count": 4}, "2027-02-28", "FREQ=MONTHLY;COUNT=4"),
    ],
)
def test_a_series_on_one_day_of_the_month_moves_to_another(cast: Cast, rule: dict[str, Any], moved: str, rrule: str) -> None:
    event = an_event(cast.alice, start_time=TUESDAY, end_time="2027-03-09T21:00")
    _repeat(cast.alice, event["id"], **rule)
    ids = ids_of_series(cast.alice, event["id"])
    cast.alice.delete(f"/api/events/{ids[1]}")
    reply = cast.alice.put(
        f"/api/events/{event['id']}", json={"start_time": f"{moved}T18:00", "end_time": f"{moved}T20:30", "scope": "all"}
    )
    assert reply.status == 200, reply
    assert (reply.json["repeat"]["rrule"], reply.json["repeat"]["start_date"]) == (rrule, moved)
    days = [day.date().isoformat() for day in islice(rrulestr(rrule, dtstart=datetime.fromisoformat(moved)), len(ids))]
    others = load_times(cast.alice, [ids[0], *ids[2:]])
    assert [(start[:16], (end or "")[:16]) for start, end in others] == [(f"{day}T18:00", f"{day}T20:30") for day in [days[0], *days[2:]]]
    assert_rule_agrees(cast.alice, event["id"])


@pytest.mark.parametrize(
    "rule",
    [
        {"frequency": "MONTHLY", "by_day": "2TU,4TU", "count": 6},
        {"frequency": "MONTHLY", "by_day": "MO,TU", "by_set_pos": "2", "count": 6},
        {"frequency": "YEARLY", "by_day": "10TU", "count": 3},
        {"frequency": "MONTHLY", "by_day": "TU", "count": 6},
    ],
)
def test_a_series_whose_rule_says_more_than_a_day_does_not_move_to_another(cast: Cast, rule: dict[str, Any]) -> None:
    event = an_event(cast.alice, start_time=TUESDAY)
    _repeat(cast.alice, event["id"], **rule)
    before = _days(cast.alice, event["id"])
    start = cast.alice.get(f"/api/events/{event['id']}").json["start_time"][:10]
    day = date.fromisoformat(start) + timedelta(days=1)
    moved = cast.alice.put(f"/api/events/{event['id']}", json={"start_time": f"{day}T19:00", "scope": "all"})
    assert (moved.status, moved.broken) == (422, ["start_time"])
    assert "with repeat" in moved.text
    assert _days(cast.alice, event["id"]) == before


RULES = [
    "FREQ=DAILY;INTERVAL=3;COUNT=40",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU;COUNT=31",
    "FREQ=MONTHLY;BYDAY=2TU,-1FR;COUNT=25",
    "FREQ=MONTHLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;UNTIL=20300101",
    "FREQ=YEARLY;BYMONTH=2,7;BYMONTHDAY=-1;COUNT=9",
    "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO,TH;UNTIL=20350101",
]


@given(
    st.sampled_from(RULES),
    st.dates(date(2026, 1, 1), date(2027, 12, 31)),
    st.integers(1, 1_500),
    st.sets(st.integers(0, 1_500), max_size=4),
)
def test_the_two_parts_of_a_rule_have_the_dates_of_the_whole(text: str, start: date, days: int, also: set[int]) -> None:
    recurrence = parse(text)
    first = next(Rule(recurrence, start).own_dates())
    rule = Rule(canonicalise(recurrence, first), first).with_dates(first + timedelta(days=n) for n in also)
    whole = rule.dates(date(2040, 1, 1))
    later = [day for day in whole if day >= first + timedelta(days=days)]
    if later and later != whole:
        before, after = rule.end_before(later[0]), rule.begin_at(later[0])
        assert [*before.dates(date(2040, 1, 1)), *after.dates(date(2040, 1, 1))] == whole
        assert all(rule.has(day) for day in whole)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("FREQ=DAILY", "Every day"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "Every weekday (Monday to Friday)"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR", "Every 2 weeks on Monday, Wednesday and Friday"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15", "Every 1st and 15th day of the month"),
        ("FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR", "Every 3 months on the last Friday"),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "Every Friday if it is the 13th day of the month"),
        ("FREQ=YEARLY;BYMONTH=6", "Every year in June"),
        ("FREQ=YEARLY;BYWEEKNO=20", "Every year in week 20"),
        ("FREQ=YEARLY;BYYEARDAY=-2,100", "Every year on the 100th and 2nd to last day of the year"),
        ("FREQ=WEEKLY;BYMONTH=2", "Every week in February"),
        ("FREQ=DAILY;COUNT=1", "Every day, once"),
    ],
)
def test_a_rule_has_a_sentence(text: str, sentence: str) -> None:
    assert describe(parse(text)) == sentence


@pytest.mark.parametrize(
    ("language", "monday", "last_sundays"),
    [
        ("en", "Every year on the 20th Monday", "Every year on the 10th to last Sunday"),
        ("de", "Jedes Jahr am 20. Montag", "Jedes Jahr am 10. Sonntag vom Ende"),
        ("fr", "Chaque année, le 20e lundi", "Chaque année, le 10e dimanche en partant de la fin"),
        ("es", "Cada año, el 20.º lunes", "Cada año, el 10.º domingo empezando por el final"),
        ("it", "Ogni anno, 20° lunedì", "Ogni anno, 10ª domenica a partire dalla fine"),
        ("pt", "Todos os anos, na 20.ª segunda-feira", "Todos os anos, no 10.º domingo a contar do fim"),
        ("nl", "Elk jaar op de 20e maandag", "Elk jaar op de 10e zondag van achteren"),
        ("ja", "1年ごと 第20月曜日", "1年ごと 最後から数えて第10日曜日"),
        ("ar", "كل سنة: الاثنين الـ20", "كل سنة: الأحد الـ10 من الآخر"),
    ],
)
def test_a_weekday_beyond_the_fifth_has_an_ordinal_number(language: str, monday: str, last_sundays: str) -> None:
    for day, sentence in (("20MO", monday), ("-10SU", last_sundays)):
        assert Locale(language).translate(describe(parse(f"FREQ=YEARLY;BYDAY={day}"))) == sentence


@given(rules(), st.integers(1, 20))
def test_any_rule_is_followed_or_refused_and_can_be_split(cast: Cast, sample: tuple[str, date], count: int) -> None:
    event = an_event(cast.alice, start_time=sample[1].isoformat())
    reply = _repeat(cast.alice, event["id"], rrule=f"{sample[0]};COUNT={count}")
    assert (reply.status, reply.json.get("occurrences", 0) > 0) in ((200, True), (422, False)), reply
    if reply.status == 200:
        last = events_of_series(cast.alice, event["id"])[-1]["id"]
        assert cast.alice.put(f"/api/events/{last}", json={"title": "Last", "scope": "following"}).status == 200
        assert cast.alice.get(f"/api/calendars/{cast.alice.primary_calendar_id}.ics").status == 200
        cast.alice.delete(f"/api/events/{last}", query={"scope": "all"})
    cast.alice.delete(f"/api/events/{event['id']}", query={"scope": "all"})


@given(rules())
def test_every_rule_has_a_sentence(sample: tuple[str, date]) -> None:
    text, start = sample
    assert describe(canonicalise(parse(text), start)).startswith("Every ")


def test_an_endless_rule_is_created_24_months_ahead(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=TUESDAY)
    reply = _repeat(cast.alice, event["id"], frequency="MONTHLY", by_day="2TU").json
    assert (reply["occurrences"], reply["repeat"]["end_date"], reply["repeat"]["count"]) == (24, None, None)

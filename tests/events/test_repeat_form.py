"""The form that repeats an event: sentences for its start, all other rules, their end, and the next dates before it is saved."""

import re
from html import unescape
from typing import Any

import pytest

from tests.cast import Cast, Person, an_event
from tests.client import Reply
from tests.events.series import events_of_series
from tests.openapi import page as html

pytestmark = pytest.mark.on_one_database

BROWSER = {"Accept": "text/html"}
# The second Tuesday of March 2027.
TUESDAY = "2027-03-09"
NEW = {"title": "Choir", "start_time": TUESDAY, "start_clock": "19:00", "time_zone": "Europe/Paris", "public": "false"}
MONDAY_AND_THURSDAY = {"repeat": "custom", "frequency": "WEEKLY", "interval": "1", "by_day[]": ["MO", "TH"]}
LAST_DAY_SIX_TIMES = {
    **{"repeat": "custom", "frequency": "MONTHLY", "interval": "1", "by_month_day": "last"},
    **{"ends": "after", "count": "6"},
}


def submit(person: Person, path: str, values: dict[str, Any]) -> Reply:
    """Send the form; of a list, each value under the same name."""
    pairs = [(name, each) for name, value in values.items() for each in (value if isinstance(value, list) else [value])]
    return person.post(path, data=pairs, headers=BROWSER)


def read_form(page: str, path: str) -> dict[str, Any]:
    """The values that a browser would send for the form of this path."""
    form = next(element for element in html.read(page).walk() if element.tag == "form" and element.attributes.get("action") == path)
    values: dict[str, Any] = {}
    for element in form.walk():
        name, kind = element.attributes.get("name"), element.attributes.get("type")
        if not name or (kind in ("radio", "checkbox") and "checked" not in element.attributes):
            continue
        if element.tag == "select":
            options = [option for option in element.walk() if option.tag == "option"]
            selected = next((option for option in options if "selected" in option.attributes), options[0])
            values[name] = selected.attributes["value"]
        elif element.tag == "input" and kind == "checkbox":
            values.setdefault(name, []).append(element.attributes["value"])
        elif element.tag == "input":
            values[name] = element.attributes.get("value", "")
    return values


def dates(page: Reply) -> list[str]:
    assert page.status == 200, page
    return [unescape(day) for day in re.findall(r"<li>([^<]*)</li>", page.text.partition("data-dates")[2])]


def hint(page: Reply) -> str:
    """What the form says about the dates."""
    text = page.text.partition("data-dates")[2].partition("</div>")[0].partition(">")[2]
    return " ".join(re.sub("<[^>]*>", " ", unescape(text)).split())


def repeat_of(person: Person, event_id: int) -> dict[str, Any]:
    repeat: dict[str, Any] = person.get(f"/api/events/{event_id}").json["repeat"]
    return repeat


@pytest.mark.parametrize(
    ("day", "weekly", "monthly"),
    [
        (TUESDAY, "Weekly on Tuesday", "Every second Tuesday of the month"),
        ("2027-03-31", "Weekly on Wednesday", "Every last Wednesday of the month"),
    ],
)
def test_the_form_offers_sentences_for_the_day_of_the_start(cast: Cast, day: str, weekly: str, monthly: str) -> None:
    event = an_event(cast.alice, start_time=f"{day}T23:30", time_zone="America/New_York")
    for path in (f"/events/new?form_token=1&start_time={day}", f"/events/{event['id']}/repeat"):
        sentences = re.findall("<span data-sentence>([^<]*)</span>", cast.alice.get(path).text)
        assert sentences == ["Does not repeat", "Daily", weekly, monthly, "Every weekday (Mon–Fri)", "Custom…"]


@pytest.mark.parametrize(
    ("rule", "rrule"),
    [
        ({"repeat": "daily", "ends": "on", "end_date": "2027-03-12"}, "FREQ=DAILY;UNTIL=20270312"),
        ({"repeat": "weekly", "ends": "after", "count": "3"}, "FREQ=WEEKLY;COUNT=3"),
        ({"repeat": "monthly", "ends": "never", "end_date": "2027-04-01", "count": "2"}, "FREQ=MONTHLY;BYDAY=2TU"),
        ({"repeat": "weekdays", "ends": "after", "count": "9"}, "FREQ=WEEKLY;COUNT=9;BYDAY=MO,TU,WE,TH,FR"),
        (MONDAY_AND_THURSDAY, "FREQ=WEEKLY;BYDAY=MO,TH"),
        (LAST_DAY_SIX_TIMES, "FREQ=MONTHLY;COUNT=6;BYMONTHDAY=-1"),
        ({"repeat": "custom", "rrule": "FREQ=YEARLY;BYWEEKNO=20", "ends": "after", "count": "2"}, "FREQ=YEARLY;COUNT=2;BYWEEKNO=20"),
        ({"repeat": "custom", "rrule": "FREQ=DAILY", "ends": "on", "end_date": "2027-03-12"}, "FREQ=DAILY;UNTIL=20270312"),
    ],
)
def test_an_event_and_its_repetition_are_created_by_one_form(cast: Cast, rule: dict[str, Any], rrule: str) -> None:
    created = submit(cast.alice, "/events", NEW | rule)
    assert created.redirect[1] == "published"
    repeat = repeat_of(cast.alice, int(created.redirect[0].rpartition("/")[2]))
    assert repeat["rrule"] == rrule


def test_the_dates_of_a_new_event_are_listed_before_it_is_saved(cast: Cast) -> None:
    typed = NEW | {"title": "", "preview": "true", "description": "With <piano>"}
    second_tuesday = submit(cast.alice, "/events", typed | {"repeat": "monthly"})
    assert dates(second_tuesday) == [
        *("Tuesday, 9 March 2027", "Tuesday, 13 April 2027", "Tuesday, 11 May 2027"),
        *("Tuesday, 8 June 2027", "Tuesday, 13 July 2027"),
    ]
    assert hint(second_tuesday).startswith("Every second Tuesday of the month . Next dates:")
    assert "With &lt;piano&gt;" in second_tuesday.text
    last_day = submit(cast.alice, "/events", typed | LAST_DAY_SIX_TIMES | {"start_time": "2027-01-31"})
    assert dates(last_day)[:2] == ["Sunday, 31 January 2027", "Sunday, 28 February 2027"]
    assert "Every last day of the month, 6 times" in last_day.text
    assert hint(submit(cast.alice, "/events", typed | {"repeat": "weekly"})).startswith("Every week on Tuesday .")
    on_day = {"repeat": "custom", "frequency": "MONTHLY", "interval": "2"}
    assert hint(submit(cast.alice, "/events", typed | on_day)).startswith("Every 2 months on the 9th day .")
    assert submit(cast.alice, "/events", typed | {"repeat": "none"}).text.count("The event doesn’t repeat.") == 1
    assert cast.alice.get("/api/events?count=true").json["total"] == 0


def test_a_start_that_the_rule_leaves_out_is_listed_as_one_more_date(cast: Cast) -> None:
    preview = submit(cast.alice, "/events", NEW | MONDAY_AND_THURSDAY | {"preview": "true"})
    assert dates(preview)[:3] == ["Tuesday, 9 March 2027", "Thursday, 11 March 2027", "Monday, 15 March 2027"]
    assert "The event itself is on Tuesday, 9 March 2027, which the rule leaves out, so it counts as an extra date." in hint(preview)
    created = submit(cast.alice, "/events", NEW | MONDAY_AND_THURSDAY | {"ends": "after", "count": "4"})
    assert len(events_of_series(cast.alice, int(created.redirect[0].rpartition("/")[2]))) == 5


@pytest.mark.parametrize(
    "rrule",
    [
        "FREQ=WEEKLY",
        "FREQ=MONTHLY;COUNT=7;BYDAY=2TU",
        "FREQ=WEEKLY;INTERVAL=2;UNTIL=20270601;BYDAY=TU,SU",
        "FREQ=MONTHLY;COUNT=5;BYMONTHDAY=1,15,-1",
        "FREQ=MONTHLY;COUNT=5;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1",
        "FREQ=MONTHLY;COUNT=5;BYMONTHDAY=28,29,30;BYSETPOS=-1",
        "FREQ=YEARLY;COUNT=5;BYMONTH=3,4;BYDAY=2TU",
        "FREQ=MONTHLY;COUNT=5;BYDAY=1MO,3WE",
        "FREQ=WEEKLY;INTERVAL=2;COUNT=5;BYDAY=TU,SU;WKST=SU",
        "FREQ=YEARLY;COUNT=5;BYWEEKNO=10;BYDAY=TU",
    ],
)
def test_the_form_of_any_date_says_the_rule_and_changes_nothing_if_it_is_saved_again(cast: Cast, rrule: str) -> None:
    event = an_event(cast.alice, start_time=f"{TUESDAY}T19:00")
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"rrule": rrule, "also": ["2027-03-20"]}).status == 200
    before, repeat = events_of_series(cast.alice, event["id"]), repeat_of(cast.alice, event["id"])
    path = f"/events/{before[2]['id']}/repeat"
    form = read_form(cast.alice.get(path).text, path)
    assert form["start_date"] == repeat["start_date"]
    assert submit(cast.alice, path, form).redirect[1] == "rule-saved"
    assert repeat_of(cast.alice, event["id"]) == repeat
    assert [each["id"] for each in events_of_series(cast.alice, event["id"])] == [each["id"] for each in before]


def test_a_preview_says_what_would_happen_to_the_dates_of_a_series(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=f"{TUESDAY}T19:00")
    path = f"/events/{event['id']}/repeat"
    rule = {"repeat": "monthly", "ends": "after", "count": "6"}
    preview = submit(cast.alice, path, rule | {"preview": "true"})
    assert hint(preview).startswith("Every second Tuesday of the month, 6 times . 1 date stays, 5 are new, 0 are deleted.")
    assert repeat_of(cast.alice, event["id"]) is None
    assert submit(cast.alice, path, rule).redirect[1] == "rule-saved"
    assert repeat_of(cast.alice, event["id"])["text"] == "Every second Tuesday of the month, 6 times"
    fewer = submit(cast.alice, path, rule | {"count": "2", "preview": "live"})
    assert "2 dates stay, 0 are new, 4 are deleted." in hint(fewer)


def test_a_sentence_that_a_later_start_makes_untrue_is_not_saved_unseen(cast: Cast) -> None:
    typed = NEW | {"repeat": "weekly", "sentences_for": "2027-03-08"}
    refused = submit(cast.alice, "/events", typed)
    assert refused.status == 422
    assert "would be “Weekly on Tuesday”" in refused.text
    assert cast.alice.get("/api/events?count=true").json["total"] == 0
    assert submit(cast.alice, "/events", typed | {"sentences_for": read_form(refused.text, "/events")["sentences_for"]}).redirect
    assert submit(cast.alice, "/events", typed | {"repeat": "daily", "ends": "after", "count": "2"}).redirect[1] == "published"


@pytest.mark.parametrize(("choice", "earlier_start"), [("weekly", "2027-03-02"), ("monthly", "2027-02-09"), ("daily", "2027-03-08")])
def test_a_sentence_that_stays_true_for_a_later_start_is_saved(cast: Cast, choice: str, earlier_start: str) -> None:
    assert submit(cast.alice, "/events", NEW | {"repeat": choice, "sentences_for": earlier_start}).redirect[1] == "published"


@pytest.mark.parametrize(("choice", "shown_for"), [("monthly", "2027-03-02"), ("weekly", "soon")])
def test_a_sentence_for_another_start_is_not_saved_unseen(cast: Cast, choice: str, shown_for: str) -> None:
    assert submit(cast.alice, "/events", NEW | {"repeat": choice, "sentences_for": shown_for}).status == 422


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("rule", "field", "message"),
    [
        ({"repeat": "weekly", "ends": "after"}, "count", "Number of dates is required"),
        ({"repeat": "weekly", "ends": "on"}, "end_date", "Last day is required"),
        ({"repeat": "weekly", "ends": "after", "count": "1001"}, "count", "between 1 and 1000"),
        ({"repeat": "custom", "frequency": "WEEKLY", "interval": "0"}, "interval", "Interval"),
        ({"repeat": "custom", "frequency": "MONTHLY", "by_month_day": "soon"}, "by_month_day", "Days of the month"),
        ({"repeat": "custom", "rrule": "FREQ=SECONDLY"}, "rrule", "Full rule (RRULE)"),
        ({"repeat": "hourly"}, "repeat", "choose how often"),
    ],
)
def test_a_rule_that_is_not_complete_names_its_field(cast: Cast, rule: dict[str, Any], field: str, message: str) -> None:
    refused = submit(cast.alice, "/events", NEW | rule)
    assert (refused.status, f'href="#{field}"' in refused.text, f'id="{field}"' in refused.text) == (422, True, True)
    assert submit(cast.alice, "/events", NEW | rule | {"preview": "true"}).status == 422
    live = submit(cast.alice, "/events", NEW | rule | {"preview": "live"})
    assert live.status == 200
    assert message in hint(live)


def test_an_existing_event_needs_a_rule_to_repeat(cast: Cast) -> None:
    path = f"/events/{an_event(cast.alice)['id']}/repeat"
    refused = submit(cast.alice, path, {"repeat": "none"})
    assert (refused.status, 'href="#repeat"' in refused.text) == (422, True)

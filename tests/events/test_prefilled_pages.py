"""The form of a new event, filled in from one line or from an event that is held again."""

import html
import re

import pytest

from tests.cast import Cast, Person, an_event
from tests.client import Reply

pytestmark = pytest.mark.on_one_database


def field(page: Reply, name: str) -> str:
    match = re.search(rf'name="{name}"[^>]* value="([^"]*)"', page.text.partition('action="/events"')[2])
    assert match is not None, name
    return match[1]


@pytest.fixture
def erin(cast: Cast) -> Person:
    """It is Thursday, 28 May 2026, 22:26 in Paris."""
    return Person(cast.anonymous, "erin", time_zone="Europe/Paris")


def test_a_line_comes_back_as_a_form_that_publishes_it(erin: Person) -> None:
    page = erin.post("/events/quick", data={"line": "Jazz trio Friday 8pm at Le Sextant", "form_token": "1"})
    assert page.status == 200
    names = ("title", "start_time", "start_clock", "end_time", "end_clock", "location", "time_zone", "form_token")
    fields = {name: field(page, name) for name in names}
    assert fields == {
        "title": "Jazz trio",
        "start_time": "2026-05-29",
        "start_clock": "20:00",
        "end_time": "",
        "end_clock": "22:00",
        "location": "Le Sextant",
        "time_zone": "Europe/Paris",
        "form_token": "1",
    }
    assert '<option value="link" selected>' in page.text
    assert "Publish</button>" in page.text
    created = erin.post("/events", data=fields | {"visibility": "link"})
    event = erin.get(f"/api{created.redirect[0]}").json
    assert (event["title"], event["start_time"], event["end_time"]) == (
        *("Jazz trio", "2026-05-29T20:00:00+02:00", "2026-05-29T22:00:00+02:00"),
    )
    assert (event["location"], event["visibility"]) == ("Le Sextant", "link")


def test_a_line_that_says_every_weekday_repeats_weekly(erin: Person) -> None:
    page = erin.post("/events/quick", data={"line": "Choir practice every Tuesday 7pm at St John's", "form_token": "1"})
    names = ("title", "start_time", "start_clock", "end_clock", "location", "time_zone", "form_token", "sentences_for")
    fields = {name: html.unescape(field(page, name)) for name in names}
    assert (fields["title"], fields["start_time"], fields["location"]) == ("Choir practice", "2026-06-02", "St John's")
    assert '<input type="radio" name="repeat" value="weekly" checked>' in page.text
    # What was understood says it; the options stay closed.
    assert '<a class="chip" href="#repeat">Every Tuesday</a>' in page.text
    assert '<details class="card" open>' not in page.text
    created = erin.post("/events", data=fields | {"repeat": "weekly"})
    assert erin.get(f"/api{created.redirect[0]}").json["repeat"]["rrule"] == "FREQ=WEEKLY"


@pytest.mark.parametrize(
    ("when", "sentence"),
    [
        ("Tuesdays at 7 until 20 December", "Every Tuesday until 20 Dec 2026"),
        ("every 2 weeks 7pm 10 times", "Every 2 weeks on Thursday, 10 times"),
        ("last Friday of every month 7pm", "Every last Friday of the month"),
        ("1st and 3rd Monday of the month 7pm", "Every first Monday and the third Monday of the month"),
        ("weekdays 7pm", "Every weekday (Monday to Friday)"),
        ("every year on 3 May 7pm", "Every year"),
    ],
)
def test_the_rule_of_a_line_is_said_in_words(erin: Person, when: str, sentence: str) -> None:
    page = erin.post("/events/quick", data={"line": f"Yoga {when}", "form_token": "1"}).text
    assert f'<a class="chip" href="#repeat">{sentence}</a>' in html.unescape(page)


def test_what_is_not_understood_is_said(erin: Person) -> None:
    page = erin.post("/events/quick", data={"line": "Yoga every Tuesday 7pm until <b>Easter"})
    assert field(page, "title") == "Yoga until &lt;b&gt;Easter"
    assert "We couldn’t read “until &lt;b&gt;Easter” as" in page.text
    assert "We couldn’t read" not in erin.post("/events/quick", data={"line": "Every Brilliant Thing Friday 8pm"}).text


def test_a_line_that_says_one_day_does_not_repeat(erin: Person) -> None:
    page = erin.post("/events/quick", data={"line": "Every body dance Friday 8pm"})
    assert field(page, "title") == "Every body dance"
    assert ('name="repeat" value="none" checked' in page.text, '<details class="card" open>' in page.text) == (True, False)
    assert 'href="#repeat"' not in page.text


def test_a_line_without_a_day_asks_for_one(erin: Person) -> None:
    page = erin.post("/events/quick", data={"line": "Jazz trio at Le Sextant"})
    assert (page.status, field(page, "title"), field(page, "start_time")) == (200, "Jazz trio", "")
    assert "say Friday 8pm" in page.text


def test_the_line_is_read_in_the_language_of_the_page(erin: Person) -> None:
    page = erin.get("/events/new?form_token=1", headers={"Accept-Language": "de"}).text
    assert ("data-quick" in page, 'placeholder="Jazztrio Freitag 20 Uhr im Le Sextant"' in page) == (True, True)
    german = erin.post("/events/quick", data={"line": "Abendessen am Freitag 20 Uhr bei Maria"}, headers={"Accept-Language": "de"})
    values = [field(german, name) for name in ("title", "start_time", "start_clock", "location")]
    assert values == ["Abendessen", "2026-05-29", "20:00", "Maria"]


def test_the_calendar_sends_the_time_beside_the_title(erin: Person) -> None:
    page = erin.post("/events/quick", data={"line": "Zahnarzt", "time": "12 Jun 2026 10:00–11:30"})
    fields = [field(page, name) for name in ("title", "start_time", "start_clock", "end_clock")]
    assert fields == ["Zahnarzt", "2026-06-12", "10:00", "11:30"]


def test_today_is_that_of_the_calendar(cast: Cast) -> None:
    kiri = Person(cast.anonymous, "kiri", time_zone="Pacific/Auckland")
    assert field(kiri.post("/events/quick", data={"line": "Call tomorrow noon"}), "start_time") == "2026-05-30"


@pytest.mark.parametrize("line", ["", "<script>alert(1)</script> Friday", "x" * 20_000, "Jazz \x00 Friday", "Fair 31 Dec 9999 11pm"])
def test_any_line_has_a_form(erin: Person, line: str) -> None:
    page = erin.post("/events/quick", data={"line": line})
    assert page.status in (200, 422)
    assert "<script>alert" not in page.text


def test_a_new_event_lasts_two_hours(erin: Person) -> None:
    page = erin.get("/events/new?start_time=2026-06-01T19:30&form_token=1")
    assert (field(page, "end_time"), field(page, "end_clock")) == ("", "21:30")
    for start in ("2026-06-01", "2026-06-01T23:00"):
        assert field(erin.get(f"/events/new?start_time={start}&form_token=1"), "end_clock") == ""


def test_a_duplicate_has_the_content_and_a_new_date(erin: Person) -> None:
    old = an_event(erin, title="Choir", start_time="2026-05-05T19:00", end_time="2026-05-06T01:00", visibility="public", tag_list="sing")
    page = erin.get(f"/events/{old['id']}/duplicate?form_token=1")
    # A Tuesday, as before, and the next one that is to come.
    values = [field(page, name) for name in ("title", "start_time", "start_clock", "end_time", "end_clock", "tag_list")]
    assert values == ["Choir", "2026-06-02", "19:00", "2026-06-03", "01:00", "sing"]
    assert '<option value="public" selected>' in page.text
    coming = an_event(erin, start_time="2026-07-07")
    assert field(erin.get(f"/events/{coming['id']}/duplicate?form_token=1"), "start_time") == "2026-07-14"

"""The overview of an event for its organisers: figures, the latest responses, what waits for them, and the address that guests can open."""

import re

import pytest

from kalends.features.events.rules import response_days
from tests.cast import Cast, Person, a_calendar, a_comment, a_response, an_event

DAY = 86_400


def test_the_figures_are_those_of_the_api(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00", capacity=5, waiting_list="auto", show_counts=False)
    for name, response, people in [("ann", "YES", 3), ("ben", "YES", 1), ("cem", "YES", 4), ("dora", "MAYBE", 1), ("eva", "NO", 1)]:
        a_response(cast.alice, event, email_address=f"{name}@example.org", response=response, number=people)
    path = f"/api/events/{event['id']}"
    invited = cast.alice.post(f"{path}/invitations", json={"addresses": ["ann@example.org", "fay@example.org", "gus@example.org"]})
    assert invited.status in (200, 201, 202), invited
    of_api = cast.alice.get(path).json
    open_invitations = [each for each in cast.alice.get(f"{path}/invitations").json["invitations"] if each["response"] is None]
    expected = {
        "going": of_api["places"]["held"],
        "maybe": of_api["responses"]["maybe"],
        "invited": len(open_invitations),
        "waiting": of_api["places"]["waiting"],
    }
    assert expected == {"going": 4, "maybe": 1, "invited": 2, "waiting": 4}
    assert _figures(cast.alice, event["id"]) == expected


def test_without_a_capacity_those_who_come_are_counted_and_nobody_waits(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00")
    a_response(cast.alice, event, email_address="ann@example.org", number=2, plus_n=1)
    assert _figures(cast.alice, event["id"]) == {"going": 3, "maybe": 0, "invited": 0}


def test_the_overview_has_the_latest_responses_and_what_waits(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00", approval=True)
    a_response(cast.anonymous, event, email_address="ida@example.org", name="Ida Berg", number=4, comment="We bring <soup>.")
    a_comment(cast.anonymous, event, email_address="ida@example.org", comment="Is there a cloak room?")
    page = cast.alice.get(f"/events/{event['id']}").text
    for part in ("Ida Berg", ">IB<", "and 3 more", "We bring &lt;soup&gt;.", "1 comment to approve", "1 RSVP to approve"):
        assert part in page, part
    assert re.search(r'<span class="count">2<span class="hidden"> waiting for you', cast.alice.get(f"/events/{event['id']}/history").text)


def test_the_organiser_of_a_link_event_is_at_the_address_that_guests_can_open(cast: Cast) -> None:
    event = an_event(cast.alice, visibility="link", start_time="2031-06-01T20:00", title="Under the bridge")
    [address] = cast.alice.get(f"/events/{event['id']}").redirect[:1]
    assert event["link_url"].endswith(address)
    mine = cast.alice.get(address)
    assert mine.status == 200
    assert f'action="/events/{event["id"]}/reset_link"' in mine.text
    guest = cast.anonymous.get(address)
    assert (guest.status, "Under the bridge" in guest.text) == (200, True)
    assert "reset_link" not in guest.text
    assert "/responses?tab=going" not in guest.text


def test_an_organiser_comments_without_typing_name_and_address(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00")
    form = cast.alice.get(f"/events/{event['id']}").text.partition(f'action="/events/{event["id"]}/comment"')[2]
    assert 'name="email_address"' not in form
    assert cast.alice.post(f"/events/{event['id']}/comment", data={"comment": "Yes, there is."}).status == 303
    assert "Yes, there is." in cast.anonymous.get(f"/events/{event['id']}").text


def test_a_private_event_has_no_link_for_guests(cast: Cast) -> None:
    event = an_event(cast.alice, calendar_id=a_calendar(cast.alice)["id"], start_time="2031-06-01T20:00")
    page = cast.alice.get(f"/events/{event['id']}").text
    assert 'id="address"' not in page
    assert 'class="qr"' not in page


def _figures(person: Person, event_id: int) -> dict[str, int]:
    page = person.get(f"/events/{event_id}").text
    return {tab: int(number) for tab, number in re.findall(r"/responses\?tab=(\w+)\"><strong>(\d+)</strong>", page)}


def test_the_plot_has_a_column_for_each_day_up_to_today() -> None:
    now = 100 * DAY
    counts = [(97 * DAY // 900, "YES", 2), (97 * DAY // 900 + 3, "MAYBE", 1), (99 * DAY // 900, "NO", 1)]
    columns = response_days.columns(counts, now, "UTC")
    assert [(each.yes, each.maybe, each.no) for each in columns] == [(2, 1, 0), (0, 0, 0), (0, 0, 1), (0, 0, 0)]
    assert columns[-1].is_labelled
    assert [part.kind for part in columns[0].parts] == ["yes", "maybe"]
    assert all(part.y >= 0 and part.y + part.height <= response_days.HEIGHT for each in columns for part in each.parts)


def test_a_day_begins_at_midnight_on_the_clocks_of_the_event() -> None:
    late = 99 * DAY // 900 + 95  # 23:45 in UTC
    columns = response_days.columns([(late, "YES", 3)], 100 * DAY + 8 * 3600, "Europe/Paris")
    assert [each.yes for each in columns] == [3]


@pytest.mark.parametrize("age", [29, 30, 31, 100, 209])
def test_an_older_event_has_a_column_for_each_week_and_loses_no_response(age: int) -> None:
    now = 1000 * DAY
    columns = response_days.columns([((now - age * DAY) // 900, "YES", 4), (now // 900, "NO", 1)], now, "UTC")
    assert len(columns) <= response_days.MAX_COLUMNS
    assert (sum(each.yes for each in columns), columns[-1].no) == (4, 1)


def test_those_on_the_waiting_list_are_plotted_apart_from_who_comes(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00", capacity=6, waiting_list="auto")
    for name in ("ann", "ben"):
        a_response(cast.alice, event, email_address=f"{name}@example.org", number=4)
    a_response(cast.alice, event, email_address="eva@example.org", response="NO")
    page = cast.alice.get(f"/events/{event['id']}").text
    assert "1 going, 0 maybe, 1 can’t go · 1 waiting" in page
    assert '<li class="wait">Waiting</li>' in page


def test_few_responses_are_not_plotted() -> None:
    assert response_days.columns([(0, "YES", 2)], DAY, "UTC") == []


def test_emails_that_wait_for_an_undo_are_announced_until_it_is_undone(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2037-06-01T20:00")
    for name in ("ann", "ben"):
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org")
    said = "2 people don’t know about your change: this site sends no email"
    path = f"/events/{event['id']}"
    assert said not in cast.alice.get(path).text
    assert cast.alice.put(f"/api{path}", json={"start_time": "2037-06-02T20:00"}).status == 200
    assert said in cast.alice.get(path).text
    seq = cast.alice.get(f"/api{path}/changes?limit=1").json["changes"][0]["seq"]
    assert cast.alice.post(f"/changes/{seq}/undo", data={}).status == 303
    assert said not in cast.alice.get(path).text

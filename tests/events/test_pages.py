"""Pages of events: their content, their forms, and the values that a refused form shows again."""

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest

from tests.cast import PASSWORD, Cast, a_calendar, a_comment, a_response, an_event, shared
from tests.client import Client, Reply
from tests.responses.guest_browser import GuestBrowser

BROWSER = {"Accept": "text/html"}


def submit(who: Client, path: str, **fields: Any) -> Reply:
    return who.post(path, data=fields)


def event_of(reply: Reply) -> int:
    assert reply.status == 303, reply.text
    return int(reply.headers["Location"].split("/")[2].split("?")[0])


def test_the_start_page_shows_what_is_on_and_to_come(cast: Cast) -> None:
    title = f"Gig of {cast.alice.user_name}"
    an_event(cast.alice, title=title, public=True, start_time="2026-06-01T20:00", location="Blue Note")
    an_event(cast.alice, title=f"Past {title}", public=True, start_time="2026-01-01")
    an_event(cast.alice, title=f"Secret {title}", start_time="2026-06-01")
    page = cast.anonymous.get("/", query={"text": cast.alice.user_name})
    assert page.status == 200
    assert f">{title}</a>" in page.text
    assert "Monday <small>1 June</small>" in page.text
    assert "Past" not in page.text
    assert "Secret" not in page.text
    assert "Nothing found." in cast.anonymous.get("/?text=xyzzy-nowhere").text


def test_the_page_of_an_event_shows_responses_and_approved_comments(cast: Cast) -> None:
    event = an_event(cast.alice, title="Jazz <b>night</b>", public=True, description="One\n\nTwo", tag_list="trio")
    a_response(cast.anonymous, event, email_address="gus@example.org", plus_n=2)
    a_comment(cast.anonymous, event, email_address="gus@example.org", comment="Waiting words")
    a_comment(cast.carol, event, comment="Open words")
    guest = cast.anonymous.get(f"/events/{event['id']}").text
    assert "Jazz &lt;b&gt;night&lt;/b&gt;" in guest
    assert "3 people going" in guest
    assert "Open words" in guest
    assert "Waiting words" not in guest
    assert "gus@example.org" not in guest
    assert f"/events/{event['id']}/edit" not in guest
    owner = cast.alice.get(f"/events/{event['id']}").text
    assert "Waiting words" in owner
    assert f"/events/{event['id']}/edit" in owner


def test_a_hidden_event_is_not_found_and_browsers_get_a_page(cast: Cast) -> None:
    event = an_event(cast.alice)
    hidden = cast.carol.get(f"/events/{event['id']}", headers=BROWSER)
    missing = cast.carol.get("/events/999999999", headers=BROWSER)
    assert hidden.status == missing.status == 404
    assert hidden.headers["Content-Type"].startswith("text/html")
    assert "<h1>Page not found</h1>" in hidden.text


def test_a_guest_is_led_to_sign_in_and_back(cast: Cast) -> None:
    reply = cast.anonymous.get("/events/new?start_time=2026-06-01", headers=BROWSER)
    assert (reply.status, reply.headers["Location"]) == (303, "/sign-in?next=%2Fevents%2Fnew%3Fstart_time%3D2026-06-01")
    page = cast.anonymous.get(reply.headers["Location"])
    assert 'name="next" value="/events/new?start_time=2026-06-01"' in page.text
    signed = submit(
        cast.anonymous,
        "/sign-in",
        user_name=cast.alice.user_name,
        password=PASSWORD,
        next="/events/new?start_time=2026-06-01",
    )
    assert (signed.status, signed.headers["Location"]) == (303, "/events/new?start_time=2026-06-01")
    assert "kalends_session=" in signed.headers["Set-Cookie"]


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""])
@pytest.mark.on_one_database
def test_signing_in_redirects_only_within_the_site(cast: Cast, elsewhere: str) -> None:
    signed = submit(cast.anonymous, "/sign-in", user_name=cast.alice.user_name, password=PASSWORD, next=elsewhere)
    assert (signed.status, signed.headers["Location"]) == (303, "/calendar")


def test_a_wrong_password_keeps_the_name_and_not_the_password(cast: Cast) -> None:
    reply = submit(cast.anonymous, "/sign-in", user_name=cast.alice.user_name, password="not my password")
    assert reply.status == 401
    assert f'value="{cast.alice.user_name}"' in reply.text
    assert "not my password" not in reply.text


def test_an_event_is_created_from_dates_and_times(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="Europe/Paris")
    event_id = event_of(
        submit(
            cast.alice,
            "/events",
            title="Gig",
            start_time="2026-06-01",
            start_clock="20:00",
            end_time="",
            end_clock="22:30",
            calendar_id=calendar["id"],
            public="true",
            repeat="none",
        )
    )
    event = cast.alice.get(f"/api/events/{event_id}").json
    assert (event["start_time"], event["end_time"]) == ("2026-06-01T20:00:00+02:00", "2026-06-01T22:30:00+02:00")
    assert (event["public"], event["all_day"], event["calendar_ids"]) == (True, False, [calendar["id"]])


def test_a_form_without_times_creates_an_all_day_event_and_a_rule_a_series(cast: Cast) -> None:
    event_id = event_of(
        submit(cast.alice, "/events", title="Fair", start_time="2026-06-01", repeat="weekly", ends="on", end_date="2026-06-15")
    )
    event = cast.alice.get(f"/api/events/{event_id}").json
    assert (event["all_day"], event["start_time"]) == (True, "2026-06-01")
    assert len(cast.alice.get(f"/api/events?series_id={event['series_id']}").json["events"]) == 3


def test_a_broken_form_keeps_what_was_typed_names_the_field_and_writes_nothing(cast: Cast) -> None:
    reply = submit(cast.alice, "/events", title="Kept words", start_time="2026-06-02", end_time="2026-06-01", description="<also> kept")
    assert reply.status == 422
    assert 'value="Kept words"' in reply.text
    assert "&lt;also&gt; kept" in reply.text
    assert 'href="#end_time"' in reply.text
    assert 'aria-invalid="true" aria-describedby="end_time-about"' in reply.text
    series = submit(cast.alice, "/events", title="Kept", start_time="2026-06-02", repeat="custom", frequency="DAILY", interval="0")
    assert (series.status, 'href="#interval"' in series.text) == (422, True)
    assert cast.alice.get("/api/events?count=true").json["total"] == 0


def test_an_event_is_changed_unless_somebody_was_faster(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00", time_zone="Europe/Paris")
    path = f"/events/{event['id']}"
    page = cast.alice.get(f"{path}/edit").text
    assert 'value="2026-06-01"' in page
    assert 'value="20:00"' in page
    typed = {"title": "Renamed", "start_time": "2026-06-01", "start_clock": "20:00", "time_zone": "Europe/Paris", "public": "false"}
    assert submit(cast.alice, path, **typed, version=f"{event['id']}-1").status == 303
    late = submit(cast.alice, path, **typed | {"title": "Too late"}, version=f"{event['id']}-1")
    assert (late.status, 'value="Too late"' in late.text) == (409, True)
    assert cast.alice.get(f"/api/events/{event['id']}").json["title"] == "Renamed"


def test_changing_a_whole_series_leaves_alone_what_the_form_did_not_change(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00", time_zone="Europe/Paris", description="Same")
    series_id = cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-03"}).json["series_id"]
    events = cast.alice.get(f"/api/events?series_id={series_id}").json["events"]
    cast.alice.put(f"/api/events/{events[1]['id']}", json={"description": "Its own"})
    version = cast.alice.get(f"/api/events/{event['id']}/edit").headers["ETag"].strip('"')
    typed = {"title": "Renamed", "description": "Same", "start_time": "2026-06-01", "start_clock": "20:00", "time_zone": "Europe/Paris"}
    assert submit(cast.alice, f"/events/{event['id']}", **typed, public="false", scope="all", version=version).status == 303
    second = cast.alice.get(f"/api/events/{events[1]['id']}").json
    assert (second["title"], second["description"]) == ("Renamed", "Its own")


def test_guests_respond_and_comment_on_the_page(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    path = f"/events/{event['id']}"
    responded = submit(cast.anonymous, f"{path}/respond", response="YES", number=2, plus_n=1, email_address="gus@example.org")
    assert responded.redirect == (f"{path}#ticket", "")
    reply = submit(cast.anonymous, f"{path}/comment", comment="Hello", email_address="gus@example.org")
    assert reply.redirect == (path, "waiting")
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"]["people"] == 3
    wrong = submit(cast.anonymous, f"{path}/respond", response="YES", number=0, email_address="nobody")
    assert wrong.status == 422
    assert 'href="#respond-number"' in wrong.text
    assert 'value="nobody"' in wrong.text


def test_an_input_that_is_left_empty_keeps_what_was_there(cast: Cast) -> None:
    event, zoe = an_event(cast.alice, public=True), GuestBrowser(cast.anonymous)
    path, address = f"/events/{event['id']}/respond", {"email_address": "zoe@example.org"}
    zoe.post(path, response="YES", number=2, plus_n=3, name="Zoe", opt_in="true", **address)
    again = zoe.post(path, response="MAYBE", number="", plus_n="", name="", opt_in="false", **address)
    assert again.redirect == (f"/events/{event['id']}#ticket", "")
    (stored,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert [stored[name] for name in ("response", "name", "number", "plus_n", "opt_in")] == ["MAYBE", "Zoe", 2, 3, True]


def test_the_page_of_a_past_event_says_so_and_offers_no_form(cast: Cast) -> None:
    past = an_event(cast.alice, start_time="2025-11-01T20:00", end_time="2025-11-01T22:00", public=True)
    all_day = an_event(cast.alice, start_time="2025-10-30", end_time="2025-10-31", public=True)
    to_come = an_event(cast.alice, public=True)
    for event, words in ((past, "This event was on 1 November 2025"), (all_day, "This event was on 31 October 2025")):
        page = cast.anonymous.get(f"/events/{event['id']}").text
        assert words in page
        assert f'action="/events/{event["id"]}/respond"' not in page
        assert '<a href="/">See what’s on</a>' in page
        a_response(cast.anonymous, event, email_address="gus@example.org")
    assert f'action="/events/{to_come["id"]}/respond"' in cast.anonymous.get(f"/events/{to_come['id']}").text


def test_the_form_has_the_users_own_response(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.carol, event, response="MAYBE", plus_n=4)
    page = cast.carol.get(f"/events/{event['id']}").text
    assert "You might go" in page
    assert "<option selected>5</option>" in page


def test_an_event_is_sent_copied_and_added(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    path = f"/events/{event['id']}"
    assert submit(cast.anonymous, f"{path}/send", email="gus@example.org").status == 303
    assert 'href="#send-email"' in submit(cast.anonymous, f"{path}/send", email="", mobile_number="").text
    mine = event_of(submit(cast.carol, f"{path}/copy", calendar_id=cast.carol.primary_calendar_id))
    assert cast.carol.get(f"/api/events/{mine}").json["owner"]["id"] == cast.carol.id
    assert submit(cast.carol, f"{path}/add", calendar_id=cast.carol.primary_calendar_id).status == 303
    assert cast.carol.primary_calendar_id in cast.carol.get(f"/api/events/{event['id']}").json["calendar_ids"]


def test_deleting_asks_for_confirmation_and_deletes_the_selected_scope(cast: Cast) -> None:
    event = an_event(cast.alice)
    series_id = cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-05"}).json["series_id"]
    assert "all 5 dates" in cast.alice.get(f"/events/{event['id']}/delete").text
    second = cast.alice.get(f"/api/events?series_id={series_id}").json["events"][1]
    assert submit(cast.alice, f"/events/{second['id']}/delete", scope="following").redirect == ("/calendar", "event-deleted")
    assert len(cast.alice.get(f"/api/events?series_id={series_id}").json["events"]) == 1


def test_viewers_may_not_edit_and_see_why(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    reply = cast.vera.get(f"/events/{event['id']}/edit", headers=BROWSER)
    assert (reply.status, "<h1>Not allowed</h1>" in reply.text) == (403, True)


def test_a_time_selected_on_the_calendar_is_in_the_readers_zone(cast: Cast) -> None:
    cast.alice.put(f"/api/users/{cast.alice.id}", json={"time_zone": "Asia/Tokyo"})
    page = cast.alice.get("/events/new?start_time=2026-06-01T09:00&form_token=1").text
    assert 'value="Asia/Tokyo"' in page
    assert 'value="09:00"' in page
    assert 'value="Europe/Oslo"' in cast.alice.get("/events/new?start_time=2026-06-01T09:00&form_token=1&time_zone=Europe/Oslo").text


def test_the_start_page_has_next_and_previous_pages(cast: Cast) -> None:
    word = f"walk{uuid4().hex[:8]}"
    for number in range(50):
        an_event(cast.alice, title=f"{word} {number:02}.", start_time=f"2026-07-01T{number // 4:02}:{number % 4 * 15:02}", public=True)

    def titles_and_links(path: str) -> tuple[list[str], dict[str, str]]:
        page = cast.anonymous.get(path)
        assert page.status == 200
        links = {rel: unescape(href) for href, rel in re.findall(r'href="([^"]+)" rel="(next|prev)"', page.text)}
        return re.findall(rf"{word} (\d\d)\.", page.text), links

    paths = [f"/?text={word}"]
    while (links := titles_and_links(paths[-1])[1]).get("next"):
        paths.append(links["next"])
    titles = [titles_and_links(path)[0] for path in paths]
    assert [number for page in titles for number in page] == [f"{number:02}" for number in range(50)]
    assert len(paths) == 3
    assert "prev" not in titles_and_links(paths[0])[1]
    assert [titles_and_links(titles_and_links(path)[1]["prev"])[0] for path in paths[1:]] == titles[:-1]


def test_inputs_take_as_much_as_the_action_does(cast: Cast) -> None:
    page = cast.alice.get("/events/new?form_token=1").text
    assert re.search(r'name="title"[^>]* maxlength="200"', page)
    assert re.search(r'name="description"[^>]* maxlength="20000"', page)


def test_a_public_event_links_the_page_of_its_organiser_if_there_is_one(cast: Cast) -> None:
    link = f'<bdi><a href="/organisers/{cast.alice.id}">Alice</a></bdi>'
    private = an_event(cast.alice)
    assert link not in cast.alice.get(f"/events/{private['id']}").text
    event = an_event(cast.alice, public=True, calendar_id=a_calendar(cast.alice, public=True)["id"])
    assert link in cast.anonymous.get(f"/events/{event['id']}").text
    assert cast.anonymous.get(f"/organisers/{cast.alice.id}").status == 200


def test_organisers_see_an_overview_and_the_page_of_guests_on_request(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00")
    path = f"/events/{event['id']}"
    assert "Are you going?" not in cast.alice.get(path).text
    for guest in (cast.anonymous, cast.carol):
        page = guest.get(path).text
        assert "Are you going?" in page
        assert "Waiting for you" not in page
    assert f'action="{path}/respond"' in cast.alice.get(f"{path}/preview").text
    refused = submit(cast.alice, f"{path}/respond", response="YES", number=0)
    assert refused.status == 422


def test_the_bar_of_organisers_marks_where_they_are(cast: Cast) -> None:
    path = f"/events/{an_event(cast.alice, public=True)['id']}"
    for page, tab in [
        ("questions", "edit"),
        ("reminders", "edit"),
        ("repeat", "edit"),
        ("invitations", "responses"),
        ("history", "history"),
    ]:
        bar = cast.alice.get(f"{path}/{page}").text
        assert f'<a href="{path}/{tab}" aria-current="page">' in bar
        assert '<summary aria-current="true">' not in bar
    assert '<summary aria-current="true">' in cast.alice.get(f"{path}/preview").text


def test_delete_is_among_the_rare_actions_of_an_organiser_and_not_beside_edit(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2031-06-01T20:00")
    bar = cast.alice.get(f"/events/{event['id']}").text.partition('<nav class="organiser"')[2].partition("</nav>")[0]
    edit, menu, delete = (bar.index(part) for part in (f'/events/{event["id"]}/edit"', "<details", f'/events/{event["id"]}/delete"'))
    assert edit < menu < delete


def test_forms_and_pages_of_events_speak_in_plain_words(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2031-06-01T20:00")
    pages = [cast.alice.get(path).text for path in ("/events/new?form_token=1", f"/events/{event['id']}", f"/events/{event['id']}/repeat")]
    for stiff in ("Repeat: not", "Every so many", "Nobody has said anything", "It is on its way."):
        assert not any(stiff in page for page in pages), stiff

"""Answers on pages: the latest of all events, how many answered what, and who answered one event."""

import re

from tests.cast import Cast, a_calendar, a_comment, a_response, an_event, shared
from tests.conftest import Clock

ROW = r'/events/(\d+)/answers">(\w+)</a>.*?</th>\s*<td>(\d+)</td><td>(\d+)</td><td>(\d+)</td><td>(\d+)</td>'


def test_the_latest_answers_to_ones_events_are_counted_by_event(cast: Cast, clock: Clock) -> None:
    gig, talk = an_event(cast.alice, title="Gig", public=True), an_event(cast.alice, title="Talk", public=True)
    hers = an_event(cast.carol, title="Not alice's", public=True)
    a_response(cast.anonymous, hers, email_address="z@example.org")
    a_response(cast.anonymous, talk, email_address="a@example.org", response="NO", number=7)
    clock.ahead(60)
    for number, answer in enumerate(["YES", "YES", "MAYBE"]):
        a_response(cast.anonymous, gig, email_address=f"a{number}@example.org", response=answer, number=2, plus_n=number)
    for path in ("/answers", "/answers/events"):
        page = cast.alice.get(path).text
        rows = re.findall(
            r'/events/(\d+)/answers">(\w+)</a>.*?</th>\s*<td>(\d+)</td><td>(\d+)</td><td>(\d+)</td><td>(\d+)</td>', page, re.DOTALL
        )
        assert rows == [(str(gig["id"]), "Gig", "2", "1", "0", "5"), (str(talk["id"]), "Talk", "0", "0", "1", "0")]
        assert "Not alice" not in page


def test_editors_of_a_calendar_see_the_answers_to_its_events(cast: Cast) -> None:
    jazz = a_calendar(cast.alice)
    shared(cast.alice, jazz, cast.bob, "editor")
    shared(cast.alice, jazz, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=jazz["id"], title="Jam")
    a_response(cast.alice, event, email_address="a@example.org")
    assert "Jam" in cast.bob.get("/answers").text
    assert "Jam" not in cast.vera.get("/answers").text


def test_many_answered_events_come_in_pages(cast: Cast) -> None:
    for number in range(9):
        a_response(cast.alice, an_event(cast.alice, title=f"Gig {number}"))
    page = cast.alice.get("/answers")
    assert page.text.count('/answers">Gig') == 8
    assert 'href="/answers/events"' in page.text
    first = cast.alice.get("/answers/events?limit=5")
    following = re.search(r'href="([^"]+)" rel="next"', first.text)
    assert following
    second = cast.alice.get(following[1].replace("&amp;", "&"))
    titles = [set(re.findall(r"Gig \d", found.text)) for found in (first, second)]
    assert (len(titles[0]), len(titles[1]), len(titles[0] | titles[1])) == (5, 4, 9)


def test_without_answers_and_comments_the_page_says_how_they_come(cast: Cast) -> None:
    page = cast.alice.get("/answers")
    assert page.text.count('class="empty"') == 2
    assert 'class="empty"' in cast.alice.get("/answers/events").text


def test_comments_that_wait_for_approval_come_first(cast: Cast) -> None:
    event = an_event(cast.alice, title="Gig", public=True)
    waits = a_comment(cast.anonymous, event, email_address="dana@example.org", name="Dana", comment="First\n<b>of all</b>")
    said = a_comment(cast.bob, event, comment="Said later")
    page = cast.alice.get("/answers").text
    assert page.index("First\n&lt;b&gt;of all&lt;/b&gt;") < page.index("Said later")
    assert "1 waits for approval" in page
    assert "dana@example.org" in page
    assert f'action="/comments/{waits["id"]}/approve"' in page
    assert f'action="/comments/{said["id"]}/hide"' in page
    assert "First" not in cast.carol.get("/answers").text


def test_who_answered_an_event_is_a_table_with_a_chart(cast: Cast) -> None:
    event = an_event(cast.alice, title="R&B night", public=True)
    a_response(cast.anonymous, event, email_address="dana@example.org", name="Dana", plus_n=2, comment="With <friends>", opt_in=True)
    a_response(cast.anonymous, event, email_address="eve@example.org", response="NO")
    page = cast.alice.get(f"/events/{event['id']}/answers").text
    for shown in [
        "Answers to R&amp;B night",
        "dana@example.org",
        "1 + 2",
        "With &lt;friends&gt;",
        "wants to hear of other events",
        "No name",
    ]:
        assert shown in page
    assert 'class="chart"' in page
    assert f'href="/api/responses.csv?event_id={event["id"]}"' in page
    assert cast.carol.get(f"/events/{event['id']}/answers").status == 403


def test_many_answers_come_in_pages(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    for number in range(3):
        a_response(cast.anonymous, event, email_address=f"a{number}@example.org")
    path = f"/events/{event['id']}/answers"
    first = cast.alice.get(f"{path}?limit=2")
    following = re.search(r'href="([^"]+)" rel="next"', first.text)
    assert following
    second = cast.alice.get(following[1].replace("&amp;", "&")).text
    assert "a2@example.org" in second
    assert "a1@example.org" not in second
    assert f'href="{path}">From the beginning' in second


def test_an_event_that_nobody_answered_says_how_answers_come(cast: Cast) -> None:
    event = an_event(cast.alice)
    assert 'class="empty"' in cast.alice.get(f"/events/{event['id']}/answers").text

"""Pages of responses: the latest of all events, counted by event, and those to one event."""

import re

import pytest

from kalends.http import paging
from tests.cast import Cast, a_calendar, a_comment, a_response, an_event, shared
from tests.conftest import Clock

ROW = r'/events/(\d+)/responses">(\w+)</a>.*?</th>\s*<td>(\d+)</td><td>(\d+)</td><td>(\d+)</td><td>(\d+)</td>'


def test_the_page_counts_the_latest_responses_by_event(cast: Cast, clock: Clock) -> None:
    gig, talk = an_event(cast.alice, title="Gig", public=True), an_event(cast.alice, title="Talk", public=True)
    hers = an_event(cast.carol, title="Not alice's", public=True)
    a_response(cast.anonymous, hers, email_address="z@example.org")
    a_response(cast.anonymous, talk, email_address="a@example.org", response="NO", number=7)
    clock.ahead(60)
    for number, response in enumerate(["YES", "YES", "MAYBE"]):
        a_response(cast.anonymous, gig, email_address=f"a{number}@example.org", response=response, number=2, plus_n=number)
    for path in ("/responses", "/responses/events"):
        page = cast.alice.get(path).text
        rows = re.findall(ROW, page, re.DOTALL)
        assert rows == [(str(gig["id"]), "Gig", "2", "1", "0", "5"), (str(talk["id"]), "Talk", "0", "0", "1", "0")]
        assert "Not alice" not in page


def test_who_waits_for_a_spot_is_not_counted_as_going(cast: Cast) -> None:
    event = an_event(cast.alice, title="Gig", public=True, capacity=6, waiting_list="auto")
    for name in ("ann", "ben"):
        a_response(cast.alice, event, email_address=f"{name}@example.org", number=4)
    assert re.findall(ROW, cast.alice.get("/responses").text, re.DOTALL) == [(str(event["id"]), "Gig", "1", "0", "0", "4")]


def test_editors_of_a_calendar_see_the_responses_to_its_events(cast: Cast) -> None:
    jazz = a_calendar(cast.alice)
    shared(cast.alice, jazz, cast.bob, "editor")
    shared(cast.alice, jazz, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=jazz["id"], title="Jam")
    a_response(cast.alice, event, email_address="a@example.org")
    assert "Jam" in cast.bob.get("/responses").text
    assert "Jam" not in cast.vera.get("/responses").text


def test_many_events_with_responses_come_in_pages(cast: Cast) -> None:
    for number in range(9):
        a_response(cast.alice, an_event(cast.alice, title=f"Gig {number}"))
    page = cast.alice.get("/responses")
    assert page.text.count('/responses">Gig') == 8
    assert 'href="/responses/events"' in page.text
    first = cast.alice.get("/responses/events?limit=5")
    following = re.search(r'href="([^"]+)" rel="next"', first.text)
    assert following
    second = cast.alice.get(following[1].replace("&amp;", "&"))
    titles = [set(re.findall(r"Gig \d", pages.text)) for pages in (first, second)]
    assert (len(titles[0]), len(titles[1]), len(titles[0] | titles[1])) == (5, 4, 9)


def test_the_page_may_name_more_events_than_a_list_has(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_PAGE", 2)
    for number in range(5):
        a_response(cast.alice, an_event(cast.alice, title=f"Gig {number}"))
    assert cast.alice.get("/responses").text.count('/responses">Gig') == 5


def test_without_responses_and_comments_the_page_says_how_to_get_them(cast: Cast) -> None:
    page = cast.alice.get("/responses")
    assert page.text.count('class="empty"') == 2
    assert 'class="empty"' in cast.alice.get("/responses/events").text


def test_comments_that_wait_for_approval_come_first(cast: Cast) -> None:
    event = an_event(cast.alice, title="Gig", public=True)
    waits = a_comment(cast.anonymous, event, email_address="dana@example.org", name="Dana", comment="First\n<b>of all</b>")
    approved_comment = a_comment(cast.bob, event, comment="Said later")
    page = cast.alice.get("/responses").text
    assert page.index("First\n&lt;b&gt;of all&lt;/b&gt;") < page.index("Said later")
    assert "1 awaiting approval" in page
    assert '· <span class="chip">' not in page
    assert "dana@example.org" in page
    assert f'action="/comments/{waits["id"]}/approve"' in page
    assert f'action="/comments/{approved_comment["id"]}/hide"' in page
    assert "First" not in cast.carol.get("/responses").text


def test_the_responses_to_an_event_are_a_table_with_the_number_of_each(cast: Cast) -> None:
    event = an_event(cast.alice, title="R&B night", public=True)
    a_response(cast.anonymous, event, email_address="dana@example.org", name="Dana", plus_n=2, comment="With <friends>", opt_in=True)
    a_response(cast.anonymous, event, email_address="eve@example.org", response="NO")
    page = cast.alice.get(f"/events/{event['id']}/responses").text
    for text in [
        "Guests of R&amp;B night",
        "dana@example.org",
        "1 + 2",
        "With &lt;friends&gt;",
        "wants news of other events",
        "No name given",
    ]:
        assert text in page
    tabs = re.findall(r'<li><a href="/events/\d+/responses\?tab=(\w+)"[^>]*>[^<]+ <small>(\d+)</small>', page)
    assert dict(tabs) == {"all": "2", "going": "1", "maybe": "0", "no": "1", "invited": "0"}
    assert f'href="/api/responses.csv?event_id={event["id"]}"' in page
    assert cast.carol.get(f"/events/{event['id']}/responses").status == 403


def test_many_responses_come_in_pages(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    for number in range(3):
        a_response(cast.anonymous, event, email_address=f"a{number}@example.org")
    path = f"/events/{event['id']}/responses"
    first = cast.alice.get(f"{path}?limit=2")
    following = re.search(r'href="([^"]+)" rel="next"', first.text)
    assert following
    second = cast.alice.get(following[1].replace("&amp;", "&")).text
    assert re.findall(r"(?<=<small>)a\d@example.org", first.text + second) == ["a2@example.org", "a1@example.org", "a0@example.org"]
    assert f'href="{path}?tab=all&amp;sort=newest">Back to the start' in second


def test_guests_are_found_by_tab_name_and_address_and_sorted(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    for name, address, response in [
        ("Zoe", "z@example.org", "YES"),
        ("émile", "e@example.org", "YES"),
        ("Dana 100%", "d@example.com", "MAYBE"),
        (None, "bea@example.org", "NO"),
        ("anton", "x@example.org", "YES"),
    ]:
        a_response(cast.anonymous, event, name=name, email_address=address, response=response)

    def addresses(query: str) -> list[str]:
        page = cast.alice.get(f"/events/{event['id']}/responses?{query}")
        assert page.status == 200
        more = re.search(r'href="([^"]+)" rel="next"', page.text)
        listed = re.findall(r"<small>(\w+)@", page.text)
        return listed + (addresses(more[1].replace("&amp;", "&").partition("?")[2]) if more else [])

    assert addresses("tab=going&limit=1") == ["x", "e", "z"]
    assert addresses("tab=going&sort=oldest&limit=2") == ["z", "e", "x"]
    assert addresses("sort=name&limit=2") == ["x", "bea", "d", "z", "e"]
    assert addresses("tab=maybe") == ["d"]
    assert addresses("text=EXAMPLE.ORG&tab=no") == ["bea"]
    assert addresses("text=Émile") == ["e"]
    assert addresses("text=100%25") == ["d"]
    assert addresses("text=nobody") == []
    page = cast.alice.get(f"/events/{event['id']}/responses").text
    assert re.findall(r"(All|Going|Maybe|Can’t go) <small>(\d+)</small>", page) == [
        ("All", "5"),
        ("Going", "3"),
        ("Maybe", "1"),
        ("Can’t go", "1"),
    ]


def test_an_event_without_responses_says_how_to_get_them(cast: Cast) -> None:
    event = an_event(cast.alice)
    assert 'class="empty"' in cast.alice.get(f"/events/{event['id']}/responses").text

"""An event that is seen by its link leaves no trace in public places."""

from functools import reduce
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cast import Cast, a_calendar, a_comment, an_event
from tests.client import Client
from tests.events.test_secrecy import QUESTIONS

pytestmark = pytest.mark.on_one_database

steps = st.one_of(
    st.fixed_dictionaries({"visibility": st.sampled_from(["public", "link", "members"])}),
    st.fixed_dictionaries({"public": st.booleans()}),
)


def places_of(event: dict[str, Any], calendar_id: int, word: str) -> list[str]:
    """Where guests and strangers could learn of the event."""
    day, part = event["start_time"][:10], event["id"] // 1000
    return [
        *(f"/{query}" for query in ("", f"?text={word}", "?tags=secret")),
        *(f"/calendar?date={day}&view={view}" for view in ("month", "week", "agenda")),
        *(f"/calendars/{calendar_id}", f"/embed/calendars/{calendar_id}?date={day}", f"/embed/events/{event['id']}"),
        *(f"/feed.xml?text={word}", "/feed.xml", "/sitemap.xml", f"/sitemap.xml?part={part}", f"/organisers/{event['owner']['id']}"),
        *(f"/atom.xml?text={word}", f"/atom.xml?calendar_id={calendar_id}", f"/feed.xml?calendar_id={calendar_id}"),
        *(f"/api/events?text={word}&scope=public", f"/api/events?ids={event['id']}&count=true", f"/api/events?calendar_id={calendar_id}"),
        *(f"/api/events.ics?text={word}&scope=public", f"/api/calendars/{calendar_id}.ics", f"/api/changes?calendar_id={calendar_id}"),
        *(f"/events/{event['id']}", f"/api/events/{event['id']}", f"/api/events/{event['id']}.ics", f"/e/{event['id']}"),
        *(f"/api/comments?event_id={event['id']}", f"/api/events/{event['id']}/questions"),
    ]


# Each example reads every public place up to three times.
@settings(max_examples=settings().max_examples // 5)
@given(st.lists(steps, min_size=1, max_size=2), st.sampled_from(["anonymous", "carol"]))
@example([{"visibility": "public"}, {"visibility": "link"}], "anonymous")
def test_an_event_is_in_public_places_exactly_if_it_is_public(cast: Cast, changes: list[dict[str, Any]], reader: str) -> None:
    word, calendar = f"word{uuid4().hex[:12]}", a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"], title=word, tag_list="secret", visibility="link")
    a_comment(cast.alice, event, comment=word)
    for change in ({"visibility": "link"}, *changes):
        detail = cast.alice.put(f"/api/events/{event['id']}", json=change).json
        actor: Client = getattr(cast, reader)
        traces = [place for place in places_of(event, calendar["id"], word) if is_named(actor, place, word)]
        if detail["visibility"] == "public":
            assert len(traces) > 10, traces
        else:
            assert traces == [], detail["visibility"]
            assert actor.get(f"/events/{event['id']}/share_picture.png").status == 404


def is_named(actor: Client, place: str, word: str) -> bool:
    """Whether the place has the title, beside what was searched for."""
    chip = f'<bdi>{word}</bdi> <span class="hidden">See all events</span>'
    searched = (chip, f'value="{word}"', f"text={word}", f"text%3D{word}", f"“{word}”")
    text = actor.get(place).text
    return word in reduce(lambda rest, part: rest.replace(part, ""), searched, text)


@pytest.mark.parametrize("actor", ["carol", "anonymous"])
def test_without_its_link_the_event_is_as_good_as_missing(cast: Cast, actor: str) -> None:
    reader: Client = getattr(cast, actor)
    for name, ask in QUESTIONS.items():
        hidden = an_event(cast.alice, visibility="link")["id"]
        seen = an_event(cast.carol if actor == "carol" and "others" in name else cast.alice, public=True)["id"]
        before = ask(reader, hidden, seen)
        assert cast.alice.delete(f"/api/events/{hidden}").status == 200
        after = ask(reader, hidden, seen)
        assert (before.status, before.content, dict(before.headers)) == (after.status, after.content, dict(after.headers)), name

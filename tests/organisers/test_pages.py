"""GET /organisers and GET /organisers/<id>: those who own a public calendar, and nothing that is private."""

import re

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client


def _ids(client: Client) -> list[str]:
    """The organisers in the whole list."""
    ids, path = [], "/organisers"
    for _ in range(50):
        page = client.get(path).text
        ids += re.findall(r'<h2><a href="/organisers/(\d+)">', page)
        later = re.search(r'href="(/organisers\?after=\d+)" rel="next"', page)
        if later is None:
            return ids
        path = later[1]
    raise AssertionError("The list does not end.")


def test_those_with_a_public_calendar_are_listed_once(cast: Cast, client: Client) -> None:
    a_calendar(cast.bob, name="Private plans")
    for name in ("Jazz in town", "Canal runners"):
        a_calendar(cast.alice, name=name, public=True)
    ids = _ids(client)
    assert ids.count(str(cast.alice.id)) == 1
    assert str(cast.bob.id) not in ids
    assert ids == sorted(ids, key=int)


def test_the_page_of_an_organiser_has_public_calendars_and_what_is_to_come(cast: Cast, client: Client) -> None:
    calendar = a_calendar(cast.alice, name="Jazz in town", public=True)
    hidden = a_calendar(cast.alice, name="Family")
    an_event(cast.alice, title="Trio", calendar_id=calendar["id"], start_time="2031-01-01T20:00")
    an_event(cast.alice, title="Rehearsal", calendar_id=calendar["id"], start_time="2031-01-01T20:00", public=False)
    an_event(cast.alice, title="Dentist", calendar_id=hidden["id"], start_time="2031-01-01T20:00")
    an_event(cast.bob, title="Of others", start_time="2031-01-01T20:00", public=True)
    an_event(cast.alice, title="Last year", calendar_id=calendar["id"], start_time="2001-01-01T20:00")
    page = client.get(f"/organisers/{cast.alice.id}").text
    assert re.findall(r'<h3><a href="/events/\d+" dir="auto">([^<]*)</a></h3>', page) == ["Trio"]
    assert f'href="/calendars/{calendar["id"]}"' in page
    assert "Family" not in page

    cast.alice.put(f"/api/calendars/{calendar['id']}", json={"public": False})
    assert client.get(f"/organisers/{cast.alice.id}").status == 404

"""What a device of a member learns when a calendar is shared, and when that changes or ends."""

from typing import Any

from tests.cast import Cast, Person, a_calendar, an_event, shared
from tests.dav.clients import D, calendar_path, propfind, responses
from tests.site.administrator import Admin, a_hidden_event

CTAG = "{http://calendarserver.org/ns/}getctag"


def unshared(owner: Person, calendar: dict[str, Any], member: Person) -> None:
    assert owner.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": member.user_name}).status == 200


def privileges(member: Person, calendar: dict[str, Any]) -> set[str] | None:
    """What the home of the member says that they may do in the calendar; None if it is not there."""
    home = responses(propfind(member, f"/dav/users/{member.id}/calendars/", "D:current-user-privilege-set", depth="1"))
    if str(calendar["id"]) not in home:
        return None
    return {each.tag.removeprefix(D) for each in home[str(calendar["id"])][1][f"{D}current-user-privilege-set"].iterfind(f"{D}privilege/*")}


def state(member: Person, calendar_id: Any) -> tuple[str, dict[str, str]]:
    """The ctag of the calendar, and the ETags of what is in it."""
    by_name = responses(propfind(member, calendar_path(member, calendar_id), "CS:getctag", "D:getetag", depth="1"))
    etags = {name: str(props[f"{D}getetag"].text) for name, (_, props) in by_name.items() if f"{D}getetag" in props}
    return str(by_name[str(calendar_id)][1][CTAG].text), etags


def test_the_home_of_a_member_shows_at_once_what_is_shared(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    assert privileges(cast.bob, calendar) is None
    for role in ("viewer", "editor", "viewer"):
        shared(cast.alice, calendar, cast.bob, role)
        rights = privileges(cast.bob, calendar)
        assert rights
        assert rights & {"read", "write"} == ({"read", "write"} if role == "editor" else {"read"})
    unshared(cast.alice, calendar, cast.bob)
    assert privileges(cast.bob, calendar) is None
    assert propfind(cast.bob, calendar_path(cast.bob, calendar["id"]), "CS:getctag").status == 404


def test_the_ctag_changes_with_what_another_calendar_shows(cast: Cast) -> None:
    """A private event on one's own calendar is seen for the sake of its home."""
    home, own = a_calendar(cast.alice), cast.bob.primary_calendar_id
    shared(cast.alice, home, cast.bob, "viewer")
    event = an_event(cast.alice, calendar_id=home["id"])
    assert cast.bob.put(f"/api/events/{event['id']}/add", json={"calendar_id": own}).status == 200
    name = f"event-{event['id']}.ics"
    ctag, etags = state(cast.bob, own)
    assert set(etags) == {name}
    unshared(cast.alice, home, cast.bob)
    without, etags = state(cast.bob, own)
    assert (without != ctag, etags) == (True, {})
    shared(cast.alice, home, cast.bob, "viewer")
    again, etags = state(cast.bob, own)
    assert (again not in (ctag, without), set(etags)) == (True, {name})


def test_the_ctag_changes_with_hidden_events_that_only_editors_see(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"], public=True)
    a_hidden_event(Admin(cast.anonymous, "ada"), event, "It sells pills.")
    tags, seen = [], []
    for role in ("viewer", "editor", "viewer"):
        shared(cast.alice, calendar, cast.bob, role)
        ctag, etags = state(cast.bob, calendar["id"])
        tags.append(ctag)
        seen.append(len(etags))
    assert (len(set(tags)), seen) == (3, [0, 1, 0])

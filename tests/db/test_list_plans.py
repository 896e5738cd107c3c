"""Every list with each combination of a few of its parameters: the statements must use an index.

Nothing else is looked at here: the statements are explained when the tests are over (see `tests/plans.py`)."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.http.endpoint import Endpoint
from kalends.http.server import Application
from tests.cast import Cast, a_calendar, a_comment, a_response, a_webhook, an_event, an_invitation
from tests.client import Client
from tests.conftest import Clock
from tests.responses.mail import a_response_token, an_invitation_token
from tests.site.administrator import Admin
from tests.sources.server import a_source
from tests.test_policy import ADMINS, TABLE, name_of

# Searched for in the same way as the title, or nothing that a statement asks for.
ALIKE = {"description", "location", "location_name", "street", "city", "zip", "country", "fields", "trail"}
# Parameters of the same name that have other values there.
SAMPLES_OF: dict[str, dict[str, Any]] = {
    "/admin/people": {"status": "waiting"},
    "/api/admin/people": {"status": "waiting"},
    "/api/contacts/birthdays.ics": {"user_id": None},
    "/api/my_events": {"show": "invited"},
    "/my-events": {"show": "invited"},
}
# A count, what overlaps, and from when. Without `--soak`, any two of them with a count, which is a statement beside that of the list.
MOST_AT_ONCE = 3


@pytest.fixture(scope="session")
def cast(app: tuple[Application, Clock]) -> Cast:
    """The people whose lists all tests here read: none of them writes."""
    return Cast(Client(app[0]))


@pytest.fixture(scope="session")
def samples(cast: Cast, settings: Settings) -> dict[str, Any]:
    """A value of each parameter."""
    calendars = [a_calendar(cast.alice, public=True)["id"], a_calendar(cast.alice)["id"]]
    event = an_event(cast.alice, public=True, calendar_id=calendars[0])
    response = a_response(cast.alice, event)["id"]
    cast.alice.put(f"/api/calendars/{calendars[0]}/share", json={"user_name": cast.bob.user_name, "role": "editor"})
    ids = {
        "response_id": response,
        "response_token": a_response_token(settings, response),
        "token": None,
        "event_link": an_event(cast.alice, visibility="link")["link_url"].rsplit("/", 1)[1],
        "link": None,
        "invitation_token": an_invitation_token(settings, an_invitation(cast.alice, event)["id"]),
        "response": "NO",
        "dates": "all",
        "ids": event["id"],
        "event_id": event["id"],
        "comment_id": a_comment(cast.alice, event)["id"],
        "series_id": 1,
        "as_of": 1,
        "uid": an_event(cast.alice, uid="concert@example.org")["uid"],
        "webhook_id": a_webhook(cast.alice)["id"],
        "source_id": a_source(cast.alice)["id"],
    }
    places = {
        "calendar_id": calendars[0],
        "calendar_ids": f"{calendars[0]},{calendars[1]}",
        "offered": f"{calendars[0]},{calendars[1]}",
        "list": "imported",
        "state": "sent",
        "status": "planned",
    }
    times = {
        "start_time": "2026-01-01",
        "end_time": "2027-01-01",
        "overlaps": "true",
        "time_zone": "UTC",
        "date": "2026-06-01",
        "when": "weekend",
    }
    # One text that the index over texts can find, and one that is too short for it.
    texts = {"text": "concert", "title": "co", "tags": "jazz"}
    pages = {
        "count": "true",
        "offset": 20_000,
        "limit": 2,
        "after": "1.1",
        "view": "week",
        "next": "/",
        "skipped": 1,
        "comments": 5,
        "form_token": "token",
        "cursor": cast.alice.get("/api/changes").json["cursor"],
        "kinds": "event",
        "wait": 1,
        "part": 0,
        "alarms": "1",
        "online": "true",
        "name": "style.css",
        "v": "1",
        "closed": "true",
        "role": "admin",
        "sending": "stopped",
        "block": "true",
        "events": "keep",
        "withdraw_invitations": "true",
        "reset_links": "true",
        "user_name": cast.bob.user_name,
        "address": "gus@example.org",
        "waiting": "true",
        "show": "comments",
        "mine": "true",
        "birthdays": "true",
        "near": "48.8583,2.2945",
        "km": 20,
    }
    return ids | places | times | texts | pages | {"scope": "public", "order": "-start_time", "key": None, "tab": "maybe", "sort": "name"}


@pytest.mark.parametrize(
    "endpoint",
    # A provider of OpenID Connect is no list.
    [each for each in ENDPOINTS if each.method == "GET" and each.params is not None and "{provider_name}" not in each.url],
    ids=lambda endpoint: endpoint.url,
)
def test_every_list_uses_an_index_with_any_combination_of_parameters(
    cast: Cast, samples: dict[str, Any], endpoint: Endpoint, soak: bool
) -> None:
    samples = samples | SAMPLES_OF.get(endpoint.url, {})
    path = endpoint.url.format(**samples)
    assert endpoint.params is not None
    params = [(name, samples[name]) for name in endpoint.params.__struct_fields__ if name not in ALIKE]
    reader = Admin(cast.anonymous, "ada") if TABLE[name_of(endpoint)] == {"": ADMINS} else cast.alice
    statuses = set()
    for query in _queries(params, soak=soak):
        statuses.add(reader.get(path, query=query).status)
        statuses.add(cast.anonymous.get(path, query=query).status)
    assert 200 in statuses
    assert max(statuses) < 500


def _queries(params: list[tuple[str, Any]], *, soak: bool) -> Iterator[dict[str, Any]]:
    has_count = "count" in dict(params)
    for size in range(MOST_AT_ONCE + 1):
        for subset in combinations(params, size):
            query = dict(subset)
            if soak or size < 2 or ("count" in query if has_count else size == 2):
                yield query

"""When an event is over: one of a whole day, and one without an end, not before its day is."""

import pytest

from kalends.core.settings import Settings
from tests.cast import Cast, a_response, an_event, an_invitation
from tests.conftest import Clock
from tests.responses.mail import a_response_token, an_invitation_token

pytestmark = pytest.mark.on_one_database

HALF_A_DAY = 12 * 3600


@pytest.mark.parametrize("start_time", ["2026-05-28", "2026-05-28T18:00"], ids=["whole day", "without an end"])
def test_an_event_is_not_over_before_its_day(cast: Cast, settings: Settings, clock: Clock, start_time: str) -> None:
    event = an_event(cast.alice, title="Fair", public=True, start_time=start_time, time_zone="UTC")
    response = a_response(cast.bob, event, email_address=cast.bob.email_address)
    path = f"/r/{a_response_token(settings, response['id'])}"
    event_path = f"/api/events/{event['id']}"
    assert "This event is over" not in cast.anonymous.get(path).text
    invited = f"/i/{an_invitation_token(settings, an_invitation(cast.alice, event)['id'])}"
    assert "This event is over" not in cast.anonymous.get(invited).text
    assert cast.alice.put(event_path, json={"location": "Hall"}).json["notified"]["email"] == 1

    clock.ahead(HALF_A_DAY)
    for link in (path, invited):
        assert "This event is over" in cast.anonymous.get(link).text
    assert cast.alice.put(event_path, json={"location": "Yard"}).json["notified"]["email"] == 0
    assert cast.alice.post(f"{event_path}/invitations", json={"addresses": ["late@example.org"]}).status == 409

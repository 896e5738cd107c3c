"""What webhooks send of events that come from a source."""

import pytest

from tests.cast import an_event
from tests.conftest import Clock
from tests.sources.server import SOON, Elsewhere, a_feed, an_event_of_feed, follow, refresh
from tests.webhooks.conftest import Receiver, Service

JAZZ = an_event_of_feed("jazz@club.example", "Jazz")
WEEKLY = an_event_of_feed("w@club.example", "Weekly", f"DTSTART:{SOON}", "RRULE:FREQ=WEEKLY;COUNT=3")


@pytest.mark.on_one_database
@pytest.mark.parametrize("republish", [False, True])
def test_webhooks_send_events_of_a_source_only_if_it_is_republished(
    service: Service, receiver: Receiver, clock: Clock, republish: bool
) -> None:
    alice = service.cast.alice
    with Elsewhere(a_feed(JAZZ, WEEKLY)) as elsewhere:
        source = follow(alice, elsewhere, republish=republish)
        service.hook(receiver, calendar_id=source["calendar_id"], kinds=["event", "series"])
        elsewhere.says(a_feed(JAZZ.replace("Jazz", "Jazz trio"), WEEKLY.replace("Weekly", "Every week")))
        clock.ahead(3600)
        assert refresh(alice, source).json["changed"] == 2
    an_event(alice, calendar_id=source["calendar_id"], title="Ours")
    service.send()
    sent = str([delivery.body for delivery in receiver.deliveries])
    assert ("Ours" in sent, "Jazz trio" in sent, "Every week" in sent) == (True, republish, republish)

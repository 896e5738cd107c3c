"""Mail about the responses that guests give on a device, whose program shows them already, and the address that they answer to."""

import re

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, Person
from tests.dav.clients import calendar_path
from tests.dav.test_scheduling import bob as bob
from tests.dav.test_scheduling import event_of, invited, names_of, unfold
from tests.dav.test_write import put
from tests.responses.mail import mails_about


@pytest.mark.parametrize("more", ["", "RRULE:FREQ=DAILY;COUNT=3\r\n"])
@pytest.mark.parametrize(("capacity", "count"), [(None, 0), (5, 1)])
def test_a_guest_who_responds_on_a_device_gets_mail_only_about_places(
    cast: Cast, bob: Person, db: Database, settings: Settings, more: str, capacity: int | None, count: int
) -> None:
    path = calendar_path(cast.alice)
    put(cast.alice, f"{path}a.ics", invited(cast.alice, bob, more=more))
    event = event_of(cast.alice, path)
    if capacity:
        assert cast.alice.put(f"/api/events/{event['id']}", json={"capacity": capacity}).status == 200
    mails_about(db, settings, int(str(event["id"])))
    name = f"{calendar_path(bob)}{names_of(bob, calendar_path(bob))[0]}"
    for status in ("ACCEPTED", "DECLINED"):
        file = re.sub("PARTSTAT=[A-Z-]+", f"PARTSTAT={status}", unfold(bob.get(name)))
        assert put(bob, name, file).status == 204
        mails = [mail for mail in mails_about(db, settings, int(str(event["id"]))) if bob.email_address in mail["To"]]
        assert len(mails) == count, [mail["Subject"] for mail in mails]
    [response] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert response["response"] == "NO"


def test_without_replies_by_mail_the_copy_of_a_guest_has_the_address_of_the_organiser(cast: Cast, bob: Person, settings: Settings) -> None:
    assert not settings.inbound
    put(cast.alice, f"{calendar_path(cast.alice)}a.ics", invited(cast.alice, bob))
    for path in (calendar_path(bob), f"/dav/users/{bob.id}/inbox/"):
        [organizer] = [line for line in unfold(bob.get(f"{path}{names_of(bob, path)[0]}")).splitlines() if line.startswith("ORGANIZER")]
        assert organizer.endswith(f":mailto:{cast.alice.email_address}")

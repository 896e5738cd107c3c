"""POST /calendars/<id>/subscribe: on the list of a public calendar's owner, once the link in a mail was followed."""

from kalends.core.settings import Settings
from tests.cast import Cast, a_calendar
from tests.subscribers.confirmations import confirmations, confirmed


def _addresses(cast: Cast) -> list[str]:
    return [each["address"] for each in cast.alice.get("/api/subscribers").json["subscribers"]]


def test_an_address_is_on_the_list_when_it_has_confirmed(cast: Cast, settings: Settings) -> None:
    path = f"/calendars/{a_calendar(cast.alice, public=True)['id']}/subscribe"
    reply = cast.anonymous.post(path, data={"email_address": "Kim@example.org"})
    assert (reply.status, reply.headers["Location"]) == (303, path.removesuffix("/subscribe"))
    assert _addresses(cast) == []
    # Asked twice, told once.
    cast.anonymous.post(path, data={"email_address": "Kim@example.org"})
    assert len(confirmations(cast.alice, "Kim@example.org")) == 1
    confirmed(cast.alice, settings, "Kim@example.org")
    assert _addresses(cast) == ["Kim@example.org"]
    assert "with the link in a message" in cast.alice.get("/subscribers").text


def test_what_is_not_an_address_is_asked_for_again(cast: Cast) -> None:
    path = f"/calendars/{a_calendar(cast.alice, public=True)['id']}/subscribe"
    reply = cast.anonymous.post(path, data={"email_address": "kim"}, headers={"Accept": "text/html"})
    assert reply.status == 422
    assert 'value="kim"' in reply.text
    assert cast.alice.get("/api/deliveries").json["deliveries"] == []

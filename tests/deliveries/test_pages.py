"""The page of deliveries, filtered by event or state."""

import pytest

from kalends.db import Database
from tests.cast import Cast, an_event

pytestmark = pytest.mark.on_one_database


def test_the_page_shows_the_state_of_each_delivery(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, title="R&B night", public=True)
    for address in ("waits", "again", "gone", "lost"):
        cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": f"{address}@example.org"})
    with db.write() as tx:
        mine = {"me": cast.alice.id}
        tx.run("UPDATE deliveries SET attempts = 2, error = 'Busy <now>' WHERE owner_id = :me AND address LIKE 'again%'", **mine)
        tx.run("UPDATE deliveries SET attempts = 1, state = 'sent' WHERE owner_id = :me AND address LIKE 'gone%'", **mine)
        tx.run("UPDATE deliveries SET state = 'failed', error = 'No such box' WHERE owner_id = :me AND address LIKE 'lost%'", **mine)
    page = cast.alice.get("/deliveries").text
    for text in ["queued<", "will retry soon<", "2 attempts", "Busy &lt;now&gt;", ">sent<", ">failed<", "No such box", "R&amp;B night"]:
        assert text in page
    failed = cast.alice.get("/deliveries?state=failed").text
    assert "lost@example.org" in failed
    assert "gone@example.org" not in failed
    assert 'value="failed" selected' in failed
    assert "lost@example.org" not in cast.carol.get("/deliveries").text


def test_the_deliveries_of_one_event_are_for_those_who_may_edit_it(cast: Cast) -> None:
    one, other = an_event(cast.alice, title="One", public=True), an_event(cast.alice, title="Other", public=True)
    for event in (one, other):
        cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": f"{event['title']}@example.org"})
    page = cast.alice.get(f"/deliveries?event_id={one['id']}&state=").text
    assert "One@example.org" in page
    assert "Other@example.org" not in page
    assert f'name="event_id" value="{one["id"]}"' in page
    assert cast.carol.get(f"/deliveries?event_id={one['id']}").status == 403


def test_deliveries_of_a_deleted_event_stay_on_the_page(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": "dana@example.org"})
    cast.alice.delete(f"/api/events/{event['id']}")
    page = cast.alice.get("/deliveries").text
    assert "dana@example.org" in page
    assert "<small>deleted</small>" in page


@pytest.mark.parametrize("path", ["/deliveries", "/deliveries?state=sent"])
def test_a_page_without_deliveries_explains_them(cast: Cast, path: str) -> None:
    assert 'class="empty"' in cast.alice.get(path).text

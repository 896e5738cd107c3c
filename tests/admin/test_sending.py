"""An account whose mail many people refuse is stopped from sending to others, and admins see it and allow it again."""

from typing import Any

import pytest

from kalends.features.deliveries import refusal_store as refusals
from kalends.features.deliveries import store
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.store import DAY
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import Person, a_response, an_event, verified
from tests.client import Client, Reply
from tests.http.stored_rows import FreshService
from tests.responses.mail import mails_about
from tests.site.administrator import Admin

START = "2027-06-01T20:00"
MAX = refusals.MIN_REFUSALS


@pytest.fixture
def karl(site: FreshService, admin: Admin) -> Person:
    return Person(site.guest, "karl")


def _invite(organiser: Client, event: dict[str, Any], number: int, name: str = "g") -> Reply:
    addresses = [f"{name}{n}@{name}{n}.example" for n in range(number)]
    return organiser.post(f"/api/events/{event['id']}/invitations", json={"addresses": addresses})


def _stop_links(site: FreshService, event: dict[str, Any]) -> list[str]:
    mails = mails_about(site.db, site.settings, event["id"], site.clock.now)
    return [str(mail["List-Unsubscribe"]).strip("<>").split("/", 3)[3] for mail in mails if mail["List-Unsubscribe"]]


def _click(site: FreshService, links: list[str]) -> None:
    for link in links:
        assert site.guest.post(f"/{link}", data={"List-Unsubscribe": "One-Click"}).status == 200


def _sending(admin: Admin, person: Person) -> str:
    [row] = [row for row in admin.get("/api/admin/people").json["people"] if row["id"] == person.id]
    return str(row["sending"])


def _stop(site: FreshService, organiser: Person) -> dict[str, Any]:
    """An event of the organiser, whom its guests have stopped."""
    event = an_event(organiser, start_time=START, public=True)
    assert _invite(organiser, event, MAX).status == 202
    _click(site, _stop_links(site, event))
    return event


def _notices(site: FreshService) -> list[str]:
    with site.db.read() as tx:
        return [address for (address,) in tx.rows("SELECT address FROM deliveries WHERE notice = 'sending_stopped' ORDER BY id")]


def test_ten_people_who_refuse_stop_the_organiser_and_admins_get_mail_once(site: FreshService, admin: Admin, karl: Person) -> None:
    event = an_event(karl, start_time=START)
    assert _invite(karl, event, MAX + 2).status == 202
    links = _stop_links(site, event)
    _click(site, links[: MAX - 1])
    _click(site, links[: MAX - 1])
    assert (_sending(admin, karl), _notices(site)) == ("allowed", [])
    _click(site, links[MAX - 1 :])
    assert (_sending(admin, karl), _notices(site)) == ("stopped", [admin.email_address])
    with site.db.read() as tx:
        delivery_id = tx.value("SELECT max(id) FROM deliveries WHERE notice = 'sending_stopped'")
    ctx = Context(site.db, site.settings, site.clock.now)
    with ctx.read():
        delivery = store.get(ctx, delivery_id)
    assert delivery is not None
    sender.attempt(site.db, site.settings, delivery)
    mail = (site.settings.folder / "outbox" / f"{delivery_id}.eml").read_text()
    assert f"{karl.user_name} can no longer send emails" in mail
    assert "/admin/people?sending=stopped" in mail.replace("=3D", "=").replace("=\n", "")


def test_a_stopped_organiser_sends_to_nobody_and_reads_whom_to_ask(site: FreshService, admin: Admin, karl: Person) -> None:
    event = _stop(site, karl)
    [first, *_] = karl.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    path = f"/api/events/{event['id']}"
    refused = [
        _invite(karl, event, 1, "new"),
        karl.put(f"{path}/invitations/{first['id']}/resend"),
        karl.post(f"{path}/messages", json={"to": "going", "subject": "Hi", "text": "x"}),
        karl.put(f"{path}/announce"),
        karl.post("/api/responses", json={"event_id": event["id"], "response": "YES", "email_address": "new@example.org", "notify": False}),
        karl.put(f"{path}/send_to_me", json={"email": "new@example.org"}),
    ]
    assert [(each.status, each.json["type"].partition("#")[2]) for each in refused] == [(403, "sending-stopped")] * 6
    assert "Ask an administrator of this site" in refused[0].json["detail"]
    page = karl.post(f"/events/{event['id']}/invitations/send", data={"addresses": "new@example.org"})
    assert (page.status, "Ask an administrator of this site" in page.text) == (403, True)
    # Mail to oneself, to guests of their own accord, and about the account goes on.
    assert karl.put(f"{path}/send_to_me", json={}).status == 202
    assert a_response(site.guest, event, email_address="own@example.org")["response"] == "YES"
    assert site.guest.post("/reset", data={"user_name": karl.user_name}).status in (200, 303)
    sender.queue_resets(Context(site.db, site.settings, site.clock.now))
    kinds = {(kind, address) for kind, _, address in site.queued()}
    assert {("response", "own@example.org"), ("send_to_me", karl.email_address), ("reset", karl.email_address)} <= kinds


def test_editors_cannot_send_for_a_stopped_organiser(site: FreshService, admin: Admin, karl: Person) -> None:
    event = _stop(site, karl)
    eva = Person(site.guest, "eva")
    share = {"user_name": eva.user_name, "role": "editor"}
    assert karl.put(f"/api/calendars/{karl.primary_calendar_id}/share", json=share).status == 200
    assert _invite(eva, event, 1, "new").status == 403
    assert _invite(eva, an_event(eva, start_time=START), 1, "new").status == 202


def test_changes_reach_only_people_who_have_answered_a_stopped_organiser(site: FreshService, admin: Admin, karl: Person) -> None:
    event = an_event(karl, start_time=START, public=True)
    a_response(karl, event, email_address="added@example.org", notify=False)
    eva = verified(site.db, Person(site.guest, "eva"))
    a_response(eva, event)
    ctx = Context(site.db, site.settings, site.clock.now)
    with ctx.write():
        refusals.change_sending(ctx, karl.id, "stopped")
        both = {("email", "added@example.org"), ("email", eva.email_address)}
        assert suppressions.find_suppressed(ctx, karl.id, event["id"], "notice", both) == {("email", "added@example.org")}
    notified = karl.put(f"/api/events/{event['id']}", json={"start_time": "2027-06-02T20:00", "notify": "all"}).json["notified"]
    assert notified == {"email": 1, "sms": 0, "skipped": 1}


def test_few_of_many_recipients_stop_nobody(site: FreshService, admin: Admin, karl: Person) -> None:
    event = an_event(karl, start_time=START)
    assert _invite(karl, event, MAX * refusals.FRACTION + 1).status == 202
    links = _stop_links(site, event)
    _click(site, links[:MAX])
    assert _sending(admin, karl) == "allowed"
    _click(site, links[MAX : MAX + 1])
    assert _sending(admin, karl) == "stopped"


def test_refusals_of_more_than_thirty_days_ago_do_not_count(site: FreshService, admin: Admin, karl: Person) -> None:
    event = an_event(karl, start_time=START)
    assert _invite(karl, event, MAX).status == 202
    links = _stop_links(site, event)
    _click(site, links[:2])
    ctx = Context(site.db, site.settings, site.clock.now + 31 * DAY)
    with ctx.write():
        for n in range(2, MAX):
            refusals.record(ctx, karl.id, f"g{n}@g{n}.example")
    assert _sending(admin, karl) == "allowed"


def test_guests_who_came_of_their_own_accord_stop_nobody(site: FreshService, admin: Admin, karl: Person) -> None:
    event = an_event(karl, start_time=START, public=True)
    for n in range(MAX):
        a_response(site.guest, event, email_address=f"own{n}@own{n}.example")
    sent = karl.post(f"/api/events/{event['id']}/messages", json={"to": "going", "subject": "Hi", "text": "x"})
    assert sent.json["notified"]["email"] == MAX
    links = _stop_links(site, event)
    assert len(links) == MAX
    _click(site, links)
    assert _sending(admin, karl) == "allowed"


def test_added_guests_who_want_no_more_stop_the_organiser(site: FreshService, admin: Admin, karl: Person) -> None:
    event = an_event(karl, start_time=START, public=True)
    for n in range(MAX):
        a_response(karl, event, email_address=f"added{n}@added{n}.example", notify=False)
    assert karl.put(f"/api/events/{event['id']}", json={"start_time": "2027-06-02T20:00", "notify": "all"}).json["notified"]["email"] == MAX
    _click(site, _stop_links(site, event))
    assert _sending(admin, karl) == "stopped"


def test_who_has_answered_is_no_refusal(site: FreshService, admin: Admin, karl: Person) -> None:
    event = an_event(karl, start_time=START, public=True)
    eva = verified(site.db, Person(site.guest, "eva"))
    addresses = [eva.email_address, *(f"g{n}@g{n}.example" for n in range(MAX - 1))]
    assert karl.post(f"/api/events/{event['id']}/invitations", json={"addresses": addresses}).status == 202
    a_response(eva, event)
    links = _stop_links(site, event)
    assert len(links) == MAX
    _click(site, links)
    assert _sending(admin, karl) == "allowed"


def test_addresses_that_do_not_work_count_as_refusals(site: FreshService, admin: Admin, karl: Person) -> None:
    event = an_event(karl, start_time=START)
    assert _invite(karl, event, MAX).status == 202
    ctx = Context(site.db, site.settings, site.clock.now)
    with ctx.write():
        for (delivery_id,) in ctx.tx.rows("SELECT id FROM deliveries WHERE kind = 'invitation'"):
            delivery = store.get(ctx, delivery_id)
            assert delivery is not None
            suppressions.insert_for_delivery(ctx, delivery, "bounced", "550 No such user")
        states = {state for (state,) in ctx.tx.rows("SELECT state FROM deliveries WHERE kind = 'invitation'")}
    assert (_sending(admin, karl), states) == ("stopped", {"failed"})


def test_an_admin_sees_and_allows_it_and_the_log_has_it(site: FreshService, admin: Admin, karl: Person) -> None:
    event = _stop(site, karl)
    path = f"/api/admin/people/{karl.id}"
    page = admin.get("/admin/people?sending=stopped").text
    assert (karl.email_address in page, admin.email_address in page.partition("<tbody")[2]) == (True, False)
    assert [row["id"] for row in admin.get("/api/admin/people?sending=stopped").json["people"]] == [karl.id]
    assert karl.put(path, json={"sending": "allowed"}).status == 403
    assert admin.put(path, json={}).status == 422
    assert admin.post(f"/admin/people/{karl.id}/sending", data={"sending": "allowed"}).redirect == ("/admin/people", "saved")
    # The refusals are counted from zero.
    assert (_sending(admin, karl), _invite(karl, event, 1, "new").status) == ("allowed", 202)
    _click(site, _stop_links(site, event))
    assert _sending(admin, karl) == "allowed"
    assert admin.put(path, json={"sending": "stopped"}).json["sending"] == "stopped"
    assert admin.put(path, json={"sending": "stopped"}).status == 200
    log = [(each["action"], each["subject_id"], each["detail"]) for each in admin.get("/api/admin/audit").json["entries"]]
    assert log == [("sending_changed", karl.id, "stopped"), ("sending_changed", karl.id, "allowed")]
    assert "changed whether an account may send" in admin.get("/admin/audit").text


def test_an_admin_is_never_stopped(site: FreshService, admin: Admin) -> None:
    event = _stop(site, admin)
    assert (_sending(admin, admin), _invite(admin, event, 1, "new").status) == ("allowed", 202)

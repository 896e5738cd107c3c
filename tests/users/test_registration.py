"""Registration by invitation, and with the approval of an admin."""

from email.message import EmailMessage
from typing import Any

import pytest

from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.messages import content_message as content
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.http.context import Context
from tests.cast import PASSWORD
from tests.client import Client, Reply
from tests.http.stored_rows import FreshService
from tests.site.administrator import Admin, an_account_invitation
from tests.site.conftest import admin, site
from tests.users.registration import a_registration

__all__ = ["admin", "site"]
ADDRESS = "ines@example.org"


def _set(admin: Admin, registration: str) -> None:
    assert admin.put("/api/site", json={"registration": registration}).status == 200


def _invite(admin: Admin, address: str = ADDRESS) -> str:
    """The token of the link that is mailed to the address."""
    reply = admin.post("/api/admin/invitations", json={"email_address": address})
    assert reply.status == 201, reply
    return str(reply.json["url"]).rsplit("/", 1)[1]


def _register(guest: Client, **fields: Any) -> Reply:
    return guest.post("/api/users", json=a_registration(**fields))


def _login(guest: Client, user_name: str) -> Reply:
    return guest.post("/api/session", json={"user_name": user_name, "password": PASSWORD})


def _last_mail(site: FreshService) -> EmailMessage:
    """The message that was queued last, as it is sent now."""
    ctx = Context(site.db, site.settings, site.clock())
    with ctx.read() as tx:
        delivery = deliveries.get(ctx, tx.value("SELECT max(id) FROM deliveries"))
        assert delivery
        mail = content.build(ctx, delivery)
    assert isinstance(mail, EmailMessage)
    return mail


def test_by_invitation_only_who_is_invited_registers_once_with_that_address(site: FreshService, admin: Admin) -> None:
    _set(admin, "invitation")
    assert _register(site.guest).status == 403
    token = _invite(admin)
    other = _register(site.guest, invitation=token)
    assert (other.status, other.broken) == (422, ["email_address"])
    joined = _register(site.guest, email_address="Ines@Example.org", invitation=token)
    assert (joined.status, joined.json["status"], joined.json["verified"]) == (201, "active", True)
    assert _login(site.guest, joined.json["user_name"]).status == 201
    assert _register(site.guest, invitation=token).status == 403
    assert admin.get("/api/admin/invitations").json["invitations"] == []


def test_the_mailed_link_makes_the_account_on_a_page(site: FreshService, admin: Admin) -> None:
    _set(admin, "invitation")
    admin.put("/api/site", json={"name": "Jazz in Lyon"})
    token = _invite(admin)
    mail = _last_mail(site)
    assert (mail["Subject"], mail["To"]) == ("You’re invited to Jazz in Lyon", ADDRESS)
    assert f"/sign-up/{token}\n" in mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert (site.guest.get("/sign-up").status, site.guest.get("/sign-up/1-forged").status) == (403, 404)
    page = site.guest.get(f"/sign-up/{token}")
    assert (page.headers["Cache-Control"], 'value="ines@example.org" readonly' in page.text) == ("no-store", True)
    short = site.guest.post(f"/sign-up/{token}", data={"user_name": "ines", "password": "short"})
    assert (short.status, 'value="ines"' in short.text) == (422, True)
    made = site.guest.post(f"/sign-up/{token}", data={"user_name": "ines", "password": PASSWORD})
    assert made.redirect[0] == "/welcome"
    assert site.guest.get(f"/sign-up/{token}").status == 404


def test_an_invitation_expires_is_replaced_by_the_next_one_and_can_be_withdrawn(site: FreshService, admin: Admin) -> None:
    _set(admin, "invitation")
    first, second = _invite(admin), _invite(admin, "INES@example.org")
    [listed] = admin.get("/api/admin/invitations").json["invitations"]
    assert (listed["email_address"], listed["url"].rsplit("/", 1)[1]) == ("INES@example.org", second)
    assert site.guest.get(f"/sign-up/{first}").status == 404
    assert admin.delete(f"/api/admin/invitations/{listed['id']}").status == 200
    assert admin.delete(f"/api/admin/invitations/{listed['id']}").status == 404
    assert _register(site.guest, email_address=ADDRESS, invitation=second).status == 403
    third = _invite(admin)
    site.clock.ahead(14 * 86_400)
    assert site.guest.get(f"/sign-up/{third}").status == 404
    assert _register(site.guest, email_address=ADDRESS, invitation=third).status == 403


def test_what_is_withdrawn_before_it_is_sent_is_not_sent(site: FreshService, admin: Admin) -> None:
    _invite(admin)
    [listed] = admin.get("/api/admin/invitations").json["invitations"]
    admin.delete(f"/api/admin/invitations/{listed['id']}")
    with pytest.raises(Undeliverable):
        _last_mail(site)


def test_nobody_is_invited_who_has_an_account(site: FreshService, admin: Admin) -> None:
    reply = admin.post("/api/admin/invitations", json={"email_address": admin.email_address.upper()})
    assert (reply.status, reply.broken) == (409, ["email_address"])


def test_where_registration_is_closed_an_invitation_opens_nothing(site: FreshService, admin: Admin) -> None:
    _, token = an_account_invitation(site.guest, ADDRESS)
    _set(admin, "closed")
    assert site.guest.get(f"/sign-up/{token}").status == 404
    assert _register(site.guest, email_address=ADDRESS, invitation=token).status == 403
    _set(admin, "approval")
    assert _register(site.guest, email_address=ADDRESS, invitation=token).json["status"] == "active"


def test_a_registration_waits_until_an_admin_approves_it(site: FreshService, admin: Admin) -> None:
    _set(admin, "approval")
    reply = _register(site.guest, user_name="walter", email_address="walter@example.org")
    assert (reply.status, reply.json) == (202, {"user_name": "walter", "email_address": "walter@example.org", "status": "waiting"})
    refused = _login(site.guest, "walter")
    assert (refused.status, "waits for the approval" in refused.json["detail"]) == (403, True)
    assert _last_mail(site)["Subject"] == "Someone is waiting for your approval"
    [person] = admin.get("/api/admin/people?status=waiting").json["people"]
    assert person["user_name"] == "walter"
    approved = admin.put(f"/api/admin/people/{person['id']}/approve")
    assert (approved.status, approved.json["status"]) == (200, "active")
    mail = _last_mail(site)
    assert (mail["Subject"], mail["To"]) == ("Your account has been approved", "walter@example.org")
    assert _login(site.guest, "walter").status == 201
    assert admin.put(f"/api/admin/people/{person['id']}/approve").status == 409
    assert admin.put(f"/api/admin/people/{person['id']}/refuse").status == 409


def test_who_is_refused_gets_mail_and_nothing_of_them_stays(site: FreshService, admin: Admin) -> None:
    _set(admin, "approval")
    _register(site.guest, user_name="walter", email_address="walter@example.org")
    [person] = admin.get("/api/admin/people?status=waiting").json["people"]
    assert admin.put(f"/api/admin/people/{person['id']}/refuse").json == {"deleted": [person["id"]]}
    mail = _last_mail(site)
    assert (mail["Subject"], mail["To"]) == ("Your account request wasn’t approved", "walter@example.org")
    assert _login(site.guest, "walter").status == 401
    assert _register(site.guest, user_name="walter", email_address="walter@example.org").status == 202


def test_a_waiting_registration_does_not_tell_whether_the_address_has_an_account(site: FreshService, admin: Admin) -> None:
    _set(admin, "approval")
    known = _register(site.guest, user_name="mallory", email_address=admin.email_address)
    assert _last_mail(site)["Subject"] == "You already have an account"
    new = _register(site.guest, user_name="walter", email_address="walter@example.org")
    assert (known.status, known.json.keys(), known.headers.keys()) == (new.status, new.json.keys(), new.headers.keys())
    assert [person["user_name"] for person in admin.get("/api/admin/people?status=waiting").json["people"]] == ["walter"]
    _register(site.guest, user_name="mallory2", email_address=admin.email_address)
    to_admin = [kind for kind, _, address in site.queued() if address == admin.email_address]
    assert to_admin == ["notice", "notice"], "one that someone used the address, however often, and one that someone waits"


def test_the_page_says_that_a_registration_waits(site: FreshService, admin: Admin) -> None:
    _set(admin, "approval")
    assert "An administrator reviews each new account" in site.guest.get("/sign-up").text
    typed = {"user_name": "walter", "email_address": "walter@example.org", "password": PASSWORD}
    assert site.guest.post("/sign-up", data=typed).redirect == ("/sign-in", "account-waiting")


def test_admins_get_one_mail_a_day_however_many_wait(site: FreshService, admin: Admin) -> None:
    _set(admin, "approval")
    for _ in range(3):
        _register(site.guest)
    assert [address for kind, _, address in site.queued() if kind == "notice"] == [admin.email_address]

"""The log of the administration, mail about new admins, and the recent sign-in that roles and deletions need."""

import pytest

from kalends.app.worker import clean_up
from kalends.core.records.credentials import VERY_RECENT
from kalends.features.admin.audit.store import RETENTION
from kalends.http.context import Context
from tests.cast import PASSWORD, Person, a_key, an_event
from tests.client import Client
from tests.http.stored_rows import FreshService
from tests.site.administrator import Admin, an_inactive_person


def _log(admin: Client) -> list[tuple[str, str, int | None, str | None]]:
    """Action, way, subject and detail of the entries, the oldest first."""
    entries = admin.get("/api/admin/audit").json["entries"]
    return [(each["action"], each["via"], each["subject_id"], each["detail"]) for each in reversed(entries)]


def test_the_log_has_what_admins_did_with_a_page_the_api_and_a_key(site: FreshService, admin: Admin) -> None:
    karl, walter = Person(site.guest, "karl"), an_inactive_person(site.guest, "waiting")
    program, event = site.guest.signed_in(a_key(admin)["wkey"]), an_event(karl, public=True)
    assert admin.put(f"/api/admin/people/{walter.id}/approve").status == 200
    assert admin.post(f"/admin/people/{karl.id}/suspend").status == 303
    assert program.put(f"/api/admin/people/{karl.id}/activate").status == 200
    assert admin.put("/api/site", json={"name": "Jazz", "tagline": "All of it"}).status == 200
    invited = admin.post("/api/admin/invitations", json={"email_address": "ines@example.org"}).json["id"]
    assert admin.delete(f"/api/admin/invitations/{invited}").status == 200
    hidden = admin.post("/api/hidden_events", json={"event_id": event["id"], "reason": "Spam"}).json["id"]
    assert admin.delete(f"/api/hidden_events/{hidden}").status == 200
    sender = admin.post("/api/blocked_senders", json={"sender": "spam.example"}).json["id"]
    assert admin.delete(f"/api/blocked_senders/{sender}").status == 200
    assert _log(admin) == [
        ("account_approved", "api", walter.id, None),
        ("account_suspended", "page", karl.id, None),
        ("account_activated", "key", karl.id, None),
        ("site_changed", "api", None, "name, tagline"),
        ("account_invited", "api", invited, None),
        ("invitation_withdrawn", "api", invited, None),
        ("event_hidden", "api", event["id"], None),
        ("event_shown", "api", event["id"], None),
        ("sender_blocked", "api", sender, None),
        ("sender_accepted", "api", sender, None),
    ]
    page = admin.get("/admin/audit").text
    assert all(words in page for words in (admin.user_name, karl.user_name, "suspended an account", "with an API key"))


def test_what_is_refused_or_rolled_back_is_not_in_the_log(site: FreshService, admin: Admin) -> None:
    karl = Person(site.guest, "karl")
    assert admin.put(f"/api/admin/people/{karl.id}/approve").status == 409
    assert admin.put(f"/api/admin/people/{karl.id}/suspend?dry_run=true").status == 200
    assert karl.put(f"/api/admin/people/{admin.id}/suspend").status == 403
    assert _log(admin) == []


def test_the_log_names_a_deleted_account_by_its_id_alone_and_is_kept_for_two_years(site: FreshService, admin: Admin) -> None:
    karl = Person(site.guest, "karl")
    assert admin.put(f"/api/admin/people/{karl.id}/suspend").status == 200
    assert admin.delete(f"/api/admin/people/{karl.id}").status == 200
    entries = admin.get("/api/admin/audit?count=true").json
    assert [(each["action"], each["subject_id"], each["subject_name"]) for each in entries["entries"]] == [
        ("account_deleted", karl.id, None),
        ("account_suspended", karl.id, None),
    ]
    assert entries["total"] == 2
    assert karl.user_name not in admin.get("/admin/audit").text
    for seconds, kept in ((RETENTION, 2), (RETENTION + 1, 0)):
        clean_up(Context(site.db, site.settings, site.clock() + seconds))
        with site.db.read() as tx:
            assert tx.value("SELECT count(*) FROM audit_entries") == kept


def test_all_admins_get_mail_about_a_new_one(site: FreshService, admin: Admin) -> None:
    eva, karl = Admin(site.guest, "eva"), Person(site.guest, "karl")
    tried = admin.put(f"/api/admin/people/{karl.id}", json={"role": "admin", "dry_run": True}).json["would_notify"]["messages"]
    addresses = {admin.email_address, eva.email_address, karl.email_address}
    assert {each["address"] for each in tried} == addresses
    before = len(site.queued())
    assert admin.put(f"/api/admin/people/{karl.id}", json={"role": "admin"}).status == 200
    assert {address for _, _, address in site.queued()[before:]} == addresses
    assert _log(admin) == [("role_changed", "api", karl.id, "admin")]
    assert admin.put(f"/api/admin/people/{karl.id}", json={"role": "admin"}).status == 200
    assert len(site.queued()) == before + 3


@pytest.mark.parametrize("by_session", [False, True])
def test_a_key_changes_no_roles_and_deletes_no_accounts(site: FreshService, admin: Admin, by_session: bool) -> None:
    karl, key = Person(site.guest, "karl"), a_key(admin)
    token = site.guest.post("/api/session", json={"wkey": key["wkey"]}).json["token"] if by_session else key["wkey"]
    program = site.guest.signed_in(token)
    path = f"/api/admin/people/{karl.id}"
    for password in ({}, {"current_password": PASSWORD}):
        assert program.put(path, json={"role": "admin"} | password).status == 403
        assert program.delete(path, json=password).status == 403
    assert admin.get("/api/admin/people?text=karl").json["people"][0]["role"] == "member"


def test_roles_and_deletions_need_a_recent_sign_in_or_the_password(site: FreshService, admin: Admin) -> None:
    karl = Person(site.guest, "karl")
    path, page = f"/api/admin/people/{karl.id}", f"/admin/people/{karl.id}"
    site.clock.ahead(VERY_RECENT)
    for refused in (admin.put(path, json={"role": "admin"}), admin.delete(path)):
        assert (refused.status, refused.json["type"].rpartition("/")[2].rpartition("#")[2]) == (403, "recent-sign-in-required")
        assert refused.broken == ["current_password"]
    assert admin.put(path, json={"role": "admin", "current_password": "wrong"}).status == 403
    assert admin.put(path, json={"role": "admin", "current_password": PASSWORD}).json["role"] == "admin"
    assert "current_password" in admin.get(f"{page}/role").text
    without = admin.post(f"{page}/role", data={"role": "member"})
    assert (without.status, "Make member" in without.text) == (403, True)
    assert admin.post(f"{page}/role", data={"role": "member", "current_password": PASSWORD}).status == 303
    assert admin.post(f"{page}/delete").status == 403
    again = site.guest.signed_in(site.guest.post("/api/session", json={"user_name": admin.user_name, "password": PASSWORD}).json["token"])
    assert again.delete(path).status == 200


def test_within_a_quarter_of_an_hour_the_pages_ask_for_no_password(site: FreshService, admin: Admin) -> None:
    karl = Person(site.guest, "karl")
    assert "current_password" not in admin.get(f"/admin/people/{karl.id}/role").text
    assert admin.post(f"/admin/people/{karl.id}/role", data={"role": "admin"}).status == 303
    assert admin.post(f"/admin/people/{karl.id}/delete").status == 303

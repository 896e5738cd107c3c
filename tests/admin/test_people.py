"""/api/admin/people: admins find people, change their role, suspend and delete them."""

import re

from tests.calendars.test_feed import feed_of
from tests.cast import PASSWORD, Person, a_calendar, a_comment, a_contact, an_event, shared
from tests.http.stored_rows import FreshService
from tests.site.administrator import Admin, an_inactive_person


def _names(admin: Admin, query: str) -> list[str]:
    return [person["name"] for person in admin.get(f"/api/admin/people?{query}").json["people"]]


def test_people_are_found_by_user_name_address_and_name_in_any_case_without_accents(site: FreshService, admin: Admin) -> None:
    zoe = Person(site.guest, "zoe", email_address="zl@jazz.example")
    assert zoe.put(f"/api/users/{zoe.id}", json={"name": "Zoë Lefèvre"}).status == 200
    Person(site.guest, "karl")
    assert _names(admin, "") == ["Karl", "Zoë Lefèvre", "Ada", None]  # the first has no name
    assert [_names(admin, f"text={text}") for text in ("LEFEVRE", "jazz.example", "zoe-", "zoe karl", "nobody", "z")] == [
        ["Zoë Lefèvre"],
        ["Zoë Lefèvre"],
        ["Zoë Lefèvre"],
        [],
        [],
        [],
    ]


def test_people_are_listed_by_status_and_role_in_pages_with_a_total(site: FreshService, admin: Admin) -> None:
    an_inactive_person(site.guest, "waiting")
    an_inactive_person(site.guest, "suspended")
    assert [_names(admin, query) for query in ("status=waiting", "status=suspended", "role=admin")] == [["Walter"], ["Walter"], ["Ada"]]
    first = admin.get("/api/admin/people?limit=2&count=true").json
    assert (len(first["people"]), first["total"]) == (2, 4)
    assert [person["name"] for person in admin.get(first["next"]).json["people"]] == ["Ada", None]


def test_the_list_says_when_somebody_was_last_seen(site: FreshService, admin: Admin) -> None:
    [ada] = admin.get("/api/admin/people?text=ada-").json["people"]
    assert ada["last_seen_at"] == ada["created_at"]
    admin.delete("/api/session/current")
    [row] = Admin(site.guest, "eva").get("/api/admin/people?text=ada-").json["people"]
    assert row["last_seen_at"] is None


def test_a_suspended_person_cannot_sign_in_until_the_suspension_is_lifted(site: FreshService, admin: Admin) -> None:
    karl = Person(site.guest, "karl")
    path, credentials = f"/api/admin/people/{karl.id}", {"user_name": karl.user_name, "password": PASSWORD}
    assert admin.put(f"{path}/suspend").json["status"] == "suspended"
    assert (karl.get("/api/users/current").status, site.guest.post("/api/session", json=credentials).status) == (401, 403)
    assert admin.put(f"{path}/activate").json["status"] == "active"
    assert site.guest.post("/api/session", json=credentials).status == 201


def test_a_suspended_editor_no_longer_reads_the_feeds_of_others(site: FreshService, admin: Admin) -> None:
    karl, vera = Person(site.guest, "karl"), Person(site.guest, "vera")
    calendar, own = a_calendar(vera), a_calendar(karl)
    shared(vera, calendar, karl, "editor")
    path, own_path = feed_of(karl, calendar), feed_of(karl, own)
    assert site.guest.get(path).status == 200
    admin.put(f"/api/admin/people/{karl.id}/suspend")
    assert [site.guest.get(each).status for each in (path, feed_of(vera, calendar), own_path)] == [404, 200, 200]


def test_who_waits_is_approved_or_refused_and_neither_suspended_nor_activated(site: FreshService, admin: Admin) -> None:
    walter = an_inactive_person(site.guest, "waiting")
    assert [admin.put(f"/api/admin/people/{walter.id}/{action}").status for action in ("suspend", "activate")] == [409, 409]


def test_an_admin_makes_others_admins_and_does_not_change_the_own_account(site: FreshService, admin: Admin) -> None:
    karl = Person(site.guest, "karl")
    assert karl.get("/api/admin/people").status == 403
    assert admin.put(f"/api/admin/people/{karl.id}", json={"role": "admin"}).json["role"] == "admin"
    assert karl.put(f"/api/admin/people/{admin.id}", json={"role": "member"}).json["role"] == "member"
    assert karl.put(f"/api/admin/people/{karl.id}", json={"role": "member"}).status == 409
    assert karl.put("/api/admin/people/999999/suspend").status == 404


def test_the_page_finds_approves_suspends_and_invites(site: FreshService, admin: Admin) -> None:
    walter, karl = an_inactive_person(site.guest, "waiting"), Person(site.guest, "karl")
    page = admin.get("/admin/people").text
    assert "1 awaiting approval" in page
    assert f'action="/admin/people/{walter.id}/approve"' in page
    assert karl.email_address not in admin.get("/admin/people?status=waiting").text
    steps = [
        (f"{walter.id}/approve", {}, "person-approved"),
        (f"{karl.id}/suspend", {}, "person-suspended"),
        (f"{karl.id}/activate", {}, "person-activated"),
        (f"{karl.id}/role", {"role": "admin"}, "saved"),
    ]
    for path, fields, notice in steps:
        assert admin.post(f"/admin/people/{path}", data=fields).redirect == ("/admin/people", notice)
    assert admin.get("/api/admin/people?role=admin&count=true").json["total"] == 2
    again = admin.post("/admin/people/invitations", data={"email_address": karl.email_address})
    assert (again.status, "Already has an account." in again.text) == (409, True)
    assert admin.post("/admin/people/invitations", data={"email_address": "ines@example.org"}).redirect[1] == "person-invited"
    [invitation] = admin.get("/api/admin/invitations").json["invitations"]
    assert invitation["url"] in admin.get("/admin/people").text
    assert admin.post(f"/admin/people/invitations/{invitation['id']}/withdraw").redirect[1] == "withdrawn"
    assert admin.post(f"/admin/people/{an_inactive_person(site.guest, 'waiting').id}/refuse").redirect[1] == "person-refused"


def test_an_admin_deletes_an_account_with_its_events_and_reads_before_what_goes_with_it(site: FreshService, admin: Admin) -> None:
    karl = Person(site.guest, "karl")
    event, other = an_event(karl, public=True), an_event(admin, public=True)
    comment = a_comment(karl, other)
    a_contact(karl)
    page = admin.get(f"/admin/people/{karl.id}/delete").text
    counts = re.findall(r"<dt>(\w+)</dt><dd>(\d+)</dd>", page)
    assert counts == [("Calendars", "1"), ("Events", "1"), ("Contacts", "1"), ("Subscribers", "0")]
    assert f'href="/admin/people/{karl.id}/delete"' in admin.get("/admin/people").text
    assert admin.delete(f"/api/admin/people/{karl.id}?dry_run=true").status == 200
    assert site.guest.get(f"/api/events/{event['id']}").status == 200
    assert admin.post(f"/admin/people/{karl.id}/delete").redirect == ("/admin/people", "deleted")
    assert (karl.get("/api/users/current").status, site.guest.get(f"/api/events/{event['id']}").status) == (401, 404)
    comments = admin.get(f"/api/events/{other['id']}?comments=true").json["comments"]
    assert [each["id"] for each in comments] == [comment["id"]]


def test_an_admin_deletes_neither_the_own_account_nor_one_that_is_not_there(admin: Admin) -> None:
    assert [admin.delete(f"/api/admin/people/{person_id}").status for person_id in (admin.id, 999_999)] == [409, 404]
    assert admin.get(f"/admin/people/{admin.id}/delete").status == 409
    assert admin.get("/api/users/current").status == 200

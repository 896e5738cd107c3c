"""The birthdays of contacts: a list, a page, a feed with a secret URL, and a calendar that devices only read."""

from datetime import date

import icalendar
import pytest
import recurring_ical_events

from kalends.core.i18n.locale import ENGLISH
from kalends.core.settings import Settings
from kalends.features.contacts.rules import birthday as rules
from kalends.features.contacts.rules.birthday import Birthday
from kalends.features.contacts.steps import birthday_file
from tests.cast import Cast, Person, a_contact, a_key
from tests.client import Client
from tests.dav.clients import SPACES, C, D, device, propfind, report, responses, sync

EVENTS = '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">{}</C:comp-filter></C:comp-filter></C:filter>'
DATA = "<D:prop><D:getetag/><C:calendar-data/></D:prop>"


def path_of(person: Person) -> str:
    return f"/dav/users/{person.id}/calendars/contact_birthdays/"


@pytest.fixture
def alice(cast: Cast) -> Person:
    """With three contacts of whom one has no birthday. It is the end of May 2026."""
    a_contact(cast.alice, first_name="Ana", last_name="Lopez", birthday="1990-05-11")
    a_contact(cast.alice, first_name="Bo; Co", birthday="2000-07-02")
    a_contact(cast.alice, first_name="Cem")
    return cast.alice


def test_the_next_one_is_first(alice: Person, cast: Cast) -> None:
    listed = alice.get("/api/contacts/birthdays").json["birthdays"]
    assert [(each["name"], each["next_date"], each["age"]) for each in listed] == [
        ("Bo; Co", "2026-07-02", 26),
        ("Ana Lopez", "2027-05-11", 37),
    ]
    page = alice.get("/contacts/birthdays").text
    assert page.index("Bo; Co") < page.index("Ana Lopez")
    assert "turns 26" in page
    assert "/contacts/birthdays" in alice.get("/contacts").text
    assert cast.bob.get("/api/contacts/birthdays").json["birthdays"] == []
    assert "None of your contacts" in cast.bob.get("/contacts/birthdays").text


def test_the_feed_repeats_each_birthday_every_year(alice: Person, client: Client) -> None:
    url = alice.get("/api/contacts/birthdays").json["feed_url"].removeprefix("http://testserver")
    reply = client.get(url)
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/calendar; charset=utf-8")
    assert client.get(url, headers={"If-None-Match": reply.headers["ETag"]}).status == 304
    calendar = icalendar.Calendar.from_ical(reply.content)
    dates = recurring_ical_events.of(calendar).between(date(2040, 1, 1), date(2041, 1, 1))
    assert {(str(each["SUMMARY"]), each["DTSTART"].dt) for each in dates} == {
        ("Ana Lopez’s birthday (1990)", date(2040, 5, 11)),
        ("Bo; Co’s birthday (2000)", date(2040, 7, 2)),
    }
    assert all(each["TRANSP"] == "TRANSPARENT" for each in dates)


def test_the_feed_is_for_who_has_its_url(alice: Person, cast: Cast, client: Client) -> None:
    feed = "/api/contacts/birthdays.ics"
    url = alice.get("/api/contacts/birthdays").json["feed_url"].removeprefix("http://testserver")
    assert [each.get(f"{feed}?user_id={alice.id}").status for each in (alice, cast.bob, client)] == [200, 404, 401]
    assert [
        client.get(path).status for path in (f"{feed}?user_id={cast.bob.id}&key={url[-32:]}", f"{feed}?key={url[-32:]}", f"{url}x")
    ] == [404] * 3
    changed = alice.put("/api/contacts/birthdays/reset_feed").json["feed_url"].removeprefix("http://testserver")
    assert [client.get(each).status for each in (url, changed)] == [404, 200]
    assert alice.post("/contacts/birthdays/reset_feed").redirect == ("/contacts/birthdays", "saved")
    assert client.get(changed).status == 404


def test_who_was_born_on_a_leap_day_has_a_birthday_every_year(settings: Settings) -> None:
    leap = Birthday(1, "Lea", None, None, None, "2004-02-29", 1, 0)
    calendar = icalendar.Calendar.from_ical(birthday_file.write([leap], settings, ENGLISH))
    dates = recurring_ical_events.of(calendar).between(date(2026, 1, 1), date(2029, 1, 1))
    expected = [date(2026, 2, 28), date(2027, 2, 28), date(2028, 2, 29)]
    assert sorted(each["DTSTART"].dt for each in dates) == expected
    assert [rules.next_date(leap.born, date(each.year, 1, 1)) for each in expected] == expected
    assert rules.next_date(leap.born, date(2026, 3, 1)) == date(2027, 2, 28)


def test_a_device_finds_the_calendar_if_there_are_birthdays(alice: Person, cast: Cast) -> None:
    names = ("D:displayname", "D:resourcetype", "D:current-user-privilege-set", "D:sync-token", "A:calendar-color")
    home = responses(propfind(alice, f"/dav/users/{alice.id}/calendars/", *names, depth="1"))
    _, props = home["contact_birthdays"]
    assert (props[f"{D}displayname"].text, props[f"{D}resourcetype"].find(f"{C}calendar") is not None) == ("Birthdays", True)
    privileges = {each.tag for each in props[f"{D}current-user-privilege-set"].iterfind(f"{D}privilege/*")}
    assert privileges == {f"{D}read", f"{D}read-current-user-privilege-set"}
    assert "contact_birthdays" not in responses(propfind(cast.bob, f"/dav/users/{cast.bob.id}/calendars/", *names, depth="1"))


def test_a_device_reads_and_follows_it(alice: Person) -> None:
    path = path_of(alice)
    listed = responses(propfind(alice, path, "D:getetag", depth="1"))
    known, token = sync(alice, path)
    assert len(known) == 2
    assert set(listed) == {"contact_birthdays", *known}
    name = next(iter(known))
    got = alice.get(path + name)
    assert (got.status, got.headers["ETag"]) == (200, listed[name][1][f"{D}getetag"].text)
    assert alice.get(path + name, headers={"If-None-Match": got.headers["ETag"]}).status == 304
    assert alice.get(path).text.count("BEGIN:VEVENT") == 2
    contact_id = int(name.removeprefix("birthday-").removesuffix(".ics"))
    alice.put(f"/api/contacts/{contact_id}", json={"birthday": "1991-05-12"})
    other = a_contact(alice, first_name="Dora", birthday="1980-01-01")
    changed, token = sync(alice, path, token)
    assert changed == {name: 200, f"birthday-{other['id']}.ics": 200}
    assert alice.get(path + name).headers["ETag"] != got.headers["ETag"]
    alice.put(f"/api/contacts/{contact_id}", json={"birthday": None})
    alice.delete(f"/api/contacts/{other['id']}")
    changed, token = sync(alice, path, token)
    assert changed == {name: 404, f"birthday-{other['id']}.ics": 404}
    assert sync(alice, path, token)[0] == {}


def test_the_first_list_may_be_read_in_parts(alice: Person) -> None:
    path = path_of(alice)
    first, token = sync(alice, path, limit=1)
    second, token = sync(alice, path, token, limit=1)
    assert [status for status in first.values() if status == 507] == [507]
    assert len({*first, *second} - {"contact_birthdays"}) == 2
    assert sync(alice, path, token)[0] == {}


def test_a_device_searches_it(alice: Person) -> None:
    path = path_of(alice)
    july = '<C:time-range start="20300701T000000Z" end="20300801T000000Z"/>'
    reply = report(alice, path, "C:calendar-query", DATA + EVENTS.format(july))
    assert (len(responses(reply)), reply.text.count("Bo\\; Co")) == (1, 1)
    expanded = DATA.replace(
        "<C:calendar-data/>", "<C:calendar-data><C:expand start='20300101T000000Z' end='20310101T000000Z'/></C:calendar-data>"
    )
    reply = report(alice, path, "C:calendar-query", expanded + EVENTS.format(july))
    assert "20300702" in reply.text
    assert "RRULE" not in reply.text
    hrefs = "".join(f"<D:href>{path}{name}</D:href>" for name in (*sync(alice, path)[0], "birthday-999999.ics", "x.ics"))
    found = responses(report(alice, path, "C:calendar-multiget", DATA + hrefs))
    assert sorted(status for status, _ in found.values()) == [200, 200, 404, 404]


# What the owner gets; others get 404, and guests 401.
STATUSES = {("PROPFIND", "birthdays"): 207, ("REPORT", "birthdays"): 207, ("GET", "birthdays"): 200}
STATUSES |= {("PROPFIND", "birthday"): 207, ("GET", "birthday"): 200}
REFUSED = {("PUT", "birthday"), ("DELETE", "birthday"), ("DELETE", "birthdays"), ("PROPPATCH", "birthdays"), ("MKCALENDAR", "birthdays")}


@pytest.mark.parametrize(("method", "kind"), sorted({*STATUSES, *REFUSED}))
def test_its_user_reads_it_and_nobody_changes_it(alice: Person, cast: Cast, method: str, kind: str) -> None:
    name = next(iter(sync(alice, path_of(alice))[0])) if kind == "birthday" else ""
    body = f"<D:sync-collection {SPACES}><D:sync-token/><D:prop/></D:sync-collection>" if method == "REPORT" else ""
    expected = STATUSES.get((method, kind), 405)
    for actor, status in ((cast.bob, 405 if expected == 405 else 404), (alice, expected)):
        assert actor.request(method, path_of(alice) + name, body=body, headers={"Depth": "0"}).status == status
    assert cast.anonymous.request(method, path_of(alice) + name, body=body).status == 401


def test_a_key_without_the_scope_of_contacts_does_not_show_them(alice: Person, client: Client) -> None:
    headers = {"Authorization": f"Bearer {a_key(alice, kind='api', scopes=['events:read'])['wkey']}"}
    assert client.request("PROPFIND", path_of(alice), headers={**headers, "Depth": "0"}).status == 403
    assert (
        "contact_birthdays" not in client.request("PROPFIND", f"/dav/users/{alice.id}/calendars/", headers={**headers, "Depth": "1"}).text
    )
    assert client.get("/api/contacts/birthdays", headers=headers).status == 403
    reader = device(alice, alice.post("/api/keys", json={"name": "tablet", "kind": "dav", "read_only": True}).json["wkey"])
    assert client.request("PROPFIND", path_of(alice), headers={**reader, "Depth": "0"}).status == 207

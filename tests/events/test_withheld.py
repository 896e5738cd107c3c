"""The link to an online event and its exact place are in no page, feed, reply, file or mail for somebody who may not know them."""

from functools import cached_property
from typing import Any, Literal

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.endpoint import Endpoint
from tests.cast import Cast, a_calendar, a_response, a_webhook, an_event, an_invitation, shared, verified
from tests.changes.follower import find_cursor, settle
from tests.client import Client
from tests.conftest import NOON
from tests.dav.clients import calendar_path, propfind, report
from tests.dav.test_write import ALARM, ics, put
from tests.responses.guest_browser import GuestBrowser
from tests.responses.mail import a_response_token, an_invitation_token, mails_about, text_of
from tests.test_policy import PEOPLE, Scene

CALL, STREET, NAME, ZIP, LATITUDE = "https://call.example.org/s3cr3troom", "17 Rue Cachette", "Chez Madeleine", "75011-CEDEX", 48.853291
WITHHELD = {
    "online_url": CALL,
    "location_name": NAME,
    "street": STREET,
    "zip": ZIP,
    "city": "Paris",
    "country": "France",
    "latitude": LATITUDE,
    "longitude": 2.379156,
}
SECRETS = ("s3cr3troom", "Cachette", "Madeleine", ZIP, "48.853291", "2.379156")
Audience = Literal["going", "members"]
KNOWING = {"going": {"owner", "manager", "editor", "going"}, "members": {"owner", "manager", "editor", "viewer"}}
READS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]
HISTORY = "/api/events/{event_id}/changes"
TELLING = {"/api/events/{event_id}", "/api/events/{event_id}.ics", "/events/{event_id}", HISTORY}
# They are for the guest of a response that has a place, whoever opens them; and the last makes the event one that is seen by its link.
BY_TOKEN = ("{response_token}", "{proposal_token}", "{event_link}")


class Guests:
    """A public event on a calendar that is shared, and everybody who may want to know where it is."""

    def __init__(self, cast: Cast, db: Database, settings: Settings, audience: Audience):
        self.scene = Scene(cast, settings, "public")
        self.event = self.scene.event
        self.update(online_for=audience, place_for=audience, **WITHHELD)
        self.going, self.invited = verified(db, cast.dave), verified(db, Cast(cast.anonymous).carol)
        a_response(self.going, self.event)
        an_invitation(cast.alice, self.event, self.invited.email_address)

    @cached_property
    def actors(self) -> dict[str, Client]:
        return {name: self.actor(name) for name in (*PEOPLE, "going", "invited")}

    def actor(self, name: str) -> Client:
        """One of them: the calendar is shared with them when they are asked for."""
        return {"going": self.going, "invited": self.invited}.get(name) or self.scene.actor(name)

    def update(self, **fields: Any) -> None:
        reply = self.scene.cast.alice.put(f"/api/events/{self.event['id']}", json=fields | {"notify": "none"})
        assert reply.status == 200, reply


def leaks(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


@pytest.mark.parametrize("audience", ["going", "members"])
def test_no_reply_tells_what_the_reader_must_not_know(cast: Cast, db: Database, settings: Settings, audience: Audience, soak: bool) -> None:
    guests = Guests(cast, db, settings, audience)
    scene, event_id = guests.scene, guests.event["id"]
    queries: list[dict[str, Any]] = [{}, {"event_id": event_id, "comments": "true", "ids": event_id}, {"calendar_id": scene.calendar["id"]}]
    told: dict[str, set[str]] = {name: set() for name in guests.actors}
    for endpoint in _reads(settings, soak=soak):
        path = scene.path(endpoint.url)
        for name, actor in guests.actors.items():
            # Of those who may know, it is enough that the event tells them.
            if not soak and name in KNOWING[audience] and endpoint.url not in TELLING:
                continue
            # An endpoint without parameters reads no query.
            replies = (actor.get(path, query=query) for query in (queries if endpoint.params else queries[:1]))
            if any(leaks(reply.content.decode(errors="replace")) for reply in replies):
                told[name].add(endpoint.url)
    for name, urls in told.items():
        if name in KNOWING[audience]:
            assert urls >= TELLING - {HISTORY}, name
        else:
            assert urls == set(), name
    # The history is for those who may edit the event.
    assert HISTORY in told["owner"]


def _reads(settings: Settings, *, soak: bool) -> list[Endpoint]:
    """What a page shows is decided by the same functions as in the API: in short, SQLite is enough for pages."""
    reads = [each for each in READS if not any(token in each.url for token in BY_TOKEN)]
    return reads if soak or not settings.database else [each for each in reads if each.format != "html" or each.url in TELLING]


@pytest.mark.parametrize("audience", ["going", "members"])
def test_devices_get_what_their_owners_may_know(cast: Cast, db: Database, settings: Settings, audience: Audience) -> None:
    guests = Guests(cast, db, settings, audience)
    calendar_id, name = guests.scene.calendar["id"], f"event-{guests.event['id']}.ics"
    people = {"owner": cast.alice, "editor": cast.bob, "viewer": cast.vera}
    assert guests.actors.keys() >= people.keys()
    inner = f"<D:prop><C:calendar-data/></D:prop><D:href>{{}}{name}</D:href>"
    events = '<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter>'
    query = f"<D:prop><C:calendar-data/></D:prop><C:filter>{events}</C:filter>"
    for is_written in (False, True):
        if is_written:
            # A program writes the file back, with the place in a way of its own.
            path = f"{calendar_path(cast.bob, calendar_id)}{name}"
            more = f"X-APPLE-STRUCTURED-LOCATION;X-TITLE={NAME}:geo:{LATITUDE},2.379156\r\n{ALARM}END:VEVENT"
            assert put(cast.bob, path, cast.bob.get(path).text.replace("END:VEVENT", more, 1)).status == 204
        # Whoever reads first must not fill a cache for the others.
        for who in ("owner", "viewer", "editor", "owner", "viewer"):
            path = calendar_path(people[who], calendar_id)
            replies = [
                people[who].get(path + name),
                report(people[who], path, "C:calendar-multiget", inner.format(path)),
                report(people[who], path, "C:calendar-query", query),
                people[who].get(f"/api/calendars/{calendar_id}.ics"),
            ]
            assert [reply.status for reply in replies] == [200, 207, 207, 200]
            expected = [True] * 4 if who in KNOWING[audience] else [False] * 4
            assert [bool(leaks(reply.text)) for reply in replies] == expected, (who, is_written)
        public = f"/dav/public/{calendar_id}/"
        assert not leaks(
            cast.anonymous.get(f"/api/calendars/{calendar_id}.ics").text + report(cast.anonymous, public, "C:calendar-query", query).text
        )
    assert "BEGIN:VALARM" in cast.vera.get(calendar_path(cast.vera, calendar_id) + name).text
    assert cast.alice.get(f"/api/events/{guests.event['id']}").json["location"].startswith(NAME)


def test_everybody_learns_the_city(cast: Cast, db: Database, settings: Settings) -> None:
    guests = Guests(cast, db, settings, "going")
    seen = cast.anonymous.get(f"/api/events/{guests.event['id']}").json
    assert (seen["location"], seen["city"], seen["country"], seen["place_for"], seen["online"]) == (
        "Paris, France",
        "Paris",
        "France",
        "going",
        True,
    )
    page = cast.anonymous.get(f"/events/{guests.event['id']}").text
    assert "Paris, France" in page
    assert "Only guests who are going get the link." in page
    assert "MixedEventAttendanceMode" in page
    for city, found in (("Paris", [guests.event["id"]]), ("Lyon", [])):
        query = {"scope": "public", "city": city, "ids": guests.event["id"]}
        assert [each["id"] for each in cast.anonymous.get("/api/events", query=query).json["events"]] == found


@pytest.mark.parametrize("word", ["Cachette", "Madeleine", "s3cr3troom", ZIP])
@pytest.mark.parametrize("name", ["text", "location", "street", "location_name", "zip"])
def test_no_search_finds_what_is_withheld(cast: Cast, name: str, word: str) -> None:
    event = an_event(cast.alice, public=True, place_for="going", **WITHHELD)
    for query in ({"scope": "public"}, {"ids": event["id"]}):
        assert event["id"] not in [each["id"] for each in cast.anonymous.get("/api/events", query=query | {name: word}).json["events"]]
    assert leaks(cast.anonymous.get(f"/api/search?text={word}").text.replace(word, "")) == []


def test_a_guest_learns_it_by_the_personal_link_and_in_the_browser_that_has_it(cast: Cast, db: Database, settings: Settings) -> None:
    guests = Guests(cast, db, settings, "going")
    page = f"/events/{guests.event['id']}"
    response = a_response(cast.alice, guests.event, email_address="gus@example.org", name="Gus")
    link = f"/r/{a_response_token(settings, response['id'])}"
    browser = GuestBrowser(cast.anonymous)
    assert not leaks(browser.get(page).text)
    assert leaks(browser.get(link).text)
    assert leaks(browser.get(f"{link}.ics").text)
    browser.post(link, response="YES", number=1)
    assert leaks(browser.get(page).text)
    browser.post(link, response="MAYBE", number=1)
    assert not leaks(browser.get(link).text + browser.get(page).text + browser.get(f"{link}.ics").text)


def test_an_invitation_tells_nothing_until_the_guest_comes(cast: Cast, settings: Settings) -> None:
    event = an_event(cast.alice, visibility="members", place_for="going", **WITHHELD)
    invitation = an_invitation(cast.alice, event, "ines@example.org")
    browser = GuestBrowser(cast.anonymous)
    link = f"/i/{an_invitation_token(settings, invitation['id'])}"
    assert not leaks(browser.get(link).text)
    reply = browser.post(link, response="YES", number=1)
    assert leaks(browser.get(reply.headers["Location"]).text)


@pytest.mark.parametrize(
    ("settings_", "fields", "comes"),
    [
        ({}, {}, True),
        ({"capacity": 1}, {}, True),
        ({"approval": True}, {}, False),
        ({}, {"response": "MAYBE"}, False),
        ({}, {"response": "NO"}, False),
    ],
)
def test_who_has_a_place_comes(cast: Cast, db: Database, settings_: dict[str, Any], fields: dict[str, Any], comes: bool) -> None:
    event = an_event(cast.alice, public=True, place_for="going", **WITHHELD, **settings_)
    carol = verified(db, cast.carol)
    a_response(carol, event, **fields)
    assert bool(leaks(carol.get(f"/api/events/{event['id']}").text)) is comes


def test_who_waits_for_a_place_does_not_come_yet(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True, place_for="going", capacity=1, waiting_list="auto", **WITHHELD)
    carol, dave = verified(db, cast.carol), verified(db, cast.dave)
    first = a_response(carol, event)
    a_response(dave, event)
    path = f"/api/events/{event['id']}"
    assert [bool(leaks(each.get(path).text)) for each in (carol, dave)] == [True, False]
    carol.put(f"/api/responses/{first['id']}", json={"response": "NO"})
    assert [bool(leaks(each.get(path).text)) for each in (carol, dave)] == [False, True]


def test_an_unverified_account_does_not_prove_an_address(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, place_for="going", **WITHHELD)
    a_response(cast.carol, event)
    assert not leaks(cast.carol.get(f"/api/events/{event['id']}").text)


def test_mails_say_it_to_those_who_come_alone(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00Z", public=True, place_for="going", **WITHHELD)
    for name, fields in {"yes": {}, "maybe": {"response": "MAYBE"}, "no": {"response": "NO"}}.items():
        a_response(cast.anonymous, event, email_address=f"{name}@example.org", **fields)
    an_invitation(cast.alice, event, "invited@example.org")
    cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": "anyone@example.org"})
    assert told_by_mail(db, settings, event["id"]) == {"yes": True, "maybe": False, "no": False, "invited": False, "anyone": False}
    cast.alice.post(f"/api/events/{event['id']}/messages", json={"text": "Bring a coat", "to": "all"})
    cast.alice.put(f"/api/events/{event['id']}", json={"street": "18 Rue Cachette", "notify": "all"})
    told = told_by_mail(db, settings, event["id"])
    assert told["yes"]
    assert not any(told[name] for name in told.keys() - {"yes"})
    assert {"maybe", "no"} <= told.keys()


def told_by_mail(db: Database, settings: Settings, event_id: int) -> dict[str, bool]:
    """Whether any mail to each address tells what is withheld, with all that is attached; mails wait for a minute."""
    told: dict[str, bool] = {}
    for mail in mails_about(db, settings, event_id, NOON + 120):
        parts = [part.get_content() for part in mail.walk() if not part.is_multipart()]
        text = "".join(part if isinstance(part, str) else part.decode() for part in parts) + str(mail["Subject"])
        name = mail["To"].addresses[0].username
        told[name] = told.get(name, False) or bool(leaks(text.replace("\r\n ", "")))
    return told


def test_a_change_of_the_exact_place_is_notified_and_not_told(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00Z", public=True, place_for="going", **WITHHELD)
    a_response(cast.anonymous, event, email_address="maybe@example.org", response="MAYBE")
    mails_about(db, settings, event["id"], NOON + 120)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"street": "18 Rue Cachette"}).json["notified"]["email"] == 1
    [mail] = mails_about(db, settings, event["id"], NOON + 240)
    assert "The exact place or the link has changed." in text_of(mail)
    assert not leaks(text_of(mail))


def test_an_editor_changes_one_field_and_all_that_is_withheld_stays(cast: Cast) -> None:
    event = an_event(cast.alice, place_for="going", **WITHHELD)
    path = f"/api/events/{event['id']}"
    for fields in ({"title": "Concerto"}, {"public": True}, {"place_for": "members"}, {"online_for": "members"}):
        detail = cast.alice.put(path, json=fields).json
        assert {name: detail[name] for name in WITHHELD} == WITHHELD
    assert not leaks(cast.anonymous.get(path).text)
    cast.alice.put(path, json={"place_for": "everyone", "online_for": "everyone"})
    assert leaks(cast.anonymous.get(path).text) == list(SECRETS)
    moved = cast.alice.put(path, json={"street": "18 Rue Cachette", "place_for": "going", "online_for": "members"}).json
    # The coordinates were those of another place.
    assert (moved["street"], moved["latitude"], moved["online_url"]) == ("18 Rue Cachette", None, CALL)
    assert not leaks(cast.anonymous.get(path).text)


def test_undo_and_the_history_keep_it(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, place_for="going", **WITHHELD)
    path = f"/api/events/{event['id']}"
    cast.alice.put(path, json={"online_url": None, "price": "free"})
    change = cast.alice.get(f"{path}/changes").json["changes"][0]
    assert {each["field"] for each in change["fields"]} == {"online_url", "price"}
    assert cast.alice.post(f"/api/changes/{change['seq']}/undo", json={}).status == 200
    assert {name: cast.alice.get(path).json[name] for name in WITHHELD} == WITHHELD
    cast.alice.delete(path)
    trash = cast.alice.get("/api/trash").json["trash"][0]
    assert cast.alice.post(f"/api/changes/{trash['seq']}/undo", json={}).status == 200
    assert cast.alice.get(path).json["online_url"] == CALL
    assert not leaks(cast.anonymous.get(path).text)


def test_the_dates_of_a_series_are_each_for_those_who_come_to_them(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, verified(db, cast.vera), "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"], place_for="going", **WITHHELD)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    a_response(cast.vera, event)
    feed = cast.vera.get(f"/api/calendars/{calendar['id']}.ics").text.replace("\r\n ", "")
    assert (feed.count(CALL), feed.count("Cachette"), feed.count("LOCATION:Paris\\, France")) == (1, 1, 2)
    assert "RRULE" in feed
    path = calendar_path(cast.vera, calendar["id"])
    assert propfind(cast.vera, path, "D:getetag", depth="1").status == 207
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    assert cast.vera.get(f"{path}series-{series_id}.ics").text.count("CONFERENCE") == 1


def test_a_device_reads_the_event_again_once_its_owner_comes(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, verified(db, cast.vera), "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"], place_for="going", **WITHHELD)
    path = f"{calendar_path(cast.vera, calendar['id'])}event-{event['id']}.ics"
    before = cast.vera.get(path)
    response = a_response(cast.vera, event)
    after = cast.vera.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status, bool(leaks(before.text)), bool(leaks(after.text))) == (200, False, True)
    cast.vera.put(f"/api/responses/{response['id']}", json={"response": "NO"})
    later = cast.vera.get(path, headers={"If-None-Match": after.headers["ETag"]})
    assert (later.status, bool(leaks(later.text))) == (200, False)


def test_a_copy_has_what_its_maker_knows(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True, place_for="going", **WITHHELD)
    copied = cast.carol.put(f"/api/events/{event['id']}/copy", json={})
    assert copied.status == 201
    assert not leaks(copied.text)
    assert copied.json["location"] == "Paris, France"


def test_a_webhook_of_a_member_sends_what_the_member_may_know(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.vera, "viewer")
    assert a_webhook(cast.vera, calendar_id=calendar["id"])
    cursors = {person: find_cursor(person, f"calendar_id={calendar['id']}") for person in (cast.vera, cast.alice)}
    an_event(cast.alice, calendar_id=calendar["id"], place_for="going", **WITHHELD)
    settle(cast.alice)
    # Its content is that of the changes which its owner follows.
    told = [
        leaks(person.get("/api/changes", query={"calendar_id": calendar["id"], "cursor": cursor}).text)
        for person, cursor in cursors.items()
    ]
    assert [bool(each) for each in told] == [False, True]


def test_files_keep_what_they_do_not_have(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="UTC")
    path = f"{calendar_path(cast.alice, calendar['id'])}a.ics"
    more = "LOCATION:Le Sunset\\, 60 rue des Lombards\\, 75001 Paris\\, France\r\nGEO:48.859722;2.347222\r\n"
    assert put(cast.alice, path, ics(more=more)).status == 201
    event = cast.alice.get("/api/events", query={"calendar_id": calendar["id"]}).json["events"][0]
    url = f"/api/events/{event['id']}"
    detail = cast.alice.put(url, json={"place_for": "going", "online_url": CALL, "price": "12 €"}).json
    assert (detail["latitude"], detail["street"]) == (48.859722, "60 rue des Lombards")
    for text in (ics(more=more, title="Encore"), ics(more=more.partition("GEO")[0], title="Finale")):
        assert put(cast.alice, path, text).status == 204
        detail = cast.alice.get(url).json
        assert (detail["latitude"], detail["place_for"], detail["online_url"], detail["price"]) == (48.859722, "going", CALL, "12 €")
    assert put(cast.alice, path, ics(more="LOCATION:Elsewhere\r\n")).status == 204
    moved = cast.alice.get(url).json
    assert (moved["latitude"], moved["location"], moved["place_for"]) == (None, "Elsewhere", "going")

"""Who may do what by CalDAV: method, kind of resource and actor."""

import pytest

from kalends.dav import serve
from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, an_event, shared, verified
from tests.client import Client, Reply
from tests.contacts import test_birthdays
from tests.dav import test_books, test_push
from tests.dav.clients import SPACES, D, calendar_path, propfind, responses
from tests.dav.test_scheduling import busy_request, invited, names_of
from tests.dav.test_write import condition, ics, put

pytestmark = pytest.mark.on_one_database

ACTORS = ("alice", "bob", "vera", "carol")
RENAME = f"<D:propertyupdate {SPACES}><D:set><D:prop><D:displayname>New</D:displayname></D:prop></D:set></D:propertyupdate>"
# The statuses of the owner, an editor, a viewer and a stranger. Every member of a calendar may name it for themselves, and leave it.
PERMISSIONS = {
    ("GET", "resource"): (200, 200, 200, 404),
    ("PROPFIND", "resource"): (207, 207, 207, 404),
    ("PUT", "resource"): (204, 204, 403, 404),
    ("PUT", "new"): (201, 201, 403, 404),
    ("DELETE", "resource"): (204, 204, 403, 404),
    ("MOVE", "resource"): (201, 201, 403, 404),
    ("COPY", "resource"): (201, 201, 201, 404),
    ("MOVE", "into"): (201, 201, 403, 409),
    ("COPY", "into"): (201, 201, 403, 409),
    ("PROPFIND", "calendar"): (207, 207, 207, 404),
    ("REPORT", "calendar"): (207, 207, 207, 404),
    ("PROPPATCH", "calendar"): (207, 207, 207, 404),
    ("DELETE", "calendar"): (204, 204, 204, 404),
    ("GET", "calendar"): (200, 200, 200, 404),
    ("MKCALENDAR", "calendar"): (405, 405, 405, 403),
    ("MKCOL", "calendar"): (403, 403, 403, 403),
    ("MKCALENDAR", "resource"): (403, 403, 403, 403),
    ("MKCOL", "resource"): (403, 403, 403, 403),
}
BODIES = {"PROPPATCH": RENAME, "REPORT": f"<D:sync-collection {SPACES}><D:sync-token/><D:prop/></D:sync-collection>"}


def request(actor: Person, method: str, kind: str, path: str, client: Client | None = None) -> Reply:
    """The method on the calendar of alice, as the actor names it, or between it and the actor's own; `client` sends it instead."""
    own = calendar_path(actor)
    target = {"calendar": path, "into": f"{own}b.ics", "new": f"{path}b.ics"}.get(kind, f"{path}a.ics")
    destination = f"{path}b.ics" if kind == "into" else f"{own}a.ics"
    body = BODIES.get(method, "")
    if method == "PUT":
        body = ics("u1" if kind == "resource" else "u2", title="New")
    return (client or actor).request(method, target, body=body, headers={"Depth": "0", "Destination": destination})


# What is no calendar: the statuses of its user, and of everybody else.
FOLDERS = {
    ("PROPFIND", "root"): (207, 207),
    ("REPORT", "root"): (207, 207),
    ("PROPFIND", "users"): (207, 207),
    ("REPORT", "users"): (207, 207),
    ("PROPFIND", "principal"): (207, 404),
    ("REPORT", "principal"): (207, 404),
    ("PROPFIND", "home"): (207, 404),
}
SEARCH = f"<D:principal-property-search {SPACES}/>"
# The mailboxes of a guest, and the event on the guest's calendar: the statuses of the guest, and of everybody else.
MAILBOXES = {
    ("PROPFIND", "inbox"): (207, 404),
    ("REPORT", "inbox"): (207, 404),
    ("GET", "message"): (200, 404),
    ("DELETE", "message"): (204, 404),
    ("PUT", "message"): (405, 405),
    ("PROPFIND", "outbox"): (207, 404),
    ("POST", "outbox"): (200, 404),
    ("POST", "inbox"): (405, 405),
    ("PUT", "copy"): (204, 404),
    ("DELETE", "copy"): (204, 404),
}
# A public calendar without a credential, or with any: the statuses while it is public, and when it is not.
PUBLIC = {
    ("PROPFIND", "public"): (207, 404),
    ("REPORT", "public"): (207, 404),
    ("GET", "public"): (405, 405),
    ("PROPPATCH", "public"): (405, 405),
    ("MKCALENDAR", "public"): (405, 405),
    ("DELETE", "public"): (405, 405),
    ("PROPFIND", "public-resource"): (207, 404),
    ("GET", "public-resource"): (200, 404),
    ("PUT", "public-resource"): (405, 405),
    ("DELETE", "public-resource"): (405, 405),
    ("MOVE", "public-resource"): (405, 405),
    ("COPY", "public-resource"): (405, 405),
}
MULTIGET = f"<C:calendar-multiget {SPACES}><D:prop/></C:calendar-multiget>"


@pytest.mark.parametrize(("method", "kind"), PUBLIC)
def test_public_calendars_are_read_only_for_everyone(cast: Cast, method: str, kind: str) -> None:
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    path = f"/dav/public/{calendar['id']}/" + (f"event-{event['id']}.ics" if kind == "public-resource" else "")
    body = {"REPORT": MULTIGET, "PUT": ics(), "PROPPATCH": RENAME}.get(method, "")
    for public, status in zip((True, False), PUBLIC[method, kind], strict=True):
        assert cast.alice.put(f"/api/calendars/{calendar['id']}", json={"public": public}).status == 200
        for actor in (cast.anonymous, cast.alice, cast.carol):
            reply = actor.request(method, path, body=body, headers={"Depth": "0", "Destination": calendar_path(cast.alice)})
            assert reply.status == status, reply


@pytest.mark.parametrize(("method", "kind"), PERMISSIONS)
def test_permissions(cast: Cast, method: str, kind: str) -> None:
    statuses = []
    for name in ACTORS:
        calendar = a_calendar(cast.alice)
        shared(cast.alice, calendar, cast.bob, "editor")
        shared(cast.alice, calendar, cast.vera, "viewer")
        assert put(cast.alice, f"{calendar_path(cast.alice, calendar['id'])}a.ics", ics()).status == 201
        actor: Person = getattr(cast, name)
        if kind == "into":
            assert put(actor, f"{calendar_path(actor)}b.ics", ics(f"u-{name}")).status == 201
        path = calendar_path(actor, calendar["id"])
        # Nobody acts in the home of someone else.
        other = calendar_path(cast.dave, calendar["id"])
        assert request(actor, method, kind if kind != "into" else "resource", other).status in (403, 404)
        reply = request(actor, method, kind, path)
        if reply.status == 403 and not method.startswith("MK"):
            assert condition(reply) == "need-privileges"
        statuses.append(reply.status)
        assert request(actor, method, kind, path, cast.anonymous).status == 401
    assert tuple(statuses) == PERMISSIONS[method, kind]


@pytest.mark.parametrize(("method", "kind"), FOLDERS)
def test_folders_of_others_are_not_there(cast: Cast, method: str, kind: str) -> None:
    own = f"/dav/users/{cast.alice.id}/"
    path = {"root": "/dav/", "users": "/dav/users/", "principal": own, "home": f"{own}calendars/"}[kind]
    for actor, status in ((cast.alice, FOLDERS[method, kind][0]), (cast.bob, FOLDERS[method, kind][1]), (cast.anonymous, 401)):
        reply = actor.request(method, path, body=SEARCH if method == "REPORT" else "", headers={"Depth": "0"})
        assert reply.status == status, reply
        # Anyone who asks learns of no other user.
        assert own.encode() not in reply.content or actor is cast.alice


def test_the_folders_with_a_report_name_it(cast: Cast) -> None:
    own = f"/dav/users/{cast.alice.id}/"
    for path, has_report in (("/dav/", True), ("/dav/users/", True), (own, True), (f"{own}calendars/", False)):
        [(_, properties)] = responses(propfind(cast.alice, path, "D:supported-report-set")).values()
        named = {each.tag for each in properties[f"{D}supported-report-set"].iterfind(f"*/{D}report/*")}
        assert named == ({f"{D}principal-property-search"} if has_report else set()), path


def test_each_method_of_each_kind_has_a_row() -> None:
    rows = {
        (method, kind)
        for table in (PERMISSIONS, PUBLIC, FOLDERS, MAILBOXES, test_books.STATUSES, test_push.STATUSES, test_birthdays.STATUSES)
        for method, kind in table
    }
    assert {(method, kind) for kind, methods in serve.TABLE.items() for method in methods} - rows == set()


@pytest.mark.parametrize(("method", "kind"), MAILBOXES)
def test_mailboxes_and_invitations_are_the_guests_own(cast: Cast, db: Database, method: str, kind: str) -> None:
    bob, home = verified(db, cast.bob), f"/dav/users/{cast.bob.id}/"
    shared(bob, a_calendar(bob), cast.alice, "viewer")
    put(cast.alice, f"{calendar_path(cast.alice)}a.ics", invited(cast.alice, bob))
    [message], [copy] = names_of(bob, f"{home}inbox/"), names_of(bob, calendar_path(bob))
    body = bob.get(f"{calendar_path(bob)}{copy}").text if method == "PUT" else busy_request(bob, bob) if method == "POST" else ""
    body = f"<C:calendar-multiget {SPACES}/>" if method == "REPORT" else body
    paths = {"message": f"{home}inbox/{message}", "copy": f"{calendar_path(bob)}{copy}"}
    own, other = MAILBOXES[method, kind]
    for actor, status in ((cast.carol, other), (cast.alice, other), (bob, own)):
        reply = actor.request(method, paths.get(kind, f"{home}{kind}/"), body=body, headers={"Depth": "0"})
        assert reply.status == status, reply

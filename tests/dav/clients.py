"""A CalDAV client of the tests: requests with bodies of XML, and replies as trees."""

import base64
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from tests.cast import Person
from tests.changes.follower import settle
from tests.client import Client, Reply

SPACES = (
    'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:CR="urn:ietf:params:xml:ns:carddav" '
    'xmlns:CS="http://calendarserver.org/ns/" xmlns:A="http://apple.com/ns/ical/"'
)
D, C, CR = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}", "{urn:ietf:params:xml:ns:carddav}"


def propfind(client: Client, path: str, *props: str, depth: str = "0", **headers: str) -> Reply:
    body = f"<D:propfind {SPACES}><D:prop>{''.join(f'<{each}/>' for each in props)}</D:prop></D:propfind>"
    return client.request("PROPFIND", path, body=body, headers={"Depth": depth, **headers})


def report(client: Client, path: str, name: str, inner: str, **headers: str) -> Reply:
    return client.request("REPORT", path, body=f"<{name} {SPACES}>{inner}</{name}>", headers={"Depth": "1", **headers})


def sync(client: Client, path: str, token: str = "", limit: int | None = None) -> tuple[dict[str, int], str]:
    """The statuses of what changed by name, and the next token."""
    settle(client)
    bound = f"<D:limit><D:nresults>{limit}</D:nresults></D:limit>" if limit else ""
    inner = f"<D:sync-token>{token}</D:sync-token><D:sync-level>1</D:sync-level>{bound}<D:prop><D:getetag/></D:prop>"
    reply = report(client, path, "D:sync-collection", inner)
    assert reply.status == 207, reply
    root = tree(reply)
    return {name: status for name, (status, _) in responses(reply).items()}, str(root.findtext(f"{D}sync-token"))


def tree(reply: Reply) -> Element:
    # Written by the server that is tested.
    return fromstring(reply.content)  # noqa: S314


def responses(reply: Reply) -> dict[str, tuple[int, dict[str, Element]]]:
    """Each response by the last segment of its path: its status, and the properties that were found."""
    by_name: dict[str, tuple[int, dict[str, Element]]] = {}
    for response in tree(reply).findall(f"{D}response"):
        name = str(response.findtext(f"{D}href")).rstrip("/").rpartition("/")[2]
        status = int((response.findtext(f"{D}status") or "HTTP/1.1 200 OK").split()[1])
        props = {
            prop.tag: prop
            for propstat in response.findall(f"{D}propstat")
            if " 200 " in str(propstat.findtext(f"{D}status"))
            for prop in propstat.findall(f"{D}prop/*")
        }
        by_name[name] = status, props
    return by_name


def device(owner: Person, password: str | None = None, name: str | None = None) -> dict[str, str]:
    """The Authorization of a device of the user."""
    if password is None:
        reply = owner.post("/api/keys", json={"name": "phone", "kind": "dav"})
        assert reply.status == 201, reply
        password = reply.json["wkey"]
    credential = base64.b64encode(f"{name or owner.user_name}:{password}".encode()).decode()
    return {"Authorization": f"Basic {credential}"}


def calendar_path(person: Person, calendar_id: Any = None) -> str:
    return f"/dav/users/{person.id}/calendars/{calendar_id or person.primary_calendar_id}/"


def book_path(person: Person) -> str:
    return f"/dav/users/{person.id}/books/contacts/"


def mkcol(name: str) -> str:
    """The body that makes an address book."""
    kind = "<D:resourcetype><D:collection/><CR:addressbook/></D:resourcetype>"
    return f"<D:mkcol {SPACES}><D:set><D:prop>{kind}<D:displayname>{name}</D:displayname></D:prop></D:set></D:mkcol>"

"""CardDAV client (RFC 6352): discover a user's address books and fetch their cards."""

from collections.abc import Iterator
from html import escape
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit
from xml.etree.ElementTree import Element

from kalends.core.net.http_client import AccessDenied, Host, ProviderResponse, ProviderSession, UnexpectedReply
from kalends.core.values import xml_tree
from kalends.core.values.xml_tree import InvalidXml
from kalends.features.contacts.rules import vcard
from kalends.features.contacts.rules.entry import MAX_ENTRIES, Entry

# 20,000 cards need less than half of this.
MAX_TAGS = 1_000_000
# Cards in one request, and cards that are fetched one by one where the server cannot do better.
BATCH = 200
MAX_SINGLE_REQUESTS = 1_000

NO_DAV = "it did not respond like an address book"
TOO_MANY = f"it has more than {MAX_ENTRIES:,} contacts"

DAV, CARD = "{DAV:}", "{urn:ietf:params:xml:ns:carddav}"
PRINCIPAL, HOME, KIND = f"{DAV}current-user-principal", f"{CARD}addressbook-home-set", f"{DAV}resourcetype"
_SPACES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"'
_WHERE = "<D:current-user-principal/><C:addressbook-home-set/><D:resourcetype/>"
_DATA = "<D:prop><D:getetag/><C:address-data/></D:prop>"
# Some servers want a filter that says something: every card has one of these.
_EVERY = '<C:filter test="anyof"><C:prop-filter name="FN"/><C:prop-filter name="N"/></C:filter>'


class Resource(NamedTuple):
    """One `response` of a multistatus: its properties, and whether the server truncated the list (507)."""

    url: str
    properties: dict[str, Element]
    is_truncated: bool

    def is_a(self, kind: str) -> bool:
        return KIND in self.properties and self.properties[KIND].find(kind) is not None

    @property
    def card(self) -> str:
        data = self.properties.get(f"{CARD}address-data")
        return (data.text or "").strip() if data is not None else ""


def fetch_entries(session: ProviderSession, url: str, authorization: str) -> list[Entry]:
    """Fetch the entries of all address books of the user."""
    host = session.open(url, authorization)
    cards = [card for book in _books(host, url) for card in _cards(host, book)]
    if len(cards) > MAX_ENTRIES:
        raise UnexpectedReply(TOO_MANY)
    return [entry for card in cards for entry in _read(card)]


def _books(host: Host, start: str) -> list[str]:
    """Discover the address books: start URL, principal, homes, collections."""
    homes = _homes(host, start)
    books = [resource.url for home in homes for resource in _propfind(host, home, "1") if resource.is_a(f"{CARD}addressbook")]
    if not books:
        raise UnexpectedReply("it names no address book")
    return list(dict.fromkeys(books))


def _homes(host: Host, start: str) -> list[str]:
    """Find the address book homes from the start URL, else from the well-known URL and the root."""
    denied: AccessDenied | None = None
    for url in dict.fromkeys([start, urljoin(start, "/.well-known/carddav"), urljoin(start, "/")]):
        try:
            homes = _homes_by(host, url)
        except AccessDenied as error:
            denied = denied or error
            continue
        if homes:
            return homes
    if denied:
        raise denied
    return []


def _homes_by(host: Host, place: str) -> list[str]:
    resources = _propfind(host, place, "0")
    for user in _links(host, resources, PRINCIPAL)[:1]:
        resources += _propfind(host, user, "0")
    return _links(host, resources, HOME) or [resource.url for resource in resources if resource.is_a(f"{CARD}addressbook")]


def _links(host: Host, resources: list[Resource], name: str) -> list[str]:
    links = [
        host.resolve(resource.url, href.text or "")
        for resource in resources
        if name in resource.properties
        for href in resource.properties[name].iter(f"{DAV}href")
    ]
    return list(dict.fromkeys(links))


def _cards(host: Host, book: str) -> list[str]:
    """Fetch the cards by addressbook-query, else addressbook-multiget, else single GETs: each server supports one of these."""
    resources = _report(host, book, f"<C:addressbook-query {_SPACES}>{_DATA}{_EVERY}</C:addressbook-query>")
    if resources and not any(resource.is_truncated for resource in resources):
        return [resource.card for resource in resources if resource.card]
    members = [resource.url for resource in _propfind(host, book, "1") if not resource.is_a(f"{DAV}collection")]
    if len(members) > MAX_ENTRIES:
        raise UnexpectedReply(TOO_MANY)
    cards: list[str] = []
    for start in range(0, len(members), BATCH):
        batch = _multiget(host, book, members[start : start + BATCH])
        if not batch:
            return _get_one_by_one(host, members)
        cards += batch
    return cards


def _multiget(host: Host, book: str, members: list[str]) -> list[str]:
    hrefs = "".join(f"<D:href>{escape(urlsplit(url).path)}</D:href>" for url in members)
    resources = _report(host, book, f"<C:addressbook-multiget {_SPACES}>{_DATA}{hrefs}</C:addressbook-multiget>")
    return [resource.card for resource in resources if resource.card]


def _get_one_by_one(host: Host, members: list[str]) -> list[str]:
    if len(members) > MAX_SINGLE_REQUESTS:
        raise UnexpectedReply(f"it has more than {MAX_SINGLE_REQUESTS:,} contacts, and gives them only one by one")
    responses = [host.request("GET", url) for url in members]
    return [response.expect(200).body.decode("utf-8", "replace") for response in responses if response.status not in (404, 410)]


def _propfind(host: Host, url: str, depth: str) -> list[Resource]:
    """PROPFIND; an empty list where the resource does not exist."""
    body = f"<D:propfind {_SPACES}><D:prop>{_WHERE}</D:prop></D:propfind>"
    response = _request(host, "PROPFIND", url, body, depth)
    if response.status in (401, 403, 429) or response.status >= 500:
        response.expect(207)
    return list(_resources(host, response)) if response.status == 207 else []


def _report(host: Host, url: str, body: str) -> list[Resource]:
    """REPORT; an empty list where the server does not support it, which servers signal in different ways."""
    response = _request(host, "REPORT", url, body, "1")
    if response.status in (401, 429):
        response.expect(207)
    return list(_resources(host, response)) if response.status == 207 else []


def _request(host: Host, method: str, url: str, body: str, depth: str) -> ProviderResponse:
    headers = {"Content-Type": "application/xml; charset=utf-8", "Depth": depth}
    return host.request(method, url, f'<?xml version="1.0" encoding="utf-8"?>{body}'.encode(), headers)


def _resources(host: Host, response: ProviderResponse) -> Iterator[Resource]:
    try:
        root = xml_tree.parse(response.body, MAX_TAGS)
    except InvalidXml:
        raise UnexpectedReply(NO_DAV) from None
    if root.tag != f"{DAV}multistatus":
        raise UnexpectedReply(NO_DAV)
    for element in root.findall(f"{DAV}response"):
        properties = {
            prop.tag: prop
            for propstat in element.findall(f"{DAV}propstat")
            if " 2" in propstat.findtext(f"{DAV}status", " 200")
            for prop in propstat.iterfind(f"{DAV}prop/*")
        }
        url = host.resolve(response.url, element.findtext(f"{DAV}href", ""))
        yield Resource(url, properties, " 507" in element.findtext(f"{DAV}status", ""))


def _read(card: str) -> list[Entry]:
    """Parse a card. An unreadable one becomes an empty entry, which counts as skipped."""
    try:
        return vcard.read(card)
    except ValueError:
        return [Entry()]

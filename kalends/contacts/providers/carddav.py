"""CardDAV (RFC 6352): where a user's address books are, and the cards in them."""

from collections.abc import Iterator
from html import escape
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.ElementTree import DefusedXMLParser

from kalends.contacts import vcard
from kalends.contacts.entry import MOST_ENTRIES, Entry
from kalends.net.http_client import Answer, Forbidden, Host, Strange, Visit

# Elements take far more memory than it takes to send them. 20,000 cards need less than half of these.
MOST_ELEMENTS = 500_000
# Cards in one request, and cards that are fetched one by one where the server cannot do better.
BATCH = 200
MOST_SINGLES = 1_000

NO_DAV = "it did not answer as an address book does"
TOO_MANY = f"it has more than {MOST_ENTRIES:,} contacts"

DAV, CARD = "{DAV:}", "{urn:ietf:params:xml:ns:carddav}"
PRINCIPAL, HOME, KIND = f"{DAV}current-user-principal", f"{CARD}addressbook-home-set", f"{DAV}resourcetype"
_SPACES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"'
_WHERE = "<D:current-user-principal/><C:addressbook-home-set/><D:resourcetype/>"
_DATA = "<D:prop><D:getetag/><C:address-data/></D:prop>"
# Some servers want a filter that says something: every card has one of these.
_EVERY = '<C:filter test="anyof"><C:prop-filter name="FN"/><C:prop-filter name="N"/></C:filter>'


class Resource(NamedTuple):
    """What a server tells of one address: the properties that it has, or that it left some out."""

    url: str
    properties: dict[str, Element]
    is_cut: bool

    def is_a(self, kind: str) -> bool:
        return KIND in self.properties and self.properties[KIND].find(kind) is not None

    @property
    def card(self) -> str:
        found = self.properties.get(f"{CARD}address-data")
        return (found.text or "").strip() if found is not None else ""


def fetch_entries(visit: Visit, url: str, authorization: str) -> list[Entry]:
    """Everybody in the user's address books."""
    host = visit.open(url, authorization)
    cards = [card for book in _books(host, url) for card in _cards(host, book)]
    if len(cards) > MOST_ENTRIES:
        raise Strange(TOO_MANY)
    return [entry for card in cards for entry in _read(card)]


def _books(host: Host, start: str) -> list[str]:
    """The start leads to the user, the user to their homes, and those hold the books."""
    homes = _homes(host, start)
    found = [resource.url for home in homes for resource in _propfind(host, home, "1") if resource.is_a(f"{CARD}addressbook")]
    if not found:
        raise Strange("it names no address book")
    return list(dict.fromkeys(found))


def _homes(host: Host, start: str) -> list[str]:
    """As the start tells; or else as the places tell where servers usually can be asked."""
    refused: list[Forbidden] = []
    for place in dict.fromkeys([start, urljoin(start, "/.well-known/carddav"), urljoin(start, "/")]):
        try:
            homes = _homes_by(host, place)
        except Forbidden as error:
            refused.append(error)
            continue
        if homes:
            return homes
    if refused:
        raise refused[0]
    return []


def _homes_by(host: Host, place: str) -> list[str]:
    found = _propfind(host, place, "0")
    for user in _linked(host, found, PRINCIPAL)[:1]:
        found += _propfind(host, user, "0")
    return _linked(host, found, HOME) or [resource.url for resource in found if resource.is_a(f"{CARD}addressbook")]


def _linked(host: Host, resources: list[Resource], name: str) -> list[str]:
    links = [
        host.resolve(resource.url, href.text or "")
        for resource in resources
        if name in resource.properties
        for href in resource.properties[name].iter(f"{DAV}href")
    ]
    return list(dict.fromkeys(links))


def _cards(host: Host, book: str) -> list[str]:
    """The book's cards by one query; or by their names, many at once; or one by one: each server can do one of these."""
    found = _report(host, book, f"<C:addressbook-query {_SPACES}>{_DATA}{_EVERY}</C:addressbook-query>")
    if found and not any(resource.is_cut for resource in found):
        return [resource.card for resource in found if resource.card]
    members = [resource.url for resource in _propfind(host, book, "1") if not resource.is_a(f"{DAV}collection")]
    if len(members) > MOST_ENTRIES:
        raise Strange(TOO_MANY)
    cards: list[str] = []
    for start in range(0, len(members), BATCH):
        batch = _multiget(host, book, members[start : start + BATCH])
        if not batch:
            return _singles(host, members)
        cards += batch
    return cards


def _multiget(host: Host, book: str, members: list[str]) -> list[str]:
    hrefs = "".join(f"<D:href>{escape(urlsplit(url).path)}</D:href>" for url in members)
    found = _report(host, book, f"<C:addressbook-multiget {_SPACES}>{_DATA}{hrefs}</C:addressbook-multiget>")
    return [resource.card for resource in found if resource.card]


def _singles(host: Host, members: list[str]) -> list[str]:
    if len(members) > MOST_SINGLES:
        raise Strange(f"it has more than {MOST_SINGLES:,} contacts, and gives them only one by one")
    answers = [host.request("GET", url) for url in members]
    return [answer.expect(200).body.decode("utf-8", "replace") for answer in answers if answer.status not in (404, 410)]


def _propfind(host: Host, url: str, depth: str) -> list[Resource]:
    """What the server tells of an address; nothing where there is no such thing."""
    body = f"<D:propfind {_SPACES}><D:prop>{_WHERE}</D:prop></D:propfind>"
    answer = _asked(host, "PROPFIND", url, body, depth)
    if answer.status in (401, 403, 429) or answer.status >= 500:
        answer.expect(207)
    return list(_resources(host, answer)) if answer.status == 207 else []


def _report(host: Host, url: str, body: str) -> list[Resource]:
    """What the server reports; nothing where it does not know the report, which servers say in many ways."""
    answer = _asked(host, "REPORT", url, body, "1")
    if answer.status in (401, 429):
        answer.expect(207)
    return list(_resources(host, answer)) if answer.status == 207 else []


def _asked(host: Host, method: str, url: str, body: str, depth: str) -> Answer:
    headers = {"Content-Type": "application/xml; charset=utf-8", "Depth": depth}
    return host.request(method, url, f'<?xml version="1.0" encoding="utf-8"?>{body}'.encode(), headers)


def _resources(host: Host, answer: Answer) -> Iterator[Resource]:
    root = _parsed(answer.body)
    if root.tag != f"{DAV}multistatus":
        raise Strange(NO_DAV)
    for response in root.findall(f"{DAV}response"):
        properties = {
            found.tag: found
            for part in response.findall(f"{DAV}propstat")
            if " 2" in part.findtext(f"{DAV}status", " 200")
            for found in part.iterfind(f"{DAV}prop/*")
        }
        url = host.resolve(answer.url, response.findtext(f"{DAV}href", ""))
        yield Resource(url, properties, " 507" in response.findtext(f"{DAV}status", ""))


def _parsed(body: bytes) -> Element:
    parser = DefusedXMLParser(target=_Tree(), forbid_dtd=True)
    try:
        parser.feed(body)
        root = parser.close()
    except (ParseError, ValueError, LookupError):
        raise Strange(NO_DAV) from None
    return root


class _Tree(TreeBuilder):
    """A tree of so many elements and no more."""

    room = MOST_ELEMENTS

    def start(self, tag: str, attributes: dict[str, str]) -> Element:
        self.room -= 1
        if self.room < 0:
            raise Strange(NO_DAV)
        return super().start(tag, attributes)


def _read(card: str) -> list[Entry]:
    """Whom a card describes. One that cannot be read is an entry that holds nothing, and counts as skipped."""
    try:
        return vcard.read(card)
    except ValueError:
        return [Entry()]

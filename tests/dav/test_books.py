"""Address books over CardDAV: reading, writing and following contacts."""

from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.dav.books import store
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import Cast, Person, a_contact
from tests.changes.follower import settle
from tests.client import Reply
from tests.conftest import NOON
from tests.dav.clients import CR, SPACES, D, book_path, mkcol, propfind, report, responses, sync, tree

PHOTO = "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQ\r\n AAAQABAAD/2wBDAAgGBgcGBQgHBwcJ\r\n"
APPLE = (
    "item1.EMAIL;type=INTERNET;type=pref:ana@example.org\r\nitem1.X-ABLabel:_$!<Work>!$_\r\nEMAIL:second@example.org\r\n"
    'TEL;type="CELL";X-ODD="a:b":+33 6 12 34 56 78\r\nTEL;type=HOME:+33 1 23 45 67 89\r\n'
    "ADR;type=HOME:;;1 rue X;Paris;;75001;France\r\nX-SOCIALPROFILE;type=twitter:http://twitter.com/ana\r\nBDAY;value=date:1990-05-11\r\n"
)
CARD = f"BEGIN:VCARD\r\nVERSION:3.0\r\nN:Lopez;Ana;María;Dr.;\r\nFN:Dr. Ana Lopez\r\n{APPLE}{PHOTO}UID:u-1\r\nEND:VCARD\r\n"
GROUP = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Friends;;;;\r\nFN:Friends\r\nX-ADDRESSBOOKSERVER-KIND:group\r\n"
    "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:u-1\r\nUID:g-1\r\nEND:VCARD\r\n"
)
ETAG_AND_DATA = "<D:prop><D:getetag/><CR:address-data/></D:prop>"


def put(person: Person, name: str, text: str | bytes, **headers: str) -> Reply:
    return person.request("PUT", book_path(person) + name, body=text, headers={"Content-Type": "text/vcard", **headers})


def get(person: Person, name: str, **headers: str) -> Reply:
    reply = person.get(book_path(person) + name, headers=headers)
    assert reply.status == 200, reply
    return reply


def contact_of(person: Person, name: str) -> dict[str, Any]:
    """The contact whose first name it is."""
    [item] = person.get("/api/contacts", query={"text": name}).json["contacts"]
    return dict(person.get(f"/api/contacts/{item['id']}").json)


def query(person: Person, condition: str, attributes: str = "", more: str = "") -> set[str]:
    inner = f"{ETAG_AND_DATA}<CR:filter {attributes}>{condition}</CR:filter>{more}"
    reply = report(person, book_path(person), "CR:addressbook-query", inner)
    assert reply.status == 207, reply
    return set(responses(reply))


def test_a_device_finds_the_address_book_of_its_user(cast: Cast) -> None:
    alice = cast.alice
    _, props = responses(propfind(alice, f"/dav/users/{alice.id}/", "CR:addressbook-home-set"))[str(alice.id)]
    home = str(props[f"{CR}addressbook-home-set"].findtext(f"{D}href"))
    asked = ("D:resourcetype", "D:displayname", "CR:supported-address-data", "D:current-user-privilege-set", "D:supported-report-set")
    listed = responses(propfind(alice, home, *asked, depth="1"))
    assert set(listed) == {"books", "contacts"}
    book = listed["contacts"][1]
    assert book[f"{D}resourcetype"].find(f"{CR}addressbook") is not None
    assert book[f"{D}displayname"].text == "Contacts"
    assert [each.get("version") for each in book[f"{CR}supported-address-data"]] == ["3.0", "4.0"]
    rights = {privilege.tag.removeprefix(D) for privilege in book[f"{D}current-user-privilege-set"].iterfind("*/*")}
    assert rights == {"read", "read-current-user-privilege-set", "write", "write-content", "write-properties", "bind", "unbind"}
    reports = {each.tag for each in book[f"{D}supported-report-set"].iterfind(f"*/{D}report/*")}
    assert reports == {f"{CR}addressbook-query", f"{CR}addressbook-multiget", f"{D}sync-collection"}
    assert "addressbook" in alice.request("OPTIONS", home).headers["DAV"]


def test_a_contact_of_the_api_is_a_card(cast: Cast) -> None:
    contact = a_contact(cast.alice, first_name="Ana", birthday="1990-05-11", gender="female")
    name = f"contact-{contact['id']}.vcf"
    reply = get(cast.alice, name)
    assert reply.headers["Content-Type"] == "text/vcard; charset=utf-8"
    for line in ("VERSION:3.0", "BDAY:1990-05-11", "X-GENDER:Female"):
        assert f"{line}\r\n" in reply.text
    assert reply.text.count("\r\nUID:") == 1
    new = get(cast.alice, name, Accept="text/vcard; version=4.0").text
    for line in ("VERSION:4.0", "BDAY:19900511", "GENDER:F"):
        assert f"{line}\r\n" in new
    listed = responses(propfind(cast.alice, book_path(cast.alice), "D:getetag", "D:getcontenttype", depth="1"))
    assert listed[name][1][f"{D}getetag"].text == reply.headers["ETag"]
    assert cast.alice.get(book_path(cast.alice) + name, headers={"If-None-Match": reply.headers["ETag"]}).status == 304
    assert cast.bob.get(book_path(cast.alice) + name).status == 404
    assert cast.bob.get(book_path(cast.bob) + name).status == 404


def test_a_card_comes_back_byte_for_byte_and_becomes_a_contact(cast: Cast) -> None:
    reply = put(cast.alice, "a b@c.vcf", CARD, **{"If-None-Match": "*"})
    assert (reply.status, reply.content) == (201, b"")
    back = get(cast.alice, "a b@c.vcf")
    assert (back.text, back.headers["ETag"]) == (CARD, reply.headers["ETag"])
    contact = contact_of(cast.alice, "Ana")
    assert (contact["first_name"], contact["last_name"]) == ("Ana María", "Lopez")
    assert (contact["email_address"], contact["phone_number"]) == ("ana@example.org", "+33 6 12 34 56 78")
    assert (contact["birthday"], contact["zip_code"], contact["country"]) == ("1990-05-11", "75001", "France")
    assert contact["unique_id"] == "u-1"
    assert set(query(cast.alice, "")) == {"a%20b@c.vcf"}


def test_a_change_on_the_page_touches_its_own_lines_alone(cast: Cast) -> None:
    tag = put(cast.alice, "a.vcf", CARD).headers["ETag"]
    contact = contact_of(cast.alice, "Ana")
    changes = {"email_address": "new@example.org", "last_name": "Ruiz", "tag_list": "friends", "zip_code": "75002"}
    assert cast.alice.put(f"/api/contacts/{contact['id']}", json=changes).status == 200
    reply = get(cast.alice, "a.vcf")
    assert reply.headers["ETag"] != tag
    expected = (
        CARD.replace("N:Lopez;", "N:Ruiz;")
        .replace("FN:Dr. Ana Lopez", "FN:Ana María Ruiz")
        .replace("pref:ana@example.org", "pref:new@example.org")
        .replace("75001", "75002")
    )
    [rev] = [line for line in reply.text.splitlines() if line.startswith("REV:")]
    assert reply.text == expected.replace("END:VCARD", f"CATEGORIES:friends\r\n{rev}\r\nEND:VCARD")
    assert put(cast.alice, "a.vcf", CARD, **{"If-Match": tag}).status == 412
    again = put(cast.alice, "a.vcf", reply.text.replace("75002", "75003"), **{"If-Match": reply.headers["ETag"]})
    assert again.status == 204
    assert contact_of(cast.alice, "Ruiz")["zip_code"] == "75003"
    assert PHOTO in get(cast.alice, "a.vcf").text


def test_a_contact_of_the_api_keeps_its_id_and_unknown_lines_once_a_device_writes_it(cast: Cast) -> None:
    contact = a_contact(cast.alice, first_name="Ana", last_name="Lopez", gender="female", unique_id="mine")
    name = f"contact-{contact['id']}.vcf"
    text = (
        get(cast.alice, name).text.replace("X-GENDER:Female\r\n", PHOTO).replace("FN:Ana", "NOTE:Hi\r\nFN:Anna").replace(";Ana;", ";Anna;")
    )
    assert put(cast.alice, name, text).status == 204
    assert get(cast.alice, name).text == text
    detail = cast.alice.get(f"/api/contacts/{contact['id']}").json
    assert (detail["first_name"], detail["gender"], detail["unique_id"]) == ("Anna", "female", "mine")


def test_a_group_is_kept_as_a_file_alone(cast: Cast) -> None:
    _, token = sync(cast.alice, book_path(cast.alice))
    assert put(cast.alice, "g.vcf", GROUP).status == 201
    assert get(cast.alice, "g.vcf").text == GROUP
    assert cast.alice.get("/api/contacts").json["contacts"] == []
    names, token = sync(cast.alice, book_path(cast.alice), token)
    assert names == {"g.vcf": 200}
    changed = put(cast.alice, "g.vcf", GROUP.replace("Friends", "Family"))
    assert changed.status == 204
    assert sync(cast.alice, book_path(cast.alice), token)[0] == {"g.vcf": 200}
    _, token = sync(cast.alice, book_path(cast.alice), token)
    assert cast.alice.delete(book_path(cast.alice) + "g.vcf", headers={"If-Match": '"old"'}).status == 412
    assert cast.alice.delete(book_path(cast.alice) + "g.vcf", headers={"If-Match": changed.headers["ETag"]}).status == 204
    assert cast.alice.get(book_path(cast.alice) + "g.vcf").status == 404
    assert sync(cast.alice, book_path(cast.alice), token)[0] == {"g.vcf": 404}
    new = get(cast.alice, "g2.vcf", Accept="text/vcard;version=4.0").text if put(cast.alice, "g2.vcf", GROUP).status == 201 else ""
    assert "\r\nKIND:group\r\nMEMBER:urn:uuid:u-1\r\n" in new


def test_a_deleted_card_is_synced_by_its_name_and_may_be_written_again(cast: Cast) -> None:
    put(cast.alice, "a.vcf", CARD)
    contact = a_contact(cast.alice, first_name="Zoe")
    _, token = sync(cast.alice, book_path(cast.alice))
    cast.alice.delete(f"/api/contacts/{contact_of(cast.alice, 'Ana')['id']}")
    cast.alice.delete(book_path(cast.alice) + f"contact-{contact['id']}.vcf")
    names, token = sync(cast.alice, book_path(cast.alice), token)
    assert names == {"a.vcf": 404, f"contact-{contact['id']}.vcf": 404}
    assert cast.alice.get("/api/contacts").json["contacts"] == []
    assert put(cast.alice, "a.vcf", CARD, **{"If-Match": "*"}).status == 412
    assert put(cast.alice, "a.vcf", CARD).status == 201
    assert sync(cast.alice, book_path(cast.alice), token)[0]["a.vcf"] == 200


def test_what_is_restored_has_its_name_and_photo_again(cast: Cast, db: Database) -> None:
    put(cast.alice, "a.vcf", CARD)
    cast.alice.delete(f"/api/contacts/{contact_of(cast.alice, 'Ana')['id']}")
    with db.read() as tx:
        seq = tx.value("SELECT max(id) FROM changes")
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert get(cast.alice, "a.vcf").text == CARD


def test_files_of_deleted_cards_go_with_the_history(cast: Cast, db: Database, settings: Settings) -> None:
    put(cast.alice, "a.vcf", CARD)
    put(cast.alice, "g.vcf", GROUP)
    put(cast.alice, "kept.vcf", CARD.replace("u-1", "u-2"))
    for name in ("a.vcf", "g.vcf"):
        assert cast.alice.delete(book_path(cast.alice) + name).status == 204
    later = timestamps.now() + (settings.history_days + 1) * 86_400
    for now, left in ((NOON, 3), (later, 1)):
        ctx = Context(db, settings, now)
        with ctx.write() as tx:
            store.clean_up(ctx)
            assert tx.value("SELECT count(*) FROM dav_cards WHERE user_id = :id", id=cast.alice.id) == left
    assert get(cast.alice, "kept.vcf").status == 200


def test_a_sync_tells_of_a_new_photo(cast: Cast) -> None:
    put(cast.alice, "a.vcf", CARD)
    _, token = sync(cast.alice, book_path(cast.alice))
    version = contact_of(cast.alice, "Ana")["updated_at"]
    assert put(cast.alice, "a.vcf", CARD.replace("4AAQ", "5AAQ")).status == 204
    assert contact_of(cast.alice, "Ana")["updated_at"] == version
    assert sync(cast.alice, book_path(cast.alice), token)[0] == {"a.vcf": 200}


@pytest.mark.parametrize("limit", [1, 2])
def test_a_sync_in_parts_has_each_card(cast: Cast, limit: int) -> None:
    names = {f"contact-{a_contact(cast.alice, first_name=f'P{i}')['id']}.vcf" for i in range(3)} | {"a.vcf"}
    put(cast.alice, "a.vcf", CARD)
    seen: set[str] = set()
    token = ""
    for _ in range(10):
        part, token = sync(cast.alice, book_path(cast.alice), token, limit)
        is_cut = part.pop("contacts", 0) == 507
        seen |= set(part)
        if not is_cut:
            break
    assert seen == names
    foreign = token.replace(f"book-{cast.alice.id}", f"book-{cast.bob.id}")
    for bad in (foreign, "urn:kalends:7:1.1.1", token.replace("book", "shelf")):
        inner = f"<D:sync-token>{bad}</D:sync-token><D:sync-level>1</D:sync-level><D:prop/>"
        reply = report(cast.alice, book_path(cast.alice), "D:sync-collection", inner)
        assert (reply.status, tree(reply).find(f"{D}valid-sync-token") is not None) == (403, True)


def test_the_ctag_changes_with_a_card_alone(cast: Cast) -> None:
    def ctag() -> str:
        settle(cast.alice)
        _, props = responses(propfind(cast.alice, book_path(cast.alice), "CS:getctag", "D:sync-token")).popitem()[1]
        return str(props["{http://calendarserver.org/ns/}getctag"].text)

    first = ctag()
    a_contact(cast.bob, first_name="Ana")
    assert ctag() == first
    put(cast.alice, "g.vcf", GROUP)
    second = ctag()
    a_contact(cast.alice, first_name="Ana")
    assert len({first, second, ctag()}) == 3


def test_a_uid_belongs_to_one_card(cast: Cast) -> None:
    put(cast.alice, "a.vcf", CARD)
    reply = put(cast.alice, "b.vcf", CARD)
    assert (reply.status, tree(reply).findtext(f"{CR}no-uid-conflict/{D}href")) == (409, f"{book_path(cast.alice)}a.vcf")
    assert put(cast.alice, "a.vcf", CARD.replace("u-1", "u-2")).status == 409
    contact = a_contact(cast.alice, first_name="Zoe", unique_id="z-1")
    zoe = get(cast.alice, f"contact-{contact['id']}.vcf").text
    plain = a_contact(cast.alice, first_name="Yan")
    yan = get(cast.alice, f"contact-{plain['id']}.vcf").text
    assert {put(cast.alice, "c.vcf", text).status for text in (zoe, yan)} == {409}
    assert put(cast.bob, "a.vcf", CARD).status == 201
    assert put(cast.alice, "contact-999999.vcf", CARD.replace("u-1", "u-3")).status == 403


TYPE = '<CR:param-filter name="TYPE"><CR:text-match>pref</CR:text-match></CR:param-filter>'


def text_match(text: str, attributes: str = "") -> str:
    return f"<CR:text-match {attributes}>{text}</CR:text-match>"


@pytest.mark.parametrize(
    ("name", "condition", "is_found"),
    [
        ("FN", text_match("ANA"), True),
        ("FN", text_match("ANA", 'collation="i;octet"'), False),
        ("FN", text_match("dr. ana lopez", 'match-type="equals"'), True),
        ("FN", text_match("ana", 'match-type="starts-with"'), False),
        ("EMAIL", text_match("second@example.org", 'match-type="ends-with"'), True),
        ("EMAIL", TYPE, True),
        ("TEL", TYPE, False),
        ("NOTE", "", False),
        ("NOTE", "<CR:is-not-defined/>", True),
        ("FN", text_match("ana", 'negate-condition="yes"'), False),
    ],
)
@pytest.mark.on_one_database
def test_a_query_by_properties(cast: Cast, name: str, condition: str, is_found: bool) -> None:
    put(cast.alice, "a.vcf", CARD)
    assert query(cast.alice, f'<CR:prop-filter name="{name}">{condition}</CR:prop-filter>') == ({"a.vcf"} if is_found else set())
    two = f'<CR:prop-filter name="UID"/><CR:prop-filter name="{name}">{condition}</CR:prop-filter>'
    assert query(cast.alice, two) == {"a.vcf"}
    assert query(cast.alice, two, 'test="allof"') == ({"a.vcf"} if is_found else set())


@pytest.mark.on_one_database
def test_a_query_has_a_limit_and_parts_of_cards(cast: Cast) -> None:
    put(cast.alice, "a.vcf", CARD)
    put(cast.alice, "g.vcf", GROUP)
    assert query(cast.alice, "", more="<CR:limit><CR:nresults>1</CR:nresults></CR:limit>") in ({"a.vcf", "contacts"}, {"g.vcf", "contacts"})
    data = '<D:prop><CR:address-data><CR:prop name="FN"/><CR:prop name="EMAIL"/></CR:address-data></D:prop>'
    reply = report(cast.alice, book_path(cast.alice), "CR:addressbook-multiget", f"{data}<D:href>{book_path(cast.alice)}a.vcf</D:href>")
    text = str(responses(reply)["a.vcf"][1][f"{CR}address-data"].text)
    assert [line.split(":")[0].split(";")[0] for line in text.splitlines()] == ["BEGIN", "VERSION", "FN", "item1.EMAIL", "EMAIL", "END"]


def test_multiget_returns_cards_in_the_version_that_is_asked_for(cast: Cast) -> None:
    put(cast.alice, "a.vcf", CARD)
    path = book_path(cast.alice)
    for version in ("3.0", "4.0"):
        data = f'<D:prop><D:getetag/><CR:address-data content-type="text/vcard" version="{version}"/></D:prop>'
        hrefs = "".join(f"<D:href>{path}{name}</D:href>" for name in ("a.vcf", "missing.vcf", "contact-1.vcf"))
        by_name = responses(report(cast.alice, path, "CR:addressbook-multiget", data + hrefs))
        assert sorted(status for status, _ in by_name.values()) == [200, 404, 404]
        text = str(by_name["a.vcf"][1][f"{CR}address-data"].text)
        assert f"VERSION:{version}" in text
        assert ("PHOTO:data:image/jpeg;base64,/9j/" in text.replace("\n ", "")) == (version == "4.0")
        assert "X-SOCIALPROFILE;type=twitter:http://twitter.com/ana" in text


HOSTILE = [
    b"", b"x", b"\xff\xfe", b"BEGIN:VCARD\r\n", CARD.encode() * 2, b"BEGIN:VCARD\r\nVERSION:2.1\r\nEND:VCARD\r\n",
    b"BEGIN:VCARD\r\nEND:VCARD\r\n", CARD.replace("UID:u-1", "UID:a\\nb").encode(), CARD.replace("u-1", "u" * 5_000).encode(),
    CARD.replace("UID:u-1", "UID:\x00").encode(), CARD.replace("FN:", f"FN;{'X=' * 5_000}:").encode(), ("EMAIL:a@b.c\r\n" * 9_000).encode(),
    CARD.replace("EMAIL:", "EMAIL:a@b.c\r\n" * 9_000).encode(), b"BEGIN:VCALENDAR\r\nVERSION:3.0\r\nEND:VCALENDAR\r\n",
    CARD.replace("END:VCARD", "A:\r\n" * 20_000 + "END:VCARD").encode(),
    CARD.replace("END:VCARD", "BEGIN:VCARD\r\nEND:VCARD\r\nEND:VCARD").encode(),
]  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_no_card_makes_an_error_of_the_server(cast: Cast, body: bytes) -> None:
    reply = put(cast.alice, "a.vcf", body)
    assert 400 <= reply.status < 500, reply
    assert cast.alice.get(book_path(cast.alice) + "a.vcf").status == 404


@pytest.mark.parametrize(
    "text",
    [
        CARD.replace("\r\n", "\n"),
        CARD.replace("UID:u-1\r\n", ""),
        CARD.replace("FN:Dr. Ana Lopez", "FN:\x07 \x00 \u2028"),
        CARD.replace("ana@example.org", "no address"),
        CARD.replace("1990-05-11", "--05-11"),
        CARD.replace("END:VCARD", "A:\r\n" * 2_000 + "END:VCARD"),
        CARD.replace("N:Lopez;Ana;María;Dr.;\r\n", f"NOTE:{'x' * 300_000}\r\n"),
        "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:\r\nEND:VCARD\r\n",
        f"\r\n{CARD}\r\n\r\n",
    ],
)
def test_an_odd_card_is_kept_as_it_is(cast: Cast, text: str) -> None:
    assert put(cast.alice, "a.vcf", text).status == 201
    assert get(cast.alice, "a.vcf").content == text.encode()
    reply = report(cast.alice, book_path(cast.alice), "CR:addressbook-query", f"{ETAG_AND_DATA}<CR:filter/>")
    assert set(responses(reply)) == {"a.vcf"}
    for item in cast.alice.get("/api/contacts").json["contacts"]:
        assert cast.alice.put(f"/api/contacts/{item['id']}", json={"first_name": "New", "birthday": "2000-01-01"}).status == 200
        assert "New" in get(cast.alice, "a.vcf", Accept="text/vcard; version=4.0").text


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    "condition",
    [
        "<CR:prop-filter/>",
        "<CR:nonsense/>",
        '<CR:prop-filter name="FN"><CR:text-match collation="i;none">x</CR:text-match></CR:prop-filter>',
        '<CR:prop-filter name="FN"><CR:text-match match-type="regex">x</CR:text-match></CR:prop-filter>',
        '<CR:prop-filter name="FN"/>' * 200,
    ],
)
def test_a_filter_that_is_not_known_is_refused(cast: Cast, condition: str) -> None:
    reply = report(cast.alice, book_path(cast.alice), "CR:addressbook-query", f"<D:prop/><CR:filter>{condition}</CR:filter>")
    assert reply.status == 403, reply


@pytest.mark.on_one_database
@pytest.mark.parametrize("kind", ["text/calendar", "application/json", "image/png"])
def test_what_is_no_card_by_its_type_is_refused(cast: Cast, kind: str) -> None:
    assert put(cast.alice, "a.vcf", CARD, **{"Content-Type": kind}).status == 415


PATHS = {"books": "", "book": "contacts/", "no book": "other/", "card": "contacts/a.vcf", "no card": "contacts/none.vcf"}
# What the owner gets; others get 404, and guests 401.
STATUSES = {
    ("PROPFIND", "books"): 207, ("PROPFIND", "book"): 207, ("PROPFIND", "no book"): 404, ("PROPFIND", "card"): 207,
    ("PROPFIND", "no card"): 404, ("REPORT", "books"): 405, ("REPORT", "book"): 207, ("REPORT", "no book"): 404,
    ("REPORT", "card"): 405, ("GET", "books"): 405, ("GET", "book"): 405, ("GET", "card"): 200, ("GET", "no card"): 404,
    ("PUT", "books"): 405, ("PUT", "book"): 405, ("PUT", "no book"): 405, ("PUT", "no card"): 201, ("PUT", "card"): 204,
    ("MKCOL", "book"): 405, ("MKCOL", "no book"): 201, ("PROPPATCH", "book"): 207, ("PROPPATCH", "no book"): 404,
    ("MOVE", "card"): 400, ("COPY", "card"): 400, ("COPY", "no card"): 404, ("DELETE", "books"): 405,
    ("DELETE", "book"): 403, ("DELETE", "no book"): 404, ("DELETE", "no card"): 404, ("DELETE", "card"): 204,
}  # fmt: skip


@pytest.mark.parametrize(("method", "kind"), STATUSES)
def test_who_may_do_what(cast: Cast, method: str, kind: str) -> None:
    put(cast.alice, "a.vcf", CARD)
    path = f"/dav/users/{cast.alice.id}/books/{PATHS[kind]}"
    bodies = {
        "PROPFIND": "",
        "REPORT": "<D:sync-collection xmlns:D='DAV:'><D:sync-token/><D:prop/></D:sync-collection>",
        "PROPPATCH": f"<D:propertyupdate {SPACES}/>",
        "MKCOL": mkcol("Other"),
    }
    text = CARD if kind == "card" else CARD.replace("u-1", "u-9")
    headers = {"Depth": "0", **({"Content-Type": "text/vcard"} if method == "PUT" else {})}
    statuses = [each.request(method, path, body=bodies.get(method, text), headers=headers).status for each in (cast.bob, cast.alice)]
    expected = STATUSES[method, kind]
    assert statuses == [405 if expected == 405 and method != "MKCOL" else 404, expected]
    guest = cast.anonymous.request(method, path, body=bodies.get(method, text), headers=headers)
    assert guest.status == 401


@pytest.mark.parametrize("day", ["1604-03-05", "16040305"])
def test_a_birthday_without_a_year_has_none_in_either_version(cast: Cast, day: str) -> None:
    path = f"{book_path(cast.alice)}a.vcf"
    card = f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:u-1\r\nN:Lopez;Ana;;;\r\nFN:Ana\r\nBDAY;X-APPLE-OMIT-YEAR=1604:{day}\r\nEND:VCARD\r\n"
    assert put(cast.alice, "a.vcf", card).status == 201
    new = cast.alice.get(path, headers={"Accept": "text/vcard; version=4.0"}).text
    assert "\r\nBDAY:--0305\r\n" in new
    assert put(cast.alice, "a.vcf", new).status == 204
    old = cast.alice.get(path, headers={"Accept": "text/vcard; version=3.0"}).text
    assert "\r\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-03-05\r\n" in old

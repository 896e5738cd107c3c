"""Address books that clients make: extended MKCOL, PROPPATCH and DELETE, and whose cards are where."""

from kalends.db import Database
from tests.cast import Cast, Person, a_contact
from tests.client import Reply
from tests.dav.clients import CR, SPACES, D, book_path, mkcol, propfind, report, responses, sync
from tests.dav.test_books import CARD, ETAG_AND_DATA, GROUP, contact_of, get, put


def make_book(person: Person, slug: str, name: str) -> str:
    """The path of a new address book."""
    path = f"/dav/users/{person.id}/books/{slug}/"
    reply = person.request("MKCOL", path, body=mkcol(name))
    assert reply.status == 201, reply
    return path


def put_card(person: Person, path: str, text: str) -> Reply:
    return person.request("PUT", path, body=text, headers={"Content-Type": "text/vcard"})


def test_a_client_makes_address_books_and_names_them(cast: Cast) -> None:
    path = make_book(cast.alice, "work", "Work &amp; more")
    home = f"/dav/users/{cast.alice.id}/books/"
    update = "<D:propertyupdate {0}><D:{1}><D:prop>{2}</D:prop></D:{1}></D:propertyupdate>"
    text = "<CR:addressbook-description>All of us</CR:addressbook-description>"
    for each, body in ((path, text), (book_path(cast.alice), "<D:displayname>Mine</D:displayname>")):
        assert cast.alice.request("PROPPATCH", each, body=update.format(SPACES, "set", body)).status == 207
    listed = responses(propfind(cast.alice, home, "D:displayname", "CR:addressbook-description", depth="1"))
    assert list(listed) == ["books", "contacts", "work"]
    assert [listed[name][1][f"{D}displayname"].text for name in ("contacts", "work")] == ["Mine", "Work & more"]
    assert listed["work"][1][f"{CR}addressbook-description"].text == "All of us"
    for each in (path, book_path(cast.alice)):
        assert cast.alice.request("PROPPATCH", each, body=update.format(SPACES, "remove", "<D:displayname/>")).status == 207
    listed = responses(propfind(cast.alice, home, "D:displayname", depth="1"))
    assert [listed[name][1][f"{D}displayname"].text for name in ("contacts", "work")] == ["Contacts", "work"]
    refused = cast.alice.request("PROPPATCH", path, body=update.format(SPACES, "set", "<D:sync-token>x</D:sync-token>"))
    assert b"cannot-modify-protected-property" in refused.content
    assert cast.alice.request("MKCOL", path, body=mkcol("Again")).status == 405
    assert cast.alice.request("MKCOL", f"{home}folder/").status == 403
    assert set(responses(propfind(cast.bob, f"/dav/users/{cast.bob.id}/books/", "D:displayname", depth="1"))) == {"books", "contacts"}


def test_each_address_book_has_its_own_cards(cast: Cast) -> None:
    work, first = make_book(cast.alice, "work", "Work"), book_path(cast.alice)
    _, token = sync(cast.alice, work)
    _, first_token = sync(cast.alice, first)
    for path in (work, first):
        assert put_card(cast.alice, f"{path}a.vcf", CARD).status == 201
    assert put_card(cast.alice, f"{work}g.vcf", GROUP).status == 201
    assert put_card(cast.alice, f"{work}b.vcf", CARD).status == 409
    contact = a_contact(cast.alice, first_name="Zoe")
    # The contacts of all address books are on one list.
    assert len(cast.alice.get("/api/contacts").json["contacts"]) == 3
    assert sync(cast.alice, work, token)[0] == {"a.vcf": 200, "g.vcf": 200}
    assert sync(cast.alice, first, first_token)[0] == {"a.vcf": 200, f"contact-{contact['id']}.vcf": 200}
    for path, names in ((work, {"a.vcf", "g.vcf"}), (first, {"a.vcf", f"contact-{contact['id']}.vcf"})):
        reply = report(cast.alice, path, "CR:addressbook-query", f"{ETAG_AND_DATA}<CR:filter/>")
        assert set(responses(reply)) == names == set(sync(cast.alice, path)[0])
        hrefs = "".join(f"<D:href>{path}{name}</D:href>" for name in ("a.vcf", "g.vcf", f"contact-{contact['id']}.vcf"))
        reply = report(cast.alice, path, "CR:addressbook-multiget", ETAG_AND_DATA + hrefs)
        assert {name for name, (status, _) in responses(reply).items() if status == 200} == names

    _, token = sync(cast.alice, work)
    assert cast.alice.delete(f"{work}a.vcf").status == 204
    assert sync(cast.alice, work, token)[0] == {"a.vcf": 404}
    assert get(cast.alice, "a.vcf").text == CARD
    inner = f"<D:sync-token>{first_token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop/>"
    assert report(cast.alice, work, "D:sync-collection", inner).status == 403


def test_an_address_book_is_deleted_with_its_contacts(cast: Cast, db: Database) -> None:
    work = make_book(cast.alice, "work", "Work")
    put(cast.alice, "a.vcf", CARD)
    assert put_card(cast.alice, f"{work}a.vcf", CARD.replace("Ana", "Eva")).status == 201
    assert put_card(cast.alice, f"{work}g.vcf", GROUP).status == 201
    contact = contact_of(cast.alice, "Eva")
    _, token = sync(cast.alice, work)
    assert cast.bob.delete(work).status == 404
    assert cast.alice.delete(work).status == 204
    assert [item["first_name"] for item in cast.alice.get("/api/contacts").json["contacts"]] == ["Ana María"]
    assert propfind(cast.alice, work, "D:displayname").status == 404
    assert put_card(cast.alice, f"{work}b.vcf", CARD).status == 404

    # Another one of the name is empty, and has tokens of its own.
    make_book(cast.alice, "work", "New")
    assert sync(cast.alice, work)[0] == {}
    inner = f"<D:sync-token>{token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop/>"
    assert report(cast.alice, work, "D:sync-collection", inner).status == 403
    # A contact that is restored is on the list of contacts, with its photo.
    with db.read() as tx:
        seq = tx.value("SELECT max(id) FROM changes WHERE record_id = :id AND kind = 'contact'", id=contact["id"])
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert get(cast.alice, f"contact-{contact['id']}.vcf").text == CARD.replace("Ana", "Eva")


def transfer(person: Person, method: str, source: str, target: str, **headers: str) -> Reply:
    return person.request(method, source, headers={"Destination": f"http://testserver{target}", **headers})


def test_a_card_moves_to_another_address_book_with_its_contact(cast: Cast) -> None:
    alice, work, first = cast.alice, make_book(cast.alice, "work", "Work"), book_path(cast.alice)
    contact = a_contact(alice, first_name="Zoe", last_name="Lund")
    own_name = f"contact-{contact['id']}.vcf"
    put(alice, "a.vcf", CARD)
    put(alice, "g.vcf", GROUP)
    files = {name: get(alice, name).text for name in ("a.vcf", "g.vcf", own_name)}
    tokens = {path: sync(alice, path)[1] for path in (work, first)}
    for name in files:
        reply = transfer(alice, "MOVE", f"{first}{name}", f"{work}{name}")
        assert reply.status == 201
        got = alice.get(f"{work}{name}")
        assert (got.text, got.headers["ETag"]) == (files[name], reply.headers["ETag"])
        assert alice.get(f"{first}{name}").status == 404
    assert sync(alice, work, tokens[work])[0] == dict.fromkeys(files, 200)
    assert sync(alice, first, tokens[first])[0] == dict.fromkeys(files, 404)
    assert sync(alice, first)[0] == {}
    assert alice.get(f"/api/contacts/{contact['id']}").json["first_name"] == "Zoe"
    assert len(alice.get("/api/contacts").json["contacts"]) == 2
    # Back again, under names of old, one of which is the contact's own.
    tokens = {path: sync(alice, path)[1] for path in (work, first)}
    for name in files:
        assert transfer(alice, "MOVE", f"{work}{name}", f"{first}{name}").status == 201
    assert sync(alice, work, tokens[work])[0] == dict.fromkeys(files, 404)
    assert sync(alice, first, tokens[first])[0] == dict.fromkeys(files, 200)
    assert {name: get(alice, name).text for name in files} == files


def test_a_card_that_was_moved_goes_with_its_new_address_book(cast: Cast) -> None:
    alice, work, first = cast.alice, make_book(cast.alice, "work", "Work"), book_path(cast.alice)
    name = f"contact-{a_contact(alice, first_name='Zoe')['id']}.vcf"
    assert transfer(alice, "MOVE", f"{first}{name}", f"{work}b.vcf").status == 201
    assert alice.delete(work).status == 204
    assert alice.get("/api/contacts").json["contacts"] == []
    assert sync(alice, first)[0] == {}


def test_a_copy_of_a_card_is_a_contact_of_its_own(cast: Cast) -> None:
    alice, work, first = cast.alice, make_book(cast.alice, "work", "Work"), book_path(cast.alice)
    put(alice, "a.vcf", CARD)
    put(alice, "g.vcf", GROUP)
    for name in ("a.vcf", "g.vcf"):
        assert transfer(alice, "COPY", f"{first}{name}", f"{work}{name}").status == 201
        assert alice.get(f"{work}{name}").text == get(alice, name).text
    ids = {each["id"] for each in alice.get("/api/contacts").json["contacts"]}
    assert len(ids) == 2
    # An address book has a UID once.
    assert b"no-uid-conflict" in transfer(alice, "COPY", f"{first}a.vcf", f"{first}b.vcf").content
    assert b"no-uid-conflict" in transfer(alice, "MOVE", f"{first}a.vcf", f"{work}b.vcf").content
    # What is at the destination is replaced, unless the client objects.
    assert transfer(alice, "MOVE", f"{first}a.vcf", f"{work}a.vcf", Overwrite="F").status == 412
    assert transfer(alice, "MOVE", f"{first}a.vcf", f"{work}a.vcf").status == 204
    assert {each["id"] for each in alice.get("/api/contacts").json["contacts"]} < ids


def test_cards_move_between_own_address_books_alone(cast: Cast) -> None:
    alice, bob, first, work = cast.alice, cast.bob, book_path(cast.alice), make_book(cast.alice, "work", "Work")
    put(alice, "a.vcf", CARD)
    source = f"{first}a.vcf"
    for method in ("MOVE", "COPY"):
        assert transfer(bob, method, source, f"{book_path(bob)}a.vcf").status == 404
        assert transfer(bob, method, source, f"{work}a.vcf").status == 404
        assert transfer(alice, method, source, f"{book_path(bob)}a.vcf").status == 403
        assert transfer(alice, method, source, f"/dav/users/{alice.id}/books/none/a.vcf").status == 409
        assert transfer(alice, method, source, source).status == 403
        assert transfer(alice, method, source, f"{first}contact-999999.vcf").status == 403
        assert transfer(alice, method, f"{first}none.vcf", f"{work}a.vcf").status == 404
        assert alice.request(method, source).status == 400
        assert transfer(alice, method, source, f"{work}a.vcf", **{"If-Match": '"old"'}).status == 412
    assert sync(alice, work)[0] == {}
    assert get(alice, "a.vcf").text == CARD

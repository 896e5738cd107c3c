"""Pages of contacts: list, search, create, change, delete and import."""

import re

import pytest

from tests.cast import Cast, a_contact, a_response, an_event
from tests.client import Client, Reply
from tests.contacts.test_file import CARDS
from tests.http.multipart import multipart

pytestmark = pytest.mark.on_one_database


def total(who: Client, **query: str) -> int:
    count: int = who.get("/api/contacts", query={"count": "true"} | query).json["total"]
    return count


def uploaded(who: Client, filename: str, content: str) -> Reply:
    return who.post("/contacts/upload", **multipart(files=[("file", filename, content.encode())]))


def test_the_list_shows_only_own_contacts(cast: Cast) -> None:
    ana = a_contact(cast.alice, last_name="Díaz", email_address="ana@example.org", phone_number="+33 6 12 34 56 78", tag_list="a b, R&B")
    a_contact(cast.alice, first_name=None, email_address="only@example.org")
    a_contact(cast.carol, first_name="Someone else's")
    page = cast.alice.get("/contacts")
    assert page.status == 200
    for text in ["Ana Díaz", "ana@example.org", "+33 6 12 34 56 78", "only@example.org", f"/contacts/{ana['id']}/edit", "2 contacts"]:
        assert text in page.text
    assert "/contacts?tags=a+b" in page.text
    assert "/contacts?tags=R%26B" in page.text
    assert "Someone" not in page.text


def test_an_empty_list_says_how_to_fill_it(cast: Cast) -> None:
    page = cast.alice.get("/contacts")
    assert 'class="empty"' in page.text
    assert 'href="/contacts/import"' in page.text


def test_a_search_matches_words_and_tags_and_exports_its_results(cast: Cast) -> None:
    a_contact(cast.alice, last_name="Díaz", tag_list="jazz, friends")
    a_contact(cast.alice, first_name="Bo", tag_list="jazz")
    page = cast.alice.get("/contacts?text=diaz&tags=jazz")
    assert "Ana Díaz" in page.text
    assert "Bo<" not in page.text
    assert 'value="diaz"' in page.text
    assert 'href="/api/contacts.csv?text=diaz&amp;tags=jazz"' in page.text
    assert cast.alice.get("/api/contacts.csv?text=diaz&tags=jazz").text.count("\n") == 2
    assert "No contacts match" in cast.alice.get("/contacts?text=zebra").text


def test_the_guests_of_an_event_are_found_by_those_who_may_edit_it(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="ana@example.org")
    a_contact(cast.alice, email_address="ana@example.org")
    a_contact(cast.alice, first_name="Bo")
    page = cast.alice.get(f"/contacts?event_id={event['id']}")
    assert "1 contact found" in page.text
    assert "Concert" in page.text
    assert cast.carol.get(f"/contacts?event_id={event['id']}").status == 403


def test_a_long_list_comes_in_pages(cast: Cast) -> None:
    for name in ("Ana", "Bea", "Cyd"):
        a_contact(cast.alice, first_name=name)
    first = cast.alice.get("/contacts?limit=2")
    following = re.search(r'href="([^"]+)" rel="next"', first.text)
    assert following
    second = cast.alice.get(following[1].replace("&amp;", "&"))
    assert "Cyd" in second.text
    assert "Ana" not in second.text
    assert "Back to the start" in second.text


def test_a_contact_is_added_and_changed_on_a_page(cast: Cast) -> None:
    typed = {"first_name": "Žofie", "birthday": "1990-05-11", "gender": "female", "country": "FR", "tag_list": "a, b"}
    added = cast.alice.post("/contacts", data=typed | {"last_name": "", "unique_id": ""})
    assert added.redirect == ("/contacts", "created")
    contact = cast.alice.get("/api/contacts").json["contacts"][0]
    form = cast.alice.get(f"/contacts/{contact['id']}/edit")
    for text in ['value="Žofie"', 'value="1990-05-11"', 'value="female" selected', 'value="a,b"']:
        assert text in form.text
    version = _version(form)
    saved = cast.alice.post(f"/contacts/{contact['id']}/edit", data=typed | {"first_name": "", "last_name": "Nová", "version": version})
    assert saved.status == 303
    now = cast.alice.get(f"/api/contacts/{contact['id']}").json
    assert (now["first_name"], now["last_name"], now["birthday"]) == (None, "Nová", "1990-05-11")


def test_a_failed_form_keeps_its_values_and_names_the_fields(cast: Cast) -> None:
    typed = {"first_name": "Ana", "email_address": "not an address", "phone_number": "none", "country": "<b>"}
    page = cast.alice.post("/contacts", data=typed)
    assert page.status == 422
    assert 'value="not an address"' in page.text
    assert 'value="&lt;b&gt;"' in page.text
    for name in ("email_address", "phone_number"):
        assert f'href="#{name}"' in page.text
        assert re.search(rf'id="{name}"[^>]*aria-invalid="true" aria-describedby="{name}-about"', page.text)
    assert "Must be an email address such as ana@example.org." in page.text
    nothing = cast.alice.post("/contacts", data={"country": "France"})
    assert 'href="#first_name"' in nothing.text
    assert total(cast.alice) == 0


def test_a_conflicting_change_overwrites_nothing(cast: Cast) -> None:
    ana = a_contact(cast.alice)
    path = f"/contacts/{ana['id']}/edit"
    version = _version(cast.alice.get(path))
    cast.alice.put(f"/api/contacts/{ana['id']}", json={"last_name": "Meanwhile"})
    refused = cast.alice.post(path, data={"first_name": "Anna", "version": version})
    assert refused.status == 409
    assert 'value="Anna"' in refused.text
    assert cast.alice.get(f"/api/contacts/{ana['id']}").json["last_name"] == "Meanwhile"
    assert cast.alice.post(path, data={"first_name": "Anna", "version": _version(refused)}).status == 303


def test_deleting_a_contact_asks_for_confirmation(cast: Cast) -> None:
    ana = a_contact(cast.alice, last_name="Díaz")
    path = f"/contacts/{ana['id']}/delete"
    assert "Delete Ana Díaz?" in cast.alice.get(path).text
    assert total(cast.alice) == 1
    assert cast.alice.post(path).redirect == ("/contacts", "deleted")
    assert total(cast.alice) == 0
    assert cast.alice.get(path).status == 404


def test_deleting_all_contacts_asks_for_confirmation(cast: Cast) -> None:
    a_contact(cast.alice)
    a_contact(cast.bob)
    page = cast.alice.get("/contacts/delete_all").text
    assert "You have 1 contact." in page
    assert '<form class="actions" method="post" action="/contacts/delete_all">' in page
    assert total(cast.alice) == 1
    assert cast.alice.post("/contacts/delete_all").status == 303
    assert (total(cast.alice), total(cast.bob)) == (0, 1)
    assert 'action="/contacts/delete_all"' not in cast.alice.get("/contacts/delete_all").text


def test_importing_a_file_shows_remarks_on_omitted_values(cast: Cast) -> None:
    page = uploaded(cast.alice, "cards.vcf", CARDS)
    assert page.status == 200
    assert "3 contacts added." in page.text
    assert "<td>9</td><td>Birthday</td>" in page.text
    again = uploaded(cast.alice, "cards.vcf", CARDS)
    assert "0 contacts added. 3 entries were skipped" in again.text
    assert total(cast.alice) == 3


@pytest.mark.parametrize(("filename", "content"), [("broken.vcf", "BEGIN:NONSENSE"), ("table.csv", "no,known,header\n1,2,3\n"), ("", "")])
def test_a_file_that_cannot_be_read_names_the_field(cast: Cast, filename: str, content: str) -> None:
    page = uploaded(cast.alice, filename, content)
    assert page.status == 422
    assert 'href="#file-file"' in page.text
    assert re.search(r'id="file-file"[^>]*aria-invalid="true" aria-describedby="file-file-about"', page.text)
    assert total(cast.alice) == 0


def _version(form: Reply) -> str:
    match = re.search(r'name="version" value="([^"]+)"', form.text)
    assert match
    return match[1]

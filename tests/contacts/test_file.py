"""Import of contacts from files, and exports that import again."""

from typing import Any

import pytest
from msgspec import structs

from kalends.features.contacts.model import ContactFields
from kalends.features.contacts.rules.address_book import parse_entry
from kalends.features.contacts.rules.entry import Entry
from kalends.features.contacts.steps import bulk_import
from kalends.http.csv_file import Remark
from tests.cast import Cast, a_contact
from tests.client import Client, Reply
from tests.http.multipart import multipart

pytestmark = pytest.mark.on_one_database

CARDS = """BEGIN:VCARD
VERSION:3.0
N:Díaz;Ana;;;
EMAIL:ana@example.org
EMAIL:ana@work.example
TEL;TYPE=CELL:+33 6 12 34 56 78
UID:u1
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:Bo Bell
BDAY:--0511
END:VCARD
"""


def uploaded(who: Client, filename: str, content: str | bytes) -> Reply:
    return who.post("/api/contacts", **multipart(files=[("file", filename, content.encode() if isinstance(content, str) else content)]))


def contents(who: Client) -> list[dict[str, Any]]:
    """All fields of every contact on the list."""
    rows: list[dict[str, Any]] = []
    url = "/api/contacts?limit=500"
    while url:
        page = who.get(url).json
        rows += page["contacts"]
        url = page["next"]
    fields = ContactFields.__struct_fields__
    return [{name: who.get(f"/api/contacts/{row['id']}").json[name] for name in fields} for row in rows]


def test_a_person_with_two_addresses_becomes_two_contacts_with_remarks_on_losses(cast: Cast) -> None:
    response = uploaded(cast.alice, "cards.vcf", CARDS)
    assert response.status == 201
    assert (response.json["imported"], response.json["skipped"]) == (3, 0)
    assert [(contacts["name"], contacts["email_address"]) for contacts in response.json["contacts"]] == [
        ("Ana Díaz", "ana@example.org"),
        ("Ana Díaz", "ana@work.example"),
        ("Bo Bell", None),
    ]
    assert [(remark["line"], remark["field"]) for remark in response.json["remarks"]] == [(9, "birthday")]
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 3


def test_the_same_file_again_changes_nothing(cast: Cast) -> None:
    uploaded(cast.alice, "cards.vcf", CARDS)
    again = uploaded(cast.alice, "cards.vcf", CARDS)
    assert (again.status, again.json["imported"], again.json["skipped"]) == (201, 0, 3)
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 3


def test_a_contact_whose_address_or_unique_id_is_there_is_skipped(cast: Cast) -> None:
    a_contact(cast.alice, first_name="Anna", email_address="ANA@example.org", unique_id="u9")
    assert uploaded(cast.alice, "cards.vcf", CARDS).json["skipped"] == 1
    table = "first_name,unique_id\nCid,u9\nCid,u10\n"
    assert uploaded(cast.alice, "more.csv", table).json["imported"] == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cards.vcf", "nothing at all"),
        ("list.csv", "colour,size\nred,7\n"),
        ("photo.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF"),
        ("empty.csv", ""),
        ("cut.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Ana\n"),
    ],
)
def test_a_file_that_holds_no_contacts_is_refused(cast: Cast, name: str, content: str | bytes) -> None:
    response = uploaded(cast.alice, name, content)
    assert (response.status, response.broken) == (422, ["file"]), response
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 0


@pytest.mark.on_one_database
def test_too_many_contacts_are_refused_without_parsing_the_rest(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has 20 addresses, some of which are slow to parse."""
    read: list[Entry] = []

    def counted(entry: Entry) -> tuple[list[ContactFields], list[Remark]]:
        read.append(entry)
        return parse_entry(entry)

    monkeypatch.setattr(bulk_import, "parse_entry", counted)
    addresses = "".join(f"EMAIL:{n}@Example.ORG\n" for n in range(20))
    response = uploaded(cast.alice, "many.vcf", f"BEGIN:VCARD\nFN:Ana\n{addresses}END:VCARD\n" * 1_500)
    assert (response.status, response.broken) == (422, ["file"])
    assert len(read) == 1_001


def test_beyond_1000_remarks_their_number_is_reported(cast: Cast) -> None:
    table = "first_name,birthday\n" + "".join(f"n{n},soon\n" for n in range(1_234))
    remarks = uploaded(cast.alice, "many.csv", table).json["remarks"]
    assert len(remarks) == 1_001
    assert (remarks[0]["line"], remarks[999]["line"], remarks[999]["field"]) == (2, 1_001, "birthday")
    assert remarks[1_000] == {"line": 1_002, "field": "file", "message": "remarks on this line and those after it that are not listed: 234"}


def test_fields_beside_a_file_are_refused(cast: Cast) -> None:
    body = multipart({"tag_list": "friends", "first_name": "", "zip_code": "7"}, [("file", "a.csv", b"first_name\nAna\n")])
    response = cast.alice.post("/api/contacts", **body)
    assert (response.status, response.broken) == (422, ["file"])
    assert "zip_code" in response.json["detail"]
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 0


def test_text_instead_of_a_file_is_refused(cast: Cast) -> None:
    response = cast.alice.post("/api/contacts", json={"file": "BEGIN:VCARD"})
    assert (response.status, response.broken) == (422, ["file"])


@pytest.mark.parametrize("suffix", ["csv", "vcf"])
@pytest.mark.parametrize("many", [600, pytest.param(5_000, marks=pytest.mark.soak)])
def test_export_and_import_of_many_contacts_loses_nothing(cast: Cast, suffix: str, many: int) -> None:
    header = ",".join(ContactFields.__struct_fields__)
    rows = [
        f'"Ana, {n}","Ø""{n}",+33 6 {n:08d},ana{n % (many - 10)}@example.org,19{n % 90 + 10}-05-11,{("", "fe")[n % 2]}male,'
        f'France,0{n:04d},"jazz,t{n}",u{n}'
        for n in range(many)
    ]
    assert uploaded(cast.alice, "many.csv", "\n".join([header, *rows])).json["imported"] == many
    exported = cast.alice.get(f"/api/contacts.{suffix}")
    again = uploaded(cast.bob, f"many.{suffix}", exported.content)
    assert (again.json["imported"], again.json["remarks"]) == (many, [])
    assert cast.bob.get(f"/api/contacts.{suffix}").content == exported.content


def test_every_field_survives_both_files(cast: Cast) -> None:
    whole = ContactFields(
        first_name="=1+1; Ana\\n",
        last_name="'=O'Díaz, “x”",
        phone_number="+33 6 12 34 56 78",
        email_address="ana+tag@example.org",
        birthday="1990-05-11",
        gender="female",
        country="-France",
        zip_code="@0750",
        tag_list="=jazz,with space,é",
        unique_id="urn:uuid:7;x,y",
    )
    a_contact(cast.alice, **structs.asdict(whole))
    a_contact(cast.alice, first_name="Bo")
    for person, suffix in ((cast.bob, "csv"), (cast.carol, "vcf")):
        assert uploaded(person, f"x.{suffix}", cast.alice.get(f"/api/contacts.{suffix}").content).json["imported"] == 2
        assert contents(person) == contents(cast.alice)


def test_cells_that_spreadsheets_would_run_are_defused(cast: Cast) -> None:
    for first in ("=cmd|'/c calc'!A1", "+1+1", "-2+3", "@SUM(A1)"):
        a_contact(cast.alice, first_name=first)
    lines = cast.alice.get("/api/contacts.csv").text.splitlines()[1:]
    assert len(lines) == 4
    assert all(line.lstrip('"').startswith("'") for line in lines)


def test_exports_hold_what_the_search_finds(cast: Cast) -> None:
    a_contact(cast.alice, tag_list="jazz")
    a_contact(cast.alice, first_name="Bo", tag_list="blues")
    for suffix in ("csv", "vcf"):
        export = cast.alice.get(f"/api/contacts.{suffix}?tags=blues")
        assert "Bo" in export.text
        assert "Ana" not in export.text
        assert f'filename="contacts.{suffix}"' in export.headers["Content-Disposition"]

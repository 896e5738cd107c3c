"""Conversion of address book entries to contacts, with remarks on omitted values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.core import errors
from kalends.core.values import text
from kalends.features.contacts.model import ContactFields
from kalends.features.contacts.rules.address_book import parse_entry, read_file
from kalends.features.contacts.rules.entry import Entry
from kalends.http.input import fields

VCARD = b"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana Lima\r\nEND:VCARD\r\n"
CSV = b"First Name,Last Name\nAna,Lima\n"


@pytest.mark.parametrize(
    ("filename", "content"),
    [("a.vcf", VCARD), ("A.VCF", VCARD), ("a.csv", VCARD), ("", b"\xef\xbb\xbf\n" + VCARD.lower()), ("a.csv", CSV), ("a.txt", CSV)],
)
def test_the_format_is_detected_by_content_then_by_file_name(filename: str, content: bytes) -> None:
    (entry,) = read_file(filename, content)
    assert (entry.first_name.lower(), entry.last_name.lower()) == ("ana", "lima")


@pytest.mark.parametrize(
    ("filename", "content", "message"),
    [
        ("a.xlsx", b"PK\x03\x04", "must be a .vcf file of vCards or a .csv file"),
        ("contacts", CSV, "must be a .vcf file of vCards or a .csv file"),
        ("a.vcf", b"", "contains no contacts"),
        ("a.vcf", CSV, "contains no contacts"),
        ("a.csv", b"First Name\n", "contains no contacts"),
        ("a.csv", b"Color\nred\n", "must name its columns"),
        ("a.vcf", VCARD[:-12], "cut off"),
        ("a.vcf", VCARD * 20_001, "at most 20,000 contacts"),
        ("a.csv", CSV + b"Ana,\n" * 20_000, "at most 20,000 contacts"),
    ],
)
def test_an_unreadable_file_names_the_supported_formats(filename: str, content: bytes, message: str) -> None:
    with pytest.raises(errors.Invalid) as refused:
        read_file(filename, content)
    (error,) = refused.value.errors
    assert error.field == "file"
    assert message in error.message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_text_is_read_in_the_encodings_that_programs_write(encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    assert text.decode(f"{mark}Zoé,€".encode(encoding)) == "Zoé,€"


@given(st.text().filter(lambda value: not value.startswith("\ufeff") and value[1:2] != "\0"))
def test_utf_8_is_always_detected(value: str) -> None:
    assert text.decode(value.encode()) == value


def test_a_contact_for_each_address_and_everything_else_on_the_first() -> None:
    entry = Entry(
        line=7,
        first_name="Ana",
        last_name="Lima",
        phone_numbers=["+33 6 12"],
        email_addresses=["ana@example.org", "ANA@example.org", "ana@work.example"],
        birthday="19900511",
        gender="F",
        country="France",
        zip_code="75009",
        tags=["Choir", "choir", "Friends, Family"],
        unique_id="urn:uuid:1",
    )
    first = ContactFields(
        first_name="Ana",
        last_name="Lima",
        phone_number="+33 6 12",
        email_address="ana@example.org",
        birthday="1990-05-11",
        gender="female",
        country="France",
        zip_code="75009",
        tag_list="Choir,Friends,Family",
        unique_id="urn:uuid:1",
    )
    assert parse_entry(entry) == ([first, ContactFields(first_name="Ana", last_name="Lima", email_address="ana@work.example")], [])


@pytest.mark.parametrize(("text", "gender"), [("M", "male"), ("Female", "female"), (" f ", "female"), ("U", None), ("Unspecified", None)])
def test_genders_of_other_programs_are_understood(text: str, gender: str | None) -> None:
    (contact,), remarks = parse_entry(Entry(first_name="Ana", gender=text))
    assert (contact.gender, remarks) == (gender, [])


@pytest.mark.parametrize(
    ("field", "entry", "message"),
    [
        ("last_name", Entry(last_name="x" * 201), "at most 200 characters"),
        ("zip_code", Entry(zip_code="x" * 10_000), "at most 200 characters"),
        ("country", Entry(country="e" + "\u0301" * 60), "accents"),
        ("unique_id", Entry(unique_id="\ud800"), "surrogates"),
        ("email_address", Entry(email_addresses=["ana@@example.org"]), "“ana@@example.org” was left out: must be an email address"),
        ("phone_number", Entry(phone_numbers=["ask Bob"]), "must have digits"),
        ("phone_number", Entry(phone_numbers=["55", "66"]), "“66” was left out: a contact has one number"),
        ("phone_number", Entry(phone_numbers=["55"] * 30), "10 were left out: at most 20 are read"),
        ("birthday", Entry(birthday="1990-02-30"), "isn’t an existing date or time"),
        ("birthday", Entry(birthday="1604-05-11"), "1900 to 9999"),
        ("birthday", Entry(birthday="--0511"), "it has no year"),
        ("gender", Entry(gender="O"), "must be one of male, female"),
        ("tag_list", Entry(tags=["x" * 201, "y" * 201, "fine"]), "2 tags were left out: each tag must have at most 200 characters"),
        ("tag_list", Entry(tags=[f"t{number}" for number in range(101)]), "1 tag was left out: must have at most 100 tags"),
        ("tag_list", Entry(tags=[f"t{number}" for number in range(5_000)]), "at most 100 tags"),
    ],
)
def test_an_invalid_value_is_omitted_with_a_remark(field: str, entry: Entry, message: str) -> None:
    entry.line, entry.first_name = 7, "Ana"
    (contact,), remarks = parse_entry(entry)
    assert contact.first_name == "Ana"
    assert {(remark.line, remark.field) for remark in remarks} == {(7, field)}
    assert any(message in remark.message for remark in remarks)
    assert all(len(remark.message) < 300 for remark in remarks)


def test_valid_tags_beside_an_invalid_one_are_imported() -> None:
    (contact,), _ = parse_entry(Entry(first_name="Ana", tags=["x" * 201, "fine"]))
    assert contact.tag_list == "fine"
    (contact,), _ = parse_entry(Entry(first_name="Ana", tags=[f"t{number}" for number in range(101)]))
    assert contact.tag_list == ",".join(f"t{number}" for number in range(100))


def test_a_valid_number_after_an_invalid_one_is_imported() -> None:
    (contact,), (remark,) = parse_entry(Entry(phone_numbers=["ask", "55"], email_addresses=[""]))
    assert (contact.phone_number, remark.field) == ("55", "phone_number")


def test_lines_within_a_name_become_spaces() -> None:
    (contact,), remarks = parse_entry(Entry(first_name="Ana\r\nMaria\t", tags=["a\nb"]))
    assert (contact.first_name, contact.tag_list, remarks) == ("Ana Maria", "a b", [])


@pytest.mark.parametrize("entry", [Entry(line=3), Entry(line=3, first_name="\n", birthday="1990-05-11", tags=["x"], email_addresses=[" "])])
def test_an_entry_without_name_address_and_number_is_omitted(entry: Entry) -> None:
    contacts, (remark,) = parse_entry(entry)
    assert (contacts, remark.line) == ([], 3)
    assert "a contact needs a name, an e-mail address or a phone number" in remark.message


@given(
    st.builds(
        Entry,
        **{name: st.text() for name in "first_name last_name birthday gender country zip_code unique_id".split()},
        **{name: st.lists(st.text(), max_size=30) for name in "phone_numbers email_addresses tags".split()},
    )
)
def test_every_contact_is_one_that_the_interface_accepts(entry: Entry) -> None:
    contacts, remarks = parse_entry(entry)
    assert contacts or remarks
    for contact in contacts:
        resent = {name: getattr(contact, name) for name in contact.__struct_fields__}
        assert fields.read(ContactFields, resent) == (contact, [])


@given(st.sampled_from(["a.vcf", "a.csv", "a", ""]), st.sampled_from([b"", VCARD, CSV, b"\xff\xfe", b"BEGIN:VCARD\n"]), st.binary())
def test_no_file_crashes_the_parser(filename: str, before: bytes, content: bytes) -> None:
    try:
        entries = read_file(filename, before + content)
    except errors.Invalid as refused:
        assert [error.field for error in refused.errors] == ["file"]  # noqa: PT017
        return
    for entry in entries:
        parse_entry(entry)

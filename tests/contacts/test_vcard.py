"""vCards of other programs, and round trips of our own."""

from functools import partial
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kalends.features.contacts.model import ContactFields
from kalends.features.contacts.rules import vcard
from kalends.features.contacts.rules.address_book import parse_entry
from kalends.features.contacts.rules.entry import Entry
from tests.contacts.samples import MEBIBYTE, any_contact, many, stored, work


def card(*lines: str, version: str = "3.0") -> str:
    return "\r\n".join(["BEGIN:VCARD", f"VERSION:{version}", *lines, "END:VCARD", ""])


def the_entry(*lines: str, version: str = "3.0") -> Entry:
    (entry,) = vcard.read(card(*lines, version=version))
    return entry


def round_trip(contact: ContactFields) -> Entry:
    (entry,) = vcard.read(vcard.write([stored(contact)]))
    return entry


GOOGLE = """\
    BEGIN:VCARD
    VERSION:3.0
    FN:Ana María Lima
    N:Lima;Ana;María;Dr.;
    NICKNAME:Anita
    EMAIL;TYPE=INTERNET;TYPE=WORK:ana@work.example
    EMAIL;TYPE=INTERNET;TYPE=HOME;TYPE=pref:ana@example.org
    TEL;TYPE=HOME:+33 1 23 45 67 89
    TEL;TYPE=CELL:+33 6 12 34 56 78
    ADR;TYPE=WORK:;;1 Office St;London;;E1 6AN;United Kingdom;
    ADR;TYPE=HOME:;;12 rue Bleue;Paris;;75009;France;
    BDAY:19900511
    item1.URL:http\\://www.google.com/profiles/1
    item1.X-ABLabel:PROFILE
    PHOTO:https://lh3.googleusercontent.com/contacts/x
    CATEGORIES:myContacts,Choir
    END:VCARD
    """

APPLE = """\
    BEGIN:VCARD
    VERSION:3.0
    PRODID:-//Apple Inc.//iPhone OS 17.4//EN
    N:Lima;Ana;;;
    FN:Ana Lima
    item1.EMAIL;type=INTERNET:ana@work.example
    item1.X-ABLabel:Büro
    EMAIL;type=INTERNET;type=HOME;type=pref:ana@example.org
    TEL;type=HOME;type=VOICE:0123456789
    TEL;type=IPHONE;type=CELL;type=VOICE;type=pref:+33612345678
    item2.ADR;type=HOME;type=pref:;;12 rue Bleue;Paris;;75009;France
    item2.X-ABADR:fr
    BDAY;value=date:1990-05-11
    PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAASABIAAD/4QBYRXhpZgAATU0AKgAA
     AAgAAgESAAMAAAABAAEAAIdpAAQAAAABAAAAJgAAAAAAA6ABAAMAAAABAAEAAKACAAQAAAABAA==
    REV:2026-05-11T10:00:00Z
    UID:6B29FC40-CA47-1067-B31D-00DD010662DA
    END:VCARD
    """

ANDROID = """\
    BEGIN:VCARD
    VERSION:2.1
    N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4C=69=6D=61;=41=6E=61=20=4D=61=72=
    =C3=AD=61;;;
    FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=41=6E=61=20=4D=61=72=C3=AD=61
    TEL;HOME:0123456789
    TEL;CELL;PREF:+33612345678
    EMAIL;HOME:ana@example.org
    ADR;HOME:;;12 rue Bleue;Paris;;75009;France
    BDAY:1990-05-11
    PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgID
     AwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBA==

    END:VCARD
    """

OUTLOOK = """\
    BEGIN:VCARD
    VERSION:2.1
    N;LANGUAGE=en-us;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:Lima;Ana Mar=EDa
    FN:Ana Lima
    TEL;WORK;VOICE:0123456789
    TEL;CELL;VOICE:+33612345678
    TEL;WORK;FAX:0999
    ADR;HOME;PREF:;;12 rue Bleue;Paris;;75009;France
    LABEL;HOME;PREF;ENCODING=QUOTED-PRINTABLE:12 rue Bleue=0D=0A=
    75009 Paris
    X-MS-OL-DEFAULT-POSTAL-ADDRESS:1
    BDAY:19900511
    EMAIL;PREF;INTERNET:ana@example.org
    REV:20260511T100000Z
    END:VCARD
    """

NEXTCLOUD = """\
    BEGIN:VCARD
    VERSION:4.0
    PRODID:-//Nextcloud Contacts v5.5.3
    UID:urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1
    FN:Ana María Lima
    N:Lima;Ana María;;;
    EMAIL;TYPE=WORK;PREF=2:ana@work.example
    EMAIL;PREF=1;TYPE="home,internet":mailto:ana@example.org
    TEL;VALUE=uri;TYPE="voice,cell":tel:+33-6-12-34-56-78;ext=5
    ADR;TYPE=HOME;LABEL="12 rue Bleue: au fond; à droite":;;12 rue Bleue;Paris;;75009;France
    BDAY:19900511T000000Z
    GENDER:F;woman
    CATEGORIES:Choir,Rock \\, Roll
    REV;VALUE=DATE-AND-OR-TIME:20260511T100000Z
    END:VCARD
    """

YAHOO = """\
    BEGIN:VCARD
    VERSION:3.0
    N:Lima;Ana;;;
    FN:Ana Lima
    EMAIL;TYPE=INTERNET,PREF:ana@example.org
    EMAIL;TYPE=INTERNET:ana@work.example
    TEL;TYPE=CELL,VOICE:+33612345678
    ADR;TYPE=HOME:;;12 rue Bleue;Paris;;75009;France
    BDAY;VALUE=DATE:1990-05-11
    UID:8a2f.1@yahoo
    END:VCARD
    """


SAMPLES = {"google": GOOGLE, "apple": APPLE, "android": ANDROID, "outlook": OUTLOOK, "nextcloud": NEXTCLOUD, "yahoo": YAHOO}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_cards_of_each_program_are_parsed(sample: str) -> None:
    for end in ("\n", "\r\n", "\r"):
        (entry,) = vcard.read(dedent(sample).replace("\n", end))
        (contact, *_), remarks = parse_entry(entry)
        assert (contact.first_name or "").startswith("Ana")
        assert (contact.last_name, contact.email_address, contact.birthday) == ("Lima", "ana@example.org", "1990-05-11")
        assert "".join(c for c in contact.phone_number or "" if c in "+0123456789") == "+33612345678"
        assert (contact.zip_code, contact.country) == ("75009", "France")
        assert {remark.field for remark in remarks} <= {"phone_number"}


def test_every_part_of_a_card_has_its_field() -> None:
    assert vcard.read("\n" + dedent(NEXTCLOUD)) == [
        Entry(
            line=2,
            first_name="Ana María",
            last_name="Lima",
            phone_numbers=["+33-6-12-34-56-78"],
            email_addresses=["ana@example.org", "ana@work.example"],
            birthday="19900511T000000Z",
            gender="F",
            country="France",
            zip_code="75009",
            tags=["Choir", "Rock , Roll"],
            unique_id="urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1",
        )
    ]


def test_quoted_printable_goes_on_after_a_soft_break_in_its_charset() -> None:
    assert vcard.read(dedent(ANDROID))[0].first_name == "Ana María"
    assert vcard.read(dedent(OUTLOOK))[0].first_name == "Ana María"
    assert the_entry("FN;CHARSET=punycode;ENCODING=QUOTED-PRINTABLE:=C3=89tienne").first_name == "Étienne"
    assert the_entry("FN;ENCODING=QUOTED-PRINTABLE:=C9tienne").first_name == "Étienne"
    assert the_entry("N;ENCODING=B;CHARSET=UTF-8:TGltYTtBbmE=").last_name == "Lima"


@pytest.mark.parametrize(
    ("full_name", "first_name", "last_name"),
    [
        ("Ana Lima", "Ana", "Lima"),
        ("Ana Maria Lima", "Ana Maria", "Lima"),
        ("Ana", "Ana", ""),
        ("ana@example.org", "", ""),
        ("555", "", ""),
    ],
)
def test_fn_is_split_if_n_is_missing(full_name: str, first_name: str, last_name: str) -> None:
    for empty in ([], ["N:;;;;"]):
        entry = the_entry(f"FN:{full_name}", *empty, "EMAIL:ana@example.org", "TEL:555")
        assert (entry.first_name, entry.last_name) == (first_name, last_name)


def test_the_name_of_a_company_stays_in_one_piece() -> None:
    assert the_entry("N:;;;;", "FN:Blue Note Records", "ORG:Blue Note Records;").first_name == "Blue Note Records"


def test_cards_of_groups_are_skipped() -> None:
    assert vcard.read(card("FN:Choir", "KIND:group", version="4.0") + card("FN:Choir", "X-ADDRESSBOOKSERVER-KIND:group")) == []


def test_nested_agent_cards_are_skipped() -> None:
    agent = card("FN:Secretary", "EMAIL:secretary@example.org").strip()
    entry = the_entry("AGENT:", agent, "FN:Boss", version="2.1")
    assert (entry.first_name, entry.email_addresses) == ("Boss", [])


def test_a_missing_end_loses_no_card_and_a_truncated_file_is_refused() -> None:
    unended = card("FN:Ana").replace("END:VCARD\r\n", "")
    assert [(entry.line, entry.first_name) for entry in vcard.read(unended + card("FN:Bob"))] == [(1, "Ana"), (4, "Bob")]
    with pytest.raises(ValueError, match="line 5 has no END:VCARD"):
        vcard.read(card("FN:Bob") + unended)


def test_a_birthday_without_a_year_is_omitted_with_a_remark() -> None:
    for line in ("BDAY:--0511", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-11"):
        (contact,), (remark,) = parse_entry(the_entry("FN:Ana", line))
        assert contact.birthday is None
        assert (remark.line, remark.field) == (1, "birthday")
        assert "no year" in remark.message


def test_an_unclosed_quotation_in_a_parameter_hides_no_value() -> None:
    assert the_entry('EMAIL;TYPE="home:ana@example.org').email_addresses == ["ana@example.org"]


@given(any_contact)
@example(ContactFields(first_name="quoted-printable:" + "=" * 100, last_name="x="))
@example(ContactFields(email_address="ana@example.org", phone_number="tel:5"))
@example(ContactFields(phone_number="5;6,7\\"))
def test_an_export_is_parsed_back_without_loss(contact: ContactFields) -> None:
    assert parse_entry(round_trip(contact)) == ([contact], [])


@given(any_contact)
def test_lines_are_folded_at_75_octets_and_never_within_a_character(contact: ContactFields) -> None:
    lines = vcard.write([stored(contact)]).encode().split(b"\r\n")
    assert lines.pop() == b""
    for line in lines:
        assert len(line) <= 75
        assert b"\n" not in line
        line.decode()


def test_a_written_card_has_the_expected_lines() -> None:
    assert vcard.write([stored(many(1)[0])]).split("\r\n") == [
        "BEGIN:VCARD",
        "VERSION:3.0",
        "N:O'Hara\\; Jr.\\, \\\\ “é”;Zoé 0;;;",
        "FN:Zoé 0 O'Hara\\; Jr.\\, \\\\ “é”",
        "EMAIL;TYPE=INTERNET:zoe0@example.org",
        "TEL;TYPE=CELL:+33 6 00000000",
        "BDAY:1990-05-11",
        "X-GENDER:Female",
        "ADR;TYPE=HOME:;;;;;00;Côte d'Ivoire",
        "CATEGORIES:friends,=sum",
        "UID:urn:uuid:0",
        "REV:2026-05-11T15:00:00Z",
        "END:VCARD",
        "",
    ]


def test_many_contacts_come_back(soak: bool) -> None:
    contacts = many(5_000 if soak else 500)
    again = [parse_entry(entry) for entry in vcard.read(vcard.write(map(stored, contacts)))]
    assert again == [([contact], []) for contact in contacts]


_pieces = st.sampled_from(
    "BEGIN:VCARD\n|END:VCARD\n|AGENT:\n|N:|FN:|\n |=\n|TEL;CELL:|EMAIL;|PREF=1|;ENCODING=QUOTED-PRINTABLE:|;ENCODING=B:|CHARSET=|"
    '"|\\|;|,|:|BDAY:|X-APPLE-OMIT-YEAR=|GENDER:|ADR:|UID:|CATEGORIES:|=C3'.split("|")
)


@given(st.one_of(st.text(), st.lists(st.one_of(_pieces, st.text(max_size=5))).map("".join)))
def test_no_text_crashes_the_parser(content: str) -> None:
    for whole in (content, f"BEGIN:VCARD\n{content}\nEND:VCARD\n"):
        for entry in read_or_refuse(whole):
            parse_entry(entry)


BEGIN, END = "BEGIN:VCARD\n", "END:VCARD\n"
HOSTILE = {
    "an endless folded line": (f"{BEGIN}PHOTO:", "a\n ", f"\n{END}"),
    "an endless folded name": (f"{BEGIN}FN:", "a\n ", f"\n{END}"),
    "an endless soft-broken line": (f"{BEGIN}NOTE;QUOTED-PRINTABLE:", "a=\n", f"\n{END}"),
    "empty lines": ("", "\n", ""),
    "empty cards": ("", BEGIN + END, ""),
    "cards in cards": ("", f"{BEGIN}AGENT:\n", ""),
    "endings of nothing": ("", END, ""),
    "a line without a colon": (BEGIN, "a", f"\n{END}"),
    "parameters": (f"{BEGIN}TEL", ";a", f":\n{END}"),
    "quotation marks": (f"{BEGIN}TEL;", '"', f":\n{END}"),
    "categories": (BEGIN, f"CATEGORIES:{'a,' * 5_000}\n", END),
    "escaped categories": (BEGIN, "CATEGORIES:" + r"\,," * 3_000 + "\n", END),
    "parts of a name": (BEGIN, f"N:{';' * 10_000}\n", END),
    "addresses": (BEGIN, "EMAIL:a\n", END),
}


def hostile(name: str, size: int) -> str:
    before, middle, after = HOSTILE[name]
    return before + middle * (size // len(middle)) + after


def read_or_refuse(content: str) -> list[Entry]:
    try:
        return vcard.read(content)
    except ValueError as error:
        # Those of Python's own do not speak to people.
        if type(error) is not ValueError:
            raise
        return []


@pytest.mark.parametrize("mebibytes", [1, pytest.param(10, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", HOSTILE)
def test_large_hostile_files_are_parsed_or_refused(name: str, mebibytes: int) -> None:
    read_or_refuse(hostile(name, mebibytes * MEBIBYTE))


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_as_much_is_at_most_twice_the_work(name: str) -> None:
    # The longest pieces fit in exactly twice as often.
    once, twice = (work(partial(read_or_refuse, hostile(name, size))) for size in (100_500, 201_000))
    assert twice <= 2.1 * once + 1_000


def test_more_contacts_than_are_accepted_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 20,000 contacts"):
        vcard.read(card("FN:Ana") * 20_001)
    assert len(vcard.read(card("FN:Ana") * 20_000)) == 20_000

"""Contacts as CSV: exports of other programs, and round trips of our own."""

import csv
import io
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kalends.features.contacts.model import ContactFields
from kalends.features.contacts.rules import csv_table
from kalends.features.contacts.rules.address_book import parse_entry, read_file
from kalends.features.contacts.rules.entry import Entry
from kalends.http.csv_file import csv_text, original
from tests.contacts.samples import MEBIBYTE, any_contact, many, stored, work


def exported(contacts: list[ContactFields]) -> str:
    return csv_text(csv_table.COLUMNS, [csv_table.row(stored(contact)) for contact in contacts])


GOOGLE_BEFORE = (
    "Name,Given Name,Additional Name,Family Name,Birthday,Gender,Group Membership,E-mail 1 - Type,E-mail 1 - Value,E-mail 2 - Type,"
    "E-mail 2 - Value,Phone 1 - Type,Phone 1 - Value,Phone 2 - Type,Phone 2 - Value,Address 1 - Type,Address 1 - Formatted,"
    "Address 1 - Postal Code,Address 1 - Country\n"
    "Ana Lima,Ana,,Lima,1990-05-11,female,* myContacts ::: Choir ::: * Friends,Work,ana@work.example,* Home,ana@example.org,Home,0123,"
    'Mobile,+33612345678,Home,"12 rue Bleue\nParis 75009",75009,France\n'
)
GOOGLE = (
    "First Name,Middle Name,Last Name,Phonetic First Name,Nickname,File As,Organization Name,Birthday,Notes,Photo,Labels,"
    "E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Country,Address 1 - Postal Code\n"
    "Ana,,Lima,,,,,1990-05-11,,,Choir ::: Friends ::: * myContacts,* Home,ana@example.org ::: ana@work.example,Mobile,"
    "+33612345678 ::: 0123,Home,France,75009\n"
)
OUTLOOK = (
    '"Title","First Name","Middle Name","Last Name","Company","Home Street","Home City","Home Postal Code","Home Country/Region",'
    '"Business Postal Code","Business Country/Region","Home Phone","Mobile Phone","Birthday","Categories","E-mail Address",'
    '"E-mail Type","E-mail Display Name","E-mail 2 Address","Gender"\r\n'
    '"","Ana","","Lima","Blue Note","12 rue Bleue","Paris","75009","France","E1 6AN","United Kingdom","0123","+33612345678","5/11/1990",'
    '"Choir;Friends","ana@example.org","SMTP","Ana Lima (ana@example.org)","ana@work.example","Female"\r\n'
)
YAHOO = (
    '"First","Middle","Last","Nickname","Email","Category","Home","Work","Pager","Fax","Mobile","Alternate Email 1","Alternate Email 2",'
    '"Work ZIP","Work Country","Home ZIP","Home Country","Birthday"\n'
    '"Ana","","Lima","","ana@example.org","Choir,Friends","0123","","","999","+33612345678","ana@work.example","","E1 6AN","UK","75009",'
    '"France","5/11/1990"\n'
)
SAMPLES = {"google before": GOOGLE_BEFORE, "google": GOOGLE, "outlook": OUTLOOK, "yahoo": YAHOO}


def with_delimiter(content: str, delimiter: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(csv.reader(io.StringIO(content, newline="")))
    return out.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_exports_of_each_program_are_parsed(sample: str, delimiter: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"):
        (entry,) = read_file("Contacts.CSV", with_delimiter(sample.replace("Ana", "Zoé"), delimiter).encode(encoding))
        assert (entry.line, entry.first_name, entry.last_name) == (2, "Zoé", "Lima")
        assert entry.email_addresses == ["ana@example.org", "ana@work.example"]
        assert entry.phone_numbers == ["+33612345678", "0123"]
        assert (entry.birthday, entry.country, entry.zip_code) == ("1990-05-11", "France", "75009")
        assert entry.tags == ["Choir", "Friends"]
        assert entry.gender.lower() in ("", "female")


def test_the_names_of_columns_count_without_regard_to_case_and_spaces() -> None:
    (entry,) = csv_table.read("GIVENNAME, family name ,EMail\nAna,Lima,ana@example.org\n")
    assert (entry.first_name, entry.last_name, entry.email_addresses) == ("Ana", "Lima", ["ana@example.org"])


def test_a_full_name_is_split_and_a_company_stands_in_for_a_name() -> None:
    people = csv_table.read("Name,Company,Email\nAna Lima,,\n,Blue Note,\nx@example.org,,x@example.org\n")
    assert [(entry.first_name, entry.last_name) for entry in people] == [("Ana", "Lima"), ("Blue Note", ""), ("", "")]


def test_a_middle_name_is_imported() -> None:
    assert csv_table.read("First Name,Middle Name\nAna,Maria\n")[0].first_name == "Ana Maria"


@pytest.mark.parametrize(("text", "read"), [("0/0/00", ""), ("5/1/1990", "1990-05-01"), ("13/5/1990", "13/5/1990"), ("1990-05-01",) * 2])
def test_a_birthday_as_outlook_writes_it(text: str, read: str) -> None:
    assert csv_table.read(f"First Name,Birthday\nAna,{text}\n")[0].birthday == read


def test_an_entry_knows_the_line_that_it_begins_in() -> None:
    entries = csv_table.read('First Name,Notes\n\nAna,"a\nb\nc"\n,,\nBob,\n')
    assert [(entry.line, entry.first_name) for entry in entries] == [(3, "Ana"), (7, "Bob")]


@pytest.mark.parametrize("content", ["", "\n\n", "Color,Size\nred,5\n", "PK\x03\x04\0\0", '"'])
def test_csv_without_known_columns_is_refused_with_a_list_of_them(content: str) -> None:
    with pytest.raises(ValueError, match=r"first_name, last_name, phone_number, .*E-mail Address"):
        csv_table.read(content)


def test_a_missing_quotation_mark_is_reported_with_its_line() -> None:
    with pytest.raises(ValueError, match="from line 3 on"):
        csv_table.read('First Name\nAna\n"Bob' + "\nx" * 100_000)


def test_our_own_table_has_our_fields_and_no_formulas() -> None:
    lines = exported([ContactFields(first_name="=1+1", phone_number="+33 6", tag_list="a,b")]).split("\r\n")
    assert lines[0] == "first_name,last_name,phone_number,email_address,birthday,gender,country,zip_code,tag_list,unique_id"
    assert lines[1] == "'=1+1,,'+33 6,,,,,,\"a,b\","


@given(any_contact)
@example(ContactFields(first_name="'=", last_name="''+", phone_number="+5 ::: -6", unique_id="'"))
@example(ContactFields(first_name="x", tag_list="=a,* myContacts,b;c"))
def test_an_export_is_parsed_back_without_loss(contact: ContactFields) -> None:
    (entry,) = csv_table.read(exported([contact]))
    assert parse_entry(entry) == ([contact], [])


@given(st.lists(st.sampled_from("'=+-@\t\r\nx\uff1d\uff0b\uff0d\uff20"), max_size=8).map("".join))
def test_no_cell_is_a_formula_and_every_cell_is_what_it_was(value: str) -> None:
    (_, (cell,)) = csv.reader(io.StringIO(csv_text(["a"], [[value]]), newline="")) if value else ([], [""])
    assert not cell.startswith(tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"))
    assert original(cell) == value


def test_our_own_table_may_come_back_from_a_spreadsheet_with_fewer_columns_in_another_order() -> None:
    content = "sep;email_address;phone_number\nx;ana@example.org;'+33 6 12\n"
    assert csv_table.read(content) == [Entry(line=2, email_addresses=["ana@example.org"], phone_numbers=["+33 6 12"], tags=[""])]


def test_many_contacts_come_back(soak: bool) -> None:
    contacts = many(5_000 if soak else 500)
    assert [parse_entry(entry) for entry in csv_table.read(exported(contacts))] == [([contact], []) for contact in contacts]


def read_or_refuse(content: str) -> list[Entry]:
    try:
        return csv_table.read(content)
    except ValueError as error:
        # Those of Python's own do not speak to people.
        if type(error) is not ValueError:
            raise
        return []


_pieces = st.sampled_from(
    "First Name|E-mail 1 - Value|E-mail 1 - Label|Phone 1 - Value|Birthday|Labels|Home ZIP|Country|tag_list|first_name|"
    ",|;|\t|\n|\r|\"|'=| ::: |* |0/0/00|5/11/1990|\0|\ufeff".split("|")
)


@given(st.one_of(st.text(), st.lists(st.one_of(_pieces, st.text(max_size=5))).map("".join)))
def test_no_text_crashes_the_parser(content: str) -> None:
    for whole in (content, f"First Name,Email,Birthday,Labels,Zip\n{content}", f"first_name,tag_list\n{content}"):
        for entry in read_or_refuse(whole):
            parse_entry(entry)


HEADER = "First Name,Last Name,E-mail Address\n"
HOSTILE = {
    "columns": ("First Name", ",", "\n"),
    "columns that are understood": ("First Name", ",email", "\n"),
    "cells": (HEADER, ",", "\n"),
    "empty rows": (HEADER, "\n", ""),
    "rows": (HEADER, "a\n", ""),
    "an endless cell": (HEADER, "a", "\n"),
    "an endless quotation": (f'{HEADER}"', "a\n", ""),
    "quotation marks": (HEADER, '"', ""),
    "values in a cell": ("Email\n", f"{'a:::' * 3_000}\n", ""),
}


def hostile(name: str, size: int) -> str:
    before, middle, after = HOSTILE[name]
    return before + middle * (size // len(middle)) + after


@pytest.mark.parametrize("mebibytes", [1, pytest.param(10, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", HOSTILE)
def test_large_hostile_files_are_parsed_or_refused(name: str, mebibytes: int) -> None:
    read_or_refuse(hostile(name, mebibytes * MEBIBYTE))


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_as_much_is_at_most_twice_the_work(name: str) -> None:
    once, twice = (work(partial(read_or_refuse, hostile(name, size))) for size in (25_000, 50_000))
    assert twice <= 2.1 * once + 1_000


def test_more_contacts_than_are_accepted_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 20,000 contacts"):
        csv_table.read("First Name\n" + "Ana\n" * 20_001)
    assert len(csv_table.read("First Name\n" + "Ana\n" * 20_000)) == 20_000

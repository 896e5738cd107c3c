"""Merging changes of a contact into cards of other programs, and cards in the other version."""

from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kalends.dav.books.vcard_merge import merge
from kalends.dav.books.vcard_version import convert
from kalends.features.contacts.model import ContactFields
from kalends.features.contacts.rules.address_book import parse_entry
from kalends.features.contacts.rules.vcard import read

PHOTO = "PHOTO;ENCODING=b;TYPE=JPEG:AAAA\r\n BBBB\r\n\tCCCC\r\n"
FOREIGN = (
    PHOTO,
    'item1.X-ABLabel;P="a:b;c":_$!<Work>!$_\r\n',
    "NOTE:folded \r\n here\\, and there\r\n",
    "X-ANDROID-CUSTOM:vnd;1;;;\r\n",
    "IMPP;X-SERVICE-TYPE=Skype:skype:ana\r\n",
    "\r\n",
    "no colon\r\n",
)


def fields(**values: Any) -> ContactFields:
    return ContactFields(**values)


def card(*lines: str, version: str = "3.0") -> str:
    return f"BEGIN:VCARD\r\nVERSION:{version}\r\n{''.join(lines)}END:VCARD\r\n"


def parsed(text: str) -> ContactFields:
    """What the service reads of a card."""
    contacts = parse_entry(read(text)[0])[0]
    return contacts[0] if contacts else ContactFields()


def merged(text: str, **changes: Any) -> str:
    base = parsed(text)
    return merge(text, base, structs.replace(base, **changes), 0)


@pytest.mark.parametrize(
    ("line", "changes", "expected"),
    [
        ("EMAIL:a@b.org\r\nEMAIL;TYPE=pref:c@d.org\r\n", {"email_address": "x@y.org"}, ":a@b.org\r\nEMAIL;TYPE=pref:x@y.org\r\n"),
        ("EMAIL:a@b.org\r\nEMAIL:c@d.org\r\n", {"email_address": None}, "\r\nEMAIL:c@d.org\r\nREV"),
        ("TEL;TYPE=FAX:+1 1\r\na.TEL;TYPE=cell:+1 2\r\n", {"phone_number": "+1 3"}, "FAX:+1 1\r\na.TEL;TYPE=cell:+1 3\r\n"),
        ("ADR:;;Way 1;Town;;12;\r\n", {"country": "Spain"}, "ADR:;;Way 1;Town;;12;Spain\r\n"),
        ("ADR;TYPE=work:;;A\\;B;Town;;;\r\n", {"zip_code": "9"}, "ADR;TYPE=work:;;A\\;B;Town;;9;\r\n"),
        ("ADR:;;;;;12;Spain\r\n", {"zip_code": None, "country": None}, "VERSION:3.0\r\nFN:A\r\nREV"),
        ("CATEGORIES:a,b\r\n", {"tag_list": "b,c"}, "\r\nCATEGORIES:b,c\r\n"),
        ("CATEGORIES:a\r\n", {"tag_list": ""}, "FN:A\r\nREV"),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-11\r\n", {"birthday": "1990-05-11"}, "\r\nBDAY:1990-05-11\r\n"),
        ("", {"gender": "female", "email_address": "a@b.org"}, "EMAIL;TYPE=INTERNET:a@b.org\r\nX-GENDER:Female\r\n"),
        ("N;LANGUAGE=de:B;A;;Dr.;MD\r\n", {"last_name": "C,D"}, "N;LANGUAGE=de:C\\,D;A;;Dr.;MD\r\n"),
    ],
)  # fmt: skip
def test_a_field_changes_the_line_that_it_came_from(line: str, changes: dict[str, Any], expected: str) -> None:
    result = merged(card("FN:A\r\n", line), **changes)
    assert expected in result
    assert all(getattr(parsed(result), name) == value for name, value in changes.items() if value)


@pytest.mark.parametrize(
    ("line", "changes", "expected"),
    [
        ("TEL;VALUE=uri;TYPE=cell:tel:+1-2;ext=3\r\n", {"phone_number": "+1 4"}, "TEL;VALUE=uri;TYPE=cell:tel:+14\r\n"),
        ("GENDER:M;man\r\n", {"gender": "female"}, "\r\nGENDER:F\r\n"),
        ("BDAY:19900511\r\n", {"birthday": "1991-05-11"}, "\r\nBDAY:19910511\r\n"),
    ],
)
def test_version_4_is_written_as_it_has_to_be(line: str, changes: dict[str, Any], expected: str) -> None:
    assert expected in merged(card("FN:A\r\n", line, version="4.0"), **changes)


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=20).map(
    # As the readers of requests leave a text.
    lambda text: normalize("NFC", " ".join(text.split())) or "x"
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "first_name": TEXT,
        "last_name": TEXT,
        "email_address": st.sampled_from(["new@example.org", None]),
        "phone_number": st.sampled_from(["+33 1", None]),
        "birthday": st.sampled_from(["2000-02-29", None]),
        "gender": st.sampled_from(["male", None]),
        "zip_code": TEXT,
        "country": TEXT,
        "tag_list": st.sampled_from(["", "a,b", "z"]),
    },
)
MODELLED = (
    "N:Lopez;Ana;María;Dr.;\r\n", "item1.EMAIL;type=pref:ana@example.org\r\n", "EMAIL:other@example.org\r\n",
    "TEL;TYPE=CELL:+33 6\r\n", "ADR;TYPE=HOME:;;Rue;Paris;;75001;France\r\n", "CATEGORIES:a,z\r\n", "BDAY:1990-05-11\r\n",
)  # fmt: skip


@given(st.lists(st.sampled_from([*MODELLED, *FOREIGN]), unique=True), CHANGES, st.sampled_from(["3.0", "4.0"]))
def test_what_a_contact_does_not_have_survives_and_what_it_has_comes_back(lines: list[str], changes: dict[str, Any], version: str) -> None:
    original = card("FN:Ana\r\n", *lines, version=version)
    base = parsed(original)
    current = structs.replace(base, **changes)
    assert merge(original, base, base, 0) == original
    result = merge(original, base, current, 0)
    assert merge(result, base, current, 0) == result
    for line in lines:
        assert line not in FOREIGN or line in result
    assert (
        "EMAIL:other@example.org\r\n" not in lines or base.email_address == "other@example.org" or "EMAIL:other@example.org\r\n" in result
    )
    back = parsed(result)
    for name in ("first_name", "last_name", "birthday", "zip_code", "country"):
        assert name not in changes or (getattr(back, name) or "") == (changes[name] or "")
    for name in ("email_address", "phone_number"):
        assert not changes.get(name) or getattr(back, name) == changes[name]
    assert (set(back.tag_list.split(",")), back.gender) == (set(current.tag_list.split(",")), current.gender)


@given(st.lists(st.sampled_from([*MODELLED, *FOREIGN]), unique=True))
def test_a_card_in_the_other_version_says_the_same(lines: list[str]) -> None:
    original = card(*lines)
    new = convert(original, "4.0")
    assert "VERSION:4.0\r\n" in new
    assert parsed(new) == parsed(original)
    assert parsed(convert(new, "3.0")) == parsed(original)
    assert convert(original, "3.0") == original
    assert (PHOTO in lines) == ("PHOTO:data:image/jpeg;base64,AAAABBBBCCCC\r\n" in new)
    for line in lines:
        assert line not in FOREIGN or line == PHOTO or line in new

"""Sample contacts and a strategy for all contacts that the API accepts."""

import sys
from collections.abc import Callable
from datetime import date
from typing import Any

from hypothesis import strategies as st

from kalends.core.records.people import Contact
from kalends.features.contacts.model import ContactFields
from kalends.http.input import fields

MEBIBYTE = 2**20

_tricky = st.sampled_from("'=|''+|;|,|\\|\\n|\"|:::| ::: |tel:|é|日本|😀|* |=3D|QUOTED-PRINTABLE".split("|"))
_letters = st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029")
_text = st.lists(st.one_of(_tricky, st.text(_letters, max_size=40)), max_size=6).map("".join)
_raw_fields = st.fixed_dictionaries(
    {},
    optional={
        "first_name": _text,
        "last_name": _text,
        "phone_number": st.tuples(_text, st.sampled_from("0123456789"), _text).map("".join),
        "email_address": st.emails(),
        "birthday": st.dates(min_value=date(1900, 1, 1)).map(str),
        "gender": st.sampled_from(["male", "female"]),
        "country": _text,
        "zip_code": _text,
        "tag_list": st.lists(_text, max_size=5).map(",".join),
        "unique_id": _text,
    },
)


def _accepted(raw: dict[str, str]) -> ContactFields | None:
    return fields.read(ContactFields, raw)[0]


def _is_somebody(contact: ContactFields | None) -> bool:
    return contact is not None and any((contact.first_name, contact.last_name, contact.email_address, contact.phone_number))


any_contact: st.SearchStrategy[Any] = _raw_fields.map(_accepted).filter(_is_somebody)


def stored(contact: ContactFields) -> Contact:
    """The contact as a row of the table."""
    return Contact(
        id=1,
        user_id=1,
        first_name=contact.first_name,
        last_name=contact.last_name,
        phone_number=contact.phone_number,
        email_address=contact.email_address,
        birthday=contact.birthday,
        gender=contact.gender,
        country=contact.country,
        zip_code=contact.zip_code,
        tags=contact.tag_list,
        unique_id=contact.unique_id,
        service=None,
        expires_at=None,
        version=1,
        created_at=0,
        updated_at=1_778_511_600,
    )


def many(count: int) -> list[ContactFields]:
    return [
        ContactFields(
            first_name=f"Zoé {number}",
            last_name="O'Hara; Jr., \\ “é”",
            phone_number=f"+33 6 {number:08}",
            email_address=f"zoe{number}@example.org",
            birthday="1990-05-11",
            gender="female",
            country="Côte d'Ivoire",
            zip_code=f"0{number}",
            tag_list="friends,=sum",
            unique_id=f"urn:uuid:{number}",
        )
        for number in range(count)
    ]


def work(action: Callable[[], object]) -> int:
    """The number of function calls, in Python and in C."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1

    earlier = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(earlier)
    return calls

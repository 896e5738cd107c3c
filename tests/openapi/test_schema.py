"""The schemas of parameters describe what clients should send; the readers accept it, and more."""

import unicodedata
from functools import cache
from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import Meta, Struct

from kalends.app.application import ENDPOINTS
from kalends.core.values import text
from kalends.http.input.fields import fields_of, read_changes
from kalends.http.input.types import LongText, Name, TimeZone
from kalends.http.openapi.schema import Carrier, field_schema


class Page(Struct, kw_only=True):
    limit: Annotated[int, Meta(ge=0, le=500)] = 10
    offset: Annotated[int, Meta(ge=0)] = 0


class Everything(Struct, kw_only=True):
    """A field of each type, as later endpoints have them."""

    ids: list[Annotated[int, Meta(ge=1)]] | None = None
    tags: list[Name] | None = None
    comments: Page | None = None
    number: Annotated[int, Meta(ge=1, le=1000)] = 1
    change: Annotated[int, Meta(ge=-12, le=14)]
    any_number: int | None = None
    frequency: Literal["daily", "weekly"]
    public: bool = False
    time_zone: TimeZone | None = None
    title: Name
    description: LongText | None = None
    code: Annotated[str, Meta(max_length=5, min_length=3)] | None = None


def _format(schema: dict[str, Any]) -> str:
    """The format of the values, or of the items of a list."""
    return str(schema.get("format") or schema.get("items", {}).get("format") or "int64")


DESCRIBED = {endpoint.params for endpoint in ENDPOINTS if endpoint.params is not None and endpoint.path.startswith("/api/")}
KINDS: list[type[Struct]] = [*DESCRIBED, Everything, Page]
# What a format says, no validator knows, such as the names in `fields`; and files travel in multipart alone.
FIELDS = {
    f"{kind.__name__}.{field.name}": (kind, field)
    for kind in sorted(KINDS, key=lambda kind: kind.__name__)
    for field in fields_of(kind)
    if not field.is_file and field.name != "fields" and _format(field_schema(field, Carrier.JSON)) in ("int64", "password")
}
# A field of the same name, type and schema is read in the same way wherever it is: in short, once.
FIRST = {(field.name, str(field.type), str(field_schema(field, Carrier.JSON))): name for name, (_, field) in reversed(FIELDS.items())}
NAMES = [name if name in FIRST.values() else pytest.param(name, marks=pytest.mark.soak) for name in FIELDS]

characters = st.characters(exclude_categories=["Cs", "Cn"]) | st.sampled_from(" \t\n\r\x00\x1f\x7f\x85\xa0\u2028\u3000,#._-é漢😀")
words = st.sampled_from(["true", "YES", "off", " on ", "maybe", "1", "0", "1.0", "daily", "guests", "editor", "ana", "a b", "long enough"])
digits = st.sampled_from(["007", "+5", "-3", " 12\n", "-13", "15", "500", "501", "1000", "1001", "1e3", "#2f6fde", "#2f6fd"])
lists = st.sampled_from(["1,2", "1,,2", ",", "0,1", "1, x", "a,b", "a\tb,c", "a,\n b", " \n,a "])
texts = st.text(characters, max_size=9) | words | digits | lists
numbers = (
    st.integers() | st.integers(-20, 1100) | st.floats(allow_infinity=False, allow_nan=False) | st.sampled_from([1.0, 0.0, 2.5, 1e300])
)
plain = texts | numbers | st.booleans() | st.none()
values = plain | st.lists(plain, max_size=4) | st.dictionaries(st.sampled_from(["limit", "offset", "x"]), plain, max_size=2)


@settings(max_examples=10 * settings().max_examples)
@given(value=values)
def test_values_that_fit_the_schema_are_accepted(soak: bool, value: Any) -> None:
    """Each value is sent in all fields: to make one up takes longer than to read it a hundred times."""
    assume(_is_clean(value))
    for name in FIELDS if soak else FIRST.values():
        kind, field = FIELDS[name]
        # A name with an at sign is read as an e-mail address, which a schema cannot say.
        is_address = field.name == "user_name" and "@" in str(value)
        if not is_address and _validator(name).is_valid({field.name: value}):
            _, broken = read_changes(kind, {field.name: value})
            assert not broken, (name, broken)


@pytest.mark.parametrize("name", NAMES)
def test_a_value_of_each_kind_fits_its_schema(name: str) -> None:
    """So that the test above has something to read."""
    _, field = FIELDS[name]
    choices = field_schema(field, Carrier.JSON).get("enum", [])
    samples = ["long enough", "a b", "#2f6fde", "1.1", "1.1.1.00000000", 1, 12, 60, True, [1], ["a"], ["event"], {"limit": 1}, *choices]
    samples += [
        [{"label": "Soup"}],
        {"question_id": 1, "answer": "Soup"},
        [{"question_id": 1, "answer": "Soup"}],
        ["going"],
        "18:00",
        "48.8583,2.2945",
        ["contacts"],
    ]
    assert any(_validator(name).is_valid({field.name: sample}) for sample in samples)


@cache
def _validator(name: str) -> jsonschema_rs.Draft202012Validator:
    _, field = FIELDS[name]
    return jsonschema_rs.Draft202012Validator({"properties": {field.name: field_schema(field, Carrier.JSON)}})


def _is_clean(value: Any) -> bool:
    """Whether a text is neither blank nor holds control characters: no schema says so, since patterns for it break generators."""
    if isinstance(value, list | dict):
        return all(map(_is_clean, value if isinstance(value, list) else value.values()))
    if not isinstance(value, str):
        return True
    try:
        return bool(text.clean(value)) and value == value.strip() and unicodedata.is_normalized("NFC", value)
    except ValueError:
        return False

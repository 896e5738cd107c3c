"""E-mail addresses: the quick way and the library say the same."""

import pytest
from email_validator import validate_email
from hypothesis import given
from hypothesis import strategies as st

from kalends.http.input.types import _email, _is_plain_email

pieces = st.sampled_from(["a", "Z9", ".", "-", "_", "+", "%", "--", "xn--", "é", " ", "@", "x" * 30, '"', "org", "com", "a1"])
addresses = st.lists(pieces, max_size=6).map("".join)


@given(local=addresses, domain=addresses)
def test_addresses_parsed_as_plain_are_unchanged_by_the_library(local: str, domain: str) -> None:
    value = f"{local}@{domain}"
    if _is_plain_email(value):
        assert validate_email(value, check_deliverability=False, globally_deliverable=False).normalized == value


@pytest.mark.parametrize(
    ("address", "plain"), [("ana.b+c@mail.example.org", True), ("ana@EXAMPLE.org", False), ("a..b@example.org", False)]
)
def test_most_addresses_are_plain(address: str, plain: bool) -> None:
    assert _is_plain_email(address) is plain


def test_long_addresses_are_parsed_by_the_library() -> None:
    assert not _is_plain_email(f"{'a' * 65}@example.org")
    assert not _is_plain_email(f"ana@{'b' * 64}.org")
    assert _email("ana@EXAMPLE.org") == "ana@example.org"

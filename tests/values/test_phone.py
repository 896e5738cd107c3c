"""Phone numbers in E.164."""

import pytest

from kalends.core.values.phone import to_e164


@pytest.mark.parametrize(
    ("typed", "country", "read"),
    [
        ("+33 6 12 34 56 78", None, "+33612345678"),
        ("0033 6 12 34 56 78", "France", "+33612345678"),
        ("06 12 34 56 78", "France", "+33612345678"),
        ("06 12 34 56 78", "fr", "+33612345678"),
        ("0171 1234567", "Deutschland", "+491711234567"),
        ("(212) 555-0123", "USA", "+12125550123"),
        ("07911 123456", "United Kingdom", "+447911123456"),
        ("tel:+44-7911-123456", None, "+447911123456"),
        ("٠٦١٢٣٤٥٦٧٨", "France", "+33612345678"),
    ],
)
def test_a_phone_number_is_parsed_with_its_country(typed: str, country: str | None, read: str) -> None:
    assert to_e164(typed, country) == read


@pytest.mark.parametrize(("typed", "country"), [("06 12 34 56 78", None), ("06 12 34 56 78", "Atlantis"), ("123", "FR"), ("call 7", None)])
def test_an_invalid_phone_number_is_none(typed: str, country: str | None) -> None:
    assert to_e164(typed, country) is None

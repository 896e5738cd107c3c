"""Phone numbers: as people type them, and in the one form (E.164) that can be compared and dialled."""

from functools import cache
from importlib.resources import files

from kalends.values.text import key

# What people call countries that the table calls otherwise.
_ALSO = {
    "usa": "US",
    "u.s.a.": "US",
    "u.s.": "US",
    "united states of america": "US",
    "uk": "GB",
    "united kingdom": "GB",
    "great britain": "GB",
    "england": "GB",
    "scotland": "GB",
    "wales": "GB",
    "russian federation": "RU",
    "south korea": "KR",
    "czechia": "CZ",
    "holland": "NL",
    "the netherlands": "NL",
    "deutschland": "DE",
    "österreich": "AT",
    "schweiz": "CH",
    "suisse": "CH",
    "españa": "ES",
    "italia": "IT",
    "brasil": "BR",
    "méxico": "MX",
    "türkiye": "TR",
}


def e164(number: str, country: str | None = None) -> str | None:
    """The number as +33612345678, or None if it cannot be read as one, with the country's habits where it has no code."""
    # Imported late, for a quick start.
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, _region(country) if country else None)
    except phonenumbers.NumberParseException:
        return None
    if parsed.extension or not phonenumbers.is_possible_number(parsed):
        return None
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)


def _region(country: str) -> str | None:
    """The two letters of a country, given as such or by its name."""
    name = key(country.strip())
    return _regions().get(name) or _ALSO.get(name)


@cache
def _regions() -> dict[str, str]:
    """The countries of the time zone database, by code and by English name."""
    lines = files("tzdata.zoneinfo").joinpath("iso3166.tab").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if not line.startswith("#")]
    return {key(code): code for code, _ in pairs} | {key(name): code for code, name in pairs}

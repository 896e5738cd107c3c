"""Phone numbers: parsed as people type them, and converted to E.164."""

from functools import cache
from importlib.resources import files

from kalends.core.values.text import fold_case

# Country names that the time zone database does not use.
_ALIASES = {
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


def to_e164(number: str, country: str | None = None) -> str | None:
    """The number as +33612345678, or None if it is not one. Without a country code, it is read as a number of the country."""
    # Imported late, to start fast.
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, _region(country) if country else None)
    except phonenumbers.NumberParseException:
        return None
    if parsed.extension or not phonenumbers.is_possible_number(parsed):
        return None
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)


def is_mobile(number: str) -> bool:
    """Whether the number in E.164 is one of a mobile phone; in some countries nothing tells it from that of another phone."""
    import phonenumbers

    return phonenumbers.number_type(phonenumbers.parse(number)) in (
        phonenumbers.PhoneNumberType.MOBILE,
        phonenumbers.PhoneNumberType.FIXED_LINE_OR_MOBILE,
    )


def country_of(number: str) -> str | None:
    """The ISO 3166 code of the country of the number in E.164. Satellites and other networks have none."""
    import phonenumbers

    region = phonenumbers.region_code_for_number(phonenumbers.parse(number))
    return region if region in countries() else None


def countries() -> set[str]:
    """All ISO 3166 codes."""
    return set(_regions().values())


@cache
def country_of_zone(zone: str) -> str | None:
    """The ISO 3166 code of the country of a time zone such as Europe/Paris; UTC has none."""
    lines = files("tzdata.zoneinfo").joinpath("zone.tab").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return next((row[0] for row in rows if row[2] == zone), None)


def _region(country: str) -> str | None:
    """The ISO 3166 code of a country, from its code or its name."""
    name = fold_case(country.strip())
    return _regions().get(name) or _ALIASES.get(name)


@cache
def _regions() -> dict[str, str]:
    """ISO 3166 codes by code and by English name, from the time zone database."""
    lines = files("tzdata.zoneinfo").joinpath("iso3166.tab").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if not line.startswith("#")]
    return {fold_case(code): code for code, _ in pairs} | {fold_case(name): code for code, name in pairs}

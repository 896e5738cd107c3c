"""The filter of an addressbook-query (RFC 6352, section 10.5) on the properties of a card."""

import re
from collections.abc import Callable, Iterable
from xml.etree.ElementTree import Element

from kalends.dav.calendars.filters import require_small
from kalends.dav.properties import CARD_COLLATIONS, carddav
from kalends.dav.xml import DavError
from kalends.ical.lines import Property, parse_property

PROP, PARAM, TEXT, ABSENT = (carddav(name) for name in ("prop-filter", "param-filter", "text-match", "is-not-defined"))

_MATCHES: dict[str, Callable[[str, str], bool]] = {
    "equals": lambda value, needle: value == needle,
    "contains": lambda value, needle: needle in value,
    "starts-with": str.startswith,
    "ends-with": str.endswith,
}

_FOLD = re.compile(r"(?:\r\n|\r|\n)[ \t]")
_WORD = re.compile(r"[a-z0-9]+")

Properties = list[tuple[str, Property]]


def matcher(element: Element) -> Callable[[str], bool]:
    """A function that says whether a card meets the filter. Most cards do not have the text that is searched for, and are never parsed."""
    names = "|".join(sorted({re.escape(_name(each)) for each in element.findall(PROP)}, key=len, reverse=True))
    pattern = re.compile(rf"(?:[A-Za-z0-9-]+\.)?({names})(?![A-Za-z0-9-]).*:", re.IGNORECASE)
    words = _sought_words(element)

    def match(text: str) -> bool:
        unfolded = _FOLD.sub("", text)
        return _may_match(unfolded, words) and _matches(_parse_card(unfolded, pattern), element)

    return match


def _sought_words(element: Element) -> set[str]:
    """Words of which a card must have one to meet the filter; none if there are no such words."""
    words: set[str] = set()
    for prop in element.findall(PROP):
        texts = [each for each in prop if each.tag == TEXT and each.get("negate-condition") != "yes"]
        longest_words = {max(_WORD.findall((each.text or "").casefold()), key=len, default="") for each in texts}
        if texts and len(texts) == len(prop) and "" not in longest_words:
            words |= longest_words
        elif element.get("test") != "allof":
            return set()
    return words


def _may_match(text: str, words: set[str]) -> bool:
    # Only a text between separators is a word, so no word is lost with the escapes of separators.
    folded = text.replace("\\", "").casefold()
    is_encoded = folded.count("encoding=") > folded.count("photo;encoding=")
    return not words or is_encoded or any(word in folded for word in words)


def _parse_card(text: str, pattern: re.Pattern[str]) -> Properties:
    """The properties that the filter asks for; lines that cannot be read are passed over."""
    properties: Properties = []
    for line in text.replace("\r", "\n").split("\n"):
        match = pattern.match(line)
        if match is None:
            continue
        try:
            properties.append((match[1].upper(), parse_property(0, line)))
        except ValueError:
            continue
    return properties


def require_valid(element: Element) -> None:
    """Refuse a filter with conditions that are not known, whether or not there is a card to try them on."""
    require_small(element, carddav("supported-filter"))
    for each in list(element.iter())[1:]:
        if each.tag not in (PROP, PARAM, TEXT, ABSENT):
            raise DavError(403, "The filter has a condition that is not supported.", carddav("supported-filter"))
        if each.tag in (PROP, PARAM) and not each.get("name"):
            raise DavError(403, "A filter must have a name.", carddav("valid-filter"))
        collation = each.get("collation", "default")
        if each.tag == TEXT and collation not in (*CARD_COLLATIONS, "default"):
            raise DavError(403, f"The collation “{collation[:40]}” is not supported.", carddav("supported-collation"))
        if each.tag == TEXT and each.get("match-type", "contains") not in _MATCHES:
            raise DavError(403, "That match-type is not known.", carddav("valid-filter"))


def _matches(properties: Properties, element: Element) -> bool:
    """Whether a card meets the filter. One without conditions is met by all."""
    return _test(element, (_matches_property(properties, each) for each in element.findall(PROP)))


def _test(element: Element, results: Iterable[bool]) -> bool:
    """Whether any of the results is true, or all if the element says so; true without results."""
    every = list(results)
    return not every or (all(every) if element.get("test") == "allof" else any(every))


def _matches_property(properties: Properties, element: Element) -> bool:
    name = _name(element)
    values = [value for each, value in properties if each == name]
    if element.find(ABSENT) is not None:
        return not values
    conditions = [each for each in element if each.tag in (TEXT, PARAM)]
    return any(_test(element, (_meets(value, each) for each in conditions)) for value in values)


def _name(element: Element) -> str:
    """The name that a condition asks for, in whatever group the property is."""
    return element.get("name", "").upper().rpartition(".")[2]


def _meets(value: Property, condition: Element) -> bool:
    if condition.tag == TEXT:
        return _matches_text(value.text, condition)
    parameter = value.parameters.get(condition.get("name", "").upper())
    if condition.find(ABSENT) is not None:
        return parameter is None
    text = condition.find(TEXT)
    # A property may have several types.
    return parameter is not None and (text is None or any(_matches_text(part, text) for part in {parameter, *parameter.split(",")}))


def _matches_text(value: str, element: Element) -> bool:
    needle = element.text or ""
    if element.get("collation") != "i;octet":
        value, needle = (re.sub(r"\s+", " ", each.casefold()) for each in (value, needle))
    is_match = _MATCHES[element.get("match-type", "contains")](value, needle)
    return is_match != (element.get("negate-condition") == "yes")

"""The filter of a calendar-query (RFC 4791, section 9.7) on the components of a file. Time ranges of events are the database's."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from xml.etree.ElementTree import Element

from msgspec import Struct, field

from kalends.dav.xml import CALDAV, DavError
from kalends.ical.lines import Property, parse_property, unfold

_C = f"{{{CALDAV}}}"
COMP, PROP, PARAM, TEXT = f"{_C}comp-filter", f"{_C}prop-filter", f"{_C}param-filter", f"{_C}text-match"
RANGE, ABSENT = f"{_C}time-range", f"{_C}is-not-defined"
_INSTANT = re.compile(r"([0-9]{8}T[0-9]{6})Z")
COLLATIONS = ("i;ascii-casemap", "i;octet", "i;unicode-casemap", "default")
MAX_LEVELS = 16
# Of a filter.
MAX_CONDITIONS, MAX_CHARACTERS = 100, 10_000
# What a calendar has itself. A filter of any other property means its components, also if it names none.
_OF_CALENDARS = {"PRODID", "VERSION", "CALSCALE", "METHOD"}

# Whether the component of a file, inside of another, overlaps the range.
InRange = Callable[["Component", "TimeRange", "Component | None"], bool]


class TimeRange(Struct, frozen=True):
    """Instants; the ends are open if they are None."""

    start: int | None
    end: int | None


class Component(Struct):
    """A component of a file with its properties and inner components."""

    name: str
    properties: list[tuple[str, Property]] = field(default_factory=list)
    inner: list["Component"] = field(default_factory=list)


def invalid(detail: str) -> DavError:
    return DavError(403, detail, f"{_C}valid-filter")


def require_small(element: Element, condition: str = f"{_C}supported-filter") -> None:
    """Refuse a filter that takes long: all of it is compared with each file."""
    elements = list(element.iter())
    if len(elements) - 1 > MAX_CONDITIONS:
        raise DavError(403, f"A filter may have at most {MAX_CONDITIONS} conditions.", condition)
    if sum(len(each.text or "") + sum(map(len, each.attrib.values())) for each in elements) > MAX_CHARACTERS:
        raise DavError(403, f"A filter may have at most {MAX_CHARACTERS:,} characters.", condition)


def parse_range(element: Element) -> TimeRange:
    start, end = (_parse_instant(element.get(name)) for name in ("start", "end"))
    if (start is None and end is None) or (start is not None and end is not None and end <= start):
        raise invalid("A time-range has a start or an end, and the end is later.")
    return TimeRange(start, end)


def _parse_instant(value: str | None) -> int | None:
    if value is None:
        return None
    match = _INSTANT.fullmatch(value.strip())
    try:
        return int(datetime.strptime(match[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC).timestamp()) if match else _refuse(value)
    except ValueError:
        return _refuse(value)


def _refuse(value: str) -> int:
    raise invalid(f"“{value[:40]}” is not a time in UTC.")


def parse_components(text: str) -> list[Component]:
    """The outermost components of a file; lines that cannot be read are passed over."""
    roots: list[Component] = []
    stack: list[Component] = []
    for number, line in unfold(text):
        name = re.split("[;:]", line, maxsplit=1)[0].upper()
        if name == "BEGIN":
            component = Component(line[6:].strip().upper())
            (stack[-1].inner if stack else roots).append(component)
            stack.append(component)
        elif name == "END" and stack:
            stack.pop()
        elif stack and ":" in line:
            try:
                stack[-1].properties.append((name, parse_property(number, line)))
            except ValueError:
                continue
    return roots


def matches(component: Component, element: Element, in_range: InRange, outer: Component | None = None, level: int = 0) -> bool:
    """Whether a component meets the conditions in a comp-filter of its name."""
    if level > MAX_LEVELS:
        raise invalid("The filter has too many levels.")
    for condition in element:
        if condition.tag == COMP:
            if not _matches_inner(component, condition, in_range, level):
                return False
        elif condition.tag == PROP:
            if not _matches_property(component, condition):
                return False
        elif condition.tag == RANGE:
            if not in_range(component, parse_range(condition), outer):
                return False
        elif condition.tag != ABSENT:
            raise DavError(403, "The filter has a condition that is not supported.", f"{_C}supported-filter")
    return True


def _matches_inner(component: Component, element: Element, in_range: InRange, level: int) -> bool:
    name = _name(element)
    inner = [each for each in component.inner if each.name == name]
    if element.find(ABSENT) is not None:
        return not inner
    return any(matches(each, element, in_range, component, level + 1) for each in inner)


def _matches_property(component: Component, element: Element) -> bool:
    name = _name(element)
    parts = [component]
    if component.name == "VCALENDAR" and name not in _OF_CALENDARS:
        parts += [each for each in component.inner if each.name != "VTIMEZONE"]
    values = [value for part in parts for each, value in part.properties if each == name]
    if element.find(ABSENT) is not None:
        return not values
    return any(all(_meets(value, condition) for condition in element) for value in values)


def _meets(value: Property, condition: Element) -> bool:
    if condition.tag == TEXT:
        return matches_text(value.text, condition)
    if condition.tag == PARAM:
        return _matches_parameter(value, condition)
    if condition.tag == RANGE:
        time_range, instant = parse_range(condition), _to_instant(value.value)
        return instant is not None and is_within(instant, time_range)
    raise DavError(403, "The filter has a condition that is not supported.", f"{_C}supported-filter")


def is_within(instant: int, time_range: TimeRange) -> bool:
    return (time_range.start is None or instant >= time_range.start) and (time_range.end is None or instant < time_range.end)


def _to_instant(value: str) -> int | None:
    """The instant of a value in UTC; of a local one, as if it were."""
    digits = value.strip().rstrip("Z")
    for form in ("%Y%m%dT%H%M%S", "%Y%m%d"):
        try:
            return int(datetime.strptime(digits, form).replace(tzinfo=UTC).timestamp())
        except (ValueError, OverflowError):
            continue
    return None


def _matches_parameter(value: Property, element: Element) -> bool:
    parameter = value.parameters.get(_name(element))
    if element.find(ABSENT) is not None:
        return parameter is None
    text = element.find(TEXT)
    return parameter is not None and (text is None or matches_text(parameter, text))


def matches_text(value: str, element: Element) -> bool:
    """Whether the value contains the text, by its collation; or not, if the condition is negated."""
    collation = element.get("collation", "i;ascii-casemap")
    if collation not in COLLATIONS:
        raise DavError(403, f"The collation “{collation[:40]}” is not supported.", f"{_C}supported-collation")
    needle = element.text or ""
    if collation != "i;octet":
        value, needle = value.casefold(), needle.casefold()
    return (needle in value) != (element.get("negate-condition") == "yes")


def _name(element: Element) -> str:
    name = element.get("name")
    if not name:
        raise invalid("A filter must have a name.")
    return name.upper()

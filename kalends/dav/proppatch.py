"""Setting the properties of a calendar: PROPPATCH, and what MKCALENDAR sets.

The owner's name, description, colour and time zone are the calendar's own. Everything else is kept as it was sent, for each user."""

import re
from collections.abc import Collection, Iterable
from xml.etree.ElementTree import Element, tostring

from msgspec import Struct, field

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.dav import paths
from kalends.dav.calendars import calendar_store
from kalends.dav.call import PROP, Call, DavReply, find_calendar
from kalends.dav.properties import COLOR, DESCRIPTION, NAME, PROTECTED, ZONE, ZONE_ID, removed_color
from kalends.dav.xml import DAV, DavError, href, multistatus, name_element, propstat
from kalends.features.calendars import present
from kalends.features.calendars import store as calendars
from kalends.features.calendars.model import CalendarInput
from kalends.http.context import Context
from kalends.http.input.fields import fields_of
from kalends.http.input.readers import FieldInvalid
from kalends.ical.vtimezone import find_zone

SET, REMOVE = f"{{{DAV}}}set", f"{{{DAV}}}remove"
MAX_PROPERTIES = 100
MAX_ELEMENT = 10_000

_COLUMNS = {NAME: "name", DESCRIPTION: "description", COLOR: "color", ZONE: "time_zone", ZONE_ID: "time_zone"}
_FIELDS = {each.name: each for each in fields_of(CalendarInput)}
_HEX = re.compile("#[0-9a-fA-F]{6}")
_TZID = re.compile(r"^TZID:(.+?)\s*$", re.MULTILINE)


class Assignments(Struct):
    """What is set and removed: the columns of the calendar, and the elements that are kept; None removes one."""

    columns: dict[str, str | None] = field(default_factory=dict)
    elements: dict[str, str | None] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)


def proppatch(call: Call) -> DavReply:
    """Set and remove properties: all of them, or none."""
    call.ctx.tx.advisory_lock(f"calendar {find_calendar(call).id}")
    calendar = find_calendar(call)
    assignments = read(require_update(call.root), is_owner=calendar.role == "owner", default_name=call.target.slug)
    if not assignments.refused:
        apply(call.ctx, calendar, assignments)
    return DavReply(207, multistatus([describe(paths.calendar(call.target.user_id, call.target.slug), assignments)]))


def require_update(root: Element | None) -> Element:
    if root is None or root.tag != f"{{{DAV}}}propertyupdate":
        raise DavError(400, "The body must be a propertyupdate.")
    return root


def read(root: Element, *, is_owner: bool = False, default_name: str = "", passed_over: Collection[str] = ()) -> Assignments:
    """What the body assigns, in its order; with a status for each property that cannot be set so. All that others than the owner set is
    kept as it was sent."""
    assignments = Assignments()
    for update in root:
        for element in (each for prop in update.findall(PROP) for each in prop if each.tag not in passed_over):
            assignments.names.append(element.tag)
            if element.tag in PROTECTED or not name_element(element.tag):
                assignments.refused[element.tag] = 403
            elif update.tag == REMOVE:
                assignments.elements[element.tag] = None
                if is_owner and element.tag in (NAME, DESCRIPTION):
                    assignments.columns[_COLUMNS[element.tag]] = default_name if element.tag == NAME else None
            elif update.tag == SET:
                _set(assignments, element, is_owner=is_owner)
    if len(assignments.names) > MAX_PROPERTIES:
        raise DavError(403, f"Set at most {MAX_PROPERTIES} properties.")
    return assignments


def require_accepted(assignments: Assignments) -> None:
    """Refuse a new collection with properties that it cannot have."""
    if assignments.refused:
        raise DavError(403, f"These properties cannot be set so: {', '.join(assignments.refused)}.")


def _set(assignments: Assignments, element: Element, *, is_owner: bool) -> None:
    element.tail = None
    text = tostring(element, encoding="unicode")
    if len(text) > MAX_ELEMENT:
        assignments.refused[element.tag] = 507
        return
    column = _COLUMNS.get(element.tag) if is_owner else None
    if column is None or element.tag == COLOR:
        assignments.elements[element.tag] = text
    if column is None:
        return
    value = _read_value(element)
    try:
        if value is not None:
            assignments.columns[column] = _FIELDS[column].read(value) if value or column == "name" else None
    except FieldInvalid:
        assignments.refused[element.tag] = 409


def _read_value(element: Element) -> str | None:
    """The text of a property as a calendar has it; None if it can have no such value."""
    text = (element.text or "").strip()
    if element.tag == COLOR:
        match = _HEX.match(text)
        return match[0] if match else None
    if element.tag == ZONE:
        match = _TZID.search(text.replace("\r", ""))
        return find_zone(match[1]) if match else None
    return find_zone(text) if element.tag == ZONE_ID else text


def apply(ctx: Context, calendar: Calendar, assignments: Assignments) -> None:
    """Write the assignments for the actor, who is a member of the calendar."""
    user_id = policy.user(ctx).id
    if assignments.columns:
        # Only the owner assigns columns.
        fields = {name: getattr(present.editable(calendar), name) for name in CalendarInput.__struct_fields__}
        calendars.update(ctx, calendar.id, CalendarInput(**fields | assignments.columns))
    for name, element in assignments.elements.items():
        if element is None and name == COLOR:
            calendar_store.upsert_property(ctx, calendar.id, user_id, name, removed_color(calendar))
        elif element is None:
            calendar_store.delete_property(ctx, calendar.id, user_id, name)
        else:
            calendar_store.upsert_property(ctx, calendar.id, user_id, name, element)
    if len(calendar_store.find_properties(ctx, user_id, calendar.id).get(calendar.id, {})) > MAX_PROPERTIES:
        raise DavError(507, f"A calendar has at most {MAX_PROPERTIES} properties.")


def describe(path: str, assignments: Assignments) -> str:
    """The response for the calendar or address book at the path."""
    if not assignments.refused:
        return f"<D:response>{href(path)}{propstat(_join(assignments.names), 200)}</D:response>"
    failed = "".join(
        propstat(name_element(name), status, "<D:cannot-modify-protected-property/>" if status == 403 else "")
        for name, status in assignments.refused.items()
    )
    others = _join(name for name in assignments.names if name not in assignments.refused)
    return f"<D:response>{href(path)}{failed}{propstat(others, 424) if others else ''}</D:response>"


def _join(names: Iterable[str]) -> str:
    return "".join(name_element(name) for name in dict.fromkeys(names))

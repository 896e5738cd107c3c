"""An event as it was at a time, or after a change, from the journal."""

from typing import Any

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext, ngettext
from kalends.core.records.event import CalendarName, EventWithCounts
from kalends.core.records.response_settings import NAMES, ResponseSettings, encode
from kalends.core.values import datetimes
from kalends.features.changes import history_store as history
from kalends.features.changes.rules.tables import BY_KIND, EVENT_COLUMNS, link_number
from kalends.features.events.series import store as series_store
from kalends.http.context import Context
from kalends.policy import Right

DAY = 86_400


def load(ctx: Context, event_id: int, moment: str) -> EventWithCounts:
    """The event with its calendars, its rule and its settings as they were, for those who may edit it now. Counts are those of now."""
    zone = policy.event(ctx, event_id, to=Right.EDIT).time_zone
    event = policy.event_with_counts(ctx, event_id)
    since = _read(ctx, moment, zone)
    first = history.find_next(ctx, "event", event_id, since)
    if first is not None and first.op == "create":
        raise errors.NotFound(gettext("This event didn’t exist at that time."))
    content = first.content if first else {}
    values = {name: content[name] for name in EVENT_COLUMNS if name in content}
    flags = {name: bool(content[name]) for name in BY_KIND["event"].flags if name in values}
    link = {"link_number": link_number(content)} if content else {}
    event = structs.replace(event, **values | flags | link)
    event = structs.replace(event, calendars=_calendars(ctx, event, since), settings_text=_settings(ctx, event, since))
    return structs.replace(event, **_rule(ctx, event, since))


def _read(ctx: Context, moment: str, zone: str) -> history.Since:
    """The number of a change, or a time; raises HistoryExpired if it is older than the history."""
    if moment.isascii() and moment.isdigit():
        since = history.Since(seq=int(moment))
        is_old = (history.find_first_id(ctx) or since.seq + 2) > since.seq + 1
    else:
        since = history.Since(at=datetimes.parse(moment).to_instant(zone))
        is_old = since.at < ctx.now - ctx.settings.history_days * DAY
    if is_old:
        raise errors.HistoryExpired(
            ngettext(
                "History goes back 1 day. Choose a later time.",
                "History goes back %(num)s days. Choose a later time.",
                ctx.settings.history_days,
            )
        )
    return since


def _calendars(ctx: Context, event: EventWithCounts, since: history.Since) -> list[CalendarName]:
    """The calendars that it was on, of those that the actor sees now."""
    calendars = {calendar.id: calendar for calendar in event.calendars}
    restored: set[int] = set()
    for row in reversed(history.find_all_since(ctx, "placement", event.id, since)):
        assert row.calendar_id is not None
        if row.op == "create":
            calendars.pop(row.calendar_id, None)
            restored.discard(row.calendar_id)
        elif row.op == "delete":
            restored.add(row.calendar_id)
    for calendar in policy.visible_calendars(ctx, sorted(restored)):
        calendars[calendar.id] = CalendarName(calendar.id, calendar.name)
    return list(calendars.values())


def _settings(ctx: Context, event: EventWithCounts, since: history.Since) -> str | None:
    first = history.find_next(ctx, "settings", event.id, since)
    if first is None:
        return event.settings_text
    if first.op == "create":
        return None
    flags = {name: bool(first.content[name]) for name in BY_KIND["settings"].flags}
    return encode(ResponseSettings(**{name: first.content[name] for name in NAMES} | flags))


def _rule(ctx: Context, event: EventWithCounts, since: history.Since) -> dict[str, Any]:
    """The columns of the series that the event was in."""
    series_id = event.series_id
    if series_id is None:
        return {"sent_uid": event.uid, "rrule": None, "first_date": None, "also": None, "excepted": None}
    changes = history.find_of_series_since(ctx, "series", series_id, since)
    content = changes[0].content if changes else structs.asdict(series_store.get(ctx, series_id))
    slots = {slot for _, slot in series_store.find_exceptions(ctx, [series_id])}
    for row in reversed(history.find_of_series_since(ctx, "exception", series_id, since)):
        (slots.discard if row.op == "create" else slots.add)(row.content["slot"])
    rule = {"sent_uid": content["uid"], "rrule": content["rrule"], "first_date": content["start_date"], "also": content["also"]}
    return rule | {"excepted": ",".join(sorted(slots))}

"""The rows of lists of one's own events: each with the day in words, its picture and where it is opened."""

from msgspec import Struct

from kalends.core.i18n import Text, gettext
from kalends.core.values import datetimes
from kalends.core.values.picture import Picture, parse_path
from kalends.features.events.listing.store.cards import find_details, find_rules
from kalends.features.events.series.model import Repeat
from kalends.features.my_events import present, store
from kalends.features.my_events.model import Guests, MyEvent
from kalends.http.context import Context
from kalends.policy.site import reader_locale
from kalends.web.drawings import DEFAULT_COLOR
from kalends.web.times import reader_zone


class Row(Struct, frozen=True):
    """An event in a list, with the day in words, its picture and the rule by which it repeats."""

    event: MyEvent
    path: str
    day: Text | str
    picture: Picture | None
    color: str
    repeat: Repeat | None
    guests: Guests | None = None


def find_next(ctx: Context) -> Row | None:
    """The next invitation of the signed-in reader, or else the next event that they go to: what the start page begins with."""
    if ctx.actor is None:
        return None
    mine = store.find(ctx, "invited", 1, 0) or store.find(ctx, "going", 1, 0)
    return next(iter(find_rows(ctx, present.items(ctx, mine))), None)


def find_rows(ctx: Context, events: list[MyEvent], *, with_guests: bool = False) -> list[Row]:
    """The rows of these events; with_guests: with what their host reads about the guests."""
    ids = [event.id for event in events]
    rules = find_rules(ctx, [event.series_id for event in events if event.series_id and event.repeats])
    details, guests = find_details(ctx, ids), store.find_guests(ctx, ids) if with_guests else {}
    today = datetimes.to_local(ctx.now, reader_zone(ctx)).date()
    formats = reader_locale(ctx).formats
    rows = []
    for event in events:
        first = datetimes.parse(event.start_time).local.date()
        nearby = {0: gettext("Today"), 1: gettext("Tomorrow")}.get((first - today).days)
        day = nearby or (formats.short_weekday(first) if first.year == today.year else formats.day(first))
        color = details[event.id].color if event.id in details else DEFAULT_COLOR
        rows.append(
            Row(event, path_of(ctx, event), day, parse_path(event.image_url), color, rules.get(event.series_id or 0), guests.get(event.id))
        )
    return rows


def path_of(ctx: Context, event: MyEvent) -> str:
    """The path of the page on which the member can open the event."""
    return event.url.removeprefix(ctx.settings.url)

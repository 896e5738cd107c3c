"""The event that stands above the list of the start page."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from kalends.core.i18n import Text, gettext
from kalends.core.i18n.formats import Formats
from kalends.core.values import datetimes
from kalends.features.events.model import Card
from kalends.features.events.rules.days import NAMES, SATURDAY

DAYS, EVENING = 7, 17


class Featured(Struct, frozen=True):
    """The card of the event, and when it is: `Tonight`."""

    card: Card
    label: Text | str


def choose(cards: Sequence[Card], now: int, zone: str, formats: Formats) -> Featured | None:
    """Of the events of the next days that have a picture, the one to which most people go; the first of several."""
    today = datetimes.to_local(now, zone)
    last = today + timedelta(days=DAYS)
    fit = [card for card in cards if card.picture and card.event.status == "planned" and not card.detail.is_full]
    card = max((card for card in fit if _start(card, zone) < last), key=lambda card: card.detail.people, default=None)
    return Featured(card, _label(_start(card, zone), today, formats, all_day=card.event.all_day)) if card else None


def _start(card: Card, zone: str) -> datetime:
    start = datetime.fromisoformat(card.event.start_time)
    return start.replace(tzinfo=datetimes.zone_info(zone)) if card.event.all_day else start.astimezone(datetimes.zone_info(zone))


def _label(start: datetime, today: datetime, formats: Formats, *, all_day: bool) -> Text | str:
    days, is_night = (start.date() - today.date()).days, start.hour >= EVENING and not all_day
    if days <= 0:
        return gettext("Tonight") if is_night else NAMES["today"]
    if days == 1:
        return gettext("Tomorrow night") if is_night else NAMES["tomorrow"]
    if start.weekday() >= SATURDAY and days <= SATURDAY + 1 - today.weekday():
        return NAMES["weekend"]
    return formats.weekday(start)

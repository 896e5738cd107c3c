"""The days and events of a calendar as HTML. They are not in a template, because a month has hundreds of them, and what Jinja does for
each expression would take most of the time of the page."""

from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache, partial

from markupsafe import Markup, escape
from msgspec import Struct

from kalends.calendar_view.days import ONE_DAY, Days, date_range
from kalends.calendar_view.entries import Entry, Piece, Timed, clocks
from kalends.calendar_view.links import Links
from kalends.calendar_view.month import Cell
from kalends.calendar_view.rail import MiniMonth
from kalends.i18n import gettext, ngettext
from kalends.i18n.locale import Locale
from kalends.values.format_cache import FormatCache
from kalends.web import labels
from kalends.web.escaping import escape_text

MONDAY = date(2026, 1, 5)
GAP = '<li class="gap" role="presentation"></li>'
TODAY = " today"
# What stands before a title has a direction of its own, so that it is the title that gives that of the whole, and is cut at its end.
TIME = '<small dir="auto">'
# The attributes of a link to an event: in a new window, or for the script by which it is dragged.
WINDOW, EDITABLE = ' target="_blank" rel="noopener"', " data-event"

# A day, the number of its events, and how many of them are not shown.
_Day = tuple[date, int, int]
# The cell of a day without events, and with them.
_MiniDay = tuple[str, str]


class Drawing(Struct, frozen=True):
    """What all days of a calendar have in common: the reader's language and today, and where its links lead."""

    locale: Locale
    today: date | None
    links: Links
    can_create: bool = False

    def month(self, days: Days, weeks: list[list[Cell]]) -> Markup:
        """The rows of a month."""
        around = _cells(self.locale, self.links.path_to_day(), self.can_create, days.day, self.today)
        parts: list[str] = []
        for week in weeks:
            parts.append("<tr>\n")
            for cell in week:
                head, rest = around[cell.day, cell.count, cell.more]
                parts += [head, "<ul>", self._items(cell.lanes), "</ul>\n", rest] if cell.lanes else [head, rest]
            parts.append("</tr>\n")
        return _markup("".join(parts))

    def timed_items(self, events: Iterable[Timed], zone: str, colors: Mapping[int, str]) -> list[str]:
        """Events with a time on one day, in these colours. A month has hundreds of them, so none becomes an object."""
        clock, is_embedded = clocks(self.locale, zone), self.links.is_embedded
        return [
            _LINES[
                event_id,
                title,
                colors[event_id],
                f"{TIME}{clock[start_at]}</small> " if status == "planned" else self._status(status),
                WINDOW if is_embedded else EDITABLE if can_edit else "",
            ]
            for start_at, event_id, title, status, can_edit, _ in events
        ]

    def items(self, pieces: Iterable[Piece | None]) -> Markup:
        """Events in a list, each in the colour of its calendar."""
        return _markup(self._items(pieces))

    def _items(self, pieces: Iterable[Piece | str | None]) -> str:
        return "\n".join([piece if isinstance(piece, str) else self._item(piece) if piece else GAP for piece in pieces])

    def _item(self, piece: Piece) -> str:
        entry, position = piece.entry, piece.position
        target = WINDOW if self.links.is_embedded else EDITABLE if entry.can_edit else ""
        if entry.status == "planned" and not position:
            time = f"{TIME}{entry.clock}</small> " if entry.clock else ""
        else:
            time = self._time(piece, entry)
        return _html(entry.id, entry.title, entry.color, time, target, piece.shape, position and _class(position))

    def _time(self, piece: Piece, entry: Entry) -> str:
        """What stands before the title: the time, or that the event is cancelled or postponed."""
        time, is_planned = "", entry.status == "planned"
        if piece.position and piece.shape and (end := entry.end):
            formats = self.locale.formats
            time = f"{TIME}{formats.short_weekday(entry.first)} {entry.clock}–{formats.clock(end)}</small> "
        elif entry.clock and is_planned:
            return f"{TIME}{entry.clock}</small> "
        if is_planned:
            return time
        return f"{time}{self._status(entry.status)}"

    def _status(self, status: str) -> str:
        return f'<strong class="{status}" dir="auto">{escape(self.locale.translate(labels.STATUSES[status]))}:</strong> '

    def mini(self, mini: MiniMonth, days: Days) -> Markup:
        """The rows of the small month."""
        marked = mini.marked
        weeks = _mini_weeks(self.locale, self.links.path_to(mini.view), mini.days, days.day, self.today)
        return _markup("\n".join([f"<tr>{''.join([cells[day in marked] for day, cells in week])}</tr>" for week in weeks]))

    def weekdays(self, days: Days) -> Markup:
        """The heads of the columns of a month."""
        return _weekdays(self.locale, days.first.weekday(), is_mini=False)

    def mini_weekdays(self, days: Days) -> Markup:
        """The heads of the columns of the small month."""
        return _weekdays(self.locale, days.first.weekday(), is_mini=True)


def _html(event_id: int, title: str, color: str, time: str, target: str, shape: str = "", css_class: str = "") -> str:
    """An event in a list."""
    return (
        f'<li{css_class}><a class="entry{shape}" dir="auto" href="/events/{event_id}"{target}>'
        f'<svg class="tint" fill="{color}" aria-hidden="true"><use href="#tint"/></svg><span>{time}{escape_text(title)}</span></a></li>'
    )


# The same events are in the month of many readers, and each time that one of them looks at it.
_LINES: FormatCache[tuple[int, str, str, str, str], str] = FormatCache(lambda line: _html(*line))


@lru_cache(200)
def _cells(locale: Locale, path: tuple[str, str], can_create: bool, focus: date, today: date | None) -> FormatCache[_Day, tuple[str, str]]:
    """What is in the cells of days around their events. Many readers see the same, and translating it takes long."""
    return FormatCache(partial(_around_events, locale, path, can_create, focus, today))


def _around_events(locale: Locale, path: tuple[str, str], can_create: bool, focus: date, today: date | None, key: _Day) -> tuple[str, str]:
    """What is in the cell of a day before and after its events."""
    day, count, more = key
    classes = _classes(day, focus, today)
    name, date_text = locale.formats.day(day), day.isoformat()
    href = f"{path[0]}{date_text}{path[1]}"
    label = escape(f"{name}, {locale.translate(ngettext('1 event', '%(num)s events', count))}")
    head = f'<td class="cell{classes}" data-day="{date_text}">\n<div class="dayline">'
    head += f'<a class="date" href="{href}"{_current(classes)} aria-label="{label}">{day.day}</a>'
    if can_create:
        new = escape(locale.translate(gettext("New event on %(day)s", day=name)))
        head += f'<a class="add" href="/events/new?start_time={date_text}" aria-label="{new}">+</a>'
    rest = ""
    if more:
        more_on_day = escape(locale.translate(gettext("+%(number)s more on %(day)s", number=more, day=name)))
        text = escape(locale.translate(gettext("+%(number)s more", number=more)))
        rest = f'<a class="more" href="{href}" aria-label="{more_on_day}">{text}</a>\n'
    return f"{head}</div>\n", f"{rest}</td>\n"


@lru_cache(200)
def _mini_weeks(locale: Locale, path: tuple[str, str], month: Days, focus: date, today: date | None) -> list[list[tuple[date, _MiniDay]]]:
    """The weeks of the small month, each day with its cell."""
    days = [(day, _mini_day(locale, path, day, _classes(day, focus, today))) for day in date_range(month.first, month.last)]
    return [days[i : i + 7] for i in range(0, len(days), 7)]


def _mini_day(locale: Locale, path: tuple[str, str], day: date, classes: str) -> _MiniDay:
    name, date_text = locale.formats.day(day), day.isoformat()
    href = f"{path[0]}{date_text}{path[1]}"

    def cell(label: str, classes: str) -> str:
        kind = f' class="{classes[1:]}"' if classes else ""
        link = f'<a{kind} href="{href}"{current} aria-label="{escape(label)}">{day.day}</a>'
        return f'<td data-date="{date_text}">{link}</td>'

    current = _current(classes)
    # The day of today is known by `aria-current` alone.
    classes = classes.replace(TODAY, "")
    return cell(name, classes), cell(locale.translate(gettext("%(day)s, has events", day=name)), f"{classes} marked")


def _classes(day: date, focus: date, today: date | None) -> str:
    """The CSS classes of a day: of another month, today, and the one in focus."""
    return f"{'' if day.month == focus.month else ' other'}{TODAY if day == today else ''}{' chosen' if day == focus else ''}"


def _class(names: str) -> str:
    return f' class="{names}"'


def _current(classes: str) -> str:
    return ' aria-current="date"' if TODAY in classes else ""


@lru_cache(200)
def _weekdays(locale: Locale, first: int, is_mini: bool) -> Markup:
    shortened = locale.formats.mini_weekday if is_mini else locale.formats.short_weekday
    names = [(locale.formats.weekday(day), shortened(day)) for day in date_range(MONDAY, MONDAY + 6 * ONE_DAY)]
    cells = [f'<th scope="col"><abbr title="{escape(name)}">{escape(short)}</abbr></th>' for name, short in names[first:] + names[:first]]
    return _markup("".join(cells))


def _markup(html: str) -> Markup:
    return Markup(html)  # noqa: S704 - the texts in it are escaped

"""The days and events of a calendar as HTML. They are not in a template, because a month has hundreds of them, and what Jinja does for
each expression would take most of the time of the page."""

from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from markupsafe import Markup, escape
from msgspec import Struct

from kalends.calendar_view.days import ONE_DAY, Days, date_range
from kalends.calendar_view.entries import Entry, Piece
from kalends.calendar_view.links import Links
from kalends.calendar_view.month import Cell
from kalends.calendar_view.rail import MiniMonth
from kalends.i18n import gettext, ngettext
from kalends.i18n.locale import Locale
from kalends.web import labels
from kalends.web.escaping import escape_text

MONDAY = date(2026, 1, 5)
GAP = '<li class="gap" role="presentation"></li>'


class Drawing(Struct, frozen=True):
    """What all days of a calendar have in common: the reader's language and today, and where its links lead."""

    locale: Locale
    today: date | None
    links: Links
    can_create: bool = False

    def month(self, days: Days, weeks: list[list[Cell]]) -> Markup:
        """The rows of a month."""
        path = self.links.path_to_day()
        rows = ["".join([self._cell(days, cell, path) for cell in week]) for week in weeks]
        return _markup("".join([f"<tr>\n{row}</tr>\n" for row in rows]))

    def _cell(self, days: Days, cell: Cell, path: tuple[str, str]) -> str:
        day, more, date_text = cell.day, cell.more, cell.day.isoformat()
        texts = _texts(self.locale, day, cell.count, more)
        classes = f"cell{_other(day, days)}{' today' if day == self.today else ''}{' chosen' if day == days.day else ''}"
        href = f"{path[0]}{date_text}{path[1]}"
        current = ' aria-current="date"' if day == self.today else ""
        add = f'<a class="add" href="/events/new?start_time={date_text}" aria-label="{texts.new}">+</a>' if self.can_create else ""
        events = f"<ul>{self._items(cell.lanes)}</ul>\n" if cell.lanes else ""
        rest = f'<a class="more" href="{href}" aria-label="{texts.more_on_day}">{texts.more}</a>\n' if more else ""
        return (
            f'<td class="{classes}" data-day="{date_text}">\n<div class="dayline"><a class="date" href="{href}"{current}'
            f' aria-label="{texts.day}">{day.day}</a>{add}</div>\n{events}{rest}</td>\n'
        )

    def items(self, pieces: Iterable[Piece | None]) -> Markup:
        """Events in a list, each in the colour of its calendar."""
        return _markup(self._items(pieces))

    def _items(self, pieces: Iterable[Piece | None]) -> str:
        return "\n".join([self._item(piece) if piece else GAP for piece in pieces])

    def _item(self, piece: Piece) -> str:
        entry = piece.entry
        position = f' class="{piece.position}"' if piece.position else ""
        target = ' target="_blank" rel="noopener"' if self.links.is_embedded else " data-event" if entry.can_edit else ""
        return (
            f'<li{position}><a class="entry{piece.shape}" dir="auto" href="/events/{entry.id}"{target}>'
            f'<svg class="tint" fill="{entry.color}" aria-hidden="true"><use href="#tint"/></svg>'
            f"<span>{self._time(piece, entry)}{escape_text(entry.title)}</span></a></li>"
        )

    def _time(self, piece: Piece, entry: Entry) -> str:
        """What stands before the title: the time, or that the event is cancelled or postponed."""
        formats = self.locale.formats
        if piece.position and piece.shape and (end := entry.end):
            time = f"<small>{formats.short_weekday(entry.first)} {entry.clock}–{formats.clock(end)}</small> "
        elif entry.clock and entry.status == "planned":
            return f"<small>{entry.clock}</small> "
        else:
            time = ""
        if entry.status == "planned":
            return time
        return f'{time}<strong class="{entry.status}">{escape(self.locale.translate(labels.STATUSES[entry.status]))}:</strong> '

    def mini(self, mini: MiniMonth, chosen: Days) -> Markup:
        """The rows of the small month."""
        path = self.links.path_to(mini.view)
        rows = ["".join([self._mini_cell(mini, chosen, day, path) for day in week]) for week in mini.weeks]
        return _markup("\n".join([f"<tr>{row}</tr>" for row in rows]))

    def _mini_cell(self, mini: MiniMonth, chosen: Days, day: date, path: tuple[str, str]) -> str:
        is_marked, date_text = day in mini.marked, day.isoformat()
        classes = f"{_other(day, chosen)}{' chosen' if day == chosen.day else ''}{' marked' if is_marked else ''}"
        kind = f' class="{classes[1:]}"' if classes else ""
        current = ' aria-current="date"' if day == self.today else ""
        return (
            f'<td data-date="{date_text}"><a{kind} href="{path[0]}{date_text}{path[1]}"{current}'
            f' aria-label="{_mini_label(self.locale, day, is_marked)}">{day.day}</a></td>'
        )

    def weekdays(self, days: Days) -> Markup:
        """The heads of the columns of a month."""
        return _weekdays(self.locale, days.first.weekday())


class _Texts(Struct, frozen=True):
    """The texts of a day in a month, escaped."""

    day: Markup
    new: Markup
    more: Markup
    more_on_day: Markup


@lru_cache(2_000)
def _texts(locale: Locale, day: date, count: int, more: int) -> _Texts:
    name = locale.formats.day(day)
    texts = (
        f"{name}, {locale.translate(ngettext('1 event', '%(num)s events', count))}",
        gettext("New event on %(day)s", day=name),
        gettext("+%(number)s more", number=more),
        gettext("+%(number)s more on %(day)s", number=more, day=name),
    )
    return _Texts(*[escape(locale.translate(text)) for text in texts])


@lru_cache(2_000)
def _mini_label(locale: Locale, day: date, is_marked: bool) -> Markup:
    name = locale.formats.day(day)
    return escape(locale.translate(gettext("%(day)s, has events", day=name)) if is_marked else name)


@lru_cache(200)
def _weekdays(locale: Locale, first: int) -> Markup:
    names = [(locale.formats.weekday(day), locale.formats.short_weekday(day)) for day in date_range(MONDAY, MONDAY + 6 * ONE_DAY)]
    cells = [f'<th scope="col"><abbr title="{escape(name)}">{escape(short)}</abbr></th>' for name, short in names[first:] + names[:first]]
    return _markup("".join(cells))


def _other(day: date, days: Days) -> str:
    return "" if day.month == days.day.month else " other"


def _markup(html: str) -> Markup:
    return Markup(html)  # noqa: S704 - the texts in it are escaped

"""The days and events of a calendar as HTML, the only HTML that is written in Python. A month or an agenda has hundreds of them, and what
Jinja does for each expression takes most of the time: in templates, the month takes 2.5 to 3 times as long, and the agenda twice."""

from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache, partial

from markupsafe import Markup, escape
from msgspec import Struct

from kalends.core.i18n import gettext, ngettext, pgettext
from kalends.core.i18n.locale import Locale
from kalends.core.values.datetimes import to_local
from kalends.core.values.format_cache import FormatCache
from kalends.features.calendar_view.model import MINE, NO_ANSWER, Answer, Entry, Piece, Timed
from kalends.features.calendar_view.rules.days import ONE_DAY, Agenda, Days, Links, date_range, is_weekend
from kalends.features.calendar_view.rules.month import Cell, MiniMonth
from kalends.web import labels
from kalends.web.markdown import escape_text
from kalends.web.times import Times

MONDAY = date(2026, 1, 5)
GAP = '<li class="gap" role="presentation"></li>'
TODAY = " today"
# What stands before a title has a direction of its own, so that it is the title that gives that of the whole, and is cut at its end.
TIME = '<small dir="auto">'
# The attributes of a link to an event: in a new window, or for the script by which it is dragged.
WINDOW, EDITABLE = ' target="_blank" rel="noopener"', " data-event"

# What the reader has answered, in words.
ANSWERS = {
    "invited": gettext("Invited · RSVP?"),
    "going": pgettext("rsvp", "Going"),
    "maybe": pgettext("rsvp", "Maybe"),
    "waiting": gettext("Waiting list"),
    "pending": gettext("Awaiting approval"),
}

# A day, its CSS classes, the number of its events, and how many of them are not shown.
_Day = tuple[date, str, int, int]
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
        around = _cells(self.locale, self.links.path_to_day(), self.can_create)
        parts: list[str] = []
        for week in weeks:
            parts.append("<tr>\n")
            for cell in week:
                head, rest = around[cell.day, _classes(cell.day, days.day, self.today), cell.count, cell.more]
                parts += [head, "<ul>", self._items(cell.lanes), "</ul>\n", rest] if cell.lanes else [head, rest]
            parts.append("</tr>\n")
        return _markup("".join(parts))

    def timed_items(self, events: Iterable[Timed], zone: str, colors: Mapping[int, str], answers: Mapping[int, Answer]) -> list[str]:
        """Events with a time on one day, in these colours. A month has hundreds of them, so none becomes an object."""
        clock, is_embedded = self.locale.formats.clock, self.links.is_embedded
        return [
            _html(
                event_id,
                title,
                colors[event_id],
                f"{TIME}{clock(to_local(start_at, zone))}</small> " if status == "planned" else self._status(status),
                WINDOW if is_embedded else EDITABLE if can_edit and calendar_id != MINE else "",
                answers.get(event_id, NO_ANSWER) if calendar_id == MINE else NO_ANSWER,
                self.locale,
            )
            for start_at, event_id, title, status, can_edit, calendar_id in events
        ]

    def is_weekend(self, day: date) -> bool:
        """Whether the reader's week ends with this day or the next."""
        return is_weekend(day, self.locale.first_weekday)

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
        return _html(
            entry.id, entry.title, entry.color, time, target, entry.answer, self.locale, piece.shape, position and _class(position)
        )

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


def _html(
    event_id: int, title: str, color: str, time: str, target: str, answer: Answer, locale: Locale, shape: str = "", css_class: str = ""
) -> str:
    """An event in a list; with an answer, one that the reader goes to or is invited to."""
    path, mark, state = path_of(event_id), "", answer[0]
    if state:
        path, shape = f"/my-events/{event_id}", f"{shape} mine-{state}"
        target = f' data-mine="{state}"'
        mark = f'<small class="answer">{escape_text(name_answer(locale, answer))}</small>'
    return (
        f'<li{css_class}><a class="entry{shape}" dir="auto" href="{path}"{target}>'
        f'<svg class="tint" fill="{color}" aria-hidden="true"><use href="#tint"/></svg>'
        f"<span>{time}{escape_text(title)}{mark}</span></a></li>"
    )


def path_of(entry_id: int) -> str:
    """The path of an event; of a birthday, whose id is negative, the one of its contact."""
    return f"/events/{entry_id}" if entry_id > 0 else f"/contacts/{-entry_id}/edit"


@lru_cache(500)
def name_answer(locale: Locale, answer: Answer) -> str:
    """What the reader has answered, or that they are asked: `Going, 2 of you`."""
    state, people = answer
    if state == "going" and people > 1:
        return locale.translate(ngettext("Going, %(num)s of you", "Going, %(num)s of you", people))
    return locale.translate(ANSWERS[state])


@lru_cache(200)
def _cells(locale: Locale, path: tuple[str, str], can_create: bool) -> FormatCache[_Day, tuple[str, str]]:
    """What is in the cells of days around their events. Many readers see the same, and translating it takes long."""
    return FormatCache(partial(_around_events, locale, path, can_create))


def _around_events(locale: Locale, path: tuple[str, str], can_create: bool, key: _Day) -> tuple[str, str]:
    """What is in the cell of a day before and after its events."""
    day, classes, count, more = key
    name, date_text = locale.formats.day(day), day.isoformat()
    href = f"{path[0]}{date_text}{path[1]}"
    label = escape(f"{name}, {locale.translate(ngettext('1 event', '%(num)s events', count))}")
    if is_weekend(day, locale.first_weekday):
        classes += " weekend"
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
    cells = _mini_cells(locale, path)
    days = [(day, cells[day, _classes(day, focus, today)]) for day in date_range(month.first, month.last)]
    return [days[i : i + 7] for i in range(0, len(days), 7)]


@lru_cache(200)
def _mini_cells(locale: Locale, path: tuple[str, str]) -> FormatCache[tuple[date, str], _MiniDay]:
    return FormatCache(lambda key: _mini_day(locale, path, *key))


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


def draw_events(locale: Locale, part: Agenda, *, is_embedded: bool = False) -> Markup:
    """The events of one day with their times and places."""
    rows = "".join([_draw_event(locale, entry, part.day, is_embedded) for entry in part.entries])
    return _markup(f'<ul class="rows">\n{rows}</ul>\n')


def _draw_event(locale: Locale, entry: Entry, day: date, is_embedded: bool) -> str:
    translate = locale.translate
    window = ' target="_blank" rel="noopener"' if is_embedded else ""
    status = ""
    if entry.status != "planned":
        status = f' <strong class="status {entry.status}">{escape_text(translate(labels.STATUSES[entry.status]))}</strong>'
    place = f' <span class="meta"><bdi>{escape_text(entry.location.partition(",")[0])}</bdi></span>' if entry.location else ""
    if own_clock := entry.own_clock:
        text = gettext("%(time)s in %(city)s", time=own_clock, city=Times.city(entry.time_zone))
        separator = " ·" if place else ""
        place += f'{separator} <span class="meta">{escape_text(translate(text))}</span>'
    calendar = f'<span class="meta"><bdi>{escape_text(entry.calendar)}</bdi></span>' if entry.calendar and not is_embedded else ""
    path = path_of(entry.id)
    if entry.answer[0]:
        path = f"/my-events/{entry.id}"
        status += f' <span class="tag mine-{entry.answer[0]}">{escape_text(name_answer(locale, entry.answer))}</span>'
    return (
        f'<li>\n<span class="hour">{escape_text(_hours(locale, entry, day))}</span>\n<span class="grow what">'
        f'<svg class="dot" fill="{entry.color}" viewBox="0 0 2 2" aria-hidden="true"><circle cx="1" cy="1" r="1"/></svg>'
        f'<span><a href="{path}"{window} dir="auto">{escape_text(entry.title)}</a>{status}{place}</span></span>\n'
        f"{calendar}</li>\n"
    )


def _hours(locale: Locale, entry: Entry, day: date) -> str:
    time = entry.clock
    if entry.is_bar and entry.last > day:
        time = locale.translate(gettext("until %(time)s", time=locale.formats.short_day(entry.last)))
    elif entry.is_bar:
        time = locale.translate(gettext("all day"))
    elif entry.end_at is not None:
        time = f"{time}–{locale.formats.clock(to_local(entry.end_at, entry.zone))}"
    return f"{locale.translate(gettext('was'))} {time}" if entry.status == "postponed" else time

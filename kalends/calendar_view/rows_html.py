"""Events and calendars in lists as HTML, for the same reason as the days of a month: an agenda has hundreds of them."""

from collections.abc import Collection, Sequence
from datetime import date
from functools import lru_cache

from markupsafe import Markup

from kalends.calendar_view.agenda import Agenda
from kalends.calendar_view.entries import Entry, clocks
from kalends.i18n import gettext
from kalends.i18n.locale import Locale
from kalends.records.calendar import NamedCalendar
from kalends.web import labels
from kalends.web.escaping import escape_text
from kalends.web.times import Times


def draw_events(locale: Locale, part: Agenda, *, is_embedded: bool = False) -> Markup:
    """The events of one day with their times and places."""
    rows = "".join([_draw_event(locale, entry, part.day, is_embedded) for entry in part.entries])
    return Markup(f'<ul class="rows">\n{rows}</ul>\n')  # noqa: S704 - the texts in it are escaped


def _draw_event(locale: Locale, entry: Entry, day: date, is_embedded: bool) -> str:
    translate = locale.translate
    window = ' target="_blank" rel="noopener"' if is_embedded else ""
    status = ""
    if entry.status != "planned":
        status = f' <strong class="status {entry.status}">{escape_text(translate(labels.STATUSES[entry.status]))}</strong>'
    place = f' <span class="meta"><bdi>{escape_text(entry.location)}</bdi></span>' if entry.location else ""
    if own_clock := entry.own_clock:
        text = gettext("%(time)s in %(city)s", time=own_clock, city=Times.city(entry.time_zone))
        separator = " ·" if place else ""
        place += f'{separator} <span class="meta">{escape_text(translate(text))}</span>'
    calendar = f'<span class="meta"><bdi>{escape_text(entry.calendar)}</bdi></span>' if entry.calendar and not is_embedded else ""
    edit = ""
    if entry.can_edit:
        edit = f'<a href="/events/{entry.id}/edit" aria-label="{_edit_label(locale, entry.title)}">{_edit(locale)}</a>'
    return (
        f'<li>\n<span class="hour">{escape_text(_time(locale, entry, day))}</span>\n<span class="grow what">'
        f'<svg class="dot" fill="{entry.color}" viewBox="0 0 2 2" aria-hidden="true"><circle cx="1" cy="1" r="1"/></svg>'
        f'<span><a href="/events/{entry.id}"{window} dir="auto">{escape_text(entry.title)}</a>{status}{place}</span></span>\n'
        f"{calendar}{edit}</li>\n"
    )


def _time(locale: Locale, entry: Entry, day: date) -> str:
    time = entry.clock
    if entry.is_bar and entry.last > day:
        time = locale.translate(gettext("until %(time)s", time=locale.formats.short_day(entry.last)))
    elif entry.is_bar:
        time = locale.translate(gettext("all day"))
    elif entry.end_at is not None:
        time = f"{time}–{clocks(locale, entry.zone)[entry.end_at]}"
    return f"{locale.translate(gettext('was'))} {time}" if entry.status == "postponed" else time


def draw_ticks(locale: Locale, calendars: Sequence[NamedCalendar], ticked: Collection[int]) -> Markup:
    """Calendars to choose from, in their colours."""
    return Markup("".join([_draw_tick(locale, calendar, calendar.id in ticked) for calendar in calendars]))  # noqa: S704 - as above


@lru_cache(2_000)
def _draw_tick(locale: Locale, calendar: NamedCalendar, is_ticked: bool) -> str:
    about = escape_text(locale.translate(gettext("About %(name)s", name=calendar.name)))
    return (
        f'<li><input type="hidden" name="offered[]" value="{calendar.id}"><label>'
        f'<input type="checkbox" name="calendar_ids[]" value="{calendar.id}"{" checked" if is_ticked else ""}>'
        f'<svg class="box" viewBox="0 0 16 16" color="{calendar.color}" fill="currentcolor" aria-hidden="true">'
        '<rect width="16" height="16" rx="4"/><path d="M4 8.5l2.7 2.7L12 5.5"/></svg>'
        f'<span dir="auto">{escape_text(calendar.name)}</span></label>'
        f'<a href="/calendars/{calendar.id}" aria-label="{about}">›</a></li>\n'
    )


def draw_options(calendars: Sequence[NamedCalendar]) -> Markup:
    """Calendars to choose one from."""
    options = [
        f'<option value="{calendar.id}" data-zone="{escape_text(calendar.time_zone)}">{escape_text(calendar.name)}</option>'
        for calendar in calendars
    ]
    return Markup("".join(options))  # noqa: S704 - as above


@lru_cache(100)
def _edit(locale: Locale) -> str:
    return escape_text(locale.translate(gettext("Edit")))


@lru_cache(2_000)
def _edit_label(locale: Locale, title: str) -> str:
    return escape_text(locale.translate(gettext("Edit or move %(title)s", title=title)))

"""The form that repeats an event: sentences for common rules, and inputs for the parts of all others."""

from collections.abc import Callable
from datetime import date
from typing import Any

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import Text, gettext
from kalends.features.events.input_model import RepeatInput
from kalends.features.events.series.model import Repeat, RepeatPreview
from kalends.features.events.series.rules.rule import parse_text
from kalends.features.events.series.rules.sentence import name_day, name_weekday
from kalends.http.input.form import Form
from kalends.ical.canonical_rule import canonicalise
from kalends.ical.rrule import WEEKDAYS
from kalends.web import labels

NONE, CUSTOM = "none", "custom"
PREVIEW = "preview"
# What the script of the form sends as the value of PREVIEW.
LIVE = "live"
# The date for which the sentences of the form were written.
SENTENCES_FOR = "sentences_for"
END = ("ends", "end_date", "count")
LISTS = ("by_day", "by_month")
PARTS = ("frequency", "interval", "nth", "by_month_day", "by_set_pos", "short_months", "rrule", *LISTS)
FIELDS = ("repeat", SENTENCES_FOR, PREVIEW, "also", "start_date", *END, *PARTS)
DEFAULTS = {"repeat": NONE, "ends": "never", "frequency": "WEEKLY", "interval": 1}
NTH = (1, 2, 3, 4, 5, -1)
LAST_WEEK = 5
# Parts of a rule for which the form has no input but that of the whole rule.
RARE_PARTS = ("BYWEEKNO", "BYYEARDAY", "WKST")


def describe(day: date, preview: RepeatPreview | str | None) -> dict[str, Any]:
    """The values that the template of the rule needs, for an event on this day; preview: what the rule would do, or why not."""
    return {
        "day": day.isoformat(),
        "sentences": write_sentences(day),
        "preview": preview,
        "is_beside": isinstance(preview, RepeatPreview) and not preview.repeat.has(day),
        "to_date": date.fromisoformat,
    }


def write_sentences(day: date) -> dict[str, Text]:
    """The choices of the form for an event on this day."""
    weekday = name_weekday(day.weekday())
    nth = name_day(_find_nth(day), day.weekday(), has_article=False)
    return {
        NONE: gettext("Does not repeat"),
        "daily": gettext("Daily"),
        "weekly": gettext("Weekly on %(weekday)s", weekday=weekday),
        "monthly": gettext("Every %(days)s of the month", days=nth),
        "weekdays": gettext("Every weekday (Mon–Fri)"),
        CUSTOM: gettext("Custom…"),
    }


def fill(repeat: Repeat | None, day: date) -> dict[str, Any]:
    """The values of the inputs for a series, or for an event that is not repeated, on this day."""
    if repeat is None:
        return DEFAULTS
    values = DEFAULTS | {"also": ",".join(repeat.also), "start_date": repeat.start_date}
    values |= {"ends": "after", "count": repeat.count} if repeat.count else {}
    values |= {"ends": "on", "end_date": repeat.end_date} if repeat.end_date else {}
    if choice := _find_choice(repeat, day):
        return values | {"repeat": choice}
    return values | {"repeat": CUSTOM} | _fill_parts(repeat)


def read(form: Form, day: date) -> RepeatInput:
    """The rule that the form asks for an event on this day."""
    choice, sentences = choice_of(form), write_sentences(day)
    if choice not in sentences or choice == NONE:
        raise errors.invalid("repeat", gettext("is required: choose how often the event takes place"), "required")
    if not form.text(PREVIEW) and _showed_another_rule(form, choice, day):
        message = gettext("follows the new start and would be “%(rule)s”. Check it, then save again", rule=sentences[choice])
        raise errors.invalid("repeat", message, "conflict")
    rule = _presets(day).get(choice) or _read_parts(form)
    params = Form(rule | _read_end(form) | {name: form.text(name) for name in ("also", "start_date")}).read(RepeatInput)
    return _add_rrule(params, form.text("rrule").strip()) if choice == CUSTOM and form.text("rrule").strip() else params


def find_preview(params: Form, preview: Callable[[], RepeatPreview]) -> RepeatPreview | str:
    """What the rule would do, by `preview`. The script of the page asks while people choose: it gets a message instead of an error."""
    if choice_of(params) == NONE:
        return gettext("The event doesn’t repeat.")
    try:
        return preview()
    except errors.Invalid as problem:
        if params.text(PREVIEW) != LIVE:
            raise
        return " ".join(f"{labels.label(error.field)} {labels.message(error.message)}." for error in problem.errors)


def choice_of(form: Form) -> str:
    return form.text("repeat") or NONE


def _presets(day: date) -> dict[str, dict[str, Any]]:
    """The rules of the sentences. They name their weekday, because a series may have begun on another."""
    weekday = WEEKDAYS[day.weekday()]
    return {
        "daily": {"frequency": "DAILY"},
        "weekly": {"frequency": "WEEKLY", "by_day": weekday},
        "monthly": {"frequency": "MONTHLY", "by_day": f"{_find_nth(day)}{weekday}"},
        "weekdays": {"frequency": "WEEKLY", "by_day": ",".join(WEEKDAYS[:5])},
    }


def _showed_another_rule(form: Form, choice: str, day: date) -> bool:
    """Whether the sentence of the choice was written for another start, for which it is another rule."""
    shown_for = form.text(SENTENCES_FOR)
    if shown_for in ("", day.isoformat()):
        return False
    try:
        return _presets(date.fromisoformat(shown_for)).get(choice) != _presets(day).get(choice)
    except ValueError:
        return True


def _find_nth(day: date) -> int:
    """Which weekday of its kind the day is in its month. Few months have a fifth one, so that is the last."""
    nth = (day.day - 1) // 7 + 1
    return nth if nth < LAST_WEEK else -1


def _find_choice(repeat: Repeat, day: date) -> str:
    """The sentence that says the rule, whatever its end."""
    stored = structs.replace(parse_text(repeat.rrule), count=None, until=None)
    start = date.fromisoformat(repeat.start_date)
    for choice, rule in _presets(day).items():
        text = f"FREQ={rule['frequency']}" + (f";BYDAY={rule['by_day']}" if "by_day" in rule else "")
        if canonicalise(parse_text(text), start) == stored:
            return choice
    return ""


def _fill_parts(repeat: Repeat) -> dict[str, Any]:
    rule = parse_text(repeat.rrule)
    ordinals = {ordinal for ordinal, _ in rule.days}
    if len(ordinals) > 1 or not ordinals <= {0, *NTH} or any(part in repeat.rrule for part in RARE_PARTS):
        return {"rrule": ";".join(part for part in repeat.rrule.split(";") if not part.startswith(("COUNT=", "UNTIL=")))}
    return {
        "frequency": repeat.frequency,
        "interval": repeat.interval,
        "by_day": [WEEKDAYS[weekday] for _, weekday in sorted(rule.days)],
        "nth": next(iter(ordinals - {0}), ""),
        "by_month_day": ", ".join("last" if day == -1 else str(day) for day in repeat.by_month_day),
        "by_month": list(map(str, repeat.by_month)),
        "by_set_pos": ", ".join(map(str, repeat.by_set_pos)),
        "short_months": repeat.short_months,
    }


def _read_parts(form: Form) -> dict[str, Any]:
    days, nth = _read_list(form.values.get("by_day")), form.text("nth")
    return {
        "frequency": form.text("frequency"),
        "interval": form.text("interval") or "1",
        "by_day": [f"{nth}{day}" for day in days],
        "by_month_day": form.text("by_month_day").lower().replace("last", "-1"),
        "by_month": _read_list(form.values.get("by_month")),
        "by_set_pos": form.text("by_set_pos").lower().replace("last", "-1"),
        "short_months": form.text("short_months") or "skip",
    }


def _read_end(form: Form) -> dict[str, str]:
    ends = form.text("ends") or "never"
    if ends == "on":
        if not form.text("end_date"):
            raise errors.invalid("end_date", gettext("is required: choose the last day, or another way to end"), "required")
        return {"end_date": form.text("end_date")}
    if ends == "after":
        if not form.text("count"):
            raise errors.invalid("count", gettext("is required: enter how many times, or choose another way to end"), "required")
        return {"count": form.text("count")}
    return {}


def _add_rrule(params: RepeatInput, rrule: str) -> RepeatInput:
    """The parameters with a whole rule in place of the parts, and their end as part of it."""
    end = f";COUNT={params.count}" if params.count else f";UNTIL={params.end_date[:10].replace('-', '')}" if params.end_date else ""
    return RepeatInput(rrule=f"{rrule.rstrip(';')}{end}", also=params.also, start_date=params.start_date)


def _read_list(value: Any) -> list[str]:
    """The values of inputs that have the same name."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str) and each]

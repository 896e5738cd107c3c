"""The state of a form on a page: the values in its inputs, and their errors. And what protects the forms of guests against spam, without a
captcha: an input that people do not see, and a least time to fill in the form.

The time is signed and part of the form, so nothing is stored. Where scripts run, the page tells that someone pressed a key or a button,
and then no time is asked for: who lets the browser fill in the form is quick. A form that is refused is shown again with all that was
typed, and then sending it again is enough."""

import hmac
from collections.abc import Mapping
from functools import reduce
from typing import Any

from msgspec import Struct, field, structs

from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.tokens import derive
from kalends.http.context import Context
from kalends.http.input.form import Form

# The inputs: a name that programs like to fill in, the signed time, and what a script sets at the first key or tap of a person.
TRAP, TIME, BY_HAND = "website", "form_time", "by_hand"
# People need longer than this to fill in a form, and come back to an open tab within a day.
MIN_SECONDS, MAX_SECONDS = 2, 86_400
MAX_DIGITS = 15


class FormState(Struct):
    """The values in a form's inputs, the errors of some, and a message about the whole form."""

    values: Mapping[str, Any] = field(default_factory=dict)
    errors: list[FieldError] = field(default_factory=list)
    problem: str = ""
    # Makes the ids of inputs unique where a page has several forms.
    prefix: str = ""

    def id(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def value(self, name: str, default: Any = "") -> str:
        """The text in an input, whatever was sent under its name."""
        value = self.values.get(name)
        return _as_text(default if value is None else value)

    def texts(self, name: str) -> list[str]:
        """The values of the inputs that share a name, such as ticked boxes; a single one is not sent as a list."""
        value = self.values.get(name)
        return [text for each in (value if isinstance(value, list) else [value]) if (text := _as_text(each))]

    def error(self, name: str) -> str:
        messages = [each.message for each in self.errors if each.field == name]
        return reduce(lambda first, more: gettext("%(first)s; %(more)s", first=first, more=more), messages) if messages else ""

    def is_on(self, name: str) -> bool:
        """Whether a box is ticked."""
        return self.value(name).lower() in ("true", "1", "yes", "on")


def _as_text(value: Any) -> str:
    """A value as the text of an input. JSON carries any type; objects and files have no text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(filter(None, map(_as_text, value)))
    return str(value) if isinstance(value, int | float) else ""


def filled(record: Struct | Mapping[str, Any], typed: FormState | None = None) -> FormState:
    """A form with the fields of a record and, over them, the values that were typed."""
    values = record if isinstance(record, Mapping) else structs.asdict(record)
    return structs.replace(typed, values={**values, **typed.values}) if typed else FormState(values)


def sign_time(ctx: Context, action: str, form: FormState | None = None) -> str:
    """The time for a form that is sent to the path `action`. A form that was sent before, or is the second step, has waited already."""
    is_next = form is None or form.errors or form.problem
    return _sign(ctx, action, str(ctx.now - MIN_SECONDS if is_next else ctx.now))


def check(ctx: Context, form: Form) -> None:
    """Refuse a guest's form that a program seems to have sent."""
    if ctx.actor is not None:
        return
    if form.values.get(TRAP):
        raise errors.Invalid([], gettext("We could not tell whether a person sent this. Nothing is lost: please send it once more."))
    if ctx.settings.rate_limits == "on" and not form.text(BY_HAND) and not _is_in_time(ctx, form.text(TIME)):
        raise errors.Invalid([], gettext("That was very quick. Nothing is lost: please look at it again, and send it once more."))


def _is_in_time(ctx: Context, text: str) -> bool:
    digits = text.partition(".")[0]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS):
        return False
    is_ours = hmac.compare_digest(text.encode(errors="replace"), _sign(ctx, ctx.caller.path, digits).encode())
    return is_ours and MIN_SECONDS <= ctx.now - int(digits) <= MAX_SECONDS


def _sign(ctx: Context, action: str, digits: str) -> str:
    return f"{digits}.{derive(ctx.settings, 'form time', f'{digits} {action}')[:22]}"

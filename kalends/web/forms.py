"""Forms of pages: what stands in them, what is wrong with it, and how they are sent."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field, structs

from kalends import errors
from kalends.context import Context
from kalends.errors import FieldError
from kalends.http.endpoint import Document
from kalends.http.input.form import Form

# What goes wrong because of what was typed; anything else is an error page.
TYPED = (errors.Invalid, errors.Conflict, errors.Forbidden, errors.TooMany, errors.TooLarge, errors.Unavailable)


class FormState(Struct):
    """What a form shows: the values in its inputs, the broken ones, and a word on the whole."""

    values: Mapping[str, Any] = field(default_factory=dict)
    errors: list[FieldError] = field(default_factory=list)
    problem: str = ""
    # Where a page has several forms, what sets the ids of their inputs apart.
    prefix: str = ""

    def id(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def value(self, name: str, default: Any = "") -> Any:
        found = self.values.get(name)
        return default if found is None else found

    def error(self, name: str) -> str:
        return "; ".join(each.message for each in self.errors if each.field == name)

    def is_on(self, name: str) -> bool:
        """Whether a box is ticked."""
        return str(self.value(name)).lower() in ("true", "1", "yes", "on")


def filled(record: Struct | Mapping[str, Any], typed: FormState | None = None) -> FormState:
    """A form with the fields of a record and, over them, the values that were typed."""
    values = record if isinstance(record, Mapping) else structs.asdict(record)
    return structs.replace(typed, values={**values, **typed.values}) if typed else FormState(values)


def submit(
    ctx: Context, form: Form, act: Callable[[], Document], again: Callable[[FormState], Document], *, write: bool = True
) -> Document:
    """Do what the form asks, in one transaction; or show it again with all that was typed and what is wrong with it.

    write: False for actions that open their transactions themselves.
    """
    try:
        if ctx.refusal:
            raise ctx.refusal
        if not write:
            return act()
        with ctx.write():
            return act()
    except (*TYPED, errors.NotFound) as broken:
        if isinstance(broken, errors.NotFound) and not broken.errors:
            # What the page is about is gone; a name that was typed and is nobody's can be corrected.
            raise
        state = FormState(form.values, broken.errors, "" if broken.errors else broken.detail)
        ctx.headers.update(broken.headers)
        status = broken.status
    with ctx.read():
        shown = again(state)
    return structs.replace(shown, status=status)

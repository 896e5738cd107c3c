"""The state of a form on a page: the values in its inputs, and their errors."""

from collections.abc import Mapping
from functools import reduce
from typing import Any

from msgspec import Struct, field, structs

from kalends.core.errors import FieldError
from kalends.core.i18n import gettext


class FormState(Struct):
    """The values in a form's inputs, the errors of some, and a message about the whole form."""

    values: Mapping[str, Any] = field(default_factory=dict)
    errors: list[FieldError] = field(default_factory=list)
    problem: str = ""
    # Makes the ids of inputs unique where a page has several forms.
    prefix: str = ""

    def id(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def value(self, name: str, default: Any = "") -> Any:
        value = self.values.get(name)
        return default if value is None else value

    def error(self, name: str) -> str:
        messages = [each.message for each in self.errors if each.field == name]
        return reduce(lambda first, more: gettext("%(first)s; %(more)s", first=first, more=more), messages) if messages else ""

    def is_on(self, name: str) -> bool:
        """Whether a box is ticked."""
        return str(self.value(name)).lower() in ("true", "1", "yes", "on")


def filled(record: Struct | Mapping[str, Any], typed: FormState | None = None) -> FormState:
    """A form with the fields of a record and, over them, the values that were typed."""
    values = record if isinstance(record, Mapping) else structs.asdict(record)
    return structs.replace(typed, values={**values, **typed.values}) if typed else FormState(values)

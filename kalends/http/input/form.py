"""What somebody typed into a page's form: read by the same rules as the API's parameters, and shown again when a rule is broken."""

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct

from kalends import errors
from kalends.http.input import fields
from kalends.http.input.fields import Changes, Given, Upload

T = TypeVar("T", bound=Struct)


class Form:
    """The values as they came, by the names of their inputs."""

    def __init__(self, values: Mapping[str, Any]):
        self.values = dict(values)

    def text(self, name: str) -> str:
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def file(self, name: str) -> Upload | None:
        """The file that was chosen; a browser sends an empty one without a name if none was."""
        value = self.values.get(name)
        return value if isinstance(value, Upload) else None

    def without(self, *names: str) -> "Form":
        return Form({name: value for name, value in self.values.items() if name not in names})

    def read(self, kind: type[T]) -> T:
        """The parameters of an action, or every broken field."""
        found, broken = fields.read(kind, self.values)
        if found is None:
            raise errors.Invalid(broken)
        return found

    def given(self, kind: type[T]) -> Given[T]:
        """The same, with the names of what was given."""
        found, broken = fields.read_given(kind, self.values)
        if found is None:
            raise errors.Invalid(broken)
        return found

    def changes(self, kind: type[T]) -> Changes[T]:
        """What the form changes: all its inputs."""
        found, broken = fields.read_changes(kind, self.values)
        if broken:
            raise errors.Invalid(broken)
        return found

"""The values of a page's form, validated by the same rules as the parameters of the API."""

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct

from kalends.core import errors
from kalends.http.input import fields
from kalends.http.input.fields import Changes, Params
from kalends.http.input.multipart import Upload

T = TypeVar("T", bound=Struct)


class Form:
    """Unvalidated values, by the names of their inputs."""

    def __init__(self, values: Mapping[str, Any]):
        self.values = dict(values)

    def text(self, name: str) -> str:
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def file(self, name: str) -> Upload | None:
        """The uploaded file; without a choice, a browser sends an empty one without a name."""
        value = self.values.get(name)
        return value if isinstance(value, Upload) else None

    def without(self, *names: str) -> "Form":
        return Form({name: value for name, value in self.values.items() if name not in names})

    def read(self, kind: type[T]) -> T:
        """The validated parameters of an action; raises Invalid with every broken field."""
        params, broken = fields.read(kind, self.values)
        if params is None:
            raise errors.Invalid(broken)
        return params

    def params(self, kind: type[T]) -> Params[T]:
        """The validated parameters, with the names of those that were sent."""
        params, broken = fields.read_params(kind, self.values)
        if params is None:
            raise errors.Invalid(broken)
        return params

    def changes(self, kind: type[T]) -> Changes[T]:
        """The validated changes: all inputs of the form."""
        changes, broken = fields.read_changes(kind, self.values)
        if broken:
            raise errors.Invalid(broken)
        return changes

"""Options of fields that msgspec's Meta does not have."""

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec import Struct


class FieldOptions(Struct, frozen=True):
    """Options of a field, beside its Meta in `Annotated`.

    is_secret: the value is a credential; a reply that holds it is not stored.
    """

    is_secret: bool = False


# A credential in a reply.
Secret = Annotated[str, FieldOptions(is_secret=True)]


def has_secret(result: Any) -> bool:
    """Whether replies of this type hold a secret."""
    if get_origin(result) in (Union, UnionType):
        return any(has_secret(kind) for kind in get_args(result))
    if get_origin(result) is Annotated:
        return any(isinstance(each, FieldOptions) and each.is_secret for each in result.__metadata__) or has_secret(get_args(result)[0])
    if not (isinstance(result, type) and issubclass(result, Struct)):
        return False
    return any(has_secret(hint) for hint in get_type_hints(result, include_extras=True).values())

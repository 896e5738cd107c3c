"""A user as replies refer to them."""

from msgspec import Struct


class Person(Struct, frozen=True):
    """The id and display name of a user."""

    id: int
    name: str

"""The row of a user."""

from msgspec import Struct


class User(Struct, frozen=True):
    """A row of the table `users`."""

    id: int
    user_name: str
    email_address: str
    name: str | None
    time_zone: str
    password_hash: str
    created_at: int
    updated_at: int
    verified_at: int | None

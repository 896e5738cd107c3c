"""The row of a contact."""

from typing import Literal

from msgspec import Struct

Gender = Literal["male", "female"]


class Contact(Struct, frozen=True):
    """A row of the table `contacts`. An entry of the temporary list has its service, and expires."""

    id: int
    user_id: int
    first_name: str | None
    last_name: str | None
    phone_number: str | None
    email_address: str | None
    birthday: str | None
    gender: Gender | None
    country: str | None
    zip_code: str | None
    tags: str
    unique_id: str | None
    service: str | None
    expires_at: int | None
    version: int
    created_at: int
    updated_at: int

    @property
    def etag(self) -> str:
        return f"c{self.id}-{self.version}"

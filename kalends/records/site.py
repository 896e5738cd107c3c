"""The settings of the site: the row, and what is in force."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Registration = Annotated[
    Literal["open", "approval", "invitation", "closed"],
    Meta(description="Who can register: everybody, everybody whom an admin approves, who is invited, or nobody."),
]


class SiteRow(Struct, frozen=True):
    """The row of the table `site`; null where nothing is set."""

    name: str | None = None
    headline: str | None = None
    tagline: str | None = None
    # The path of a picture.
    logo: str | None = None
    accent_color: str | None = None
    time_zone: str | None = None
    language: str | None = None
    imprint_url: str | None = None
    privacy_url: str | None = None
    registration: Registration | None = None


class Site(Struct, frozen=True, kw_only=True):
    """The settings of the site in force."""

    name: str
    headline: str
    tagline: str
    logo: str | None
    accent_color: str
    time_zone: str
    language: str
    imprint_url: str
    privacy_url: str
    registration: Registration
    # Whether the reader administers it: what shows the settings also shows the way to change them.
    reader_is_admin: bool = False

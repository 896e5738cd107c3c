"""The settings of the site: the input and the replies of the API; and what a style sheet of an admin may have."""

import re
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.core.i18n import gettext
from kalends.core.i18n.catalogs import Language
from kalends.core.records.administration import Registration, SiteVisibility
from kalends.core.settings import COLOR, WEB_ADDRESS
from kalends.core.values import text
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import TimeZone

MAX_STYLE = 64 * 1024
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(?:\r\n|[\n\r\f])|(.))", re.DOTALL)
# A URL with its content in it loads nothing.
_DATA = re.compile(r"data:(?:image|font)/[a-z0-9.+-]+[;,][^\"')\s]*", re.IGNORECASE)
_BLANK = re.compile(r"[\t\r\n\f]")
_ELSEWHERE = re.compile(r"[/\\]{2}|\b(?:https?|ftp|wss?|file|blob):|@import", re.IGNORECASE)


def check_style(css: str) -> str:
    """The style sheet, if it is small enough and names no other address, so that browsers load nothing from elsewhere; else FieldInvalid.

    The policy of pages (Content-Security-Policy) forbids that, too; here the admin learns it when saving."""
    if len(css.encode()) > MAX_STYLE:
        raise FieldInvalid(gettext("must have at most 64 KiB"))
    # Browsers ignore line breaks in addresses, and read escapes.
    plain = _BLANK.sub("", _ESCAPE.sub(_decode, _DATA.sub("", _COMMENT.sub(" ", css))))
    if _ELSEWHERE.search(plain):
        raise FieldInvalid(gettext("must not load anything from other addresses: no @import, no https://"))
    return css


def _decode(match: re.Match[str]) -> str:
    """The character that an escape stands for. An escaped line break stands for nothing."""
    digits, character = match.groups()
    if not digits:
        return character or ""
    code = int(digits, 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


WebAddress = Annotated[
    str,
    Meta(max_length=2_000),
    FieldOptions(
        pattern=f"^{WEB_ADDRESS.pattern}$",
        pattern_message="must begin with http:// or https://",
        schema={"format": "uri"},
    ),
]
FIXED = "is set by the operator, and cannot be changed here"


class SiteInput(Struct, kw_only=True):
    """The settings of the site; null means the default."""

    OPTIONS: ClassVar = StructOptions(rules={"name": f"and each other one: {FIXED} if `fixed` lists it"})

    name: (
        Annotated[
            str,
            Meta(max_length=60, description="Name of the site, at the top of its pages and in the sender of invitations."),
            FieldOptions(pattern=text.DISPLAY_NAME, pattern_message=text.DISPLAY_NAME_REFUSAL),
        ]
        | None
    ) = None
    headline: Annotated[str, Meta(max_length=100, description="Title of the start page.")] | None = None
    tagline: Annotated[str, Meta(max_length=300, description="A line that says what the site is.")] | None = None
    accent_color: (
        Annotated[
            str,
            Meta(max_length=7, description="Colour of links and buttons; pages make it darker or lighter where it could not be read."),
            FieldOptions(pattern=f"^{COLOR.pattern}$", pattern_message="must be a colour such as #2a5db0"),
        ]
        | None
    ) = None
    time_zone: Annotated[TimeZone, Meta(description="Time zone in which guests see times until they choose another one.")] | None = None
    language: (
        Annotated[Language, Meta(description="Language of guests whose browser asks for none that there is, and of mail to them.")] | None
    ) = None
    imprint_url: Annotated[WebAddress, Meta(description="Address of the imprint, at the foot of each page.")] | None = None
    privacy_url: Annotated[WebAddress, Meta(description="Address of the privacy policy, at the foot of each page.")] | None = None
    registration: Registration | None = None
    visibility: SiteVisibility | None = None
    introduction: (
        Annotated[
            str,
            Meta(max_length=10_000, description="Introduction on the start page, in Markdown like the descriptions of events."),
            FieldOptions(multiline=True),
        ]
        | None
    ) = None
    style: (
        Annotated[
            str,
            Meta(max_length=MAX_STYLE, description="CSS for all pages but those of administration, at most 64 KiB."),
            FieldOptions(check=check_style, multiline=True),
        ]
        | None
    ) = None


class SiteDetail(Struct, kw_only=True):
    """The settings of the site in force."""

    name: Annotated[str, Meta(description="Name of the site.")]
    headline: Annotated[str, Meta(description="Title of the start page.")]
    tagline: Annotated[str | None, Meta(description="A line that says what the site is.")]
    logo_url: Annotated[str | None, Meta(description="URL of the logo; null if there is none.")]
    accent_color: Annotated[str | None, Meta(description="Colour of links and buttons; null for that of Kalends.")]
    time_zone: Annotated[str, Meta(description="Time zone in which guests see times until they choose another one.")]
    language: Annotated[str | None, Meta(description="Default language of the site.")]
    imprint_url: Annotated[str | None, Meta(description="URL of the imprint.")]
    privacy_url: Annotated[str | None, Meta(description="URL of the privacy policy.")]
    registration: Registration
    visibility: SiteVisibility
    introduction: Annotated[str | None, Meta(description="Introduction on the start page, in Markdown.")]
    style_url: Annotated[str | None, Meta(description="URL of the site's own style sheet; null if there is none.")]
    # For admins: the settings that the operator has set in the environment.
    fixed: Annotated[
        list[str] | UnsetType,
        Meta(description="The settings that the operator has set in the environment, and nobody can change here; for admins only."),
    ] = UNSET

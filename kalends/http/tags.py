"""Tags, as records carry them: comma-delimited text, each tag once."""

from typing import Annotated, Any

from msgspec import Meta

from kalends import errors, text
from kalends.http.fields import Bad
from kalends.http.types import Name

MAX_TAGS = 100
MAX_TAG = 200


def read_tags(value: Any) -> str:
    """Comma-delimited text or an array, as comma-delimited text: the first spelling counts, without duplicates."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(part is None or isinstance(part, str) for part in parts):
        raise Bad("must be a comma-delimited list of tags")
    tags: dict[str, str] = {}
    for tag in (piece.strip() for part in parts for piece in _clean_tag(part or "").split(",")):
        if tag:
            tags.setdefault(text.key(tag), tag)
    if len(tags) > MAX_TAGS:
        raise Bad(f"must have at most {MAX_TAGS} tags")
    return ",".join(tags.values())


def tagged(tag_list: str, tag: str) -> str:
    """The tags with one more, given as `tag`."""
    try:
        return read_tags([*tag_list.split(","), tag])
    except Bad as bad:
        raise errors.invalid("tag", str(bad)) from None


def _clean_tag(tag: str) -> str:
    try:
        cleaned = text.clean(tag)
    except ValueError as error:
        raise Bad(str(error)) from None
    if len(cleaned) > MAX_TAG:
        raise Bad(f"each tag must have at most {MAX_TAG} characters")
    return cleaned


TagList = Annotated[
    str, Meta(description="Comma-delimited tags, or an array; it replaces the tags.", extra={"read": read_tags, "like": list[Name]})
]

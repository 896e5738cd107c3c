"""Tags, as records carry them: comma-delimited text, each tag once."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values import text
from kalends.http.input.options import FieldOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import Name

MAX_TAGS = 100
MAX_TAG = 200
MOST_READ = 1_000
TOO_MANY = f"must have at most {MAX_TAGS} tags"


def read_tags(value: Any) -> str:
    """Comma-delimited text or an array, as comma-delimited text: the first spelling counts, without duplicates."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(part is None or isinstance(part, str) for part in parts):
        raise FieldInvalid("must be a comma-delimited list of tags", "wrong_type")
    tags: dict[str, str] = {}
    for tag in (piece.strip() for part in parts for piece in _clean_tag(part or "").split(",")):
        if tag:
            tags.setdefault(text.fold_case(tag), tag)
    if len(tags) > MAX_TAGS:
        raise FieldInvalid(TOO_MANY, "too_many")
    return ",".join(tags.values())


def readable_tags(values: Iterable[str]) -> tuple[str, list[str]]:
    """The valid tags of a file as one text, and a remark for each reason why others were left out."""
    tags: dict[str, str] = {}
    refused: Counter[str] = Counter()
    for number, tag in enumerate(values):
        try:
            if number >= MOST_READ:
                raise FieldInvalid(TOO_MANY, "too_many")
            pieces = read_tags([tag]).split(",")
        except FieldInvalid as error:
            refused[str(error)] += 1
            continue
        for piece in filter(None, pieces):
            tags.setdefault(text.fold_case(piece), piece)
    if len(tags) > MAX_TAGS:
        refused[TOO_MANY] += len(tags) - MAX_TAGS
    words = [f"{count:,} {'tag was' if count == 1 else 'tags were'} left out: {reason}" for reason, count in refused.items()]
    return ",".join(list(tags.values())[:MAX_TAGS]), words


def tagged(tag_list: str, tag: str) -> str:
    """The tags with one more, from the parameter `tag`."""
    try:
        return read_tags([*tag_list.split(","), tag])
    except FieldInvalid as error:
        raise errors.invalid("tag", error.message, error.code) from None


def _clean_tag(tag: str) -> str:
    try:
        cleaned = text.clean(tag)
    except ValueError as error:
        raise FieldInvalid(error.args[0]) from None
    if len(cleaned) > MAX_TAG:
        raise FieldInvalid(gettext("each tag must have at most %(max)s characters", max=MAX_TAG), "too_long")
    return cleaned


ONE_TAG = "must be one tag, without a comma; send several as tag_list"

Tag = Annotated[Name, Meta(description="One tag to append."), FieldOptions(pattern="^[^,]+$", pattern_message=ONE_TAG)]
TagList = Annotated[
    str,
    Meta(max_length=MAX_TAGS * (MAX_TAG + 1), description="Comma-delimited tags, or an array; replaces the tags."),
    FieldOptions(read=read_tags, schema={}, takes_list=True),
]

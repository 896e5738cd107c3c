"""Pages of a list: limit and offset in, a link to the next page out; and the fields of its records that a client asks for."""

import re
from collections.abc import Callable
from typing import Annotated, Any, TypedDict, TypeVar, cast
from urllib.parse import quote, unquote

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.context import Context
from kalends.http.input.fields import reader
from kalends.http.input.params import SECRETS
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import Name

MAX_PAGE = 500
# What the URL of another page has its own values for. Secrets stay out.
OWN = frozenset({"limit", "offset", "after"}) | SECRETS
# What may stand in a query as it was sent. (A quotation mark, say, may not.)
_SENT = "%&=+!$'()*,;:@/?"
_SAFE = re.compile(rf"[A-Za-z0-9._~{_SENT}-]*")

T = TypeVar("T")
Record = TypeVar("Record", bound=Struct)
FIELDS = "Comma-delimited names of the fields to return; `id` is always among them. Without it, all."
_read_names = reader(list[Name])


class Paging(Struct, kw_only=True, frozen=True):
    """The parameters of every index."""

    limit: Annotated[int, Meta(ge=0, description="Maximum number of results; more than 500 counts as 500.")] = 50
    offset: Annotated[int, Meta(ge=0, description="The position to return results from.")] = 0
    count: Annotated[bool, Meta(description="Whether to say the `total` too.")] = False

    @property
    def size(self) -> int:
        return min(self.limit, MAX_PAGE)

    @property
    def fetch(self) -> int:
        """One more than the page holds tells whether there is a next one."""
        size = self.size
        return size + 1 if size else 0


class Page(Struct, kw_only=True):
    """The fields of every index, after its records."""

    limit: Annotated[int, Meta(description="The page size in force; at most 500.")]
    offset: Annotated[int, Meta(description="The position of the first result.")]
    next: Annotated[str | None, Meta(description="Path and query of the next page; null on the last one.")]
    total: Annotated[int | UnsetType, Meta(description="The number of results on all pages, if `count=true` was sent.")] = UNSET


class PageFields(TypedDict):
    """The fields of a `Page`, to make an index with."""

    limit: int
    offset: int
    next: str | None
    total: int | UnsetType


def slice_page(ctx: Context, params: Paging, rows: list[T]) -> tuple[list[T], PageFields]:
    """The page of a short list that was read as a whole, with the other fields of an index."""
    return build_page(ctx, params, rows[params.offset : params.offset + params.fetch], lambda: len(rows))


def build_page(ctx: Context, params: Paging, rows: list[T], count: Callable[[], int]) -> tuple[list[T], PageFields]:
    """The page of the rows that were fetched, with the other fields of an index; count: of all pages, called if the client asks."""
    page, next_page = paginate(ctx, params, rows)
    return page, {"limit": params.size, "offset": params.offset, "next": next_page, "total": count() if params.count else UNSET}


def paginate(
    ctx: Context, params: Paging, rows: list[T], after: Callable[[T], str] | None = None, resume: str | None = None
) -> tuple[list[T], str | None]:
    """The page of the rows that were fetched, and the URL of the next page.

    after: the cursor of a row, for keyset pagination; in digits and dots.
    resume: where the next page begins if the list has not been read to its end.
    """
    size = params.size
    if len(rows) <= size and resume is None:
        return rows, None
    sent = ctx.caller.query
    if not _SAFE.fullmatch(sent):
        sent = quote(sent, _SENT)
    query = [pair for pair in sent.split("&") if pair and not _is_own(pair.partition("=")[0])]
    query += [f"limit={size}", f"offset={params.offset + size}"]
    if after:
        query.append(f"after={after(rows[size - 1]) if len(rows) > size else resume}")
    return rows[:size], f"{ctx.caller.path}?{'&'.join(query)}"


def _is_own(name: str) -> bool:
    return name in OWN or ("%" in name and unquote(name) in OWN)


def read_fields(kind: type[Struct], value: Any) -> list[str]:
    """The names, each a field of the record."""
    names: list[str] = [name.strip() for name in _read_names(value)]
    unknown = [name for name in names if name not in kind.__struct_fields__]
    if unknown:
        choices = ", ".join(kind.__struct_fields__)
        raise FieldInvalid(f"there is no field {', '.join(unknown)}; choose from {choices}", "not_a_choice")
    return list(dict.fromkeys(["id", *names]))


def select(record: Record, names: list[str] | None) -> Record:
    """The record with these fields alone, encoded as if it had no others; the whole record without names."""
    if not names:
        return record
    return cast(Record, {name: value for name in names if (value := getattr(record, name)) is not UNSET})

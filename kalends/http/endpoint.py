"""Declare an endpoint: the decorator registers the function and returns it unchanged."""

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from msgspec import Struct

from kalends.http.input import fields
from kalends.http.input.fields import Changes, Given
from kalends.http.input.form import Form

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = {
    "json": "application/json",
    "ics": "text/calendar",
    "csv": "text/csv",
    "vcf": "text/vcard",
    "html": "text/html",
    "txt": "text/plain",
}

CALENDAR_FILE = "text/calendar; charset=utf-8"

# How the parameters are read that an action annotates so.
READERS: dict[Any, Callable[..., Any]] = {Changes: fields.read_changes, Given: fields.read_given}

_VARIABLE = re.compile(r"{(\w+)}")
_SUFFIX = re.compile(r"\.(ics|csv|vcf)$")


class Document(Struct, frozen=True):
    """An answer that is not JSON: a page, a feed, an export."""

    body: bytes
    content_type: str
    status: int = 200


class Endpoint(Struct, frozen=True):
    """One action, as it was declared."""

    method: str
    path: str
    format: str
    function: Callable[..., Any]
    status: int
    also: int | None
    guests: bool
    limited: bool
    transaction: bool
    credentials: bool
    versioned: bool
    quick: bool
    rechecks: bool
    pool: str
    variables: dict[str, type]
    params: type[Struct] | None
    is_form: bool
    read: Callable[..., Any]
    result: Any

    @property
    def partial(self) -> bool:
        """Whether only what is given is changed."""
        return self.read is fields.read_changes

    @property
    def resource(self) -> str:
        """The first word of the path after /api: `events`."""
        return _resource(self.path)

    @property
    def wrapper(self) -> str:
        """The name in which a client may wrap the fields: `event`, `delivery`."""
        return _wrapper(self.path)

    @property
    def action(self) -> str:
        return self.function.__name__.rstrip("_")

    @property
    def name(self) -> str:
        return f"{self.resource}.{self.action}"

    @property
    def url(self) -> str:
        """The path as clients write it, with the suffix that chooses the format."""
        return self.path if self.format in ("json", "html", "txt") else f"{self.path}.{self.format}"

    @property
    def takes_file(self) -> bool:
        if self.is_form:
            return self.pool == "upload"
        return self.params is not None and any(field.is_file for field in fields.fields_of(self.params))

    @property
    def writes(self) -> bool:
        return self.method != "GET"

    @property
    def once(self) -> bool:
        """Whether it heeds an Idempotency-Key: every unsafe method of the API does. Pages are sent by browsers, which have none."""
        return self.writes and self.in_api

    @property
    def in_api(self) -> bool:
        """Whether it is an action of the API rather than a page."""
        return self.path.startswith("/api/")

    @property
    def documentation(self) -> str:
        return inspect.getdoc(self.function) or ""


@cache
def _resource(path: str) -> str:
    words = [word for word in path.split("/") if word and word != "api"]
    return words[0] if words else "home"


@cache
def _wrapper(path: str) -> str:
    resource = _resource(path)
    return f"{resource.removesuffix('ies')}y" if resource.endswith("ies") else resource.removesuffix("s")


registry: list[Endpoint] = []


def endpoint(
    method: str,
    path: str,
    *,
    status: int = 200,
    also: int | None = None,
    guests: bool = False,
    limited: bool = False,
    transaction: bool = True,
    credentials: bool = True,
    versioned: bool = False,
    quick: bool = False,
    rechecks: bool = False,
    result: Any = None,
    pool: Literal["request", "hash", "upload"] = "request",
    format: str = "",
) -> Callable[[F], F]:
    """Declare the function as the action behind method and path.

    also: another status of success, which the action may choose by `ctx.status`.
    guests: people who are not signed in may use it (policy decides; this is for the documentation, and tested).
    limited: guests' calls count against the rate limit.
    credentials: False where sessions and keys mean nothing.
    versioned: the record's version is answered as ETag, and If-Match or If-None-Match asks for it (for the documentation).
    quick: it reads a record by its key, which takes a moment where the database is inside: no thread of its own is needed for that.
    rechecks: it checks a credential, and does so each time, before a request under the same Idempotency-Key gets its answer again.
    result: what it returns, for the documentation, where it also serves an older form of request with another reply.
    pool: the threads that run it: `hash` if it may hash a password, `upload` if it imports. An action with an optional file is of the
        `upload` pool whenever it is sent one.
    transaction: False where the action must not hold one all along (it hashes a password, or waits for the network). One that is
        given a file holds none either: it opens its own.
    """

    def declare(function: F) -> F:
        suffix = _SUFFIX.search(path)
        bare = path[: suffix.start()] if suffix else path
        hints = get_type_hints(function, include_extras=True)
        params, read = hints.get("params"), fields.read
        is_form = params is Form
        if get_origin(params) in READERS:
            read, params = READERS[get_origin(params)], get_args(params)[0]
        declared = Endpoint(
            method=method,
            path=bare,
            format=format or (suffix.group(1) if suffix else "json"),
            function=function,
            status=status,
            also=also,
            guests=guests,
            limited=limited,
            transaction=transaction,
            credentials=credentials,
            versioned=versioned,
            quick=quick,
            rechecks=rechecks,
            pool=pool,
            variables={name: hints[name] for name in _VARIABLE.findall(bare)},
            params=None if is_form else params,
            is_form=is_form,
            read=read,
            result=result or hints["return"],
        )
        registry.append(declared)
        return function

    return declare

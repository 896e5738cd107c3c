"""Declare endpoints on their functions, and collect them from the modules of the features."""

import inspect
import re
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any, Literal, TypedDict, TypeVar, Unpack, get_args, get_origin, get_type_hints

from msgspec import Struct

from kalends.http.input import fields
from kalends.http.input.fields import Changes, Params
from kalends.http.input.form import Form

F = TypeVar("F", bound=Callable[..., Any])
Pool = Literal["request", "hash", "upload", "file"]

FORMATS = {
    "json": "application/json",
    "ics": "text/calendar",
    "csv": "text/csv",
    "vcf": "text/vcard",
    "html": "text/html",
    "txt": "text/plain",
    "sse": "text/event-stream",
    "xml": "application/xml",
    "zip": "application/zip",
}

# Safe methods (RFC 9110, RFC 4918 and RFC 3253): they change nothing.
READ_METHODS = frozenset({"GET", "HEAD", "PROPFIND", "REPORT"})

CALENDAR_FILE = "text/calendar; charset=utf-8"

# The readers of parameters, by the generic type of their annotation.
READERS: dict[Any, Callable[..., Any]] = {Changes: fields.read_changes, Params: fields.read_params}

_VARIABLE = re.compile(r"{(\w+)}")
# The attribute of a function that holds its declarations.
_DECLARED = "endpoints"
_SUFFIX = re.compile(r"\.(ics|csv|vcf)$")


class Document(Struct, frozen=True):
    """A reply that is not JSON: a page, a feed, an export."""

    body: bytes
    content_type: str
    status: int = 200


class Endpoint(Struct, frozen=True, kw_only=True):
    """The declaration of one action."""

    method: str
    path: str
    format: str
    function: Callable[..., Any]
    variables: dict[str, type]
    # The Struct of its parameters; None for a page's form, which is bound as it came.
    params: type[Struct] | None
    is_form: bool
    read: Callable[..., Any]
    # What it returns, for the documentation.
    result: Any
    status: int = 200
    # Another status of success, which the action may choose by `ctx.status`.
    other_status: int | None = None
    # People who are not signed in may use it (policy decides; this is for the documentation, and tested).
    guests: bool = False
    # Guests' calls count against the rate limit.
    rate_limited: bool = False
    # False where the action opens its transactions itself, because it hashes a password or waits for the network. An action
    # that gets a file always does.
    transaction: bool = True
    # False where sessions and keys are ignored.
    credentials: bool = True
    # The URL is the permission: a form is accepted without proof that one of our pages sent it. (From a page without a referrer,
    # browsers send `Origin: null`.)
    by_link: bool = False
    # The reply has the record's version as ETag, and If-Match or If-None-Match may ask for it (for the documentation).
    etag: bool = False
    # The reply has the record's version as ETag, but If-Match is not taken: it creates the record, or takes whatever version there is.
    only_tags: bool = False
    # The path of the record that it creates, by fields of the reply: `/api/events/{id}`. Its creator can read it there.
    location: str = ""
    # Only admins may read it (policy decides; this is for the documentation).
    for_admins: bool = False
    # It reads no database and waits for nothing, so that it is served while every thread is busy.
    on_event_loop: bool = False
    # Its replies are sent at a fixed time after the request (serving/edge.py): they must not disclose whether an address is known.
    fixed_time: bool = False
    # It reads what was committed last, not what a replica shows.
    is_fresh: bool = False
    # False where the reply says whether the server takes further requests: it is 503 while the server stops.
    while_stopping: bool = True
    # The thread pool that runs it: `hash` if it may hash a password, `upload` if it imports. An action with an optional file, or a form
    # with the pool `file`, runs in the `upload` pool when it gets one.
    pool: Pool = "request"
    # The action for a JSON array of up to 500 of its parameters, all or none.
    batch: Callable[..., Any] | None = None

    @property
    def is_partial(self) -> bool:
        """Whether fields that are not sent stay unchanged."""
        return self.read is fields.read_changes

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that run it: GET is HEAD too, and PATCH is another name of the PUT of an update, which is partial anyway."""
        is_update = self.method == "PUT" and self.in_api and self.action.startswith("update")
        other = {"GET": ("HEAD",), "PUT": ("PATCH",) if is_update else ()}.get(self.method, ())
        return self.method, *other

    @property
    def resource(self) -> str:
        """The first segment of the path after /api: `events`."""
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
        return self.path if self.format in ("json", "html", "txt", "sse", "xml", "zip") else f"{self.path}.{self.format}"

    @property
    def takes_file(self) -> bool:
        if self.is_form:
            return self.pool in ("upload", "file")
        return self.params is not None and any(field.is_file for field in fields.fields_of(self.params))

    @property
    def writes(self) -> bool:
        return self.method not in READ_METHODS

    @property
    def takes_idempotency_key(self) -> bool:
        """Whether it takes an Idempotency-Key: every unsafe method of the API does. Browsers send none with forms."""
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
    segments = [segment for segment in path.split("/") if segment and segment != "api"]
    return segments[0] if segments else "home"


@cache
def _wrapper(path: str) -> str:
    resource = _resource(path)
    return f"{resource.removesuffix('ies')}y" if resource.endswith("ies") else resource.removesuffix("s")


class Options(TypedDict, total=False):
    """The options of a declaration; see the fields of Endpoint."""

    status: int
    other_status: int | None
    guests: bool
    rate_limited: bool
    transaction: bool
    credentials: bool
    by_link: bool
    etag: bool
    only_tags: bool
    location: str
    for_admins: bool
    on_event_loop: bool
    fixed_time: bool
    is_fresh: bool
    while_stopping: bool
    pool: Pool
    batch: Callable[..., Any] | None
    # Where it also serves an older form of request with another reply.
    result: Any


def endpoint(method: str, path: str, *, format: str = "", **options: Unpack[Options]) -> Callable[[F], F]:
    """Declare the function as the action behind method and path. The function itself stays as it is."""

    def declare(function: F) -> F:
        attach(function, declaration(function, method, path, format=format, **options))
        return function

    return declare


def declaration(function: Callable[..., Any], method: str, path: str, *, format: str = "", **options: Unpack[Options]) -> Endpoint:
    """The endpoint of a function, by its type hints. The suffix of the path chooses the format, unless it is given."""
    suffix = _SUFFIX.search(path)
    bare = path[: suffix.start()] if suffix else path
    hints = get_type_hints(function, include_extras=True)
    params, read = hints.get("params"), fields.read
    is_form = params is Form
    if get_origin(params) in READERS:
        read, params = READERS[get_origin(params)], get_args(params)[0]
    return Endpoint(
        method=method,
        path=bare,
        format=format or (suffix.group(1) if suffix else "json"),
        function=function,
        variables={name: hints[name] for name in _VARIABLE.findall(bare)},
        params=None if is_form else params,
        is_form=is_form,
        read=read,
        **{"result": hints["return"]} | options,
    )


def attach(function: Callable[..., Any], declared: Endpoint) -> None:
    """Keep a declaration on its function, which may have several."""
    vars(function).setdefault(_DECLARED, []).append(declared)


def endpoints_of(features: Iterable[ModuleType]) -> list[Endpoint]:
    """Every endpoint that these modules declare, in their order."""
    return [
        declared
        for feature in features
        for value in vars(feature).values()
        if inspect.isfunction(value) and value.__module__ == feature.__name__
        for declared in declared_on(value)
    ]


def declared_on(function: Callable[..., Any]) -> list[Endpoint]:
    """The endpoints that are declared on the function."""
    declared: list[Endpoint] = vars(function).get(_DECLARED, [])
    return declared

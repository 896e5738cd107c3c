"""The router: it finds the endpoint of a request by its path, its method and its format."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.http.endpoint import FORMATS, Endpoint
from kalends.http.reply import Reply, add_vary
from kalends.http.request import Request
from kalends.http.run_endpoint import EndpointRunner

# Sets what runs a request to a path that is no endpoint's.
Mount = Callable[[Request], None]

# The methods of a mount at the path of an endpoint.
MOUNTED_METHODS = ("OPTIONS", "PROPFIND", "REPORT")

_WORD = re.compile(r"[A-Za-z0-9._-]{1,200}")
_VARIABLE = re.compile(r"{(\w+)}")


class Router:
    """A tree of path segments. A segment that is written in a path goes before a variable."""

    def __init__(self, runners: Iterable[EndpointRunner], mounts: Mapping[str, Mount] | None = None):
        """mounts: what routes the paths from these on. At the path of an endpoint it gets the methods of WebDAV."""
        self._root = _Segment()
        paths: dict[str, list[EndpointRunner]] = {}
        for runner in runners:
            paths.setdefault(runner.endpoint.path, []).append(runner)
        for path, actions in paths.items():
            self._add(path, actions)
        for path, mount in (mounts or {}).items():
            self._mount(path, mount)

    def route(self, request: Request) -> None:
        """Set what runs the request, or the error to send. A trailing slash and more slashes at the beginning are ignored."""
        path = request.path or "/"
        if path[-1] == "/" and len(path) > 1:
            path = path[:-1]
        if "." in path and path.startswith("/api/"):
            root, _, suffix = path.rpartition(".")
            if suffix in FORMATS:
                request.format, path = suffix, root
        request.path = path
        segment, variables = self._root, request.variables
        for name in path.lstrip("/").split("/"):
            child = segment.children.get(name)
            if child is None:
                child = segment.variable
                value = segment.convert(name) if child else None
                if child is None or value is None:
                    segment.route_below(request)
                    return
                variables[segment.name] = value
            segment = child
        if segment.path is None:
            segment.route_below(request)
        else:
            segment.path.route(request)

    def _add(self, path: str, actions: list[EndpointRunner]) -> None:
        segment = self._root
        for name in path.lstrip("/").split("/"):
            variable = _VARIABLE.fullmatch(name)
            segment = segment.with_variable(variable[1], actions[0].endpoint) if variable else segment.with_child(name)
        segment.path = _Path(actions)

    def _mount(self, path: str, mount: Mount) -> None:
        segment = self._root
        for name in path.lstrip("/").split("/"):
            segment = segment.with_child(name)
        if segment.path:
            segment.path.mount = mount
        else:
            segment.mount = mount


class _Segment:
    """A segment of paths: what may follow it, and the actions of the path that ends with it."""

    __slots__ = ("children", "convert", "mount", "name", "path", "variable")

    def __init__(self) -> None:
        self.children: dict[str, _Segment] = {}
        self.name = ""
        self.convert: Callable[[str], Any] = _to_word
        self.variable: _Segment | None = None
        self.path: _Path | None = None
        self.mount: Mount | None = None

    def route_below(self, request: Request) -> None:
        """Route a request whose path has no endpoint."""
        if self.mount:
            self.mount(request)
        else:
            request.refusal = _no_such_path()

    def with_child(self, name: str) -> "_Segment":
        return self.children.setdefault(name, _Segment())

    def with_variable(self, name: str, endpoint: Endpoint) -> "_Segment":
        convert = _to_id if endpoint.variables[name] is int else _to_word
        if self.variable is None:
            self.name, self.convert, self.variable = name, convert, _Segment()
        assert (self.name, self.convert) == (name, convert), f"{endpoint.path}: another path has {{{self.name}}} there"
        return self.variable


class _Path:
    """One path: its actions by method and format."""

    def __init__(self, runners: list[EndpointRunner]):
        self._template = _template(runners[0].endpoint)
        self._formats: dict[str, dict[str, EndpointRunner]] = {}
        for runner in runners:
            for method in runner.endpoint.methods:
                self._formats.setdefault(method, {})[runner.endpoint.format] = runner
        self._default_formats = {method: next(iter(formats)) for method, formats in self._formats.items()}
        self.mount: Mount | None = None

    def route(self, request: Request) -> None:
        request.template = self._template
        offered = self._formats.get(request.method)
        if offered is None:
            self._route_other(request)
            return
        format = request.format
        if not format:
            format = self._default_formats[request.method]
            if len(offered) > 1:
                if "accept" in request.headers:
                    format = _preferred_format(request.headers["accept"], offered, format)
                add_vary(request.reply_headers, "Accept")
        runner = offered.get(format)
        if runner is None:
            methods = self._methods(format)
            request.refusal = errors.MethodNotAllowed(methods) if methods else _no_such_path()
            return
        request.endpoint, request.run = runner.endpoint, runner

    def _route_other(self, request: Request) -> None:
        if self.mount and request.method in MOUNTED_METHODS:
            self.mount(request)
        elif request.method == "OPTIONS":
            request.run = self._list_methods
        else:
            request.refusal = errors.MethodNotAllowed([*self._formats, *(MOUNTED_METHODS if self.mount else ["OPTIONS"])])

    def _methods(self, format: str) -> list[str]:
        """The methods that the path has in this format."""
        methods = [method for method, formats in self._formats.items() if format in formats]
        return [*methods, "OPTIONS"] if methods else []

    def _list_methods(self, request: Request) -> Reply:
        """OPTIONS. The formats of a path may differ in their methods."""
        formats = [name for offered in self._formats.values() for name in offered]
        methods = self._methods(request.format or ("json" if "json" in formats else formats[0]))
        if not methods:
            raise _no_such_path()
        return Reply(200, FORMATS["json"], b"", {"Allow": ", ".join(sorted(methods))})


def _to_id(value: str) -> int | None:
    """A positive 64-bit integer; no record has any other id."""
    if value.isascii() and value.isdigit() and len(value) <= 19 and 0 < (number := int(value)) < 2**63:
        return number
    return None


def _to_word(value: str) -> str | None:
    """A public id or a file name."""
    return value if _WORD.fullmatch(value) else None


def _template(endpoint: Endpoint) -> str:
    """The path with the kinds of its variables, as the log and the metrics name it."""
    path = endpoint.path
    for name, kind in endpoint.variables.items():
        path = path.replace(f"{{{name}}}", f"{{{name}:{'id' if kind is int else 'word'}}}")
    return path


def _preferred_format(accept: str, offered: Iterable[str], default: str) -> str:
    if accept in ("", "*/*"):
        return default
    try:
        qualities = _qualities(accept)
    except ValueError:
        return default
    best = max(offered, key=lambda name: _quality(FORMATS[name], qualities))
    return best if _quality(FORMATS[best], qualities) > 0 else default


def _qualities(accept: str) -> dict[str, float]:
    """The media ranges of an Accept header field and their weights (RFC 9110, section 12.5.1)."""
    qualities: dict[str, float] = {}
    for item in accept.split(","):
        media_range, *params = (part.strip().lower() for part in item.split(";"))
        weight = next((param[2:] for param in params if param.startswith("q=")), "1")
        qualities[media_range] = max(float(weight), qualities.get(media_range, 0))
    return qualities


def _quality(media_type: str, qualities: dict[str, float]) -> float:
    """The weight of the most specific range that has the type."""
    ranges = (media_type, f"{media_type.partition('/')[0]}/*", "*/*", "*")
    return next((qualities[media_range] for media_range in ranges if media_range in qualities), 0)


def _no_such_path() -> errors.NotFound:
    return errors.NotFound(gettext("There is no such path. Check the URL."))

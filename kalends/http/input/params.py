"""Read the parameters of a request from its query string and body into one set."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from math import inf
from typing import Any, NoReturn
from urllib.parse import unquote_to_bytes

import msgspec

from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.http.endpoint import Endpoint
from kalends.http.input.fields import REPEATED, Field, fields_of
from kalends.http.input.form import Form
from kalends.http.input.multipart import Upload, read_parts
from kalends.http.input.options import split_annotated, struct_options
from kalends.http.input.readers import Repeated
from kalends.http.request import Request

BEARERS = frozenset({"wkey", "token"})
SECRETS = BEARERS | {"password", "digest", "access_token", "shared_secret"}
# Parameters of reads that are refused where they are unknown, since ignoring them would change the result too much.
NEVER_IGNORED = frozenset({"order", "fields"})

JSON, MULTIPART = "application/json", "multipart/form-data"
MAX_DEPTH = 8
MAX_KEYS = 1_000
BODY_LIMIT = 1024 * 1024
UPLOAD_LIMIT = 10 * 1024 * 1024
# Multipart boundaries and the other fields come on top of an upload.
FRAMING = 64 * 1024

_BRACKETS = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_KEY = re.compile(r"\[([^\[\]]*)\]")
# A tuple: a union of types would be made anew for each value.
_CONTAINERS = (dict, list)
_BROKEN = re.compile(r"%(?![0-9A-Fa-f]{2})")
# What the body and the query string must not say differently, whatever the endpoint: a write that was meant as a trial would be done.
ALWAYS_SAME = frozenset({"dry_run"})


def bind(endpoint: Endpoint, params: dict[str, Any], *, is_strict: bool) -> Any:
    """The endpoint's parameter Struct (or Changes to it, or None); every invalid field is reported at once."""
    if endpoint.is_form:
        # A page sends a checkbox after a hidden field of the same name, which stands for it when it is not ticked.
        return Form({name: value[-1] if isinstance(value, Repeated) else value for name, value in params.items()})
    refuses_unknown = is_strict or struct_options(endpoint.params).refuses_unknown
    checked = params if refuses_unknown or not params else _never_ignored(endpoint, params)
    unknown = _unknown(checked, fields_of(endpoint.params) if endpoint.params is not None else ()) if checked else []
    value: Any = None
    invalid: list[FieldError] = []
    if endpoint.params is not None:
        value, invalid = endpoint.read(endpoint.params, params)
    if invalid or unknown:
        raise errors.Invalid(invalid + unknown)
    return value


def _never_ignored(endpoint: Endpoint, params: dict[str, Any]) -> dict[str, Any]:
    names = struct_options(endpoint.params).never_ignored if endpoint.writes else NEVER_IGNORED
    if names.isdisjoint(params) or not endpoint.in_api:
        return {}
    return {name: value for name, value in params.items() if name in names}


def gather(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """All parameters of the request: the body's win over the query string's."""
    params = gather_query(request.query, endpoint) if request.query else {}
    if request.body:
        sent = _unwrapped(_body(request, endpoint), endpoint)
        if params:
            _refuse_differences(params, sent, struct_options(endpoint.params).same_in_query | ALWAYS_SAME)
        params |= sent
    return params


def _refuse_differences(query: dict[str, Any], body: dict[str, Any], names: frozenset[str]) -> None:
    differing = [name for name in sorted(names & query.keys() & body.keys()) if query[name] != body[name]]
    if differing:
        raise errors.Invalid([FieldError(name, "differs from that in the address; send one of them", "conflict") for name in differing])


def gather_query(query: str, endpoint: Endpoint) -> dict[str, Any]:
    """The parameters of the query string."""
    params = _unwrapped(_form(query), endpoint)
    if not SECRETS.isdisjoint(params):
        _refuse_secrets(params, endpoint)
    return params


def read_array(request: Request, endpoint: Endpoint) -> list[Any]:
    """The JSON array of the body."""
    if _media_type(request, endpoint) != JSON:
        raise errors.UnsupportedMediaType("Send a list as application/json, and say so in Content-Type.")
    value = _decode_json(request.body)
    assert isinstance(value, list)
    return value


def read_item(item: dict[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """The parameters of an item of an array, in which as many keys may be as in a body."""
    _check_size(item)
    return _unwrapped(item, endpoint)


def _refuse_secrets(query: dict[str, Any], endpoint: Endpoint) -> None:
    """Refuse a secret in the query string that is not a parameter: the client expects to be signed in, and would be a guest."""
    names = endpoint.params.__struct_fields__ if endpoint.params is not None else ()
    misplaced = SECRETS & query.keys() - set(names)
    if not misplaced or not endpoint.in_api:
        return
    if misplaced & BEARERS:
        raise errors.InvalidToken("Send the token or the key as 'Authorization: Bearer …'. Addresses are kept in logs and histories.")
    message = "is not a parameter of this action, and a secret does not belong in an address"
    raise errors.Invalid([FieldError(name, message, "unknown") for name in sorted(misplaced)])


def _unwrapped(params: dict[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """The fields, with or without the wrapper of the resource's name. Bare ones win: the link to a next page adds them."""
    wrapper = endpoint.wrapper
    if wrapper not in params or not isinstance(params[wrapper], dict | Repeated):
        return params
    known = {field.name for field in fields_of(endpoint.params)} if endpoint.params is not None else set()
    if isinstance(params[wrapper], Repeated):
        if wrapper not in known and any(isinstance(value, dict) for value in params[wrapper]):
            raise errors.Invalid([FieldError(wrapper, REPEATED, "repeated")])
        return params
    if wrapper in known and not known & set(params[wrapper]):
        # The text of a comment is named `comment`, too: an object that has none of the fields is the value of that field.
        return params
    inner: dict[str, Any] = params.pop(wrapper)
    return inner | params


def is_strict(request: Request) -> bool:
    """Whether the request says `Prefer: handling=strict` (RFC 7240)."""
    if "prefer" not in request.headers:
        return False
    for preference in request.headers["prefer"].split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        if name.strip().lower() == "handling":
            return value.strip().strip('"').lower() == "strict"
    return False


def _unknown(params: dict[str, Any], fields: Iterable[Field], written: str = "{}") -> list[FieldError]:
    known = {field.name: split_annotated(field.type)[0] for field in fields}
    unknown: list[FieldError] = []
    for name, value in params.items():
        if name not in known:
            printable = name.encode(errors="backslashreplace").decode()
            unknown.append(FieldError(written.format(printable), "is not a parameter of this action", "unknown"))
        elif isinstance(value, dict) and isinstance(known[name], type) and issubclass(known[name], msgspec.Struct):
            unknown += _unknown(value, fields_of(known[name]), written.format(name) + "[{}]")
    return unknown


def _body(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    content = request.body
    kind = _media_type(request, endpoint)
    if kind == JSON:
        return _json(content)
    if kind == "application/x-www-form-urlencoded":
        return _form(_utf8(content))
    if kind == MULTIPART:
        return _multipart(content, request.headers["content-type"])
    raise errors.UnsupportedMediaType(
        "Send application/json, application/x-www-form-urlencoded or multipart/form-data, and say so in Content-Type."
    )


def _media_type(request: Request, endpoint: Endpoint) -> str:
    """The media type of the body, which must not be too large. Types that end with +json are JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if len(request.body) > (UPLOAD_LIMIT + FRAMING if kind == MULTIPART and endpoint.takes_file else BODY_LIMIT):
        raise errors.TooLarge(gettext("A body can be at most 1 MiB, and a file at most 10 MiB where an action takes one."))
    if request.headers.get("content-encoding") not in (None, "", "identity"):
        raise errors.UnsupportedMediaType("Send the body as it is, without a Content-Encoding.")
    return JSON if kind.endswith("+json") else kind


def _decode_json(content: bytes) -> Any:
    try:
        return msgspec.json.decode(content)
    except RecursionError:
        _too_deep()
    except UnicodeDecodeError:
        raise errors.BadRequest("The body is not valid UTF-8.") from None
    except msgspec.DecodeError as error:
        return _lenient_json(content, str(error))


def _json(content: bytes) -> dict[str, Any]:
    value = _decode_json(content)
    if not isinstance(value, dict):
        raise errors.Invalid([], "The body must be a JSON object.")
    _check_size(value)
    return value


def _lenient_json(content: bytes, complaint: str) -> Any:
    """What msgspec refuses and the standard library reads: lone surrogates and huge numbers, refused later with the field's
    name, and a byte order mark."""

    def refuse(word: str) -> NoReturn:
        raise ValueError(word)

    try:
        return json.loads(_utf8(content.removeprefix(BOM_UTF8)), parse_constant=refuse, parse_int=_integer)
    except RecursionError:
        _too_deep()
    except ValueError:
        raise errors.BadRequest(f"The body is not valid JSON: {complaint}.") from None


def _integer(digits: str) -> int | float:
    """A number, or infinity where it has more digits than Python converts."""
    return int(digits) if len(digits) < 1_000 else inf


def _form(encoded: str) -> dict[str, Any]:
    pairs = [pair.partition("=") for pair in encoded.split("&") if pair]
    if len(pairs) > MAX_KEYS:
        _too_many()
    is_decoded = encoded.isascii() and "%" not in encoded and "+" not in encoded
    values: dict[str, Any] = {}
    for name, _, value in pairs:
        if is_decoded:
            _place(values, name, value)
        else:
            _place(values, _decode(name), _decode(value))
    return values


def _decode(encoded: str) -> str:
    if _BROKEN.search(encoded):
        raise errors.BadRequest("A percent sign must be followed by two hexadecimal digits.")
    return _utf8(unquote_to_bytes(encoded.replace("+", " ")))


def _utf8(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise errors.BadRequest("The request is not valid UTF-8.") from None


def _multipart(content: bytes, content_type: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for count, part in enumerate(read_parts(content, content_type), start=1):
        if count > MAX_KEYS:
            _too_many()
        if len(part.content) > UPLOAD_LIMIT:
            raise errors.TooLarge(gettext("A file can be at most 10 MiB."))
        _place(values, part.name, Upload(part.filename, part.content) if part.filename else _utf8(part.content))
    return values


def _place(values: dict[str, Any], name: str, value: Any) -> None:
    """Put `a[b]=value` where it belongs: `{"a": {"b": value}}`; `a[]=value` adds to a list, and so does a name that comes again."""
    if "[" not in name and name not in values:
        values[name] = value
        return
    match = _BRACKETS.fullmatch(name)
    if match is None:
        values[name] = value
        return
    keys = [match.group(1), *_KEY.findall(match.group(2))]
    if len(keys) > MAX_DEPTH:
        _too_deep()
    is_item = len(keys) == 2 and keys[1] == ""
    *outer, last = keys[:1] if is_item else keys
    for key in outer:
        inner = values.setdefault(key, {})
        if not isinstance(inner, dict):
            # A value and an object under one name, as in `a=1&a[b]=2`.
            values[key] = Repeated([inner, {}])
            return
        values = inner
    if last not in values:
        values[last] = [value] if is_item else value
    elif isinstance(held := values[last], list):
        held.append(value)
    else:
        values[last] = Repeated([held, value])


def _check_size(value: Any) -> None:
    """At most 8 levels and 1,000 keys."""
    keys, level = 0, [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                keys += len(item)
                below += item.values()
            elif isinstance(item, list):
                below += item
        if keys > MAX_KEYS:
            _too_many()
        level = [item for item in below if isinstance(item, _CONTAINERS)]
        if not level:
            return
    _too_deep()


def _too_deep() -> NoReturn:
    raise errors.Invalid([], f"The body is nested too deeply; at most {MAX_DEPTH} levels are read.")


def _too_many() -> NoReturn:
    raise errors.Invalid([], f"The request has too many keys; at most {MAX_KEYS:,} are read.")

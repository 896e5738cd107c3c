"""The corpus: named samples of hostile input, for every endpoint that accepts its kind."""

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from kalends.app.application import ENDPOINTS
from kalends.http.endpoint import Document, Endpoint
from kalends.http.input.fields import fields_of
from tests.http.multipart import BOUNDARY, multipart, of_parts

MIB = 1024 * 1024
DEEP = 100_000
INJECTED = "X-Injected"
SPLIT = f"a\r\n{INJECTED}: 1\r\n\r\n<x>"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}

# Values of a field, as JSON carries them.
VALUES: dict[str, Any] = {
    "NUL": "a\x00b",
    "a lone surrogate": "\ud800",
    "two surrogates the wrong way round": "\udc00\ud800",
    "a line break for a header": SPLIT,
    "other line breaks": "a\u2028b\u2029c\x85d",
    "2^31": 2**31,
    "2^63": 2**63,
    "-2^63 - 1": -(2**63) - 1,
    "a number of 400 digits": 10**400,
    "a number with a huge exponent": 1e308,
    "the word NaN": "NaN",
    "the word Infinity": "-Infinity",
    "true": True,
    "an object": {"$ne": None, "": {"": ""}},
    "a list of lists": [[[[[["x"]]]]]],
    "a long text": "x" * 12_000,
    "characters that grow": "ﷺ" * 1_500,
    "accents without end": "a" + "\u0301" * 1_500,
    "right to left": "\u202egpj.exe",
    "SQL": "'; DROP TABLE events; --",
    "a pattern": "%_*\\" * 50,
    "a template": "{{ 7*7 }} {% include '/etc/passwd' %} ${7*7} {0.__class__} %(me)s :me $1",
    "a path": "../../../../etc/passwd\x00.png",
    "an address of this machine": "http://127.0.0.1:22/",
    "a script": "javascript:alert(1)//<svg/onload=alert(1)>",
    "a formula": "=cmd|'/c calc'!A1",
    "the end of time": "9999-12-31T23:59:59-23:59",
    "before time": "0000-00-00T00:00:00Z",
}
# Those that are tried in each field by itself, the others being good.
SHARP = ["NUL", "a lone surrogate", "a line break for a header", "2^63", "an object", "a list of lists", "a long text", "the end of time"]

# Without `--soak`, an endpoint gets one share of the values, queries, bodies and path segments, and the next endpoint another one.
SHARES = 12

# Raw bodies, with their headers.
BODIES: dict[str, tuple[bytes, dict[str, str]]] = {
    "lists 100,000 deep": (b"[" * DEEP, JSON),
    "whole lists 100,000 deep": (b'{"a":' + b"[" * DEEP + b"]" * DEEP + b"}", JSON),
    "objects 100,000 deep": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, JSON),
    "NaN": (b'{"limit": NaN, "title": Infinity, "x": -Infinity}', JSON),
    "1e999": (b'{"limit": 1e999, "calendar_id": -1e999, "x": 1E+400}', JSON),
    "a number of 100,000 digits": (b'{"limit": ' + b"9" * 100_000 + b"}", JSON),
    "40,000 keys": (json.dumps({f"k{i}": i for i in range(40_000)}).encode(), JSON),
    "the same key 10,000 times": (b"{" + b'"limit": 1,' * 10_000 + b'"limit": 2}', JSON),
    "NUL": (b'{"title": "\\u0000", "\\u0000": "\x00"}', JSON),
    "bytes that are no text": (b'{"title": "\xff\xfe\xc0\x80\xed\xa0\x80"}', JSON),
    "UTF-16": ('{"title": "x"}'.encode("utf-16"), JSON),
    "half a string": (b'{"title": "', JSON),
    "a number alone": (b"1", JSON),
    "nothing but white space": (b" " * 100_000, JSON),
    "an unknown kind of JSON": (b"<x/>", {"Content-Type": "application/json; charset=utf-7"}),
    "an empty kind": (b"{}", {"Content-Type": ""}),
    "a long kind": (b"{}", {"Content-Type": "application/" + "x" * 5_000}),
    "XML with entities": (b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>', {"Content-Type": "application/xml"}),
    "a pickle": (b"\x80\x04cposix\nsystem\n(S'true'\ntR.", {"Content-Type": "application/x-python-pickle"}),
    "compressed": (b"\x1f\x8b\x08\x00" + bytes(100), JSON | {"Content-Encoding": "gzip"}),
    "a form of 100,000 names": ("&".join(f"k{i}=1" for i in range(100_000)).encode(), FORM),
    "a form of one name 10,000 times": (b"&".join([b"limit=1"] * 10_000), FORM),
    "a form of brackets": (b"a" + b"[b]" * 10_000 + b"=1&a[=1&a]=2&[]=3&a[b][][]=4&=5", FORM),
    "a form of brackets that never close": (b"[" * 200_000 + b"=1", FORM),
    "a form with bad percents": (b"title=%&%zz=%e&x=%u0041", FORM),
    "a form that is no text": (b"title=%ff%fe%c0%80&%00=%00", FORM),
    "a form with line breaks": (f"title=a%0d%0a{INJECTED}:%201&next=/%0d%0a{INJECTED}:%201".encode(), FORM),
}


def _many_parts() -> dict[str, Any]:
    return of_parts((f'form-data; name="k{i}"', b"") for i in range(20_000))


def _nested_parts() -> dict[str, Any]:
    return of_parts([('form-data; name="a"\r\nContent-Type: multipart/mixed; boundary=in', b"--in\r\n\r\n--in--")])


def _raw(content: bytes, boundary: str = BOUNDARY) -> dict[str, Any]:
    return {"body": content, "headers": {"Content-Type": f"multipart/form-data; boundary={boundary}"}}


FILES = ("file", "image", "upload")

MULTIPARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "20,000 parts": _many_parts,
    "parts within parts": _nested_parts,
    "no boundary": lambda: {"body": b"--\r\n\r\n", "headers": {"Content-Type": "multipart/form-data"}},
    "an endless boundary": lambda: _raw(b"--" + b"b" * 5_000, "b" * 5_000),
    "a head without an end": lambda: _raw(f"--{BOUNDARY}\r\n".encode() + b"X: " + b"y" * 500_000),
    "boundaries alone": lambda: _raw(f"--{BOUNDARY}\r\n".encode() * 20_000),
    "a file called by a path": lambda: multipart({}, [(name, "../../../../etc/cron.d/x", b"x") for name in FILES]),
    "a file called by a line break": lambda: of_parts([(f'form-data; name="file"; filename="a%0d%0a{INJECTED}: 1"', b"x")]),
    "a zip": lambda: multipart({}, [(name, "calendar.ics", b"PK\x03\x04" + bytes(5_000)) for name in FILES]),
    "a gzip": lambda: multipart({}, [(name, "contacts.vcf", b"\x1f\x8b\x08\x00" + bytes(5_000)) for name in FILES]),
    "a spreadsheet": lambda: multipart({}, [(name, "contacts.csv", b"PK\x03\x04[Content_Types].xml" + bytes(500)) for name in FILES]),
    "a program": lambda: multipart({}, [(name, "contacts.csv", b"\x7fELF" + bytes(range(256))) for name in FILES]),
    "an empty file": lambda: multipart({}, [(name, "x.ics", b"") for name in FILES]),
    "a calendar without an end": lambda: multipart({}, [(name, "x.ics", b"BEGIN:VCALENDAR\r\n" * 50_000) for name in FILES]),
    "a card without an end": lambda: multipart({}, [(name, "x.vcf", b"BEGIN:VCARD\r\nFN:x\r\n" * 50_000) for name in FILES]),
    "a table of one long line": lambda: multipart({}, [(name, "x.csv", b"a," * 300_000) for name in FILES]),
}

QUERIES: dict[str, str] = {
    "bad percents": "a=%&%zz=1&limit=%e",
    "no text": "text=%ff%fe&%c0%80=1",
    "NUL": "text=%00&%00=1&ids=%00",
    "a lone surrogate": "text=%ed%a0%80&title=%ed%b0%80",
    "a line break for a header": f"next=/%0d%0a{INJECTED}:%201&text=%0d%0a{INJECTED}:%201&limit=1&done=%0d%0a{INJECTED}:%201",
    "the same name many times": "&".join(["limit=1", "limit=2", "limit[]=3", "limit[a]=4"] * 50),
    "900 names": "&".join(f"k{i}=v" for i in range(900)),
    "2,000 names": "&".join(f"k{i}=v" for i in range(2_000)),
    "60,000 characters": "text=" + "x" * 60_000,
    "2^63": "limit=9223372036854775808&offset=9223372036854775808&ids=9223372036854775808&event_id=9223372036854775808",
    "the largest numbers": "limit=9223372036854775807&offset=9223372036854775807&count=true",
    "numbers below nought": "limit=-1&offset=-9223372036854775809&ids=-1,0",
    "not a number": "limit=NaN&offset=Infinity&ids=1e9,0x10,١٢",
    "brackets": "a" + "[b]" * 2_000 + "=1&comments[limit]=x&comments=1&comments[offset][a]=2",
    "signs alone": "&&&===&=&;&?&#",
    "SQL": "text='%20OR%201=1--&ids=1)%20OR%20(1=1&after=1.1'--",
    "another method": "_method=DELETE&method=PUT&X-HTTP-Method-Override=DELETE",
}

# Values for an id or a segment of a path, percent-encoded as in a request.
SEGMENTS: dict[str, str] = {
    "nought": "0",
    "below nought": "-1",
    "2^63": str(2**63),
    "5,000 digits": "9" * 5_000,
    "digits of another script": "%D9%A1%D9%A2",
    "NUL": "1%00",
    "no text": "%ff",
    "a line break": f"1%0d%0a{INJECTED}:%201",
    "parent folders": "..%2f..%2f..%2fetc%2fpasswd",
    "parent folders with backslashes": "..%5c..%5c..%5csecret",
    "dots": "..",
    "dots, encoded twice": "%252e%252e%252fsecret",
    "a hidden file": ".git",
    "SQL": "1%27%20OR%20%271%27=%271",
    "a template": "%7B%7B7*7%7D%7D",
    "6,000 characters": "x" * 6_000,
}

HEADERS: dict[str, dict[str, str]] = {
    "long ones": dict.fromkeys(("Accept", "Cookie", "If-Match", "If-None-Match", "Prefer", "Origin", "User-Agent"), "x" * 8000),
    "a thousand tags": {"If-None-Match": ",".join(f'"{i}"' for i in range(1_000)), "If-Match": ",".join(['W/"x"'] * 1_000)},
    "accept everything": {"Accept": ",".join(f"a/b;q=0.{i}" for i in range(900))},
    "accept nonsense": {"Accept": ";;;q=,*/*;q=nan,text/;a=b", "Accept-Encoding": "gzip;q=nan", "Accept-Language": "\xff"},
    "dates that are none": {"If-Modified-Since": "Mon, 99 Foo 99999 99:99:99 GMT", "If-Unmodified-Since": "-1"},
    "a date out of range": {"If-Modified-Since": "Mon, 01 Jan 0001 00:00:00 -2359"},
    "ranges": {"Range": "bytes=" + ",".join(f"{i}-" for i in range(1_000))},
    "many hops": {"X-Forwarded-For": ",".join(["127.0.0.1"] * 900), "Forwarded": "for=_hidden;by=[::]"},
    "another method": {"X-HTTP-Method-Override": "DELETE", "X-HTTP-Method": "DELETE", "X-Method-Override": "DELETE"},
    "another address": {"X-Original-URL": "/metrics", "X-Rewrite-URL": "/metrics", "X-Forwarded-Prefix": "/evil"},
    "another host": {"X-Forwarded-Host": "evil.example", "X-Host": "evil.example", "Forwarded": "host=evil.example"},
    "preferences": {"Prefer": "handling=strict, handling=lenient;;;=,\x80"},
    "a key": {"Idempotency-Key": '"' + "k" * 5_000},
    "a key that is no text": {"Idempotency-Key": "\xff\xfe \x80"},
    "a request id": {"X-Request-Id": "../../../etc/passwd"},
    "odd cookies": {"Cookie": 'kalends_session="; a=b; kalends_session=;;;=; $Version=1; ' + "c=d; " * 500},
    "a Basic credential": {"Authorization": "Basic Og=="},
}


def all_hostile(endpoint: Endpoint, *, soak: bool) -> Iterator[dict[str, Any]]:
    """The endpoint's fields, all of them hostile at once."""
    names = names_of(endpoint, every_name=soak)
    for value in share(list(VALUES.values()), ENDPOINTS.index(endpoint), soak=soak):
        yield dict.fromkeys(names, value)


def one_hostile(endpoint: Endpoint, good: dict[str, Any], *, soak: bool) -> Iterator[dict[str, Any]]:
    """Good fields, and a hostile one among them."""
    for number, name in enumerate([field.name for field in fields_of(endpoint.params)] if endpoint.params else good):
        for key in share(SHARP, ENDPOINTS.index(endpoint) + number, soak=soak):
            yield good | {name: VALUES[key]}


def share(samples: list[Any], number: int, *, soak: bool) -> list[Any]:
    """All samples with `--soak`; otherwise one share of them, another one for the next number."""
    return samples if soak else samples[number % SHARES :: SHARES]


def names_of(endpoint: Endpoint, *, every_name: bool) -> list[str]:
    """The fields that the endpoint reads. A form is read by its action: the Structs and names in its module, or every name that any
    endpoint knows."""
    if endpoint.params is not None:
        return [field.name for field in fields_of(endpoint.params)]
    if not endpoint.is_form:
        return ["x"]
    structs = [each.params for each in ENDPOINTS if each.params is not None] if every_name else _structs(endpoint)
    return sorted({name for struct in structs for name in struct.__struct_fields__} | set(_names_in_source(endpoint)))


def _structs(endpoint: Endpoint) -> list[type[Struct]]:
    module = vars(sys.modules[endpoint.function.__module__])
    return [value for value in module.values() if isinstance(value, type) and issubclass(value, Struct) and value is not Document]


def _names_in_source(endpoint: Endpoint) -> list[str]:
    return re.findall(r'\.(?:text|file)\("(\w+)"\)', inspect.getsource(sys.modules[endpoint.function.__module__]))


def dumped(fields: dict[str, Any]) -> bytes:
    """JSON in ASCII, which can hold lone surrogates."""
    return json.dumps(fields).encode()


def in_a_form(fields: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """The same for a form, whose values are all text, and have no lone surrogates."""
    return [(name, value.encode(errors="replace").decode() if isinstance(value, str) else str(value)) for name, value in fields.items()]

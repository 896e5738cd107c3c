"""Content lines, of which vCard and iCalendar are made: folded and put together again, with parameters, encodings and escapes."""

import base64
import quopri
import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

# Far more than any real line has; they keep hostile ones cheap.
MOST_CHARACTERS = 200_000
MOST_PARAMETERS = 2_000
MOST_OCTETS = 75

_LEAST = 101

# What stands before the value. Nothing here is tried twice, so that hostile lines cost no more than others.
_HEAD = re.compile(r'(?:[^":]++|"[^"]*+")*+(?=:)')
_PARAMETER = re.compile(r'(?:[^";]++|"[^"]*+")++')
_BROKEN = re.compile(rb"([\xc2-\xf4][\x80-\xbf]*+)(\r?\n[ \t])([\x80-\xbf]++)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TOKENS = {separator: re.compile(rf"[^\\{separator}]++|\\.?|{separator}", re.DOTALL) for separator in ";,"}
# Only these: a codec that is not known here would be looked for on disk, and some take long.
_CHARSETS = set(
    "UTF-8 US-ASCII ISO-8859-1 ISO-8859-2 ISO-8859-15 WINDOWS-1250 WINDOWS-1251 WINDOWS-1252 SHIFT_JIS EUC-KR GB2312 GBK BIG5".split()
)
_ENCODINGS = {"QUOTED-PRINTABLE", "BASE64", "7BIT", "8BIT"}


class Property(Struct, frozen=True):
    """One line of a card or an event: its parameters in capitals, and its value."""

    parameters: dict[str, str]
    value: str

    @property
    def types(self) -> set[str]:
        return set(self.parameters.get("TYPE", "").split(","))

    @property
    def preference(self) -> int:
        """1 is the one that is preferred."""
        said = self.parameters.get("PREF", "")
        if re.fullmatch("[0-9]{1,3}", said):
            return int(said)
        return 1 if "PREF" in self.types else _LEAST

    @property
    def text(self) -> str:
        return _plain(self.value).strip()

    def parts(self, count: int) -> list[str]:
        """The parts of a value such as a name, as many as are asked for."""
        return [*(part.strip() for part in islice(split(self.value, ";"), count)), *[""] * count][:count]


def mended(content: bytes) -> bytes:
    """The file with no line folded within a character, as some programs do."""
    return _BROKEN.sub(rb"\1\3\2", content)


def lines(content: str) -> Iterator[tuple[int, str]]:
    """Every line that is not empty with its number, put together again where it was folded."""
    parts: list[str] = []
    begin, quoted = 1, False
    for number, line in enumerate(content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if parts and quoted and parts[-1].endswith("="):
            parts[-1] = parts[-1][:-1]
            parts.append(line)
        elif parts and line[:1] in (" ", "\t"):
            parts.append(line[1:])
        else:
            if parts:
                yield begin, "".join(parts)
                parts = []
            if line:
                parts, begin, quoted = [line], number, "QUOTED-PRINTABLE" in line[:200].split(":")[0].upper()
    if parts:
        yield begin, "".join(parts)


def read_property(number: int, line: str) -> Property:
    """What a line says, which has a name and a colon."""
    if len(line) > MOST_CHARACTERS:
        raise ValueError(f"line {number} is longer than {MOST_CHARACTERS:,} characters")
    name, _, rest = line.partition(":")
    if ";" not in name and '"' not in name:
        return Property({}, rest)
    found = _HEAD.match(line)
    head, value = (found[0], line[found.end() + 1 :]) if found else line.split(":", 1)
    if len(head) > MOST_PARAMETERS:
        raise ValueError(f"line {number} has parameters of more than {MOST_PARAMETERS:,} characters")
    parameters = _parameters(head)
    return Property(parameters, _decoded(parameters, value))


def _parameters(head: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for parameter in _PARAMETER.findall(head)[1:]:
        name, equals, said = parameter.replace('"', "").upper().partition("=")
        if not equals:
            # As in 2.1, which leaves out the names: TEL;CELL;VOICE:
            name, said = ("ENCODING" if name in _ENCODINGS else "TYPE"), name
        earlier = [parameters["TYPE"]] if name == "TYPE" and name in parameters else []
        parameters[name] = ",".join([*earlier, said.strip()])
    return parameters


def _decoded(parameters: dict[str, str], value: str) -> str:
    encoding = parameters.get("ENCODING", "")
    if encoding not in ("QUOTED-PRINTABLE", "BASE64", "B"):
        return value
    octets = value.encode("utf-8", "replace")
    try:
        octets = quopri.decodestring(octets) if encoding == "QUOTED-PRINTABLE" else base64.b64decode(octets)
    except ValueError:
        return value
    charset = parameters.get("CHARSET", "UTF-8")
    for name in (charset if charset in _CHARSETS else "UTF-8", "UTF-8"):
        try:
            return octets.decode(name)
        except UnicodeDecodeError:
            continue
    return octets.decode("cp1252", "replace")


def split(value: str, separator: str) -> Iterator[str]:
    """The parts of a value between the separators that are not escaped."""
    if "\\" not in value:
        yield from value.split(separator)
        return
    part: list[str] = []
    for found in _TOKENS[separator].finditer(value):
        token = found[0]
        if token == separator:
            yield "".join(part)
            part = []
        else:
            part.append(_plain(token) if token[0] == "\\" else token)
    yield "".join(part)


def _plain(value: str) -> str:
    if "\\" not in value:
        return value
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def escaped(value: str) -> str:
    """The text as it is written in a value, of which other characters part the pieces."""
    return re.sub(r"([\\,;])", r"\\\1", value).replace("\n", "\\n")


def folded(line: str) -> str:
    """The line with its end, broken after every 75 octets, though never within a character."""
    octets = line.encode()
    pieces: list[bytes] = []
    begin = 0
    while begin < len(octets):
        end = begin + MOST_OCTETS - bool(pieces)
        while end < len(octets) and octets[end] & 0xC0 == 0x80:
            end -= 1
        pieces.append(octets[begin:end])
        begin = end
    return b"\r\n ".join(pieces).decode() + "\r\n"

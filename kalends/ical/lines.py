"""Content lines of vCard and iCalendar: folding, parameters, encodings and escapes."""

import base64
import quopri
import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from kalends.core.i18n import gettext

# Far above any real line: limits that keep hostile ones cheap.
MAX_CHARACTERS = 200_000
MAX_PARAMETERS = 2_000
MAX_OCTETS = 75

_LOWEST_PREFERENCE = 101

# The name and parameters before the value. The possessive quantifiers never backtrack, so that hostile lines cost no more.
_HEAD = re.compile(r'(?:[^":]++|"[^"]*+")*+(?=:)')
_PARAMETER = re.compile(r'(?:[^";]++|"[^"]*+")++')
_SPLIT_CHARACTER = re.compile(rb"([\xc2-\xf4][\x80-\xbf]*+)(\r?\n[ \t])([\x80-\xbf]++)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TOKENS = {separator: re.compile(rf"[^\\{separator}]++|\\.?|{separator}", re.DOTALL) for separator in ";,"}
# Only these: Python searches other codecs on disk, and some take quadratic time.
CHARSETS = {
    *("UTF-8", "UTF8", "UTF-16", "US-ASCII", "ASCII", "LATIN-1", "CP1252", "KOI8-R", "KOI8-U"),
    *(f"ISO-8859-{number}" for number in (*range(1, 12), *range(13, 17))),
    *(f"WINDOWS-{number}" for number in range(1250, 1259)),
    *("SHIFT_JIS", "EUC-JP", "ISO-2022-JP", "EUC-KR", "KS_C_5601-1987", "GB2312", "GBK", "GB18030", "BIG5"),
}
_ENCODINGS = {"QUOTED-PRINTABLE", "BASE64", "7BIT", "8BIT"}


class Property(Struct, frozen=True):
    """A property of a vCard or an event: its parameters in upper case, and its value."""

    parameters: dict[str, str]
    value: str

    @property
    def types(self) -> set[str]:
        return set(self.parameters.get("TYPE", "").split(","))

    @property
    def preference(self) -> int:
        """The PREF of the property: 1 is the most preferred."""
        preference = self.parameters.get("PREF", "")
        if re.fullmatch("[0-9]{1,3}", preference):
            return int(preference)
        return 1 if "PREF" in self.types else _LOWEST_PREFERENCE

    @property
    def text(self) -> str:
        return _unescape(self.value).strip()

    def parts(self, count: int) -> list[str]:
        """The first parts of a structured value such as a name, filled up with empty ones."""
        return [*(part.strip() for part in islice(split_escaped(self.value, ";"), count)), *[""] * count][:count]


def unsplit_utf8(content: bytes) -> bytes:
    """Move line folds out of multi-byte UTF-8 characters, which some programs split."""
    return _SPLIT_CHARACTER.sub(rb"\1\3\2", content)


def unfold(content: str) -> Iterator[tuple[int, str]]:
    """The unfolded lines of the file with their line numbers, without empty ones."""
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


def parse_property(number: int, line: str) -> Property:
    """Parse a line that has a name and a colon."""
    if len(line) > MAX_CHARACTERS:
        raise ValueError(gettext("line %(line)s is longer than %(max)s characters", line=str(number), max=MAX_CHARACTERS))
    name, _, rest = line.partition(":")
    if ";" not in name and '"' not in name:
        return Property({}, rest)
    match = _HEAD.match(line)
    head, value = (match[0], line[match.end() + 1 :]) if match else line.split(":", 1)
    if len(head) > MAX_PARAMETERS:
        raise ValueError(gettext("line %(line)s has parameters of more than %(max)s characters", line=str(number), max=MAX_PARAMETERS))
    parameters = _parse_parameters(head)
    return Property(parameters, _decode(parameters, value))


def _parse_parameters(head: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for parameter in _PARAMETER.findall(head)[1:]:
        name, equals, setting = parameter.replace('"', "").upper().partition("=")
        if not equals:
            # vCard 2.1 leaves out the names: TEL;CELL;VOICE:
            name, setting = ("ENCODING" if name in _ENCODINGS else "TYPE"), name
        earlier = [parameters["TYPE"]] if name == "TYPE" and name in parameters else []
        parameters[name] = ",".join([*earlier, setting.strip()])
    return parameters


def _decode(parameters: dict[str, str], value: str) -> str:
    encoding = parameters.get("ENCODING", "")
    if encoding not in ("QUOTED-PRINTABLE", "BASE64", "B"):
        return value
    octets = value.encode("utf-8", "replace")
    try:
        octets = quopri.decodestring(octets) if encoding == "QUOTED-PRINTABLE" else base64.b64decode(octets)
    except ValueError:
        return value
    charset = parameters.get("CHARSET", "UTF-8")
    for name in (charset if charset in CHARSETS else "UTF-8", "UTF-8"):
        try:
            return octets.decode(name)
        except UnicodeDecodeError:
            continue
    return octets.decode("cp1252", "replace")


def split_escaped(value: str, separator: str) -> Iterator[str]:
    """The unescaped parts of a value between the separators that are not escaped."""
    if "\\" not in value:
        yield from value.split(separator)
        return
    part: list[str] = []
    for match in _TOKENS[separator].finditer(value):
        token = match[0]
        if token == separator:
            yield "".join(part)
            part = []
        else:
            part.append(_unescape(token) if token[0] == "\\" else token)
    yield "".join(part)


def _unescape(value: str) -> str:
    if "\\" not in value:
        return value
    return _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)


def escape(value: str) -> str:
    """Escape the separators of a TEXT value."""
    return value.replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;").replace("\n", "\\n")


def fold(line: str) -> str:
    """Fold the line after every 75 octets, never within a character, and end it with CRLF."""
    if line.isascii():
        rest = range(MAX_OCTETS, len(line), MAX_OCTETS - 1)
        return "\r\n ".join([line[:MAX_OCTETS], *[line[begin : begin + MAX_OCTETS - 1] for begin in rest]]) + "\r\n"
    octets = line.encode()
    pieces: list[bytes] = []
    begin = 0
    while begin < len(octets):
        end = begin + MAX_OCTETS - bool(pieces)
        while end < len(octets) and octets[end] & 0xC0 == 0x80:
            end -= 1
        pieces.append(octets[begin:end])
        begin = end
    return b"\r\n ".join(pieces).decode() + "\r\n"

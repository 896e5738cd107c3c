"""vCard, the format of address books: 2.1, 3.0 and 4.0 are read, 3.0 is written, which every program understands."""

import base64
import quopri
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from kalends.contacts.entry import MOST_ENTRIES, TOO_MANY, Entry

# Far more than any real card has; they keep hostile ones cheap.
MOST_CHARACTERS = 200_000
MOST_PARAMETERS = 2_000
MOST_PROPERTIES = 1_000
MOST_OCTETS = 75

_READ = set("VERSION KIND X-ADDRESSBOOKSERVER-KIND N FN ORG EMAIL TEL BDAY GENDER X-GENDER ADR CATEGORIES UID".split())
_NAME = re.compile(r"(?:[\w-]{1,100}\.)?([\w-]{1,100})(?=[;:])", re.ASCII)
# What stands before the value. Nothing here is tried twice, so that hostile lines cost no more than others.
_HEAD = re.compile(r'(?:[^":]++|"[^"]*+")*+(?=:)')
_PARAMETER = re.compile(r'(?:[^";]++|"[^"]*+")++')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TOKENS = {separator: re.compile(rf"[^\\{separator}]++|\\.?|{separator}", re.DOTALL) for separator in ";,"}
# Only these: a codec that is not known here would be looked for on disk, and some take long.
_CHARSETS = set(
    "UTF-8 US-ASCII ISO-8859-1 ISO-8859-2 ISO-8859-15 WINDOWS-1250 WINDOWS-1251 WINDOWS-1252 SHIFT_JIS EUC-KR GB2312 GBK BIG5".split()
)
_ENCODINGS = {"QUOTED-PRINTABLE", "BASE64", "7BIT", "8BIT"}
_MOBILE, _LAST = {"CELL", "MOBILE", "IPHONE"}, {"FAX", "PAGER"}
_LEAST = 101


class Property(Struct, frozen=True):
    """One line of a card: its parameters in capitals, and its value."""

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
        return [*(part.strip() for part in _split(self.value, ";")), *[""] * count][:count]


Card = dict[str, list[Property]]


def read(content: str) -> list[Entry]:
    """The people in a file; cards that stand for groups of people are passed over. Raises ValueError with words for people."""
    entries: list[Entry] = []
    for line, card in _cards(content):
        if _text(card, "KIND", "X-ADDRESSBOOKSERVER-KIND").lower() == "group":
            continue
        entries.append(_entry(line, card))
        if len(entries) > MOST_ENTRIES:
            raise ValueError(TOO_MANY)
    return entries


def _cards(content: str) -> Iterator[tuple[int, Card]]:
    """Every card with the number of its first line. The card of an agent, which a card may hold, is none of ours."""
    begin, depth, before = 0, 0, ""
    card: Card = {}
    for number, line in _lines(content):
        found = _NAME.match(line)
        if found is None:
            continue
        name = found[1].upper()
        if name in ("BEGIN", "END") and line[found.end() + 1 :].strip().upper() == "VCARD":
            if name == "END" and depth:
                depth -= 1
            elif name == "BEGIN" and depth and before == "AGENT":
                depth += 1
            elif name == "BEGIN":
                if depth:
                    yield begin, card
                begin, depth, card = number, 1, {}
            if name == "END" and not depth and begin:
                yield begin, card
                begin = 0
        elif depth == 1 and name in _READ:
            card.setdefault(name, []).append(_property(number, line))
            if len(card[name]) > MOST_PROPERTIES:
                raise ValueError(f"the card that begins in line {begin} has {name} more than {MOST_PROPERTIES:,} times")
        before = name
    if depth:
        raise ValueError(f"the card that begins in line {begin} has no END:VCARD; the file looks cut off")


def _lines(content: str) -> Iterator[tuple[int, str]]:
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
                parts, begin, quoted = [line], number, "QUOTED-PRINTABLE" in line[:200].upper()
    if parts:
        yield begin, "".join(parts)


def _property(number: int, line: str) -> Property:
    if len(line) > MOST_CHARACTERS:
        raise ValueError(f"line {number} is longer than {MOST_CHARACTERS:,} characters")
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


def _entry(line: int, card: Card) -> Entry:
    phone_numbers, email_addresses = _phone_numbers(card), _email_addresses(card)
    first_name, last_name = _name(card, {*phone_numbers, *email_addresses})
    zip_code, country = _address(card)
    return Entry(
        line=line,
        first_name=first_name,
        last_name=last_name,
        phone_numbers=phone_numbers,
        email_addresses=email_addresses,
        birthday=_birthday(card),
        gender=_gender(card),
        country=country,
        zip_code=zip_code,
        tags=[tag for item in card.get("CATEGORIES", []) for tag in _split(item.value, ",") if tag],
        unique_id=_text(card, "UID"),
    )


def _name(card: Card, nameless: set[str]) -> tuple[str, str]:
    """First and last name. Where there is only a name to show, its last word is the last name, unless it is no name at all."""
    for item in card.get("N", []):
        last, first, middle = item.parts(3)
        if first or middle or last:
            return " ".join(filter(None, (first, middle))), last
    shown = _text(card, "FN")
    if shown in nameless:
        return "", ""
    if shown in [item.parts(1)[0] for item in card.get("ORG", [])]:
        return shown, ""
    first, _, last = shown.rpartition(" ")
    return (first.strip(), last) if first else (last, "")


def _phone_numbers(card: Card) -> list[str]:
    """A mobile phone comes first, a fax last."""
    items = sorted(card.get("TEL", []), key=lambda item: (not item.types & _MOBILE, bool(item.types & _LAST), item.preference))
    is_new = _text(card, "VERSION") == "4.0"
    return _distinct(_telephone(item.text) if is_new or item.parameters.get("VALUE") == "URI" else item.text for item in items)


def _telephone(uri: str) -> str:
    number = _without(uri, "tel:")
    return number if number == uri else number.split(";")[0]


def _email_addresses(card: Card) -> list[str]:
    items = sorted(card.get("EMAIL", []), key=lambda item: item.preference)
    return _distinct(_without(item.text, "mailto:") for item in items)


def _birthday(card: Card) -> str:
    for item in card.get("BDAY", []):
        omitted = item.parameters.get("X-APPLE-OMIT-YEAR")
        return f"-{item.text.removeprefix(omitted)}" if omitted and item.text.startswith(omitted) else item.text
    return ""


def _gender(card: Card) -> str:
    for item in [*card.get("GENDER", []), *card.get("X-GENDER", [])]:
        return item.parts(1)[0]
    return ""


def _address(card: Card) -> tuple[str, str]:
    """Postal code and country, of the address at home if there are several."""
    items = sorted(card.get("ADR", []), key=lambda item: ("HOME" not in item.types, item.preference))
    for item in items:
        zip_code, country = item.parts(7)[5:]
        if zip_code or country:
            return zip_code, country
    return "", ""


def _text(card: Card, *names: str) -> str:
    return next((item.text for name in names for item in card.get(name, [])), "")


def _distinct(values: Iterable[str]) -> list[str]:
    return [value for value in dict.fromkeys(values) if value]


def _without(value: str, scheme: str) -> str:
    return value[len(scheme) :] if value[: len(scheme)].lower() == scheme else value


def _split(value: str, separator: str) -> list[str]:
    parts: list[list[str]] = [[]]
    for token in _TOKENS[separator].findall(value):
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(_plain(token) if token[0] == "\\" else token)
    return ["".join(part) for part in parts]


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)

"""Changes of a contact, merged into the vCard that another program wrote, line by line: what a contact does not have stays as it was.

A contact has one address, one number and one postal address; a card may have many. The line that a field came from is the one that is
changed, with its group and parameters. Nothing is parsed and printed again."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from kalends.core.values.text import fold_case
from kalends.features.contacts.model import ContactFields
from kalends.ical.lines import Property, escape, fold, parse_property, split_escaped
from kalends.ical.raw_lines import Line, split_lines


def merge(original: str, base: ContactFields, current: ContactFields, updated_at: int) -> str:
    """The original with what differs between `base`, the contact when the card came, and `current`; its very text if nothing does."""
    card = _Card(list(split_lines(original)))
    changes: list[tuple[tuple[str, ...], Callable[[], None]]] = [
        (("first_name", "last_name"), lambda: _merge_name(card, base, current)),
        (("email_address",), lambda: _merge_address(card, "EMAIL", base.email_address, current.email_address)),
        (("phone_number",), lambda: _merge_address(card, "TEL", base.phone_number, current.phone_number)),
        (("birthday",), lambda: _merge_birthday(card, current.birthday)),
        (("gender",), lambda: _merge_gender(card, current.gender)),
        (("zip_code", "country"), lambda: _merge_place(card, current)),
        (("tag_list",), lambda: _merge_tags(card, base.tag_list, current.tag_list)),
    ]
    due = [change for fields, change in changes if any(getattr(base, name) != getattr(current, name) for name in fields)]
    for change in due:
        change()
    if due:
        time = datetime.fromtimestamp(updated_at, UTC)
        card.set(card.first("REV"), "REV", f"{time:%Y%m%dT%H%M%SZ}" if card.is_new else f"{time:%Y-%m-%dT%H:%M:%SZ}")
    return "".join(line.raw for line in card.lines)


class _Card:
    """The lines of a card, which are replaced in their places."""

    def __init__(self, lines: list[Line]):
        self.lines = lines
        version = self.first("VERSION")
        self.is_new = version is not None and version.value.strip() == "4.0"

    def all(self, name: str) -> list[Line]:
        return [line for line in self.lines if line.name == name]

    def first(self, *names: str) -> Line | None:
        return next((line for line in self.lines if line.name in names), None)

    def set(self, line: Line | None, head: str, value: str) -> None:
        """Write `head:value` in the place of the line, or before the end of the card."""
        text = f"{head}:{value}"
        new = Line(fold(text), text)
        if line is None:
            place = next((i for i, each in enumerate(self.lines) if each.name == "END"), len(self.lines))
            self.lines.insert(place, new)
        else:
            self.lines = [new if each is line else each for each in self.lines]

    def set_value(self, line: Line, value: str) -> None:
        """Replace the value alone: the group and the parameters stay."""
        self.set(line, line.text[: len(line.text) - len(_raw_value(line)) - 1], value)

    def remove(self, lines: Iterable[Line]) -> None:
        gone = list(lines)
        self.lines = [line for line in self.lines if not any(line is each for each in gone)]


def _property(line: Line) -> Property:
    try:
        return parse_property(0, line.text)
    except ValueError:
        return Property({}, "")


def _raw_value(line: Line) -> str:
    """The value as it was written, behind the colon that is in no quoted parameter."""
    quoted = False
    for i, character in enumerate(line.text):
        if character == '"':
            quoted = not quoted
        elif character == ":" and not quoted:
            return line.text[i + 1 :]
    return line.value


def _merge_name(card: _Card, base: ContactFields, current: ContactFields) -> None:
    last, first = escape(current.last_name or ""), escape(current.first_name or "")
    line = card.first("N")
    if line is None:
        card.set(None, "N", f"{last};{first};;;")
    else:
        parts = (_split_parts(_raw_value(line)) + [""] * 5)[:5]
        # The first name of a contact has the middle names, too.
        given_names = parts[1:3] if base.first_name == current.first_name else [first, ""]
        family = parts[0] if base.last_name == current.last_name else last
        card.set_value(line, ";".join([family, *given_names, *parts[3:]]))
    full_name = " ".join(filter(None, (current.first_name, current.last_name))) or current.email_address or current.phone_number or ""
    line = card.first("FN")
    if line is None:
        card.set(None, "FN", escape(full_name))
    else:
        card.set_value(line, escape(full_name))


def _split_parts(value: str) -> list[str]:
    """The parts of a structured value as they were written, with their escapes."""
    parts, begin, i = [], 0, 0
    while i < len(value):
        if value[i] == "\\":
            i += 1
        elif value[i] == ";":
            parts.append(value[begin:i])
            begin = i + 1
        i += 1
    return [*parts, value[begin:]]


def _merge_address(card: _Card, name: str, base: str | None, current: str | None) -> None:
    """Change the line that the address or number came from; the others stay."""
    line = next((each for each in card.all(name) if base and _is_address(each, base)), None)
    if current is None:
        card.remove([line] if line else [])
        return
    if line is None and any(_is_address(each, current) for each in card.all(name)):
        return
    if line is None:
        head = "TEL;TYPE=CELL" if name == "TEL" else "EMAIL" if card.is_new else "EMAIL;TYPE=INTERNET"
        card.set(None, head, escape(current))
        return
    scheme = next((each for each in ("tel:", "mailto:") if _raw_value(line).lower().startswith(each)), "")
    card.set_value(line, scheme + ("".join(current.split()) if scheme else escape(current)))


def _is_address(line: Line, address: str) -> bool:
    text = _property(line).text
    for scheme in ("tel:", "mailto:"):
        if text.lower().startswith(scheme):
            text = text[len(scheme) :].partition(";")[0]
    return fold_case(" ".join(text.split())) == fold_case(" ".join(address.split()))


def _merge_birthday(card: _Card, birthday: str | None) -> None:
    line = card.first("BDAY")
    if birthday is None:
        card.remove([line] if line else [])
    else:
        head = f"{line.group}BDAY" if line else "BDAY"
        card.set(line, head, birthday.replace("-", "") if card.is_new else birthday)


def _merge_gender(card: _Card, gender: str | None) -> None:
    line = card.first("GENDER", "X-GENDER")
    if gender is None:
        card.remove([line] if line else [])
    elif (line and line.name == "GENDER") or (line is None and card.is_new):
        card.set(line, "GENDER", gender[0].upper())
    else:
        card.set(line, "X-GENDER", gender.capitalize())


def _merge_place(card: _Card, current: ContactFields) -> None:
    """Change the postal code and the country of the address that they came from."""
    zip_code, country = escape(current.zip_code or ""), escape(current.country or "")
    lines = [(line, _property(line)) for line in card.all("ADR")]
    lines.sort(key=lambda pair: ("HOME" not in pair[1].types, pair[1].preference))
    line = next((line for line, prop in lines if any(prop.parts(7)[5:])), lines[0][0] if lines else None)
    if line is None:
        card.set(None, "ADR;TYPE=HOME", f";;;;;{zip_code};{country}")
        return
    parts = (_split_parts(_raw_value(line)) + [""] * 7)[:7]
    value = ";".join([*parts[:5], zip_code, country])
    if value.strip(";"):
        card.set_value(line, value)
    else:
        card.remove([line])


def _merge_tags(card: _Card, base: str, current: str) -> None:
    """Add and take away what changed. The card may have tags that a contact cannot have."""
    before, after = ([tag for tag in tags.split(",") if tag] for tags in (base, current))
    removed = {fold_case(tag) for tag in before} - {fold_case(tag) for tag in after}
    lines = card.all("CATEGORIES")
    tags = [tag for line in lines for tag in split_escaped(_property(line).value, ",") if tag]
    known = {fold_case(tag) for tag in tags}
    new = [tag for tag in tags if fold_case(tag.strip()) not in removed] + [tag for tag in after if fold_case(tag) not in known]
    if new == tags:
        return
    card.remove(lines[1:] if new else lines)
    value = ",".join(map(escape, new))
    if new and lines:
        card.set_value(lines[0], value)
    elif new:
        card.set(None, "CATEGORIES", value)

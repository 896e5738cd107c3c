"""Searching: events carry all their text, folded, in one column, each field between marks of its own."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import Struct

# The fields in the order in which they stand in the column, and the marks around them: control characters, which no text holds.
# `words` repeats the words of the location, for parts that are unknown.
FIELDS = ("title", "description", "location", "location_name", "street", "city", "state", "zip", "country", "tags", "words")
_MARKS = "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11"
_TAG = "\x12"
TEXT_FIELDS = FIELDS[:-1]
WHOLE_FIELDS = ("state", "zip", "country")
WORD_FIELDS = ("location_name", "street", "city")

_TERM = re.compile(r'"([^"]*)"|(\S+)')
_INDEXED = re.compile(r"[^\W_]{3,}")


class Condition(Struct, frozen=True):
    """One of these patterns must match the column. The literals are what an index may look for."""

    patterns: tuple[str, ...]
    literals: tuple[str, ...] = ()


def folded(value: str) -> str:
    """Without regard to case, accents and the kind of white space."""
    if not value.isascii():
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", value).casefold())
        value = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(value.lower().split())


def column(fields: dict[str, str | None], tags: Sequence[str]) -> str:
    """What is stored for an event."""
    parts = {name: folded(fields.get(name) or "") for name in TEXT_FIELDS}
    parts["tags"] = _TAG + "".join(folded(tag) + _TAG for tag in tags)
    found = words(parts["location"])
    parts["words"] = f" {' '.join(found)} " if found else ""
    return "".join(mark + parts[name] for mark, name in zip(_MARKS, FIELDS, strict=False)) + _MARKS[-1]


def words(folded_text: str) -> list[str]:
    return re.findall(r"[^\W_]+", folded_text)


def conditions(name: str, query: str) -> list[Condition]:
    """What a search parameter asks: `text` of any field, the others of their own."""
    if name == "text":
        return _any_field(query)
    return _all_tags(query) if name == "tags" else _one_field(name, query)


def _any_field(query: str) -> list[Condition]:
    """Each term must occur in some text field."""
    found = []
    for pieces in _terms(query):
        # A term that is one run of characters cannot reach over a mark; others are looked for field by field.
        simple = len(pieces) == 1 and " " not in pieces[0]
        patterns = (f"%{_escaped(pieces[0])}%",) if simple else tuple(_inside(name, pieces) for name in TEXT_FIELDS)
        found.append(Condition(patterns, _literals(pieces)))
    return found


def _one_field(name: str, query: str) -> list[Condition]:
    """The same matching in one field."""
    if name in WHOLE_FIELDS:
        return [_whole(name, query)]
    found = []
    for pieces in _terms(query):
        elsewhere = _unknown(name, "".join(pieces)) if name in WORD_FIELDS else ()
        found.append(Condition((_inside(name, pieces), *elsewhere), _literals(pieces)))
    return found


def _all_tags(query: str) -> list[Condition]:
    """Each must be on the event, whole."""
    tags = [folded(tag) for tag in query.split(",")]
    return [Condition((f"%{_TAG}{_escaped(tag)}{_TAG}%",), _literals([tag])) for tag in tags if tag]


def _whole(name: str, query: str) -> Condition:
    value = folded(query)
    known = f"%{_mark(name)}{_escaped(value)}{_mark_after(name)}%"
    return Condition((known, *_unknown(name, value)), _literals([value]))


def _unknown(name: str, value: str) -> tuple[str, ...]:
    """The part is empty, and the location has these words, whole and side by side."""
    wanted = words(value)
    return (f"%{_mark(name)}{_mark_after(name)}%{_mark('words')}% {' '.join(wanted)} %",) if wanted else ()


def _inside(name: str, pieces: Sequence[str]) -> str:
    """The pieces occur in the field, in this order."""
    return f"%{_mark(name)}%{'%'.join(map(_escaped, pieces))}%{_mark_after(name)}%"


def _terms(query: str) -> Iterable[tuple[str, ...]]:
    """The words and quoted phrases of a query, each cut at its `*`."""
    terms = (tuple(filter(None, map(folded, (quoted or word).split("*")))) for quoted, word in _TERM.findall(query))
    return dict.fromkeys(filter(None, terms))


def _literals(pieces: Sequence[str]) -> tuple[str, ...]:
    """Runs of three or more letters or digits: what a trigram index can find."""
    return tuple(run for piece in pieces for run in _INDEXED.findall(piece))


def _escaped(literal: str) -> str:
    return literal.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _mark(name: str) -> str:
    return _MARKS[FIELDS.index(name)]


def _mark_after(name: str) -> str:
    return _MARKS[FIELDS.index(name) + 1]

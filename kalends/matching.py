"""Searching text: a record carries all its text, folded, in one column, each field between marks of its own."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

# Control characters, which no text holds.
_MARKS = "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11"
_TAG = "\x12"

# What the databases take of one search: so many patterns, each of so many bytes.
MOST_PATTERNS = 2_000
LONGEST_PATTERN = 45_000

_TERM = re.compile(r'"([^"]*)"|(\S+)')
_INDEXED = re.compile(r"[^\W_]{3,}")


class Condition(Struct, frozen=True):
    """One of these patterns must match the column. The literals are what an index may look for."""

    patterns: tuple[str, ...]
    literals: tuple[str, ...] = ()


class Layout:
    """The fields in the order in which they stand in the column. Among them are `tags`."""

    def __init__(self, *fields: str, beside: Sequence[str] = ()):
        """beside: fields that `any_field` does not look into."""
        self.parts = [name for name in fields if name != "tags"]
        self._searched = fields
        self._fields = (*fields, *beside)

    def column(self, parts: Mapping[str, str], tags: Sequence[str]) -> str:
        """What is stored: the parts, folded already, and the tags."""
        written = {**parts, "tags": _TAG + "".join(folded(tag) + _TAG for tag in tags if tag)}
        fields = "".join(mark + written.get(name, "") for mark, name in zip(_MARKS, self._fields, strict=False))
        return fields + self.after(self._fields[-1])

    def any_field(self, query: str) -> list[Condition]:
        """Each term must occur in some field."""
        found = []
        for pieces in terms(query):
            # A term that is one run of characters cannot reach over a mark; others are looked for field by field.
            simple = len(pieces) == 1 and " " not in pieces[0]
            patterns = (f"%{escaped(pieces[0])}%",) if simple else tuple(self.inside(name, pieces) for name in self._searched)
            found.append(Condition(patterns, literals(pieces)))
        return found

    def all_tags(self, query: str) -> list[Condition]:
        """Each must be on the record, whole."""
        tags = [folded(tag) for tag in query.split(",")]
        return [Condition((f"%{_TAG}{escaped(tag)}{_TAG}%",), literals([tag])) for tag in tags if tag]

    def inside(self, name: str, pieces: Sequence[str]) -> str:
        """The pieces occur in the field, in this order."""
        return f"%{self.mark(name)}%{'%'.join(map(escaped, pieces))}%{self.after(name)}%"

    def mark(self, name: str) -> str:
        return _MARKS[self._fields.index(name)]

    def after(self, name: str) -> str:
        return _MARKS[self._fields.index(name) + 1]


def where(column: str, condition: Condition, params: dict[str, Any]) -> str:
    """The condition on the column as SQL, its patterns among the parameters; raises ValueError if it is too much."""
    if len(params) + len(condition.patterns) > MOST_PATTERNS or max(len(p.encode()) for p in condition.patterns) > LONGEST_PATTERN:
        raise ValueError("is too much to search for; ask for fewer words")
    names = [f"like{len(params) + i}" for i in range(len(condition.patterns))]
    params |= dict(zip(names, condition.patterns, strict=True))
    return "(" + " OR ".join(rf"{column} LIKE :{name} ESCAPE '\'" for name in names) + ")"


def folded(value: str) -> str:
    """Without regard to case, accents and the kind of white space."""
    if not value.isascii():
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", value).casefold())
        value = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(value.lower().split())


def words(folded_text: str) -> list[str]:
    return re.findall(r"[^\W_]+", folded_text)


def terms(query: str) -> Iterable[tuple[str, ...]]:
    """The words and quoted phrases of a query, each cut at its `*`."""
    found = (tuple(filter(None, map(folded, (quoted or word).split("*")))) for quoted, word in _TERM.findall(query))
    return dict.fromkeys(filter(None, found))


def literals(pieces: Sequence[str]) -> tuple[str, ...]:
    """Runs of three or more letters or digits: what a trigram index can find."""
    return tuple(run for piece in pieces for run in _INDEXED.findall(piece))


def escaped(literal: str) -> str:
    return literal.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")

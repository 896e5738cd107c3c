"""Searching text: a record carries all its text, folded, in one column, each field between marks of its own."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

# Control characters, which no text holds.
_MARKS = "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11"
_TAG = "\x12"

# What one search may ask for: a database compares each term with each place of a text. Whole values are found by their marks.
MOST_TERMS = 20
LONGEST_TERM = 100
LONGEST_VALUE = 200
MOST_WILDCARDS = 5
# In bytes: no pattern of such a term is longer.
LONGEST_PATTERN = 1_000

_TERM = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"[^\W_]+")
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
        self._marks = list(zip(_MARKS, self._fields, strict=False))
        self._end = self.after(self._fields[-1])

    def column(self, parts: Mapping[str, str], tags: Sequence[str]) -> str:
        """What is stored: the parts, folded already, and the tags."""
        written = {**parts, "tags": _TAG + "".join(fold(tag) + _TAG for tag in tags if tag)}
        return "".join([mark + written.get(name, "") for mark, name in self._marks]) + self._end

    def any_field(self, query: str) -> list[Condition]:
        """Each term must occur in some field."""
        found = []
        for pieces in parse_terms(query):
            # A term that is one run of characters cannot reach over a mark; others are looked for field by field.
            simple = len(pieces) == 1 and " " not in pieces[0]
            patterns = (f"%{escape_like(pieces[0])}%",) if simple else tuple(self.inside(name, pieces) for name in self._searched)
            found.append(Condition(patterns, literals(pieces)))
        return found

    def all_tags(self, query: str) -> list[Condition]:
        """Each must be on the record, whole; a `*` at its beginning or end stands for any characters."""
        found = []
        for pieces in dict.fromkeys(parse_value(tag) for tag in query.split(",")):
            if sum(map(bool, pieces)) > 1:
                # A pattern cannot say that the characters between are those of one tag.
                raise ValueError("a tag may have a * at its beginning or its end only")
            if any(pieces):
                found.append(Condition((f"%{_TAG}{'%'.join(map(escape_like, pieces))}{_TAG}%",), literals(pieces)))
        return found

    def inside(self, name: str, pieces: Sequence[str]) -> str:
        """The pieces occur in the field, in this order."""
        return f"%{self.mark(name)}%{'%'.join(map(escape_like, pieces))}%{self.after(name)}%"

    def mark(self, name: str) -> str:
        return _MARKS[self._fields.index(name)]

    def after(self, name: str) -> str:
        return _MARKS[self._fields.index(name) + 1]


def where(column: str, conditions: Iterable[Condition], params: dict[str, Any]) -> list[str]:
    """The conditions on the column as SQL, their patterns added to the parameters."""
    written = []
    for condition in conditions:
        names = [f"like{len(params) + i}" for i in range(len(condition.patterns))]
        params |= dict(zip(names, condition.patterns, strict=True))
        written.append("(" + " OR ".join(rf"{column} LIKE :{name} ESCAPE '\'" for name in names) + ")")
    return written


def check_term_count(terms: int) -> None:
    """Raise ValueError if one search has too many terms."""
    if terms > MOST_TERMS:
        raise ValueError(f"a search may have at most {MOST_TERMS} words, phrases and tags; leave some out")


def fold(value: str) -> str:
    """Without regard to case, accents and the kind of white space."""
    if not value.isascii():
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", value).casefold())
        value = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(value.lower().split())


def words(folded_text: str) -> list[str]:
    return _WORD.findall(folded_text)


def parse_terms(query: str) -> Iterable[tuple[str, ...]]:
    """The words and quoted phrases of a query, each cut at its `*`; raises ValueError for one that is too long."""
    found = dict.fromkeys(tuple(filter(None, map(fold, (quoted or word).split("*")))) for quoted, word in _TERM.findall(query))
    for pieces in found:
        if sum(map(len, pieces)) > LONGEST_TERM:
            raise ValueError(f"a word or phrase may have at most {LONGEST_TERM} characters; shorten it")
        if len(pieces) > MOST_WILDCARDS + 1:
            raise ValueError(f"a word or phrase may have at most {MOST_WILDCARDS} *; leave some out")
    return filter(None, found)


def parse_value(value: str) -> tuple[str, ...]:
    """A value that must be the same as a whole, folded and cut at its `*`; raises ValueError for one that is too long."""
    value = fold(value)
    if len(value) > LONGEST_VALUE:
        raise ValueError(f"may have at most {LONGEST_VALUE} characters; shorten it")
    pieces = tuple(value.split("*"))
    if len(pieces) > MOST_WILDCARDS + 1:
        raise ValueError(f"may have at most {MOST_WILDCARDS} *; leave some out")
    return pieces


def literals(pieces: Sequence[str]) -> tuple[str, ...]:
    """Runs of three or more letters or digits: what a trigram index can find."""
    return tuple(run for piece in pieces for run in _INDEXED.findall(piece))


def escape_like(literal: str) -> str:
    return literal.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")

"""Text search: a record has all its text in one column, normalized, with a control character before and after each field."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

# The control characters that separate fields; no text contains them.
_MARKS = "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11"
_TAG = "\x12"

# The limits of one search: a database compares each term with each position of a text. Whole values are matched with their separators.
MAX_TERMS = 20
MAX_TERM_LENGTH = 100
MAX_VALUE_LENGTH = 200
MAX_WILDCARDS = 5
# In bytes: the pattern of the longest term is shorter.
MAX_PATTERN_LENGTH = 1_000

_TERM = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"[^\W_]+")
_INDEXED = re.compile(r"[^\W_]{3,}")


class Condition(Struct, frozen=True):
    """One of these LIKE patterns must match the column; a trigram index can look for the literals."""

    patterns: tuple[str, ...]
    literals: tuple[str, ...] = ()


class Layout:
    """The fields in their order in the column; one of them is `tags`."""

    def __init__(self, *fields: str, beside: Sequence[str] = ()):
        """beside: fields that `any_field` does not search."""
        self.parts = [name for name in fields if name != "tags"]
        self._searched = fields
        self._fields = (*fields, *beside)
        self._marks = list(zip(_MARKS, self._fields, strict=False))
        self._end = self.after(self._fields[-1])

    def column(self, parts: Mapping[str, str], tags: Sequence[str]) -> str:
        """The value of the column, from the normalized fields and the tags."""
        values = {**parts, "tags": _TAG + "".join(fold(tag) + _TAG for tag in tags if tag)}
        return "".join([mark + values.get(name, "") for mark, name in self._marks]) + self._end

    def any_field(self, query: str) -> list[Condition]:
        """Each term must occur in some field."""
        conditions = []
        for pieces in parse_terms(query):
            # A term without spaces and wildcards cannot span two fields; others are searched field by field.
            simple = len(pieces) == 1 and " " not in pieces[0]
            patterns = (f"%{escape_like(pieces[0])}%",) if simple else tuple(self.inside(name, pieces) for name in self._searched)
            conditions.append(Condition(patterns, literals(pieces)))
        return conditions

    def all_tags(self, query: str) -> list[Condition]:
        """The record must have each of these tags; a `*` at the beginning or end matches any characters."""
        conditions = []
        for pieces in dict.fromkeys(parse_value(tag) for tag in query.split(",")):
            if sum(map(bool, pieces)) > 1:
                # LIKE cannot express that a `*` in the middle must match within one tag.
                raise ValueError("a tag may have a * at its beginning or its end only")
            if any(pieces):
                conditions.append(Condition((f"%{_TAG}{'%'.join(map(escape_like, pieces))}{_TAG}%",), literals(pieces)))
        return conditions

    def inside(self, name: str, pieces: Sequence[str]) -> str:
        """The LIKE pattern of a field that contains the pieces in this order."""
        return f"%{self.mark(name)}%{'%'.join(map(escape_like, pieces))}%{self.after(name)}%"

    def mark(self, name: str) -> str:
        return _MARKS[self._fields.index(name)]

    def after(self, name: str) -> str:
        return _MARKS[self._fields.index(name) + 1]


def where(column: str, conditions: Iterable[Condition], params: dict[str, Any]) -> list[str]:
    """The conditions on the column as SQL; adds their patterns to the parameters."""
    clauses = []
    for condition in conditions:
        names = [f"like{len(params) + i}" for i in range(len(condition.patterns))]
        params |= dict(zip(names, condition.patterns, strict=True))
        clauses.append("(" + " OR ".join(rf"{column} LIKE :{name} ESCAPE '\'" for name in names) + ")")
    return clauses


def check_term_count(terms: int) -> None:
    """Raise ValueError if one search has too many terms."""
    if terms > MAX_TERMS:
        raise ValueError(f"a search may have at most {MAX_TERMS} words, phrases and tags; leave some out")


def fold(value: str) -> str:
    """Normalize the text: lower case, no accents, single spaces."""
    if not value.isascii():
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", value).casefold())
        value = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(value.lower().split())


def words(normalized: str) -> list[str]:
    return _WORD.findall(normalized)


def parse_terms(query: str) -> Iterable[tuple[str, ...]]:
    """The words and quoted phrases of a query, each split at its `*`; raises ValueError if one is too long."""
    terms = dict.fromkeys(tuple(filter(None, map(fold, (quoted or word).split("*")))) for quoted, word in _TERM.findall(query))
    for pieces in terms:
        if sum(map(len, pieces)) > MAX_TERM_LENGTH:
            raise ValueError(f"a word or phrase may have at most {MAX_TERM_LENGTH} characters; shorten it")
        if len(pieces) > MAX_WILDCARDS + 1:
            raise ValueError(f"a word or phrase may have at most {MAX_WILDCARDS} *; leave some out")
    return filter(None, terms)


def parse_value(value: str) -> tuple[str, ...]:
    """A value that must match a whole field, split at its `*`; raises ValueError if it is too long."""
    value = fold(value)
    if len(value) > MAX_VALUE_LENGTH:
        raise ValueError(f"may have at most {MAX_VALUE_LENGTH} characters; shorten it")
    pieces = tuple(value.split("*"))
    if len(pieces) > MAX_WILDCARDS + 1:
        raise ValueError(f"may have at most {MAX_WILDCARDS} *; leave some out")
    return pieces


def literals(pieces: Sequence[str]) -> tuple[str, ...]:
    """The runs of three or more letters or digits, which a trigram index can find."""
    return tuple(run for piece in pieces for run in _INDEXED.findall(piece))


def escape_like(literal: str) -> str:
    return literal.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")

"""Text search: a record has all its text in one column, normalized, with a control character before and after each field."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from kalends.core.i18n import gettext
from kalends.db.dialect import Dialect

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


class Substring(Struct, frozen=True):
    """A text that the column must contain, between two separators if they are not empty. Databases find it far faster than a pattern."""

    text: str
    begin: str = ""
    end: str = ""


class Condition(Struct, frozen=True):
    """The column must contain one of the substrings, or match one of the LIKE patterns; a trigram index can look for the literals."""

    alternatives: tuple[Substring | str, ...]
    literals: tuple[str, ...] = ()


class Layout:
    """The fields in their order in the column; one of them is `tags`."""

    def __init__(self, *fields: str, beside: Sequence[str] = ()):
        """beside: fields that `any_field` does not search."""
        self.parts = [name for name in fields if name != "tags"]
        self._searched = fields
        self._fields = (*fields, *beside)
        self._empty = dict.fromkeys(self._fields, "")
        self._template = "".join(f"{self.mark(name)}%({name})s" for name in self._fields) + self.after(self._fields[-1])

    def column(self, parts: Mapping[str, str], tags: Sequence[str]) -> str:
        """The value of the column, from the normalized fields and the tags."""
        return self._template % {**self._empty, **parts, "tags": _TAG + "".join([fold(tag) + _TAG for tag in tags if tag])}

    def any_field(self, query: str) -> list[Condition]:
        """Each term must occur in some field."""
        return [Condition(self._in_any_field(pieces), literals(pieces)) for pieces in parse_terms(query)]

    def _in_any_field(self, pieces: Sequence[str]) -> tuple[Substring | str, ...]:
        """A term without wildcards cannot span two fields; others are searched field by field."""
        if len(pieces) > 1:
            return tuple(self.inside(name, pieces) for name in self._searched)
        # A word is in one of the fields beside only if it is in another one, too; a phrase may be only there.
        is_word = " " not in pieces[0]
        return (Substring(pieces[0]) if is_word else Substring(pieces[0], self.mark(self._searched[0]), self.after(self._searched[-1])),)

    def all_tags(self, query: str) -> list[Condition]:
        """The record must have each of these tags; a `*` at the beginning or end matches any characters."""
        conditions = []
        for pieces in dict.fromkeys(parse_value(tag) for tag in query.split(",")):
            if sum(map(bool, pieces)) > 1:
                # A substring cannot express that a `*` in the middle must match within one tag.
                raise ValueError(gettext("a tag may have a * at its beginning or its end only"))
            if any(pieces):
                conditions.append(Condition((self._in_tag(pieces),), literals(pieces)))
        return conditions

    def _in_tag(self, pieces: Sequence[str]) -> Substring:
        begin, end = (_TAG if piece else "" for piece in (pieces[0], pieces[-1]))
        text = f"{begin}{''.join(pieces)}{end}"
        return Substring(text) if begin or end else Substring(text, self.mark("tags"), self.after("tags"))

    def inside(self, name: str, pieces: Sequence[str]) -> Substring | str:
        """The condition that a field contains the pieces in this order."""
        if len(pieces) == 1:
            return Substring(pieces[0], self.mark(name), self.after(name))
        return f"%{self.mark(name)}%{'%'.join(map(escape_like, pieces))}%{self.after(name)}%"

    def mark(self, name: str) -> str:
        return _MARKS[self._fields.index(name)]

    def after(self, name: str) -> str:
        return _MARKS[self._fields.index(name) + 1]


def where(db: Dialect, column: str, conditions: Iterable[Condition], params: dict[str, Any]) -> list[str]:
    """The conditions on the column as SQL; adds their texts and patterns to the parameters."""
    return ["(" + " OR ".join(_sql(db, column, each, params) for each in condition.alternatives) + ")" for condition in conditions]


def _sql(db: Dialect, column: str, condition: Substring | str, params: dict[str, Any]) -> str:
    if isinstance(condition, str):
        return rf"{column} LIKE {_add(params, condition)} ESCAPE '\'"
    part = column
    if condition.begin:
        begin, end = (f"{db.position}({column}, {_add(params, mark)})" for mark in (condition.begin, condition.end))
        part = f"substr({column}, {begin}, {end} - {begin})"
    return f"{db.position}({part}, {_add(params, condition.text)}) > 0"


def _add(params: dict[str, Any], value: str) -> str:
    """Add the value to the parameters, and return its placeholder."""
    name = f"search{len(params)}"
    params[name] = value
    return f":{name}"


def check_term_count(terms: int) -> None:
    """Raise ValueError if one search has too many terms."""
    if terms > MAX_TERMS:
        raise ValueError(gettext("a search may have at most %(max)s words, phrases and tags; leave some out", max=MAX_TERMS))


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
            raise ValueError(gettext("a word or phrase may have at most %(max)s characters; shorten it", max=MAX_TERM_LENGTH))
        if len(pieces) > MAX_WILDCARDS + 1:
            raise ValueError(gettext("a word or phrase may have at most %(max)s *; leave some out", max=MAX_WILDCARDS))
    return filter(None, terms)


def parse_value(value: str) -> tuple[str, ...]:
    """A value that must match a whole field, split at its `*`; raises ValueError if it is too long."""
    value = fold(value)
    if len(value) > MAX_VALUE_LENGTH:
        raise ValueError(gettext("may have at most %(max)s characters; shorten it", max=MAX_VALUE_LENGTH))
    pieces = tuple(value.split("*"))
    if len(pieces) > MAX_WILDCARDS + 1:
        raise ValueError(gettext("may have at most %(max)s *; leave some out", max=MAX_WILDCARDS))
    return pieces


def literals(pieces: Sequence[str]) -> tuple[str, ...]:
    """The runs of three or more letters or digits, which a trigram index can find."""
    return tuple(run for piece in pieces for run in _INDEXED.findall(piece))


def escape_like(literal: str) -> str:
    return literal.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")

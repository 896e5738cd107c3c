"""Searching events: over all their text, or in one field."""

from collections.abc import Sequence

from kalends.db.text_search import Condition, Layout, escape_like, fold, literals, parse_terms, parse_value, words

TEXT_FIELDS = ("title", "description", "location", "location_name", "street", "city", "state", "zip", "country", "tags")
WHOLE_FIELDS = ("state", "zip", "country")
WORD_FIELDS = ("location_name", "street", "city")

# `words` repeats the words of the location, for parts that are unknown.
_LAYOUT = Layout(*TEXT_FIELDS, beside=["words"])


def column(fields: dict[str, str | None], tags: Sequence[str]) -> str:
    """What is stored for an event."""
    parts = {name: fold(value) for name in TEXT_FIELDS if (value := fields.get(name))}
    found = words(parts.get("location", ""))
    parts["words"] = f" {' '.join(found)} " if found else ""
    return _LAYOUT.column(parts, tags)


def conditions(name: str, query: str) -> list[Condition]:
    """What a search parameter asks: `text` of any field, the others of their own; raises ValueError if it is too much."""
    if name == "text":
        return _LAYOUT.any_field(query)
    return _LAYOUT.all_tags(query) if name == "tags" else _one_field(name, query)


def _one_field(name: str, query: str) -> list[Condition]:
    """The same matching in one field."""
    if name in WHOLE_FIELDS:
        return [_whole(name, query)]
    found = []
    for pieces in parse_terms(query):
        elsewhere = _unknown(name, "".join(pieces)) if name in WORD_FIELDS else ()
        found.append(Condition((_LAYOUT.inside(name, pieces), *elsewhere), literals(pieces)))
    return found


def _whole(name: str, query: str) -> Condition:
    pieces = parse_value(query)
    known = f"%{_LAYOUT.mark(name)}{'%'.join(map(escape_like, pieces))}{_LAYOUT.after(name)}%"
    return Condition((known, *_unknown(name, *pieces)), literals(pieces))


def _unknown(name: str, *pieces: str) -> tuple[str, ...]:
    """The part is empty, and the location has these words, whole and side by side, with anything between the pieces."""
    wanted = [" ".join(words(piece)) for piece in pieces]
    if not any(wanted):
        return ()
    return (f"%{_LAYOUT.mark(name)}{_LAYOUT.after(name)}%{_LAYOUT.mark('words')}% {'%'.join(wanted)} %",)

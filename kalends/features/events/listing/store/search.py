"""The search column of events, and the conditions of searches in all text or in one field."""

from collections.abc import Sequence

from kalends.db.text_search import Condition, Layout, escape_like, fold, literals, parse_terms, parse_value, words

TEXT_FIELDS = ("title", "description", "location", "location_name", "street", "city", "state", "zip", "country", "tags")
WHOLE_FIELDS = ("state", "zip", "country")
WORD_FIELDS = ("location_name", "street", "city")

# `words` repeats the words of the location, for searches in parts that are empty.
_LAYOUT = Layout(*TEXT_FIELDS, beside=["words"])


def build_column(fields: dict[str, str | None], tags: Sequence[str]) -> str:
    """The content of the search column of an event."""
    parts = {name: fold(value) for name in TEXT_FIELDS if (value := fields.get(name))}
    location_words = words(parts.get("location", ""))
    parts["words"] = f" {' '.join(location_words)} " if location_words else ""
    return _LAYOUT.column(parts, tags)


def parse_query(name: str, query: str) -> list[Condition]:
    """The conditions of a search parameter: `text` searches all fields, the others their own; raises ValueError if there are too many."""
    if name == "text":
        return _LAYOUT.any_field(query)
    return _LAYOUT.all_tags(query) if name == "tags" else _parse_field_query(name, query)


def _parse_field_query(name: str, query: str) -> list[Condition]:
    if name in WHOLE_FIELDS:
        return [_whole_field(name, query)]
    conditions = []
    for pieces in parse_terms(query):
        alternatives = _in_location(name, "".join(pieces)) if name in WORD_FIELDS else ()
        conditions.append(Condition((_LAYOUT.inside(name, pieces), *alternatives), literals(pieces)))
    return conditions


def _whole_field(name: str, query: str) -> Condition:
    pieces = parse_value(query)
    known = f"%{_LAYOUT.mark(name)}{'%'.join(map(escape_like, pieces))}{_LAYOUT.after(name)}%"
    return Condition((known, *_in_location(name, *pieces)), literals(pieces))


def _in_location(name: str, *pieces: str) -> tuple[str, ...]:
    """A pattern for events whose part is empty and whose location has the words of each piece side by side."""
    phrases = [" ".join(words(piece)) for piece in pieces]
    if not any(phrases):
        return ()
    return (f"%{_LAYOUT.mark(name)}{_LAYOUT.after(name)}%{_LAYOUT.mark('words')}% {'%'.join(phrases)} %",)

"""A search of events in plain Python, to compare with that of the service on both databases."""

import re
import unicodedata
from typing import Any

TEXT_FIELDS = ("title", "description", "location", "location_name", "street", "city", "state", "zip", "country")


def folded(value: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", value).casefold())
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).split())


def terms(query: str) -> list[str]:
    return [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', query)]


def occurs(term: str, value: str | None) -> bool:
    """Whether the term is somewhere in the value; `*` is any characters."""
    pieces = [folded(piece) for piece in term.split("*")]
    at, text = 0, folded(value or "")
    for piece in pieces:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def says(query: str, *values: str | None) -> bool:
    """Whether each term is in some of the values."""
    return all(any(occurs(term, value) for value in values) for term in terms(query) if folded(term.replace("*", "")))


def matches(event: dict[str, Any], query: dict[str, str]) -> bool:
    """Whether the event meets all conditions of the query."""
    return all(_meets(event, name, value) for name, value in query.items())


def _meets(event: dict[str, Any], name: str, value: str) -> bool:
    tags: list[str] = event["tags"]
    if name == "text":
        return says(value, *(event[field] for field in TEXT_FIELDS), *tags)
    if name == "tags":
        return all(any(is_whole(tag, held) for held in tags) for tag in value.split(",") if folded(tag).replace("*", ""))
    if name in ("title", "description", "location"):
        return says(value, event[name])
    if name in ("state", "zip", "country"):
        return is_whole(value, event[name] or "") or (event[name] is None and _has_pieces(event["location"], value))
    if event[name] is None:
        words = [folded(t.replace("*", "")) for t in terms(value)]
        return all(_has_words(event["location"], term) for term in words if term)
    return says(value, event[name])


def is_whole(query: str, value: str) -> bool:
    """Whether the value matches the query; `*` is any characters."""
    return re.fullmatch(".*".join(map(re.escape, folded(query).split("*"))), folded(value), re.DOTALL) is not None


def _has_pieces(location: str | None, query: str) -> bool:
    held = re.findall(r"[^\W_]+", folded(location or ""))
    pieces = [" ".join(re.findall(r"[^\W_]+", piece)) for piece in folded(query).split("*")]
    return any(pieces) and bool(held) and re.search(f" {'.*'.join(pieces)} ", f" {' '.join(held)} ") is not None


def _has_words(location: str | None, value: str) -> bool:
    words, held = re.findall(r"[^\W_]+", value), re.findall(r"[^\W_]+", folded(location or ""))
    return bool(words) and any(held[i : i + len(words)] == words for i in range(len(held)))

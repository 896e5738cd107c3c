"""What of a line is the title, and what is the place, once days and times are taken out of it."""

import re
from collections.abc import Iterable

from kalends.features.events.forms.rules.quick_languages import FILL

# What stands where a day, a time or a zone was taken out of the line.
GAP = "\x00"
QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_PLACE = re.compile(r"(?:^|\s)(?:at|@)\s*(?=\S)", re.IGNORECASE)


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with gaps of the same length in place of the spans."""
    for first, last in spans:
        text = text[:first] + GAP * (last - first) + text[last:]
    return text


def split_place(text: str, searched: str) -> tuple[str, str]:
    """The title, and what follows the last `at` or `@` up to the next gap; without a title, all of it is the title."""
    for match in reversed(list(_PLACE.finditer(searched))):
        end = searched.find(GAP, match.end())
        # A quoted place is hidden from the search.
        if end == match.end():
            end = len(text) if GAP not in text[match.end() :] else text.index(GAP, match.end())
        place = _tidy(text[match.end() : end if end != -1 else len(text)])
        title = _tidy(text[: match.start()] + GAP + (text[end:] if end != -1 else ""))
        if place and title:
            return title, place
    return _tidy(text), ""


def _tidy(text: str) -> str:
    """The text without gaps, the quotation marks around all of it, and the commas and dashes that the gaps leave over."""
    text = re.sub(rf"\s*[,;–—-]*\s*{GAP}+\s*[,;]*\s*", " ", text.replace(FILL, ""))
    text = " ".join(text.split()).strip(" ,;-–—")
    quoted = QUOTED.fullmatch(text)
    return quoted[1].strip() if quoted else text

"""The number of segments of an SMS, which determines its price."""

# The default alphabet of GSM 03.38, and the characters that take an escape and so count double.
_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_ESCAPED = frozenset("\f^{}\\[~]|€")
_GSM = (160, 153)
_UCS2 = (70, 67)

# Typography that would force UCS-2, and so halve the capacity of a segment.
_PLAIN = {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‑": "-", "…": "...", "\xa0": " "}
# Bidirectional controls, which could reverse a link.
_BIDI_CONTROLS = dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "")
_REPLACED = str.maketrans(_PLAIN | _BIDI_CONTROLS)


def plain(text: str) -> str:
    """Replace typographic punctuation by ASCII."""
    return text.translate(_REPLACED)


def segments(text: str) -> int:
    """The number of segments: one if the text fits, else with the header of concatenated messages in each."""
    if all(character in _BASIC or character in _ESCAPED for character in text):
        return _count_segments([2 if character in _ESCAPED else 1 for character in text], *_GSM)
    return _count_segments([2 if character > "\uffff" else 1 for character in text], *_UCS2)


def _count_segments(widths: list[int], whole: int, part: int) -> int:
    """Characters of two units are not split."""
    if sum(widths) <= whole:
        return 1
    count, capacity_left = 1, part
    for width in widths:
        if width > capacity_left:
            count, capacity_left = count + 1, part
        capacity_left -= width
    return count

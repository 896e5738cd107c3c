"""How many pieces an SMS is sent in, which is what it costs."""

# The default alphabet of GSM 03.38, and the characters that take an escape and so count double.
_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_ESCAPED = frozenset("\f^{}\\[~]|€")
_GSM = (160, 153)
_UCS2 = (70, 67)

# Typography that would halve the room of a text that is otherwise in the default alphabet.
_PLAIN = {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‑": "-", "…": "...", "\xa0": " "}
# Marks that turn round the direction of all that follows, links too.
_TURNING = dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "")
_REPLACED = str.maketrans(_PLAIN | _TURNING)


def plain(text: str) -> str:
    """The text with the plainest form of its punctuation."""
    return text.translate(_REPLACED)


def segments(text: str) -> int:
    """The number of pieces: one if all fits, else as many as it takes when each has a header that joins them."""
    if all(character in _BASIC or character in _ESCAPED for character in text):
        return _pieces([2 if character in _ESCAPED else 1 for character in text], *_GSM)
    return _pieces([2 if character > "\uffff" else 1 for character in text], *_UCS2)


def _pieces(widths: list[int], whole: int, part: int) -> int:
    """A character of two units is never parted."""
    if sum(widths) <= whole:
        return 1
    count, room = 1, part
    for width in widths:
        if width > room:
            count, room = count + 1, part
        room -= width
    return count

"""The regular expressions of the parameters' schemas, in the dialect that ECMAScript, Python and Rust share."""

# What kalends/text.py strips from text, what it refuses in a line and in lines, and the first two together.
_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_CONTROL_IN_LINES = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_INVISIBLE = r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

BLANK = f"^[{_SPACE}]*$"
VERBATIM = f"^[^{_CONTROL}]*$"
LINE = f"^[{_SPACE}]*[^{_INVISIBLE}](?:[^{_CONTROL}]*[^{_INVISIBLE}])?[{_SPACE}]*$"
LINES = f"^[{_SPACE}]*[^{_INVISIBLE}](?:[^{_CONTROL_IN_LINES}]*[^{_INVISIBLE}])?[{_SPACE}]*$"
_ITEM = f"[{_SPACE}]*(?:[^{_INVISIBLE},](?:[^{_CONTROL},]*[^{_INVISIBLE},])?[{_SPACE}]*)?"
ITEMS = f"^{_ITEM}(?:,{_ITEM})*$"
TRUTH = r"^\s*(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|1|0)\s*$"

_MONTH_AND_DAY = r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])?"
DATETIME = f"^(?:19(?:0[1-9]|[1-9][0-9])|[2-8][0-9]{{3}})-{_MONTH_AND_DAY}(?:T{_CLOCK})?$"

# The largest number of which every number with as many digits is a 64-bit integer.
_NINES = 10**18 - 1


def whole_number(low: int, high: int) -> str:
    return rf"^\s*(?:{_number(low, high)})\s*$"


def listed_numbers(low: int, high: int) -> str:
    """Comma-delimited numbers, between which there may be nothing."""
    one = rf"\s*(?:(?:{_number(low, high)})\s*)?"
    return f"^{one}(?:,{one})*$"


def _number(low: int, high: int) -> str:
    """The digits of the whole numbers from low to high; of those beyond 18 digits, none."""
    if low < -_NINES and high > _NINES:
        return "[+-]?[0-9]{1,18}"
    sides = []
    if high >= 0:
        sides.append(rf"\+?0*(?:{between(max(low, 0), min(high, _NINES))})")
    if low < 0:
        sides.append(rf"-0*(?:{between(max(-high, 0), min(-low, _NINES))})")
    return "|".join(sides)


def between(low: int, high: int) -> str:
    """The digits of the numbers from low to high, neither negative, without leading zeros."""
    if low <= 1 and set(str(high)) == {"9"}:
        return f"[0-9]{{1,{len(str(high))}}}" if low == 0 else f"[1-9][0-9]{{0,{len(str(high)) - 1}}}"
    found: list[str] = []
    for length in range(len(str(low)), len(str(high)) + 1):
        smallest = max(low, 10 ** (length - 1) if length > 1 else 0)
        found += _of_one_length(str(smallest), str(min(high, 10**length - 1)))
    return "|".join(found)


def _of_one_length(low: str, high: str) -> list[str]:
    if not low:
        return [""]
    rest = len(low) - 1
    if low[0] == high[0]:
        return [low[0] + tail for tail in _of_one_length(low[1:], high[1:])]
    first, last = int(low[0]), int(high[0])
    below: list[str] = []
    above: list[str] = []
    if low[1:] != "0" * rest:
        below = [low[0] + tail for tail in _of_one_length(low[1:], "9" * rest)]
        first += 1
    if high[1:] != "9" * rest:
        above = [high[0] + tail for tail in _of_one_length("0" * rest, high[1:])]
        last -= 1
    whole = [f"[{first}-{last}]" + (f"[0-9]{{{rest}}}" if rest else "")] if first <= last else []
    return below + whole + above

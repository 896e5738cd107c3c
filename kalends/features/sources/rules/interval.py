"""When a source is fetched again."""

import re

MINUTE, HOUR, DAY = 60, 3600, 86_400
SHORTEST, LONGEST, DEFAULT = 15 * MINUTE, DAY, HOUR
# A calendar that never changes is fetched less often: after so many runs without a change, at twice the interval, up to six hours.
CALM_AFTER = 10
CALM_LONGEST = 6 * HOUR
JITTER = 0.1
PAUSED_AFTER = 7 * DAY

_DURATION = re.compile(r"\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?", re.IGNORECASE)
_PROPERTY = re.compile(r"^(REFRESH-INTERVAL|X-PUBLISHED-TTL)(?:;[^:\r\n]*)?:(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age=\"?(\d{1,9})", re.IGNORECASE)


def suggested(head: str, cache_control: str) -> int:
    """The seconds that the head of a calendar file or its Cache-Control asks for, within bounds; an hour without them."""
    asked = {match[1].upper(): seconds for match in _PROPERTY.finditer(head) if (seconds := parse_duration(match[2]))}
    seconds = asked.get("REFRESH-INTERVAL") or asked.get("X-PUBLISHED-TTL")
    if seconds is None and (age := _MAX_AGE.search(cache_control)) and int(age[1]):
        seconds = int(age[1])
    return DEFAULT if seconds is None else min(max(seconds, SHORTEST), LONGEST)


def parse_duration(text: str) -> int | None:
    """The seconds of a duration such as PT1H; None if it is none."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        return None
    factors = (7 * DAY, DAY, HOUR, MINUTE, 1)
    return sum(int(number) * factor for number, factor in zip(match.groups(), factors, strict=True) if number)


def pause_after(every: int | None, suggestion: int, unchanged: int, failures: int, chance: float, retry_after: int = 0) -> int:
    """The seconds until the next run.

    every: the minutes that the owner chose. unchanged: how many runs brought nothing. failures: how many failed in a row.
    chance: a number from 0 to 1, so that not all run at once. retry_after: the least that the server asks for."""
    seconds = suggestion if every is None else every * MINUTE
    calm = unchanged // CALM_AFTER
    if every is None and calm and seconds < CALM_LONGEST:
        seconds = min(seconds * 2**calm, CALM_LONGEST)
    if failures > 1:
        seconds = max(seconds, min(seconds * 2 ** min(failures - 1, 10), CALM_LONGEST))
    jittered = round(seconds * (1 + JITTER * (2 * chance - 1)))
    return max(jittered, min(retry_after, DAY))

"""What stands on a calendar's page."""

import re
from html import unescape

from tests.client import Answer, Client


def look(reader: Client, **query: str) -> str:
    """The page, as somebody opens it."""
    answer = reader.get("/calendar", query=query)
    assert answer.status == 200, answer
    return answer.text


def day(page: str, date: str) -> str:
    """What stands under one day of a month or a week."""
    found = re.search(rf'data-day="{date}"[^>]*>(.*?)</(?:td|section)>', page, re.DOTALL)
    assert found, date
    return found.group(1)


def words(part: str) -> str:
    """Its text, as it is read."""
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", part).split()))


def entry(part: str, title: str) -> str:
    """The list item of the event."""
    found: list[str] = [item for item in re.findall(r"<li.*?</li>", part, re.DOTALL) if title in item]
    assert len(found) == 1, (title, found)
    return found[0]


def agenda(answer: Answer | str) -> dict[str, str]:
    """Each day of the agenda, and its text."""
    page = answer if isinstance(answer, str) else answer.text
    return {date: words(rest) for date, rest in re.findall(r'<h2 id="day-([\d-]+)".*?</h2>(.*?)</section>', page, re.DOTALL)}

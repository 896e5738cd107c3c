"""Reading the pages of calendars."""

import re
from html import unescape

from tests.client import Client, Reply


def look(reader: Client, **query: str) -> str:
    """The HTML of the calendar."""
    reply = reader.get("/calendar", query=query)
    assert reply.status == 200, reply
    return reply.text


def day(page: str, date: str) -> str:
    """The HTML of one day of a month or a week."""
    match = re.search(
        rf'data-day="{date}"[^>]*>(.*?)(?:</td>|<div class="day(?: today)?(?: weekend)?" data-day|</div>\n</div>\n</div>)', page, re.DOTALL
    )
    assert match, date
    return match.group(1)


def words(part: str) -> str:
    """The text of some HTML."""
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", part).split()))


def entry(part: str, title: str) -> str:
    """The list item of the event."""
    items: list[str] = [item for item in re.findall(r"<li.*?</li>", part, re.DOTALL) if title in item]
    assert len(items) == 1, (title, items)
    return items[0]


def agenda(reply: Reply | str) -> dict[str, str]:
    """Each day of the agenda, and its text."""
    page = reply if isinstance(reply, str) else reply.text
    return {date: words(rest) for date, rest in re.findall(r'<h2 id="day-([\d-]+)".*?</h2>(.*?)</section>', page, re.DOTALL)}

"""Events as e-mail and SMS, for all field values."""

import email
import email.policy
import re
from datetime import UTC, date, datetime
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any

import icalendar
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.core.records.event import Event
from kalends.core.settings import Settings
from kalends.core.values import datetimes
from kalends.features.deliveries.messages import message
from kalends.features.deliveries.rules import event_time
from kalends.features.deliveries.rules.recipient_links import short_unsubscribe_url, unsubscribe_url
from kalends.features.deliveries.rules.segments import segments
from tests.deliveries.samples import FIVE, a_delivery, a_row

BASE = "https://calendar.example.org"
SETTINGS = Settings(base_url=BASE, secret="s" * 32)
# What the Markdown of a description may become.
# The URLs above the event: of the site, and of the picture.
FRAME = 2
MARKED = set("h3 h4 h5 h6 em ul ol li blockquote br hr code".split())
HEADERS = ["Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"]
LIST_HEADERS = ["List-Unsubscribe", "List-Unsubscribe-Post"]

HOUR = 3600
# Texts that look like headers, encoded words, boundaries, markup and calendar lines, beside any other.
hostile = st.sampled_from(
    [
        "x\r\nBcc: eve@example.org",
        "=?utf-8?q?x=0D=0ABcc:_eve?=",
        "\nBEGIN:VEVENT",
        "--==\n",
        "<img src=//e>",
        "a\x00b\rc",
        "é" * 200,
        "\u2028",
    ]
)
anything = st.one_of(hostile, st.text(max_size=200), st.tuples(st.text(max_size=20), hostile).map("".join))
zones = st.sampled_from(sorted(datetimes.known_zones()))


@st.composite
def rows(draw: st.DrawFn) -> Event:
    """Any valid event."""
    zone, all_day = draw(zones), draw(st.booleans())
    fields: dict[str, Any] = {"time_zone": zone, "all_day": all_day, "end_at": None}
    if all_day:
        days = sorted(draw(st.lists(st.dates(date(1900, 1, 2)), min_size=1, max_size=2)))
        fields["start_at"] = datetimes.start_of_day(days[0], zone)
        fields["end_at"] = datetimes.end_of_day(days[1], zone) if days[1:] else None
    else:
        moments = sorted(draw(st.lists(st.integers(-2_208_900_000, 253_402_200_000), min_size=1, max_size=2)))
        fields |= dict(zip(("start_at", "end_at"), moments, strict=False))
    fields |= {name: draw(anything) for name in ("title", "owner_name", "tags")}
    fields |= {name: draw(st.none() | anything) for name in ("description", "location")}
    return a_row(id=draw(st.integers(1, 2**40)), **fields)


def parsed(event: Event, **delivery: Any) -> EmailMessage:
    """The message as the recipient's program reads it."""
    mail = message.mail(SETTINGS, a_delivery(**delivery), event)
    content = mail.as_bytes(policy=mail.policy.clone(linesep="\r\n"))
    assert max(len(line) for line in content.split(b"\r\n")) < 998
    return email.message_from_bytes(content, policy=email.policy.default)


def body(read: EmailMessage, kind: str) -> str:
    part = read.get_body((kind,))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


class Links(HTMLParser):
    """The elements of a page, and every URL in it."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: set[str] = set()
        self.urls: list[str | None] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.urls += [value for name, value in attributes if name in ("href", "src", "background", "action")]


def test_a_message_has_what_people_and_their_calendars_need() -> None:
    event = a_row(title="Soirée “Jazz”", description="First line\nSecond <line>", location="Le Sunset, Paris", tags="jazz,live")
    read = parsed(event)
    assert read.keys() == HEADERS
    assert (read["Subject"], read["From"], read["To"]) == ("Soirée “Jazz”", "Kalends <kalends@calendar.example.org>", "gus@example.org")
    assert read["Date"].datetime == datetime(2026, 5, 5, 16, 53, 20, tzinfo=UTC)
    assert read["Auto-Submitted"] == "auto-generated"
    kinds = [part.get_content_type() for part in read.walk()]
    assert kinds == ["multipart/mixed", "multipart/alternative", "text/plain", "text/html", "text/calendar"]
    assert body(read, "plain").startswith(
        "Soirée “Jazz”\nMonday, 11 May 2026, 17:00–19:00 (Europe/Paris)\nLe Sunset, Paris\n\n"
        f"First line\nSecond <line>\n\n{BASE}/events/7\n\n-- \n{message.REQUESTED}\n"
    )
    html = body(read, "html")
    assert "Second &lt;line&gt;" in html
    assert Links(html).urls[FRAME:] == [f"{BASE}/events/7"]


def test_the_attachment_is_the_event() -> None:
    read = parsed(a_row(title="Soirée", location="Le Sunset"))
    (file,) = read.iter_attachments()
    assert (file.get_filename(), file["Content-Type"].params["method"], file["Content-Type"].params["charset"]) == (
        "event.ics",
        "PUBLISH",
        "utf-8",
    )
    entry: Any = icalendar.Calendar.from_ical(file.get_content()).walk("VEVENT")[0]
    assert (entry["SUMMARY"], entry["LOCATION"], entry["URL"]) == ("Soirée", "Le Sunset", f"{BASE}/events/7")
    assert (str(entry.start.tzinfo), int(entry.start.timestamp()), int(entry.end.timestamp())) == ("Europe/Paris", FIVE, FIVE + 2 * HOUR)


def test_the_message_id_is_the_same_at_every_attempt_and_unique() -> None:
    once, again, other = parsed(a_row()), parsed(a_row(title="Changed"), attempts=2), parsed(a_row(), id=43)
    assert once["Message-ID"] == again["Message-ID"] != other["Message-ID"]
    assert re.fullmatch(r"<42\.[\w-]{22}@calendar\.example\.org>", once["Message-ID"])
    elsewhere = Settings(base_url=BASE, secret="t" * 32)
    assert message.mail(elsewhere, a_delivery(), a_row())["Message-ID"] != once["Message-ID"]


def test_a_message_to_the_list_says_how_to_leave_it() -> None:
    read, link = parsed(a_row(), subscriber_id=9), unsubscribe_url(SETTINGS, 9)
    assert (read["List-Unsubscribe"], read["List-Unsubscribe-Post"]) == (f"<{link}>", "List-Unsubscribe=One-Click")
    assert body(read, "plain").endswith(f"-- \nYou get this because you subscribed to events by Ana.\nUnsubscribe: {link}\n")
    assert Links(body(read, "html")).urls[FRAME:] == [f"{BASE}/events/7", link]


def test_long_urls_stay_whole() -> None:
    far = Settings(base_url="https://" + ".".join(["a" * 60] * 4) + ".example", secret="s" * 32)
    address = "g" * 64 + "@" + ".".join(["b" * 60] * 3) + ".org"
    mail = message.mail(far, a_delivery(subscriber_id=9, address=address), a_row())
    read = email.message_from_bytes(mail.as_bytes(), policy=email.policy.default)
    assert read["List-Unsubscribe"] == f"<{unsubscribe_url(far, 9)}>"
    assert (read["Message-ID"], read["To"]) == (mail["Message-ID"], address)


@given(event=rows(), subscriber_id=st.none() | st.integers(1, 2**40))
def test_no_field_of_an_event_becomes_more_than_text(event: Event, subscriber_id: int | None) -> None:
    read = parsed(event, subscriber_id=subscriber_id)
    assert sorted(read.keys()) == sorted(HEADERS + (LIST_HEADERS if subscriber_id else []))
    # A reader drops the line breaks that the control characters of a title have become; the rest is as it was.
    assert str(read["Subject"]).split() == re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", event.title).split()
    assert len(list(read.walk())) == 5
    page = Links(body(read, "html"))
    own = [f"{BASE}/events/{event.id}"] + ([unsubscribe_url(SETTINGS, subscriber_id)] if subscriber_id else [])
    # Links that stand in the description lead to the web or to an address, as on the page of the event.
    assert [url for url in page.urls[FRAME:] if url in own] == own
    assert all(re.match("https?://|mailto:", url or "", re.IGNORECASE) for url in page.urls)
    assert page.tags <= set("html head meta title style body div h1 p strong a img".split()) | MARKED
    (file,) = read.iter_attachments()
    (entry,) = icalendar.Calendar.from_ical(file.get_content()).walk("VEVENT")
    assert not entry.errors
    assert entry["URL"] == own[0]
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", file.get_content().replace("\r\n", "")) is None


@given(event=rows(), subscriber_id=st.none() | st.integers(1, 2**40))
def test_an_sms_takes_two_segments_at_most_and_its_links_are_whole(event: Event, subscriber_id: int | None) -> None:
    text = message.text(SETTINGS, a_delivery(channel="sms", subscriber_id=subscriber_id), event)
    end = f"{BASE}/events/{event.id}" + (f" Stop: {short_unsubscribe_url(SETTINGS, subscriber_id)}" if subscriber_id else "")
    assert segments(text) <= 2
    assert text == end or text.endswith(f" {end}")
    assert re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text) is None


def test_an_sms_says_what_when_and_where() -> None:
    text = message.text(SETTINGS, a_delivery(), a_row(title="It’s Jazz", location="Le Sunset"))
    assert text == f"It's Jazz, Mon 11 May 2026 17:00-19:00 (Europe/Paris), Le Sunset {BASE}/events/7"
    nowhere = message.text(SETTINGS, a_delivery(), a_row())
    assert nowhere == f"Jazz, Mon 11 May 2026 17:00-19:00 (Europe/Paris) {BASE}/events/7"


def test_a_title_cannot_reverse_the_links_of_an_sms() -> None:
    text = message.text(SETTINGS, a_delivery(channel="sms"), a_row(title="\u202eJazz\u2066", location="\u202dClub"))
    assert text.startswith("Jazz, Mon 11 May 2026")
    assert text.isascii()


def test_an_sms_loses_the_place_before_the_title_and_the_title_before_the_day() -> None:
    exact = "Mon 11 May 2026 17:00-19:00 (Europe/Paris)"

    def text(title: str, location: str) -> str:
        return message.text(SETTINGS, a_delivery(subscriber_id=9), a_row(title=title, location=location))

    assert text("t" * 50, "p" * 400).startswith(f"{'t' * 50}, {exact}, ppp")
    assert text("t" * 200, "p" * 400).startswith("t" * 140)
    assert f"..., {exact} https" in text("t" * 200, "p" * 400)
    assert re.match(r"漢+\.\.\., 11 May 2026 17:00 https", text("漢" * 200, "字" * 400))


@pytest.mark.parametrize(
    ("fields", "long", "short"),
    [
        ({"end_at": None}, "Monday, 11 May 2026, 17:00 (Europe/Paris)", "Mon 11 May 2026 17:00 (Europe/Paris)"),
        ({"end_at": FIVE}, "Monday, 11 May 2026, 17:00 (Europe/Paris)", "Mon 11 May 2026 17:00 (Europe/Paris)"),
        ({"time_zone": "Asia/Tokyo"}, "Tuesday, 12 May 2026, 00:00–02:00 (Asia/Tokyo)", "Tue 12 May 2026 00:00-02:00 (Asia/Tokyo)"),
        (
            {"end_at": FIVE + 9 * HOUR},
            "Monday, 11 May 2026, 17:00 – Tuesday, 12 May 2026, 02:00 (Europe/Paris)",
            "11 May 2026 17:00 - 12 May 2026 02:00 (Europe/Paris)",
        ),
        ({"all_day": True, "start_at": FIVE - 17 * HOUR, "end_at": None}, "Monday, 11 May 2026", "Mon 11 May 2026"),
        ({"all_day": True, "start_at": FIVE - 17 * HOUR, "end_at": FIVE + 7 * HOUR}, "Monday, 11 May 2026", "Mon 11 May 2026"),
        (
            {"all_day": True, "start_at": FIVE - 17 * HOUR, "end_at": FIVE + 55 * HOUR},
            "Monday, 11 May 2026 – Wednesday, 13 May 2026",
            "11 May 2026 - 13 May 2026",
        ),
    ],
)
def test_event_times_are_formatted_as_text(fields: dict[str, Any], long: str, short: str) -> None:
    assert (event_time.long(a_row(**fields)), event_time.short(a_row(**fields))) == (long, short)

"""Calendar files for the tests of imports, and helpers that send them as a client does."""

from pathlib import Path
from typing import Any

from tests.client import Client, Reply
from tests.http.multipart import multipart

CORPUS = Path(__file__).parent.parent / "ical" / "corpus"


def a_file(*events: str, zone: str = "") -> str:
    """A calendar of these events, each as a list of lines."""
    about = f"X-WR-TIMEZONE:{zone}\n" if zone else ""
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{about}" + "".join(events) + "END:VCALENDAR\n"


def an_entry(uid: str = "one", start: str = "DTSTART:20260601T180000Z", *lines: str, title: str = "Concert") -> str:
    return "\n".join(["BEGIN:VEVENT", f"UID:{uid}", start, f"SUMMARY:{title}", *lines, "END:VEVENT", ""])


def uploaded(who: Client, content: str | bytes, **fields: Any) -> Reply:
    file = ("file", "events.ics", content.encode() if isinstance(content, str) else content)
    return who.post("/api/events", **multipart({name: str(value) for name, value in fields.items()}, [file]))


def imported(who: Client, content: str | bytes, **fields: Any) -> dict[str, Any]:
    reply = uploaded(who, content, **fields)
    assert reply.status == 201, reply
    result: dict[str, Any] = reply.json
    return result


def counts(came: dict[str, Any]) -> tuple[int, int, int, int]:
    return came["imported"], came["updated"], came["unchanged"], came["skipped"]


def remarks(came: dict[str, Any]) -> list[tuple[int, str]]:
    return [(remark["line"], remark["field"]) for remark in came["remarks"]]


def events(who: Client, **query: Any) -> list[dict[str, Any]]:
    """All events that a query finds, expanded."""
    listed = who.get("/api/events", query={"limit": 500} | query).json["events"]
    return [who.get(f"/api/events/{event['id']}").json for event in listed]


def starts(who: Client, **query: Any) -> list[str]:
    reply = who.get("/api/events", query={"limit": 500} | query)
    assert reply.status == 200, reply
    return [event["start_time"] for event in reply.json["events"]]

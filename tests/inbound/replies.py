"""Replies to invitations in the shapes that mail programs give them, and other messages that arrive."""

import base64
import quopri
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

ADDRESS = "reply+7-abc@in.example.org"
GUEST = "ana@example.com"
UID = "event-7.secret@kalends"
STAMP = "20260520T101500Z"
EMPTY_LINE = "\\n"
TIMES = "DTSTART;TZID=Europe/Paris:20260601T200000\nDTEND;TZID=Europe/Paris:20260601T220000\n"
ZONE = """BEGIN:VTIMEZONE
TZID:{zone}
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""


def calendar(events: str, product: str, zone: str = "", method: str = "REPLY") -> str:
    head = f"BEGIN:VCALENDAR\nPRODID:{product}\nVERSION:2.0\nCALSCALE:GREGORIAN\n" + (f"METHOD:{method}\n" if method else "")
    return fold(head + (ZONE.format(zone=zone) if zone else "") + events + "END:VCALENDAR\n")


def fold(text: str) -> str:
    """Lines of at most 75 characters, with CRLF."""
    lines = []
    for line in text.splitlines():
        lines.append(line[:75])
        lines += [f" {line[start : start + 74]}" for start in range(75, len(line), 74)]
    return "".join(f"{line}\r\n" for line in lines)


def part(content: str, kind: str, encoding: str = "7bit", charset: str = "utf-8", **headers: str) -> bytes:
    """A MIME part."""
    octets = content.encode(charset)
    body = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(encoding, bytes)(octets)
    fields = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n{fields}\r\n".encode() + body


def multipart(kind: str, *parts: bytes, boundary: str = "=_b1") -> bytes:
    body = b"".join(b"--" + boundary.encode() + b"\r\n" + each + b"\r\n" for each in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'.encode() + body + f"--{boundary}--\r\n".encode()


def message(content: bytes, to: str = ADDRESS, **headers: str) -> bytes:
    fields = {"From": f"Ana <{GUEST}>", "To": to, "Subject": "Accepted: Concert", "Message_ID": "<1@example.com>", "MIME_Version": "1.0"}
    return "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in (fields | headers).items()).encode() + content


def vevent(**values: Any) -> str:
    """The values of a reply, with the defaults that all programs share."""
    fill = {"uid": UID, "guest": GUEST, "status": "ACCEPTED", "slot": "", "comment": "", "stamp": STAMP, "to": ADDRESS, "guests": 0}
    return VEVENT.format(**fill | values)


VEVENT = (
    "BEGIN:VEVENT\nUID:{uid}\n{slot}DTSTAMP:{stamp}\nATTENDEE;PARTSTAT={status}:mailto:{guest}\n"
    "ORGANIZER:mailto:{to}\n{comment}SUMMARY:Concert\n" + TIMES + "END:VEVENT\n"
)


def gmail(status: str = "ACCEPTED", slot: str = "", comment: str = "", guests: int = 0, **values: str) -> bytes:
    """The calendar as an alternative and once more as an attachment; X-NUM-GUESTS in the attendee."""
    value = {"uid": UID, "guest": GUEST, "to": ADDRESS, "stamp": STAMP} | values
    event = (
        f"BEGIN:VEVENT\n{TIMES}DTSTAMP:{value['stamp']}\nORGANIZER;CN=Alice:mailto:{value['to']}\nUID:{value['uid']}\n"
        f"ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT={status};CN={value['guest']};X-NUM-GUESTS={guests}:mailto:{value['guest']}\n"
        f"{_slot(slot)}{_comment(comment)}CREATED:20260501T080000Z\nLAST-MODIFIED:{value['stamp']}\nSEQUENCE:0\nSTATUS:CONFIRMED\n"
        "SUMMARY:Concert\nTRANSP:OPAQUE\nEND:VEVENT\n"
    )
    text = calendar(event, "-//Google Inc//Google Calendar 70.9054//EN")
    alternative = multipart(
        "alternative",
        part("Ana has accepted this invitation.", 'text/plain; charset="UTF-8"; format=flowed; delsp=yes', "base64"),
        part("<p>Ana has accepted.</p>", 'text/html; charset="UTF-8"', "quoted-printable"),
        part(text, 'text/calendar; charset="UTF-8"; method=REPLY'),
        boundary="=_inner",
    )
    attachment = part(text, 'application/ics; name="invite.ics"', "base64", Content_Disposition='attachment; filename="invite.ics"')
    return message(multipart("mixed", alternative, attachment), value["to"], Message_ID=f"<calendar-{status}{slot}@google.com>")


def outlook(status: str = "ACCEPTED", slot: str = "", comment: str = "", **values: str) -> bytes:
    """Outlook for the desktop: no ORGANIZER, a comment with a language, names of Windows for time zones."""
    value = {"uid": UID, "guest": GUEST, "to": ADDRESS, "stamp": STAMP} | values
    zone = "Romance Standard Time"
    event = (
        f'BEGIN:VEVENT\nATTENDEE;CN="Ana, B.";PARTSTAT={status}:MAILTO:{value["guest"].upper()}\nCLASS:PUBLIC\n'
        f"{_comment(comment or EMPTY_LINE, 'LANGUAGE=en-us')}CREATED:20260520T101500Z\n"
        f'DTEND;TZID="{zone}":20260601T220000\nDTSTAMP:{value["stamp"]}\nDTSTART;TZID="{zone}":20260601T200000\n'
        f"LAST-MODIFIED:{value['stamp']}\nPRIORITY:5\n{_slot(slot, zone)}SEQUENCE:0\nSUMMARY;LANGUAGE=en-us:Accepted: Concert\n"
        f"TRANSP:OPAQUE\nUID:{value['uid']}\nX-MICROSOFT-CDO-BUSYSTATUS:BUSY\nEND:VEVENT\n"
    )
    text = calendar(event, "-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN", zone)
    body = multipart(
        "alternative", part("", 'text/plain; charset="us-ascii"'), part(text, 'text/calendar; charset="utf-8"; method=REPLY', "8bit")
    )
    return message(body, value["to"], Message_ID=f"<{status}{slot}@outlook>", X_Mailer="Microsoft Outlook 16.0")


def exchange(status: str = "ACCEPTED", slot: str = "", comment: str = "", **values: str) -> bytes:
    """Exchange and outlook.com: base64, no METHOD in the calendar's own zone names, the attendee first."""
    value = {"uid": UID, "guest": GUEST, "to": ADDRESS, "stamp": STAMP} | values
    zone = "W. Europe Standard Time"
    event = (
        f"BEGIN:VEVENT\nATTENDEE;PARTSTAT={status};CN=Ana:mailto:{value['guest']}\n{_comment(comment)}UID:{value['uid']}\n"
        f"{_slot(slot, zone)}SUMMARY;LANGUAGE=de-DE:Zugesagt: Concert\nDTSTART;TZID={zone}:20260601T200000\n"
        f"DTEND;TZID={zone}:20260601T220000\nCLASS:PUBLIC\nPRIORITY:5\nDTSTAMP:{value['stamp']}\nTRANSP:OPAQUE\n"
        "STATUS:CONFIRMED\nSEQUENCE:0\nLOCATION;LANGUAGE=de-DE:Club\nX-MICROSOFT-CDO-APPT-SEQUENCE:0\nEND:VEVENT\n"
    )
    text = calendar(event, "Microsoft Exchange Server 2010", zone)
    html = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head><body></body></html>'
    body = multipart(
        "alternative",
        part("\r\n", 'text/plain; charset="utf-8"', "base64"),
        part(html, 'text/html; charset="utf-8"', "base64"),
        part(text, 'text/calendar; charset="utf-8"; method=REPLY', "base64"),
        boundary="_000_AM0PR",
    )
    return message(body, value["to"], Message_ID=f"<AM0PR{status}{slot}@eurprd.prod.outlook.com>", X_MS_Has_Attach="")


def apple(status: str = "ACCEPTED", slot: str = "", comment: str = "", **values: str) -> bytes:
    """iCloud and Apple Mail: the whole event with its rule; with a date, the series is repeated beside it, not decided."""
    value = {"uid": UID, "guest": GUEST, "to": ADDRESS, "stamp": STAMP} | values
    attendee = f'ATTENDEE;CUTYPE=INDIVIDUAL;CN=Ana;EMAIL="{value["guest"]}";PARTSTAT={{}};SCHEDULE-STATUS=1.2:mailto:{value["guest"]}\n'
    head = f"UID:{value['uid']}\nDTSTAMP:{value['stamp']}\nORGANIZER;CN=Alice:mailto:{value['to']}\nSEQUENCE:0\nSUMMARY:Concert\n"
    event = f"BEGIN:VEVENT\n{head}{_slot(slot)}{attendee.format(status)}{_comment(comment)}{TIMES}END:VEVENT\n"
    text = calendar(event, "-//Apple Inc.//macOS 14.5//EN", "Europe/Paris")
    body = multipart(
        "mixed",
        part("Ana has accepted.\n", "text/plain; charset=us-ascii"),
        part(text, "text/calendar; charset=utf-8; method=REPLY; name=iCal.ics", "quoted-printable", Content_Disposition="attachment"),
        boundary="Apple-Mail=_1",
    )
    return message(body, value["to"], Message_ID=f"<{status}{slot}@icloud.com>")


def thunderbird(status: str = "ACCEPTED", slot: str = "", comment: str = "", **values: str) -> bytes:
    """Thunderbird: one calendar part, 8bit, lines with LF, RECEIVED properties."""
    value = {"uid": UID, "guest": GUEST, "to": ADDRESS, "stamp": STAMP} | values
    event = (
        f"BEGIN:VEVENT\nCREATED:20260520T101000Z\nLAST-MODIFIED:20260520T101400Z\nDTSTAMP:{value['stamp']}\nUID:{value['uid']}\n"
        f"SUMMARY:Concert\nORGANIZER;CN=Alice:mailto:{value['to']}\n"
        f"ATTENDEE;RSVP=TRUE;CN=Ana;PARTSTAT={status};ROLE=REQ-PARTICIPANT:mailto:{value['guest']}\n{_slot(slot)}{_comment(comment)}{TIMES}"
        f"X-MOZ-RECEIVED-SEQUENCE:0\nX-MOZ-RECEIVED-DTSTAMP:20260519T080000Z\nEND:VEVENT\n"
    )
    text = calendar(event, "-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN", "Europe/Paris").replace("\r\n", "\n")
    body = multipart(
        "mixed",
        multipart(
            "alternative",
            part("Ana has accepted your invitation.", "text/plain; charset=UTF-8; format=flowed"),
            part(text, 'text/calendar; method=REPLY; charset="UTF-8"', "8bit"),
            boundary="------------in",
        ),
        boundary="------------out",
    )
    return message(body, value["to"], Message_ID=f"<{status}{slot}@thunderbird>")


def nextcloud(status: str = "ACCEPTED", slot: str = "", comment: str = "", **values: str) -> bytes:
    """Nextcloud: auto-generated, as an attachment, with the series and the date."""
    value = {"uid": UID, "guest": GUEST, "to": ADDRESS, "stamp": STAMP} | values
    attendee = f"ATTENDEE;CN=Ana;PARTSTAT={status};ROLE=REQ-PARTICIPANT;RSVP=TRUE:mailto:{value['guest']}\n"
    head = f"BEGIN:VEVENT\nUID:{value['uid']}\nDTSTAMP:{value['stamp']}\nSEQUENCE:0\nSUMMARY:Concert\nORGANIZER:mailto:{value['to']}\n"
    event = f"{head}{_slot(slot)}{attendee}{_comment(comment)}{TIMES}REQUEST-STATUS:2.0;Success\nEND:VEVENT\n"
    text = calendar(event, "-//Sabre//Sabre VObject 4.5.4//EN", "Europe/Paris")
    attachment = part(text, "text/calendar; method=REPLY; name=event.ics", "base64", Content_Disposition="attachment; filename=event.ics")
    body = multipart("mixed", part("Ana accepted.", "text/plain; charset=utf-8", "quoted-printable"), attachment)
    return message(body, value["to"], Message_ID=f"<{status}{slot}@nextcloud>", Auto_Submitted="auto-generated")


PROGRAMS: dict[str, Callable[..., bytes]] = {
    "gmail": gmail,
    "outlook": outlook,
    "exchange": exchange,
    "apple": apple,
    "thunderbird": thunderbird,
    "nextcloud": nextcloud,
}


STATUSES = {"ACCEPTED": "YES", "TENTATIVE": "MAYBE", "DECLINED": "NO"}


class Fixture(Struct, frozen=True):
    """A reply as a program writes it: about the whole, with a comment, about one date, or about both with the whole event repeated."""

    program: str
    status: str
    shape: str

    def write(self, to: str, guest: str, slot: str) -> bytes:
        """The reply of a guest to an invitation; slot: the date that it is about, on the clock of Paris."""
        values = {"to": to, "guest": guest, "comment": "With pleasure" if self.shape == "comment" else ""}
        octets = PROGRAMS[self.program](self.status, slot if self.shape == "date" else "", **values)
        if self.shape == "repeated":
            both = vevent(to=to, guest=guest, status=self.status) + vevent(
                to=to, guest=guest, status="DECLINED", slot=_slot(slot), comment="COMMENT:Not then\n"
            )
            text = calendar(both, f"-//{self.program}//repeats all", "Europe/Paris")
            octets = message(part(text, "text/calendar; method=REPLY; charset=utf-8", "base64"), to)
        # Each mail has a Message-ID of its own.
        return re.sub(rb"Message-ID: <", f"Message-ID: <{guest}.".encode(), octets, count=1)


FIXTURES = [
    Fixture(program, status, shape)
    for program in PROGRAMS
    for status in STATUSES
    for shape in ("plain", "comment", "date", *(["repeated"] if program in ("apple", "nextcloud") else []))
]


def bounce(to: str = ADDRESS, action: str = "failed", status: str = "5.1.1") -> bytes:
    """The report of a mail server that a message was not delivered."""
    report = (
        f"Reporting-MTA: dns; mx.example.com\r\n\r\nFinal-Recipient: rfc822; {GUEST}\r\nAction: {action}\r\nStatus: {status}\r\n"
        "Diagnostic-Code: smtp; 550 5.1.1 No such user\r\n"
    )
    body = multipart(
        "report; report-type=delivery-status",
        part("It could not be delivered.", "text/plain"),
        part(report, "message/delivery-status"),
        part(f"From: kalends@example.org\r\nTo: {GUEST}\r\nSubject: Invitation\r\n", "text/rfc822-headers"),
    )
    return message(body, to, From="MAILER-DAEMON@example.com", Auto_Submitted="auto-replied", Message_ID=f"<bounce{status}@mx>")


def _slot(slot: str, zone: str = "Europe/Paris") -> str:
    return f"RECURRENCE-ID;TZID={zone}:{slot}\n" if slot else ""


def _comment(comment: str, parameters: str = "") -> str:
    return f"COMMENT{';' + parameters if parameters else ''}:{comment}\n" if comment else ""

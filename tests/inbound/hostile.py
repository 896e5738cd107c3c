"""Messages of about a megabyte that take a careless reader long, by what is wrong with them."""

import base64

from tests.inbound import replies

MEGABYTE = 1_000_000


def _calendar(line: str, kind: str = "text/calendar; method=REPLY") -> bytes:
    """A reply that is full of the line."""
    events = replies.vevent(comment=line * (MEGABYTE // len(line)))
    return replies.part(f"BEGIN:VCALENDAR\nMETHOD:REPLY\n{events}END:VCALENDAR\n", kind)


def _body(kind: str, content: bytes) -> bytes:
    return f"Content-Type: {kind}\r\n\r\n".encode() + content * (MEGABYTE // len(content))


def _nested(levels: int, filler: bytes) -> bytes:
    heads = b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (level, level) for level in range(levels))
    return heads + filler * ((MEGABYTE - len(heads)) // len(filler))


def _nested_alike(filler: bytes) -> bytes:
    """Parts in parts whose boundaries begin alike, so that the filler nearly is a boundary of each."""
    bounds = [b"b" * length for length in range(1, 20)]
    heads = b"".join(b"Content-Type: multipart/mixed; boundary=%s\r\n\r\n--%s\r\n" % (bound, bound) for bound in bounds)
    return heads + filler * (MEGABYTE // len(filler))


def _report(filler: bytes) -> bytes:
    head = b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n"
    return head + b"--b\r\nContent-Type: message/delivery-status\r\n\r\n" + filler * (MEGABYTE // len(filler))


# What follows the fields of the message.
CONTENTS = {
    "recipients that never end": (b"To: " + b"a" * 9_990 + b"\r\n") * 100,
    "a recipient of a megabyte": b"To: " + b"reply+1-" * (MEGABYTE // 8) + b"\r\n",
    "recipients without end": b"To: a@b\r\n" * (MEGABYTE // 9),
    "fields without names": b":\r\n" * (MEGABYTE // 3),
    "folded fields": b"Subject: a\r\n" + b" a\r\n" * (MEGABYTE // 4),
    "a subject of encoded words": b"Subject: " + b"=?a?q?x" * (MEGABYTE // 7) + b"\r\n",
    "a subject in punycode": b"Subject: =?punycode?q?" + b"ab9z" * (MEGABYTE // 4) + b"?=\r\n",
    "parameters": b"Content-Type: multipart/mixed" + b";" * MEGABYTE + b"\r\n\r\n",
    "quoted parameters": b"Content-Type: multipart/mixed" + b'";' * (MEGABYTE // 2) + b"\r\n\r\n",
    "parameters of each part": replies.multipart("mixed", *[b"Content-Type: text/plain" + b"; boundary " * 900 + b"\r\n\r\nx"] * 100),
    "carriage returns": _body("multipart/mixed; boundary=b", b"\r"),
    "empty lines": _body("text/plain", b"\n"),
    "boundaries": _body("multipart/mixed; boundary=b", b"--b\n"),
    "near boundaries": _body("multipart/mixed; boundary=b", b"\n--bx"),
    "boundaries and spaces": _body("multipart/mixed; boundary=b", b"\n--b" + b" " * 1_000 + b"x"),
    "nested parts": _nested(1_500, b"x"),
    "nested parts of lines": _nested(200, b"\n"),
    "nested parts with one boundary": (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n") * (MEGABYTE // 50),
    "nested parts with near boundaries": _nested_alike(b"\n--" + b"b" * 19 + b"x"),
    "nested parts with short near boundaries": _nested_alike(b"\n--bbbb"),
    "nested parts with spaces": _nested_alike(b"\n--bbb" + b" " * 100 + b"x"),
    "reports": _report(b"\n"),
    "reports of one field": _report(b"a: b\n\n"),
    "attached messages": _body("message/rfc822", b"Content-Type: message/rfc822\r\n\r\n"),
    "tags": _body("text/html", b"<"),
    "tags with an attribute": _body("text/html", b"<a b='"),
    "comments": _body("text/html", b"<!--"),
    "declarations": _body("text/html", b"<![CDATA["),
    "entities": _body("text/html", b"&#1"),
    "spaces": _body("text/html", b"\n \t"),
    "hidden tags": _body("text/html", b"<style>"),
    "bad base64": b"Content-Transfer-Encoding: base64\r\n" + _body("text/calendar", b"=a!"),
    "quoted-printable": b"Content-Transfer-Encoding: quoted-printable\r\n" + _body("text/calendar", b"=\n"),
    "uuencoded": b"Content-Transfer-Encoding: x-uuencode\r\n" + _body("text/calendar", b"begin 644 a\n"),
    "a calendar in punycode": _body("text/calendar; charset=punycode", b"ab9z"),
    "a calendar in UTF-7": _body("text/calendar; charset=utf-7", b"+AAA"),
    "a calendar in idna": _body("text/calendar; charset=idna", b"xn--ab9z."),
    "attendees": _calendar("ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@b\n"),
    "quotes of attendees": _calendar('ATTENDEE;X="":a\n'),
    "parameters of attendees": _calendar("ATTENDEE" + ";A=B" * 490 + ":a\n"),
    "comments in a calendar": _calendar("COMMENT:\\n\\n\\n\\n\\n\\n\\n\\n\\n\n"),
    "a comment": _calendar("\\n"),
    "lines of a calendar": _calendar("X:\n"),
    "folded lines": _calendar(" \n"),
    "components": _calendar("BEGIN:X\n"),
    "events": _calendar("BEGIN:VEVENT\nEND:VEVENT\n"),
    "calendars": replies.multipart("mixed", *[_calendar("ATTENDEE:a\n")[:10_000]] * 100),
    "a calendar in base64": b"Content-Type: text/calendar\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    + base64.encodebytes(_calendar("ATTENDEE:a\n")[: MEGABYTE * 3 // 4]),
}

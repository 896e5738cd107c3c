"""Reading messages that arrive: replies of each mail program, bounces, automatic and hostile ones."""

from datetime import datetime

import pytest

from kalends.ical import itip
from kalends.mail.inbound import message
from tests.inbound import replies
from tests.inbound.replies import GUEST, PROGRAMS, STAMP, UID

SLOT = "20260608T200000"


@pytest.mark.parametrize("status", ["ACCEPTED", "TENTATIVE", "DECLINED"])
@pytest.mark.parametrize("slot", ["", SLOT], ids=["whole", "date"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_reply_of_a_mail_program_is_read(program: str, slot: str, status: str) -> None:
    read = message.read(PROGRAMS[program](status, slot, comment="I come later\\, sorry"))
    assert (read.is_automatic, read.bounce, read.trouble) == (False, None, "")
    assert read.reply is not None
    assert read.reply.method == "REPLY"
    (event,) = read.reply.events
    attendee = event.attendee(GUEST)
    assert attendee is not None
    assert (attendee.status, attendee.address.lower()) == (status, GUEST)
    assert (event.uid, event.comment, event.stamp) == (UID, "I come later, sorry", 1779272100)
    assert (event.recurrence_id.local if event.recurrence_id else None) == (datetime(2026, 6, 8, 20) if slot else None)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_reply_without_a_comment_has_none(program: str) -> None:
    read = message.read(PROGRAMS[program]())
    assert read.reply is not None
    assert read.reply.events[0].comment == ""


def test_the_number_of_guests_is_read() -> None:
    read = message.read(replies.gmail(guests=3))
    assert read.reply is not None
    assert read.reply.events[0].attendees[0].guests == 3


@pytest.mark.parametrize(("charset", "encoding"), [("utf-16", "base64"), ("latin-1", "quoted-printable"), ("utf-8", "8bit")])
def test_a_calendar_part_is_read_in_its_charset(charset: str, encoding: str) -> None:
    text = replies.calendar(replies.vevent(comment="COMMENT:À bientôt\n"), "-//x//y")
    octets = replies.message(replies.part(text, f"text/calendar; method=REPLY; charset={charset}", encoding, charset))
    read = message.read(octets)
    assert read.reply is not None
    assert read.reply.events[0].comment == "À bientôt"


def test_a_calendar_of_an_unknown_charset_is_read_as_utf_8() -> None:
    text = replies.calendar(replies.vevent(comment="COMMENT:À bientôt\n"), "-//x//y")
    read = message.read(replies.message(replies.part(text, "text/calendar; charset=x-none")))
    assert read.reply is not None
    assert read.reply.events[0].comment == "À bientôt"


def test_the_dates_that_a_reply_repeats_are_all_read() -> None:
    events = replies.vevent() + replies.vevent(slot=f"RECURRENCE-ID:{SLOT}Z\n", status="DECLINED")
    reply = itip.parse_reply(replies.calendar(events, "-//Sabre//Sabre VObject"))
    assert [event.attendees[0].status for event in reply.events] == ["ACCEPTED", "DECLINED"]
    assert [bool(event.recurrence_id) for event in reply.events] == [False, True]


def test_the_reply_of_an_alias_counts_and_of_several_attendees_only_the_invited_one() -> None:
    alias = itip.parse_reply(replies.calendar(replies.vevent(guest="alias@example.com"), "-//x//y")).events[0]
    assert alias.attendee(GUEST) is not None
    two = replies.vevent().replace("ORGANIZER", "ATTENDEE;PARTSTAT=DECLINED:mailto:eve@example.com\nORGANIZER")
    event = itip.parse_reply(replies.calendar(two, "-//x//y")).events[0]
    attendee = event.attendee(GUEST.upper())
    assert attendee is not None
    assert attendee.status == "ACCEPTED"
    assert event.attendee("zoe@example.com") is None


def test_a_counter_proposal_and_a_delegation_are_told_apart() -> None:
    text = replies.calendar(replies.vevent(status="DELEGATED"), "-//x//y", method="COUNTER")
    read = message.read(replies.message(replies.part(text, "text/calendar; method=COUNTER")))
    assert read.reply is not None
    assert (read.reply.method, read.reply.events[0].attendees[0].status) == ("COUNTER", "DELEGATED")


@pytest.mark.parametrize("method", ["REQUEST", "PUBLISH", "CANCEL", ""])
def test_other_calendars_are_no_reply(method: str) -> None:
    text = replies.calendar(replies.vevent(), "-//x//y", method=method)
    assert message.read(replies.message(replies.part(text, "text/calendar"))).reply is None


@pytest.mark.parametrize(
    ("headers", "is_automatic"),
    [
        ({"Auto_Submitted": "auto-replied"}, True),
        ({"Auto_Submitted": "auto-replied (vacation); owner-email=x"}, True),
        ({"Auto_Submitted": "auto-generated"}, True),
        ({"Precedence": "bulk"}, True),
        ({"X_Autoreply": "yes"}, True),
        ({"Auto_Submitted": "no"}, False),
        ({}, False),
    ],
)
def test_automatic_replies_are_recognised(headers: dict[str, str], is_automatic: bool) -> None:
    read = message.read(replies.message(replies.part("I am away.", "text/plain"), **headers))
    assert (read.is_automatic, read.text) == (is_automatic, "I am away.")


@pytest.mark.parametrize(
    ("action", "status", "is_permanent"), [("failed", "5.1.1", True), ("delayed", "4.4.7", False), ("failed", "4.4.7", False)]
)
def test_a_bounce_is_recognised(action: str, status: str, is_permanent: bool) -> None:
    read = message.read(replies.bounce(action=action, status=status))
    assert read.bounce is not None
    assert (read.bounce.is_permanent, read.bounce.reason) == (is_permanent, "smtp; 550 5.1.1 No such user")


def test_a_text_for_the_organiser_is_read_also_from_html() -> None:
    html = "<style>p {}</style><p>Can I bring <b>my dog</b>?</p><script>alert(1)</script>"
    read = message.read(replies.message(replies.part(html, "text/html; charset=utf-8", "quoted-printable"), Subject="=?utf-8?q?R=C3=A9?="))
    assert (read.reply, read.text, read.subject) == (None, "Can I bring my dog?", "Ré")


def test_the_recipient_is_taken_from_what_the_mail_server_wrote() -> None:
    octets = replies.message(b"\r\nHi", to="undisclosed-recipients:;", Delivered_To="Reply+9-XyZ@in.example.org")
    assert next(message.recipient_fields(octets)) == "Reply+9-XyZ@in.example.org"


def test_the_recipient_is_searched_in_the_first_fields_alone() -> None:
    octets = b"To: " + b"x" * 5_000 + b"\r\n" + b"Cc: y\r\n" * 100 + b"\r\nTo: body@example.org"
    values = list(message.recipient_fields(octets))
    assert (len(values), max(map(len, values))) == (50, 1_000)
    assert list(message.recipient_fields(b"\r\nTo: body@example.org")) == []


def test_a_message_that_takes_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message, "MAX_SECONDS", -1)
    read = message.read(replies.gmail())
    assert (read.reply, read.trouble) == (None, "reading it takes too long")


def test_the_text_of_html_has_no_comments_and_no_hidden_parts() -> None:
    html = "<!--[if mso]><p>Outlook</p><![endif]--><STYLE>p > b {}</STYLE>a &lt; b<br/>c<script>1 < 2</script><p>d"
    assert message.read(replies.message(replies.part(html, "text/html"))).text == "a < b\nc\nd"


def test_the_same_message_has_the_same_key_and_another_has_another() -> None:
    keys = [message.read(each).key for each in (replies.gmail(), replies.gmail(), replies.gmail("DECLINED"), b"\r\na", b"\r\nb")]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


def _nested(levels: int) -> bytes:
    return b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (level, level) for level in range(levels))


@pytest.mark.parametrize(
    ("octets", "trouble"),
    [
        (b"", ""),
        (b"\x00\xff" * 1000, ""),
        (replies.message(replies.part("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n", "text/calendar; method=REPLY")), "cut off"),
        (replies.message(replies.part("END:VEVENT\r\n", "text/calendar; method=REPLY")), "damaged in line 1"),
        (
            replies.message(replies.part(replies.calendar(replies.vevent(slot="RECURRENCE-ID:soon\n"), "x"), "text/calendar")),
            "is not a date",
        ),
        (
            replies.message(replies.part(replies.calendar("BEGIN:VEVENT\nEND:VEVENT\n" * 9_000, "x"), "text/calendar")),
            "more than 500 events",
        ),
        (replies.message(replies.part("X" * (1024 * 1024 + 1), "text/calendar; method=REPLY")), "larger than 1 MiB"),
        (replies.message(b"\r\n" + b"x" * 50_000_000), "larger than 10 MiB"),
        (replies.message(_nested(1_500)), ""),
        (replies.message(_nested(5_000)), ""),
        (replies.message(b"\r\n", Subject="=?utf-8?b?!!!?= =?none?q?x?=", Content_Type="multipart/mixed"), ""),
    ],
    ids=[
        "empty",
        "binary",
        "cut off",
        "damaged",
        "no date",
        "9,000 exceptions",
        "1 MiB",
        "50 MB",
        "nested",
        "many parts",
        "broken headers",
    ],
)
def test_a_hostile_message_is_no_reply(octets: bytes, trouble: str) -> None:
    read = message.read(octets)
    assert read.reply is None
    assert trouble in read.trouble


def test_an_attached_message_is_not_read_as_a_reply() -> None:
    attached = b"Content-Type: message/rfc822\r\n\r\n" + replies.gmail()
    read = message.read(replies.message(replies.multipart("mixed", replies.part("See below", "text/plain"), attached, boundary="=_o")))
    assert (read.reply, read.text) == (None, "See below")


def test_the_stamp_is_a_time_in_utc_and_may_be_missing() -> None:
    assert itip.parse_reply(replies.calendar(replies.vevent(stamp=STAMP.rstrip("Z")), "x")).events[0].stamp == 1779272100
    assert itip.parse_reply(replies.calendar(replies.vevent(stamp="now"), "x")).events[0].stamp is None

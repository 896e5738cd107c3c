"""The meaning and values of the fields in replies: by name, or by `Struct.name` where they differ."""

from typing import Any, get_args

from kalends.changes.model import ALL_KINDS, KINDS, OPS, WAYS
from kalends.contacts.model import Service
from kalends.deliveries.model import CHANNELS, State
from kalends.errors import Code
from kalends.events.input import Status
from kalends.events.invitations.model import InvitationState
from kalends.events.messages.model import MessageGroup
from kalends.events.reminders.model import GROUPS, STATES
from kalends.http.input.options import split_annotated
from kalends.http.openapi.responses import REF
from kalends.http.openapi.schema import nullable
from kalends.i18n.catalogs import Language
from kalends.questions.model import KINDS as QUESTION_KINDS
from kalends.questions.model import PER
from kalends.records.delivery import PLACE_NOTICES, MessageKind
from kalends.records.event import Visibility
from kalends.records.response_settings import WaitingList, WaitingOrder
from kalends.records.site import Registration
from kalends.records.suppression import Purpose
from kalends.records.suppression import Reason as SuppressionReason
from kalends.records.user import AccountStatus, ResponseNotices, Role
from kalends.records.webhook import DisabledReason, WebhookState
from kalends.reports.model import REASONS
from kalends.responses.model import Attendance, PlaceState
from kalends.webhooks.model import DELIVERY_KINDS

Schema = dict[str, Any]

MEANINGS = {
    "id": "Id of the record.",
    "created_at": "When the record was created, in UTC.",
    "updated_at": "When the record was last changed, in UTC.",
    # Lists
    "limit": "The page size in force; at most 500.",
    "offset": "The position of the first result.",
    "next": "Path and query of the next page; null on the last one.",
    "total": "The number of results on all pages, if `count=true` was sent.",
    "total_is_exact": "Whether `total` is exact; false if there are at least that many results.",
    "deleted": "Ids of the deleted records.",
    "AllDeleted.deleted": "The number of deleted contacts.",
    # Changes
    "changes": "The changes, each record once.",
    "cursor": "Send it as `cursor` to get what changes from now on.",
    "more": "Whether more has changed already; read on at once.",
    "Change.kind": "The kind of record.",
    "op": "`put`: the record is new or changed. `gone`: drop it.",
    "calendar": "The calendar, for the kind `calendar`.",
    "event": "The event, for the kind `event`.",
    "series": "The series, for the kind `series`.",
    "Change.comment": "The comment, for the kind `comment`.",
    "Change.response": "The response, for the kind `response`.",
    "contact": "The contact, for the kind `contact`.",
    "EventChangeIndex.changes": "The changes, newest first.",
    "seq": "The number of the change, to undo it.",
    "at": "When it was changed, in UTC.",
    "actor": "Who changed it; null for guests, the worker and accounts that were deleted.",
    "via": "The way of the change.",
    "EventChange.kind": "The kind of record.",
    "EventChange.op": "What was done to the record.",
    "fields": "The fields that changed.",
    "before": "The value before the change; null where there was none.",
    "after": "The value after the change; null where there is none.",
    "undone": "The records that were put back or removed.",
    "UndoneRecord.kind": "The kind of record.",
    "UndoneRecord.op": "`put`: it is as it was. `gone`: it was removed, since it had been new.",
    "trash": "What was deleted, newest first.",
    "TrashItem.calendar_id": "Id of the event's home calendar.",
    "TrashItem.events": "How many events were deleted in the same request.",
    "deleted_at": "When it was deleted, in UTC.",
    "SeriesChange.events": "Those of its dates that changed.",
    # Events
    "events": "The events.",
    "title": "Title of the event.",
    "description": "Description; line breaks are kept.",
    "start_time": "Start: RFC 3339 with the offset of the event's time zone; a date for an all-day event.",
    "end_time": "End, in the same form; for an all-day event the last day, inclusive.",
    "all_day": "Whether the event takes whole days.",
    "time_zone": "IANA time zone, such as Europe/Paris.",
    "location": "Location in one line.",
    "location_name": "Name of the place.",
    "street": "Street and number.",
    "city": "City.",
    "state": "State or region.",
    "zip": "Postal code.",
    "country": "Country.",
    "image_url": "URL of the picture; an uploaded one has a URL of this service.",
    "image_alt": "What the picture shows, for those who cannot see it.",
    "image": "The picture; null if there is none.",
    "EventImage.url": "URL of the picture.",
    "width": "Width in pixels; null if the picture is elsewhere.",
    "height": "Height in pixels; null if the picture is elsewhere.",
    "alt": "What the picture shows, for those who cannot see it.",
    "tag_list": "Tags, comma-delimited.",
    "tags": "Tags, as an array.",
    "public": "Whether everyone can see it.",
    "visibility": "Who sees the event: everyone (public), anyone who has its link (link), or the members of its calendars (members).",
    "link_url": "The link by which people without an account see the event, for those who may edit it; null if it has none.",
    "Status.status": "One word: ok.",
    "status": "Whether the event takes place: planned, cancelled or postponed.",
    "status_note": "Why it is cancelled or postponed; null if it is planned.",
    "calendar_ids": "Ids of the calendars that hold the event and that you can see, sorted.",
    "calendars": "The calendars.",
    "EventDetail.calendars": "The calendars that hold the event and that you can see.",
    "EventRepeated.calendars": "The calendars that hold the event and that you can see.",
    "series_id": "Id of the series that the event belongs to.",
    "owner": "The owner.",
    "repeat": "The rule of the series.",
    "frequency": "Unit of the repetition.",
    "interval": "Repeat every n days, weeks, months or years.",
    "start_date": "First day of the series.",
    "end_date": "Last day of the series, inclusive; null if it has a count or no end.",
    "by_day": "Weekdays of the rule, such as MO, 2TU (the second Tuesday) and -1FR (the last Friday).",
    "by_month_day": "Days of the month; negative ones count from its end.",
    "by_month": "Months of the rule.",
    "by_set_pos": "Which of the days of each period are dates: 1 is the first, -1 the last.",
    "count": "Number of occurrences of the rule; null if it has none.",
    "short_months": "What the rule does in months without its day: skip them, or take their last day.",
    "rrule": "The rule as an RRULE of RFC 5545, in its canonical form; UNTIL is the last day in the event's zone.",
    "also": "Dates that were added to the rule.",
    "except": "Dates that are left out: excepted, or deleted individually.",
    "Repeat.text": "The rule as a sentence.",
    "EventRepeated.kept": "Number of events that stay in the series.",
    "created": "Number of events that are created.",
    "removed": "Number of events that are deleted.",
    "stranded": "Dates that no longer fit and have comments, responses or changes of their own: they leave the series.",
    "next_dates": "The next five dates, with that of the event itself.",
    "responses": "The responses.",
    "EventDetail.responses": "Counts of the responses to the event.",
    "EventRepeated.responses": "Counts of the responses to the event.",
    "yes": "Number of YES responses.",
    "maybe": "Number of MAYBE responses.",
    "no": "Number of NO responses.",
    "people": "Number of people who come: the sum of number + plus_n over the YES responses.",
    "comments": "The comments, newest first.",
    "comments_count": "Number of comments that you can see.",
    "url": "URL of the event's page.",
    "can_edit": "Whether you may change it.",
    "occurrences": "Number of occurrences in the series.",
    "uid": "UID of the event in iCalendar files.",
    # Imports
    "imported": "Number of new records.",
    "updated": "Number of records that were changed.",
    "unchanged": "Number of records that were the same already.",
    "skipped": "Number of entries that were left out.",
    "kept": "Number of entries that were moved into the primary list.",
    "remarks": "What could not be imported, by line; at most 1,000.",
    "line": "Line in the file at which the entry begins.",
    "Remark.message": "What could not be imported, and why.",
    "Remark.field": "The field of the file.",
    # Calendars
    "name": "Name.",
    "color": "Colour, such as #2f6fde.",
    "primary": "Whether it is its owner's primary calendar.",
    "role": "Your role: owner, editor or viewer; null if you only see it because it is public.",
    "Share.role": "The person's role.",
    "moderation": "Whose comments wait for approval.",
    "feed_url": "URL of the iCalendar feed; null if you may not have it.",
    "shares": "The people and e-mail addresses with which the calendar is shared; for its owner only.",
    # Comments and responses
    "event_id": "Id of the event.",
    "comment": "Text of the comment.",
    "response": "Whether the person comes.",
    "approved": "Whether the comment is approved, as text.",
    "email_address": "E-mail address.",
    "confirmed": "Whether the address was confirmed by following a mailed link.",
    "SeriesPlaces.dates": "The coming dates of the series that have the response now.",
    "SeriesPlaces.held": "The dates with YES at which nobody of the party waits.",
    "SeriesPlaces.waiting": "The dates at which the party waits for places.",
    "ResponseCreated.series": "With a scope of more than one date: how many dates have the response.",
    "party_max": "The largest party (number + plus_n) that may respond; null for no limit.",
    "responses_open": "Whether people can respond.",
    "responses_until": "The last moment to respond; null if there is none.",
    "capacity": "How many people can come; null for any number.",
    "Places.capacity": "How many people can come.",
    "waiting_list": "If the event is full: no waiting list, one that seats people by itself, or one that offers them places.",
    "waiting_order": "Whether a waiting party too large for the free places is passed over (`fit`) or holds up the list (`strict`).",
    "show_counts": "Whether everyone sees how many come and how many places are free.",
    "approval": "Whether a YES holds no place before an editor has accepted it.",
    "offer_hours": "For how many hours a place is offered.",
    "places": "The places of an event with a capacity; null without one, and for guests if the organiser hides the counts.",
    "Places.held": "Places that are held or offered.",
    "free": "Places that are free.",
    "PassedOver.free": "How many places were free then.",
    "waiting": "Number of people who wait for a place.",
    "over": "How many more places are held than there are: the capacity was lowered, or an editor let people in.",
    "min_party": "The fewest people who would still come if there are too few places for all; null if only all of them.",
    "place": "What the response holds of an event with a capacity; null if it needs no place.",
    "SeatPlace.place": "All places held, none yet, some, offered until a time, none after that time, or not accepted by an editor yet.",
    "SeatPlace.held": "Places that it holds.",
    "offered": "Places that are reserved until `offer_until`.",
    "offer_until": "Until when the offered places are reserved, in UTC; null without an offer.",
    "ahead": "Who waits with an earlier place; null if it does not wait.",
    "parties": "Number of responses.",
    "Ahead.people": "Number of places for which they wait.",
    "passed_over": "Places that went to parties behind this one, since they were too few for it; null if none did.",
    "times": "How often.",
    "PassedOver.at": "When that was last, in UTC.",
    "is_approved": "Whether the comment is approved.",
    "verified": "Whether the e-mail address was verified.",
    "response_notices": "When they get mail about new responses and comments to their events.",
    "hour_cycle": "How they read times: with 12 hours (`h12`) or 24 (`h23`); null: as is usual in their language.",
    "week_start": "The first day of their week; null: as is usual in their language.",
    "UserDetail.language": "The language in which they read pages and mail; null: that of their browser.",
    "Profile.language": "The language in which they read pages and mail; null: that of their browser.",
    "verified_at": "When the e-mail address was verified, in UTC.",
    "CommentItem.email_address": "The author's e-mail address; for the event's owner only.",
    "ResponseItem.email_address": "The responder's e-mail address.",
    "number": "Number of people who respond.",
    "plus_n": "Number of further people who come along.",
    "opt_in": "Whether the responder asked to hear of other events.",
    # Invitations
    "invitations": "The invitations.",
    "InvitationItem.event_id": "Id of the event; null for an invitation to a series.",
    "InvitationItem.series_id": "Id of the series whose dates it is to; null for an invitation to one event.",
    "InvitationItem.address": "The invited e-mail address.",
    "InvitationItem.name": "The guest's name, if it is known.",
    "InvitationItem.party_max": "The most people that the guest may bring, the guest included.",
    "InvitationItem.state": "What became of it: its mail waits, was sent or came back, the guest has responded, or it was taken back.",
    "InvitationItem.response": "The guest's response to the event; null if there is none.",
    "InvitationItem.detail": "Why the mail came back.",
    "invited": "How many people are invited now.",
    "already": "How many were invited before.",
    "told": "How many people the write tells; absent if it tells nobody.",
    "messages": "The messages.",
    "MessageItem.subject": "The subject of the mail.",
    "MessageItem.text": "What was written.",
    "mails": "To how many guests it went.",
    "MessageItem.sent": "How many of the mails were sent.",
    "MessageItem.failed": "How many could not be sent.",
    "MessageSent.told": "How many people get the message, and how many not.",
    "Told.email": "How many by e-mail.",
    "Told.sms": "How many by SMS.",
    "Told.skipped": "How many are not told: they want no messages about the event, or their address does not work.",
    "Invited.skipped": "How many are not invited: they want no invitations, or their address does not work.",
    "without_address": "How many contacts have no e-mail address.",
    # Questions
    # Reminders
    "reminders": "The reminders.",
    "ReminderItem.event_id": "Id of the event; null for a reminder of a calendar.",
    "ReminderItem.calendar_id": "Id of the calendar whose events have it, unless they have their own; null for a reminder of one event.",
    "ReminderItem.before": "How many minutes before the start; null: see days_before.",
    "days_before": "How many days before the day of the start; null: see before.",
    "ReminderItem.at": "The time of that day, on the event's clock.",
    "audience": "Whom it reminds: those who are going, maybe, waiting, or all of these.",
    "ReminderItem.text": "What it says.",
    "due_time": "When it is due for this event; null if it would be after the start, or of a calendar's reminder.",
    "recipients": "How many people it would remind now, or has reminded; null of a calendar's reminder.",
    "wanted": "Whether the guest is reminded of the event.",
    "ReminderItem.state": "Whether it is still to be sent, was sent, was not sent because its time was over, or is off.",
    "questions": "The questions, in the order in which they are asked.",
    "EventDetail.questions": "What is asked of those who say YES.",
    "EventRepeated.questions": "What is asked of those who say YES.",
    "QuestionItem.event_id": "Id of the event; null for a question of a calendar.",
    "QuestionItem.calendar_id": "Id of the calendar whose events all ask it; null for a question of one event.",
    "QuestionItem.label": "The question.",
    "QuestionItem.kind": "What is asked for.",
    "QuestionItem.required": "Whether a YES needs an answer.",
    "per": "Whether it is asked once of the party, or of each person.",
    "options": "The options of the kinds one and many.",
    "ask_if": "It is asked only if another question has this answer; null: it is always asked.",
    "keep_days": "The days after the end of the event until the answers are erased.",
    "OptionItem.label": "The option.",
    "OptionItem.limit": "How many may choose it; null: everybody.",
    "left": "How many still may choose it; null: everybody.",
    "question_id": "Id of the question.",
    "answer": "The answer: as text, a number, true or false, or a list of options.",
    "Condition.answer": "The answer on which it is asked.",
    "AnswerItem.label": "The question, as it was asked.",
    "person": "Who of the party answered, from 0; null if the party was asked.",
    "answers": "The answers, with the questions as they were asked.",
    "missing": "Ids of required questions that were added since, and are not answered yet.",
    # Contacts
    "contacts": "The contacts.",
    "first_name": "Given name.",
    "last_name": "Family name.",
    "phone_number": "Phone number, as it was typed.",
    "birthday": "Date of birth.",
    "gender": "Gender.",
    "zip_code": "Postal code.",
    "unique_id": "Your own id for the contact.",
    "service": "The service that the contacts came from.",
    # Deliveries and subscribers
    "deliveries": "The messages.",
    "kind": "What the message is about.",
    "notice": "Of notices: what it says of the place of a guest; null for a new date of the event.",
    "channel": "How the message is sent.",
    "address": "E-mail address or mobile number.",
    "DeliveryItem.state": "State of the message.",
    "DeliveryQueued.state": "State of the message.",
    "attempts": "How often sending was tried.",
    "error": "Why the last attempt failed.",
    "suppressions": "The addresses that get no more messages.",
    "purpose": "Which messages they get no more: notices of changes and messages, reminders, or invitations.",
    "SuppressionItem.event_id": "Id of the only event that it is about; null for all of yours.",
    "SiteSuppressionItem.event_id": "Id of the only event that it is about; null for all.",
    "SiteSuppressionItem.user_name": "User name of the organiser whose messages they get no more; null for all organisers.",
    "SiteSuppressionItem.reason": "The mail server refused the address, a message came back, or the recipient wants no more.",
    "SiteSuppressionItem.detail": "What the mail server said.",
    "ReportItem.calendar_id": "Id of the calendar.",
    "ReportDetail.calendar_id": "Id of the calendar.",
    "ReportItem.reason": "What is wrong with it.",
    "ReportDetail.reason": "What is wrong with it.",
    "ReportItem.text": "What the reporter wrote.",
    "ReportDetail.text": "What the reporter wrote.",
    "ReportDetail.closed_at": "When an admin closed it; null while it waits.",
    "ReportDetail.subject": "Title of the event, name of the calendar, or text of the comment.",
    "ReportDetail.url": "The page of the event or the calendar.",
    "reports": "The reports.",
    "hidden_events": "The hidden events.",
    "HiddenEventItem.event_id": "Id of the event; of a series, of the date that the admin chose.",
    "HiddenEventItem.title": "Title of the event; null if it was deleted.",
    "HiddenEventItem.reason": "What the editors of the event are told.",
    "hidden_at": "When it was hidden, in UTC.",
    "blocked_senders": "The blocked addresses and domains.",
    "BlockedSenderItem.sender": "The e-mail address, or the domain with all its subdomains.",
    "BlockedSenderItem.note": "Why it is blocked.",
    "ReportItem.email_address": "Where the reporter gets a reply; null if they gave no address.",
    "comment_id": "Id of the comment.",
    "SuppressionItem.reason": "The mail server refused the address, a message came back, or the recipient wants no more.",
    "SuppressionItem.detail": "What the mail server said.",
    "queued": "Number of messages that were queued.",
    "subscribers": "The subscribers.",
    "source": "Where the address was given.",
    "consent": "What the person agreed to.",
    "consented_at": "When they agreed, in UTC.",
    # Webhooks
    "webhooks": "The webhooks.",
    "webhook": "The webhook.",
    **dict.fromkeys(("WebhookItem.url", "WebhookSecret.url"), "Where changes are sent."),
    **dict.fromkeys(
        ("WebhookItem.calendar_id", "WebhookSecret.calendar_id"), "Id of the only calendar whose changes are sent; null for all of yours."
    ),
    **dict.fromkeys(("WebhookItem.kinds", "WebhookSecret.kinds"), "The only kinds of records whose changes are sent; null for all."),
    "enabled": "Whether changes are sent.",
    "disabled_reason": "Why nothing is sent: you switched it off (`owner`), the receiver failed for five days (`failing`) or replied with "
    "status 410 (`gone`), you cannot see the calendar any more (`calendar`), your "
    "password was reset (`password`), or your account was suspended (`suspended`).",
    "failing_since": "When the first of the attempts failed that have failed since; null if the last one did not.",
    "next_attempt_at": "When it is tried again after a failure, in UTC.",
    "secret": "The secret that verifies deliveries. It is shown once.",
    "WebhookDeliveryIndex.deliveries": "The deliveries, newest first.",
    "message_id": "The `webhook-id` of the delivery, the same in each attempt.",
    "WebhookDeliveryItem.kind": "The kind of record, or `ping`, or `missed` if changes were lost.",
    "record_id": "Id of the record.",
    "WebhookDeliveryItem.state": "State of the delivery; `superseded`: there was nothing left to tell.",
    "WebhookDeliveryItem.status": "HTTP status of the last attempt; null if there was no HTTP response.",
    "duration_ms": "Milliseconds that the last attempt took.",
    "WebhookQueued.queued": "Number of deliveries that were queued.",
    # Users, keys and sessions
    "user_id": "Id of the user.",
    "user_name": "User name.",
    **dict.fromkeys(("UserDetail.role", "PersonItem.role"), "What the account may do: `admin` administers the site."),
    **dict.fromkeys(
        ("UserDetail.status", "RegistrationWaiting.status", "PersonItem.status"),
        "Whether the account can be used: it waits for approval (`waiting`), or an admin suspended it (`suspended`).",
    ),
    "primary_calendar_id": "Id of the user's primary calendar.",
    "keys": "The keys.",
    "blocks": "The people whom you block.",
    "key_id": "Id of the key that was used; null for a session.",
    "wkey": "The API write key. It is shown once.",
    "shared_secret": "The secret for digests. It is shown once. An app password has none.",
    "token": "The session token. It is shown once.",
    "expires_at": "When the session ends, in UTC.",
    # Site
    "SiteDetail.name": "Name of the site.",
    "headline": "Title of the start page.",
    "tagline": "A line that says what the site is.",
    "logo_url": "URL of the logo; null if there is none.",
    "accent_color": "Colour of links and buttons; null for that of Kalends.",
    "SiteDetail.time_zone": "Time zone in which guests see times until they choose another one.",
    "language": "Default language of the site.",
    "imprint_url": "URL of the imprint.",
    "privacy_url": "URL of the privacy policy.",
    "registration": "Who can register: everybody, everybody whom an admin approves, who is invited, or nobody.",
    # People
    # The state of the service
    "server": "Host and port of the mail server; null if none is set, and mail is written to files.",
    "sender": "Sender of the mail.",
    "MailDetail.waiting": "The messages that are sent next, up to 20.",
    "waiting_count": "Number of messages that wait.",
    "MailDetail.failed": "The last messages that could not be sent in the last day, up to 20.",
    "MailItem.notice": "Of notices: what it says.",
    "version": "Version of Kalends.",
    "database": "Which database it is.",
    "migration": "Number of the newest migration that has run.",
    "worker_alive": "Whether the background worker has run within three minutes.",
    "worker_seen_at": "When the background worker last ran, in UTC; null if it never did.",
    "waiting_since": "Since when the oldest of the messages waits, in UTC; null if none does.",
    "sent_count": "Number of messages that were sent in the last hour.",
    "failed_count": "Number of messages that failed in the last hour.",
    "last_backup_at": "When `kalends backup` last wrote a backup, in UTC; null if it never did.",
    "disk_free": "Bytes that are free on the disk of the data folder.",
    "disk_total": "Bytes of that disk.",
    "PeopleIndex.people": "The people.",
    "last_seen_at": "When a session of theirs was last used, in UTC, to the hour; null if that is more than two weeks ago.",
    "AccountInvitationIndex.invitations": "The invitations.",
    "AccountInvitationItem.url": "The link that was mailed.",
    "AccountInvitationItem.expires_at": "When the link expires, in UTC.",
    "fixed": "The settings that the operator has set in the environment, and nobody can change here; for admins only.",
    # Problems
    "type": "Kind of problem, for programs.",
    "ProblemBody.title": "Kind of problem, for people.",
    "ProblemBody.status": "HTTP status.",
    "detail": "What is wrong with this request, and what to do.",
    "errors": "The broken fields, all of them.",
    "field": "Name of the field.",
    "message": "What is wrong with it.",
    "code": "The same as a code, for programs.",
    "request_id": "Id of the request in the server's log.",
}

# The fields of replies that have one of a few values.
VALUES: dict[str, tuple[str, ...]] = {
    "Change.kind": KINDS,
    "Change.op": OPS,
    **dict.fromkeys(("EventChange.kind", "UndoneRecord.kind"), ALL_KINDS),
    "EventChange.op": ("create", "update", "delete"),
    "UndoneRecord.op": OPS,
    "EventChange.via": WAYS,
    "disabled_reason": get_args(DisabledReason),
    **dict.fromkeys(("UserDetail.role", "PersonItem.role"), get_args(Role)),
    **dict.fromkeys(("UserDetail.status", "PersonItem.status"), get_args(AccountStatus)),
    "registration": get_args(split_annotated(Registration)[0]),
    "response_notices": get_args(split_annotated(ResponseNotices)[0]),
    "InvitationItem.state": get_args(InvitationState),
    "WebhookDeliveryItem.kind": DELIVERY_KINDS,
    "WebhookDeliveryItem.state": get_args(WebhookState),
    "response": get_args(split_annotated(Attendance)[0]),
    "audience": GROUPS,
    "ReminderItem.state": STATES,
    "approved": ("true", "false"),
    "ReportItem.reason": REASONS,
    "ReportDetail.reason": REASONS,
    "waiting_list": get_args(WaitingList),
    "waiting_order": get_args(WaitingOrder),
    "SeatPlace.place": get_args(PlaceState),
    "gender": ("male", "female"),
    "channel": CHANNELS,
    "DeliveryItem.notice": PLACE_NOTICES,
    "DeliveryItem.state": get_args(State),
    "DeliveryQueued.state": get_args(State),
    "QuestionItem.kind": QUESTION_KINDS,
    "per": PER,
    "DeliveryItem.kind": get_args(MessageKind),
    "SubscriberItem.source": ("send_to_me", "response", "confirmation"),
    "ServiceImport.service": get_args(Service),
    **dict.fromkeys(("EventItem.status", "EventDetail.status", "EventRepeated.status"), get_args(split_annotated(Status)[0])),
    "Repeat.frequency": ("DAILY", "WEEKLY", "MONTHLY", "YEARLY"),
    "Repeat.short_months": ("skip", "last"),
}

# The names of enumerations in generated clients.
ENUMERATIONS: dict[tuple[str, ...], str] = {
    get_args(Code): "ErrorCode",
    KINDS: "RecordKind",
    OPS: "ChangeOp",
    ALL_KINDS: "JournalKind",
    ("create", "update", "delete"): "JournalOp",
    WAYS: "ChangeWay",
    get_args(DisabledReason): "WebhookDisabledReason",
    ("at_once", "daily", "off"): "ResponseNotices",
    ("h12", "h23"): "HourCycle",
    ("monday", "saturday", "sunday"): "WeekStart",
    get_args(Role): "UserRole",
    get_args(split_annotated(Registration)[0]): "Registration",
    get_args(Language): "Language",
    get_args(AccountStatus): "AccountStatus",
    ("waiting",): "RegistrationStatus",
    GROUPS: "ReminderAudience",
    STATES: "ReminderState",
    DELIVERY_KINDS: "WebhookDeliveryKind",
    get_args(InvitationState): "InvitationState",
    get_args(MessageGroup): "MessageGroup",
    get_args(WebhookState): "WebhookDeliveryState",
    ("YES", "MAYBE", "NO"): "Attendance",
    ("planned", "cancelled", "postponed"): "EventStatus",
    get_args(Purpose): "SuppressionPurpose",
    REASONS: "ReportReason",
    get_args(SuppressionReason): "SuppressionReason",
    get_args(WaitingList): "WaitingList",
    get_args(WaitingOrder): "WaitingOrder",
    get_args(PlaceState): "PlaceState",
    ("true", "false"): "Truth",
    ("api", "dav"): "KeyKind",
    ("male", "female"): "Gender",
    ("email", "sms"): "Channel",
    PLACE_NOTICES: "PlaceNotice",
    ("queued", "sending", "sent", "failed"): "DeliveryState",
    get_args(MessageKind): "DeliveryKind",
    ("send_to_me", "response", "confirmation"): "SubscriberSource",
    ("google", "outlook", "yahoo"): "ContactService",
    ("primary", "imported"): "ContactList",
    ("DAILY", "WEEKLY", "MONTHLY", "YEARLY"): "Frequency",
    ("skip", "last"): "ShortMonths",
    ("this", "following", "all"): "Scope",
    ("this", "all"): "InvitationScope",
    QUESTION_KINDS: "QuestionKind",
    PER: "AskedPer",
    ("public",): "SearchScope",
    get_args(Visibility): "Visibility",
    ("start_time", "-start_time"): "EventOrder",
    ("none", "guests", "all"): "Moderation",
    ("on", "off"): "Confirmations",
    ("none", "always"): "ConfirmResponses",
    ("viewer", "editor"): "Role",
    ("owner", "editor", "viewer"): "OwnRole",
}


def annotate(api: Schema) -> None:
    """Give every field of every reply its meaning and its values, and every enumeration a name."""
    schemas = api["components"]["schemas"]
    for struct, schema in schemas.items():
        schema["required"] = [*schema.get("required", []), *_have_defaults(schema)]
        for name, field in schema.get("properties", {}).items():
            _flatten(field)
            values = VALUES.get(f"{struct}.{name}", VALUES.get(name))
            if values and "enum" not in str(field):
                choices = field.get("items", field)
                choices.update(_one_of(choices, values))
            meaning = MEANINGS.get(f"{struct}.{name}", MEANINGS.get(name))
            if meaning and "description" not in field:
                field["description"] = meaning
    _name_enumerations(api)
    schemas |= {name: {"type": "string", "enum": list(values)} for values, name in ENUMERATIONS.items()}


def _have_defaults(schema: Schema) -> list[str]:
    """The fields that a Struct has defaults for: in a reply they are always there."""
    return [name for name, field in schema.get("properties", {}).items() if field.pop("default", field) is not field]


def _flatten(field: Schema) -> None:
    """Write `anyOf` of a plain type and null as one type, which every generator understands."""
    plain = [each for each in field.get("anyOf", []) if each.get("type") != "null"]
    if len(plain) == 1 and isinstance(plain[0].get("type"), str):
        del field["anyOf"]
        field.update(nullable(plain[0]) | field)


def _one_of(field: Schema, values: tuple[str, ...]) -> Schema:
    choice: Schema = {"type": "string", "enum": list(values)}
    return nullable(choice) if "null" in field.get("type", ()) else choice


def _name_enumerations(node: Any) -> None:
    """Replace each enumeration by a reference to the one of its name."""
    if isinstance(node, list):
        for each in node:
            _name_enumerations(each)
    elif isinstance(node, dict) and (name := _name_of(node.get("enum"))):
        del node["enum"]
        reference = {"$ref": REF.format(name=name)}
        is_nullable = "null" in node.pop("type", "")
        node.update({"anyOf": [reference, {"type": "null"}]} if is_nullable else reference)
    elif isinstance(node, dict):
        for each in node.values():
            _name_enumerations(each)


def _name_of(enumeration: Any) -> str | None:
    """The order does not matter: msgspec sorts the values."""
    values = {value for value in enumeration if value is not None} if isinstance(enumeration, list) else None
    return next((name for known, name in ENUMERATIONS.items() if set(known) == values), None)

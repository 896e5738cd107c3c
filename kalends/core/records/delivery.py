"""The rows of messages: a delivery is one to one address, and reminders, subscribers and suppressed addresses decide on them."""

from typing import Literal, cast, get_args

from msgspec import Struct

# What a message is: to those who asked for an event or subscribed, to the users of accounts, and to the guests of an event.
MessageKind = Literal[
    "announce",
    "cancel",
    "change",
    "confirm",
    "confirmation",
    "invitation",
    "link",
    "message",
    "notice",
    "promotion",
    "proposal",
    "reminder",
    "reset",
    "response",
    "send_to_me",
    "verification",
    "verify",
]
Channel = Literal["email", "sms"]
# The guests of an event: who said YES and has a place, said MAYBE, waits for a place, said NO, or was invited and has not responded.
GuestGroup = Literal["going", "maybe", "waiting", "no", "not_answered"]
GUEST_GROUPS: tuple[GuestGroup, ...] = get_args(GuestGroup)
DeliveryState = Literal["queued", "sending", "sent", "failed"]
# The changes of an account that its user is notified of.
ChangeNotice = Literal[
    "password_changed",
    "password_reset",
    "address_changed",
    "key_created",
    "device_connected",
    "codes_enabled",
    "codes_disabled",
    "recovery_codes_renewed",
    "recovery_code_used",
    "passkey_added",
    "passkey_removed",
    "passkey_copied",
    "identity_linked",
    "identity_unlinked",
    "webhook_created",
    "webhook_disabled",
    "source_held",
    "source_paused",
    "account_deleted",
]
# Notices about registrations to people: that they are invited, what became of theirs, and, as admins, that someone waits, is an admin
# now, or was stopped from sending, and that something was reported; and a test.
AdministrationNotice = Literal[
    "account_invited",
    "account_waiting",
    "account_approved",
    "account_refused",
    "address_registered",
    "admin_added",
    "report_waiting",
    "sending_stopped",
    "test_message",
]
AccountNotice = Literal[ChangeNotice, AdministrationNotice]
# Notices to guests on a waiting list: they have a place, one is offered to them, or their offer has lapsed.
PlaceNotice = Literal["place_granted", "place_offered", "place_lapsed"]
# Notices to organisers: new responses and comments.
OrganiserNotice = Literal["response_news"]
# Notices to guests of changes that an editor of the event makes: of their response, or that it was removed.
EditorNotice = Literal["response_changed", "response_removed"]
# Notices to the editors of an event about admins: they have hidden it, or shown it again.
ModerationNotice = Literal["event_hidden", "event_shown"]
# Notices to people who may edit an event from now on.
CohostNotice = Literal["cohost_added"]
# Notices to people with whom a calendar is shared.
ShareNotice = Literal["calendar_shared"]
# Notices to people to whom a calendar is offered or given, whose calendar somebody accepted, or who followed one that is deleted.
OwnershipNotice = Literal["ownership_offered", "ownership_accepted", "calendar_given", "calendar_deleted"]
Notice = Literal[AccountNotice, PlaceNotice, OrganiserNotice, EditorNotice, ModerationNotice, CohostNotice, ShareNotice, OwnershipNotice]
OWNERSHIP_NOTICES: tuple[OwnershipNotice, ...] = get_args(OwnershipNotice)
PLACE_NOTICES: tuple[PlaceNotice, ...] = get_args(PlaceNotice)
ADMINISTRATION_NOTICES: tuple[AdministrationNotice, ...] = get_args(AdministrationNotice)


class Delivery(Struct, frozen=True):
    """A row of the table `deliveries`."""

    id: int
    owner_id: int
    event_id: int | None
    subscriber_id: int | None
    kind: MessageKind
    channel: Channel
    address: str
    public: bool
    state: DeliveryState
    attempts: int
    due_at: int
    error: str | None
    created_at: int
    updated_at: int
    notice: Notice | None = None
    response_id: int | None = None
    proposal_id: int | None = None
    # What it is sent for: an address gets one message for it.
    cause: str | None = None
    # The events that it is about, delimited by commas, if it may be about several.
    event_ids: str | None = None

    @property
    def all_event_ids(self) -> list[int]:
        return [int(number) for number in (self.event_ids or "").split(",") if number]

    @property
    def is_about_new_date(self) -> bool:
        """Whether it is a notice that the event has a new date. Other notices are about an account, or a place on a waiting list."""
        return self.kind == "notice" and self.notice is None

    @property
    def is_about_share(self) -> bool:
        """Whether it notifies somebody that a calendar is shared with them."""
        return self.notice == "calendar_shared"

    @property
    def is_about_place(self) -> bool:
        """Whether it notifies a guest of a place at the event."""
        return self.notice in PLACE_NOTICES


Source = Literal["send_to_me", "response", "confirmation"]


class Subscriber(Struct, frozen=True):
    """A row of the table `subscribers`."""

    id: int
    owner_id: int
    channel: Channel
    address: str
    event_id: int | None
    source: Source
    consent: str
    consented_at: int
    confirmed_at: int | None


# Notices are messages about changes and cancellations, and those that an organiser writes.
Purpose = Literal["notice", "reminder", "invitation"]
# The mail server refused the address permanently, a message came back, or the recipient wants no more.
Reason = Literal["refused", "bounced", "unsubscribed"]


class Suppression(Struct, frozen=True):
    """A row of the table `suppressed_addresses`. Without an event it holds for all events, without an owner for the whole service."""

    id: int
    owner_id: int | None
    event_id: int | None
    channel: Channel
    address: str
    purpose: Purpose
    reason: Reason
    detail: str | None
    created_at: int


Group = Literal["going", "maybe", "waiting", "all"]


def cause_of(reminder_id: int, event_id: int, start_at: int) -> str:
    """What the messages of a reminder are sent for: an address gets one for each start of the event."""
    return f"reminder:{reminder_id}:{event_id}:{start_at}"


class Reminder(Struct, frozen=True):
    """A row of the table `reminders`. `at` is a minute of the day; `audience` is delimited by commas."""

    id: int
    event_id: int | None
    calendar_id: int | None
    origin_id: int | None
    before: int | None
    days_before: int | None
    at: int | None
    audience: str
    channel: Channel
    text: str | None

    @property
    def origin(self) -> int:
        """What the copies of the reminder have in common."""
        return self.id if self.origin_id is None else self.origin_id

    @property
    def groups(self) -> list[Group]:
        """Whom it reminds."""
        return cast(list[Group], self.audience.split(",")) if self.audience else []

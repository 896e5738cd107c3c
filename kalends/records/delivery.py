"""The row of a delivery: a message to one address."""

from typing import Literal, get_args

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
DeliveryState = Literal["queued", "sending", "sent", "failed"]
# The changes of an account that its user is notified of.
ChangeNotice = Literal["password_changed", "password_reset", "address_changed", "key_created", "webhook_created", "webhook_disabled"]
# What people are told of registrations: that they are invited, what became of theirs, and, as admins, that someone waits, is an admin
# now, or was stopped from sending; and a test.
AdministrationNotice = Literal[
    "account_invited",
    "account_waiting",
    "account_approved",
    "account_refused",
    "address_registered",
    "admin_added",
    "sending_stopped",
    "test_message",
]
AccountNotice = Literal[ChangeNotice, AdministrationNotice]
# What guests on a waiting list are told: they have a place, one is offered to them, or their offer has lapsed.
PlaceNotice = Literal["place_granted", "place_offered", "place_lapsed"]
# What organisers are told: new responses and comments.
OrganiserNotice = Literal["response_news"]
# What guests are told of changes that an editor of the event makes: of their response, or that it was removed.
EditorNotice = Literal["response_changed", "response_removed"]
# What the editors of an event are told of admins: they have hidden it, or shown it again.
ModerationNotice = Literal["event_hidden", "event_shown"]
Notice = Literal[AccountNotice, PlaceNotice, OrganiserNotice, EditorNotice, ModerationNotice]
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
        """Whether it tells that the event has a new date. Other notices are about an account, or a place on a waiting list."""
        return self.kind == "notice" and self.notice is None

    @property
    def is_about_place(self) -> bool:
        """Whether it tells a guest of a place at the event."""
        return self.notice in PLACE_NOTICES

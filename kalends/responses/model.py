"""Responses: the input and the replies of the API."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import EmailAddress, EventLink, Id, Instant, LongText, Name, Scope
from kalends.http.paging import Paging
from kalends.http.sparse_fields import read_fields
from kalends.questions.model import AnswerItem, Answers
from kalends.records import response as records

MAX_PARTY = 10_000
# All seats held, none, some, some on offer until a time, none after that time, not accepted by an editor yet, or not confirmed in time.
PlaceState = Literal["held", "waiting", "partly", "offered", "lapsed", "pending", "unconfirmed"]
# The fields with the size of the party.
PARTY = frozenset(("number", "plus_n"))
# The fields that decide which seats it needs.
SEATING = PARTY | {"response", "min_party"}
# The fields that are columns of the table.
COLUMNS = ("response", "name", "comment", "number", "plus_n", "opt_in", "min_party")

Attendance = Annotated[records.Attendance, Meta(description="Whether one comes: YES, MAYBE or NO.")]


Notify = Annotated[bool, Meta(description="For an editor of the event: whether the guest is told by mail.")]


class ResponseFields(Struct, kw_only=True):
    """The editable fields of a response."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "number": "must not exceed the event's party_max together with plus_n",
            "plus_n": "must not exceed the event's party_max together with number",
            "answers": "must fit the event's questions, and have the required ones with a YES",
        }
    )

    response: Attendance
    name: Annotated[Name, Meta(description="The name to show the event owner.")] | None = None
    comment: Annotated[LongText, Meta(description="A text for the event owner.")] | None = None
    number: Annotated[int, Meta(ge=1, le=MAX_PARTY, description="How many respond.")] = 1
    plus_n: Annotated[int, Meta(ge=0, le=MAX_PARTY, description="How many come in addition.")] = 0
    opt_in: Annotated[bool, Meta(description="Whether to put the address on the event owner's list.")] = False
    min_party: (
        Annotated[int, Meta(ge=1, le=MAX_PARTY, description="The fewest people who would still come if there are too few places for all.")]
        | None
    ) = None
    answers: Answers | None = None

    @property
    def fewest(self) -> int:
        """The fewest people who would come."""
        people = self.number + self.plus_n
        return people if self.min_party is None else min(people, self.min_party)


class ResponseInput(ResponseFields, kw_only=True):
    """A new response. For a signed-in user, their own address and name are the defaults."""

    OPTIONS: ClassVar = StructOptions(rules=ResponseFields.OPTIONS.rules | {"email_address": "is required of a guest"})

    event_id: Annotated[Id, Meta(description="The event.")]
    email_address: EmailAddress | None = None
    notify: Notify = True
    scope: Scope = "this"
    link: EventLink | None = None


Token = Annotated[str, Meta(max_length=100, description="What follows /r/ in the personal link; proof that the address is yours.")]


class ResponseProof(Struct, kw_only=True):
    """Proof for someone without an account."""

    token: Token | None = None


class ReminderChoice(ResponseProof, kw_only=True):
    """Whether the guest wants to be reminded, with proof for someone without an account."""

    wanted: Annotated[bool, Meta(description="Whether to remind the guest of the event.")]


class RemindersChosen(Struct):
    """Whether the guest is reminded."""

    wanted: bool


EraseComments = Annotated[bool, Meta(description="With `erase`: also the comments of the address on the event and its series.")]


class Erasure(Struct, kw_only=True):
    """What else of a guest is erased."""

    erase_comments: EraseComments = False


class ResponseRemoval(ResponseProof, kw_only=True):
    """Proof for someone without an account, whether the guest is notified, and whether all personal data is erased."""

    notify: Notify = True
    erase: Annotated[
        bool,
        Meta(
            description="For the responder: withdraw and erase name, address and message, the history, the invitation, messages that "
            "were sent, and the place on the organiser's list; only the number is still counted."
        ),
    ] = False
    erase_comments: EraseComments = False


class ResponseChanges(ResponseFields, kw_only=True):
    """The fields to change, with proof for someone without an account."""

    OPTIONS: ClassVar = ResponseFields.OPTIONS

    token: Token | None = None
    notify: Notify = True


class LinkRequest(Struct, kw_only=True):
    """Whom to send their personal link."""

    event_id: Annotated[Id, Meta(description="The event.")]
    email_address: EmailAddress
    link: EventLink | None = None


class LinkRequested(Struct):
    """The same for every address, whether or not it has responded."""

    email_address: str


FIELDS = "Comma-delimited names of the fields to return; `id` is always among them. Without it, all but `answers` and `missing`."


def _read_fields(value: Any) -> list[str]:
    return read_fields(ResponseSummary, value)


class ResponseQuery(Paging, kw_only=True, frozen=True):
    """The event whose responses to list."""

    OPTIONS: ClassVar = StructOptions(rules={"fields": "must name fields of a response"})

    event_id: Annotated[Id, Meta(description="The event; without it, your own responses.")] | None = None
    fields: Annotated[list[str], Meta(description=FIELDS), FieldOptions(read=_read_fields)] | None = None


class ResponseExport(Struct, kw_only=True):
    """The event whose responses to export."""

    event_id: Annotated[Id, Meta(description="The event.")]


class ResponseFor(Struct, kw_only=True):
    """The event to respond to."""

    event_id: Annotated[Id, Meta(description="The event.")] | None = None


class BlankResponse(Struct):
    """The defaults of a new response."""

    event_id: int | None
    email_address: str | None
    response: Attendance | None
    name: str | None
    comment: str | None
    number: int
    plus_n: int
    opt_in: bool
    min_party: int | None
    answers: list[AnswerItem]


class Acceptance(Struct, kw_only=True):
    """How an editor accepts a response."""

    force: Annotated[bool, Meta(description="Whether to let them in beyond the capacity.")] = False


class Ahead(Struct, frozen=True):
    """Who waits with an earlier place in the queue."""

    parties: int
    people: int


class PassedOver(Struct, frozen=True):
    """How often parties behind got seats that were too few for this one, when that was last, and how many were free; without the
    latter if `show_counts` of the event is false."""

    times: int
    at: Instant
    free: int | None


class SeatPlace(Struct, frozen=True):
    """What a YES holds of an event with a capacity, or of one whose editors accept responses, and whether it must be confirmed to count."""

    place: PlaceState
    held: int
    offered: int
    offer_until: Instant | None
    confirm_until: Instant | None
    ahead: Ahead | None
    passed_over: PassedOver | None


class ResponseItem(Struct, kw_only=True):
    """A response, for the event's editors and the responder."""

    id: int
    event_id: int
    email_address: str
    name: str | None
    response: Attendance
    number: int
    plus_n: int
    comment: str | None
    opt_in: bool
    min_party: int | None
    place: SeatPlace | None
    answers: list[AnswerItem]
    missing: list[int]
    created_at: Instant
    updated_at: Instant


class SeriesPlaces(Struct):
    """The dates of a series that a response was given to."""

    dates: int
    held: int
    waiting: int


class ResponseCreated(Struct, kw_only=True):
    """The response; or, for a caller who has not proved that the address is theirs, the request's own fields without `id`,
    `place`, `missing`, `created_at` and `updated_at`."""

    event_id: int
    email_address: str
    name: str | None
    response: Attendance
    number: int
    plus_n: int
    comment: str | None
    opt_in: bool
    min_party: int | None
    answers: list[AnswerItem]
    id: int | UnsetType = UNSET
    series: SeriesPlaces | UnsetType = UNSET
    place: SeatPlace | UnsetType | None = UNSET
    missing: list[int] | UnsetType = UNSET
    created_at: Instant | UnsetType = UNSET
    updated_at: Instant | UnsetType = UNSET


class ResponseSummary(Struct, kw_only=True):
    """A response in a list; `answers` and `missing` only if `fields` names them."""

    id: int
    event_id: int
    email_address: str
    name: str | None
    response: str
    number: int
    plus_n: int
    comment: str | None
    opt_in: bool
    min_party: int | None
    place: SeatPlace | None
    created_at: Instant
    updated_at: Instant
    answers: list[AnswerItem] | UnsetType = UNSET
    missing: list[int] | UnsetType = UNSET


class ResponseIndex(Struct):
    responses: list[ResponseSummary]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET

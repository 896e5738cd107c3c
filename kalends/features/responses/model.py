"""Responses: the input and the replies of the API."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.core.records import response as records
from kalends.features.questions.model import AnswerItem, Answers
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import CreatedAt, EmailAddress, EventId, EventLink, Id, Instant, LongText, Name, RecordId, Scope, UpdatedAt
from kalends.http.paging import Page, Paging, read_fields

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


Notify = Annotated[bool, Meta(description="For an editor of the event: whether the guest is notified by mail.")]


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

    wanted: Annotated[bool, Meta(description="Whether the guest is reminded of the event.")]


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
    """The reply to a request for a personal link: it does not depend on whether the address has responded."""

    email_address: Annotated[str, Meta(description="E-mail address.")]


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


FewestPeople = Annotated[
    int | None, Meta(description="The fewest people who would still come if there are too few places for all; null if only all of them.")
]


class BlankResponse(Struct):
    """The defaults of a new response."""

    event_id: EventId | None
    email_address: Annotated[str | None, Meta(description="E-mail address.")]
    response: Annotated[Attendance | None, Meta(description="Whether the person comes.")]
    name: Annotated[str | None, Meta(description="Name.")]
    comment: Annotated[str | None, Meta(description="Text of the comment.")]
    number: Annotated[int, Meta(description="Number of people who respond.")]
    plus_n: Annotated[int, Meta(description="Number of further people who come along.")]
    opt_in: Annotated[bool, Meta(description="Whether the responder asked to hear of other events.")]
    min_party: FewestPeople
    answers: Annotated[list[AnswerItem], Meta(description="The answers, with the questions as they were asked.")]


class Acceptance(Struct, kw_only=True):
    """How an editor accepts a response."""

    force: Annotated[bool, Meta(description="Whether to let them in beyond the capacity.")] = False


class Ahead(Struct, frozen=True):
    """Who waits with an earlier place in the queue."""

    parties: Annotated[int, Meta(description="Number of responses.")]
    people: Annotated[int, Meta(description="Number of places for which they wait.")]


class PassedOver(Struct, frozen=True):
    """How often parties behind got seats that were too few for this one, when that was last, and how many were free; without the
    latter if `show_counts` of the event is false."""

    times: Annotated[int, Meta(description="How often.")]
    at: Annotated[Instant, Meta(description="When that was last, in UTC.")]
    free: Annotated[int | None, Meta(description="How many places were free then.")]


class SeatPlace(Struct, frozen=True):
    """What a YES holds of an event with a capacity, or of one whose editors accept responses, and whether it must be confirmed to count."""

    place: Annotated[
        PlaceState,
        Meta(description="All places held, none yet, some, offered until a time, none after that time, or not accepted by an editor yet."),
    ]
    held: Annotated[int, Meta(description="Places that it holds.")]
    offered: Annotated[int, Meta(description="Places that are reserved until `offer_until`.")]
    offer_until: Annotated[Instant | None, Meta(description="Until when the offered places are reserved, in UTC; null without an offer.")]
    confirm_until: Annotated[
        Instant | None, Meta(description="Until when the places are held without confirmation; null if it is confirmed or holds none.")
    ]
    ahead: Annotated[Ahead | None, Meta(description="Who waits with an earlier place; null if it does not wait.")]
    passed_over: Annotated[
        PassedOver | None,
        Meta(description="Places that went to parties behind this one, since they were too few for it; null if none did."),
    ]


class ResponseItem(Struct, kw_only=True):
    """A response, for the event's editors and the responder."""

    id: RecordId
    event_id: EventId
    email_address: Annotated[str, Meta(description="The responder's e-mail address.")]
    name: Annotated[str | None, Meta(description="Name.")]
    response: Attendance
    number: Annotated[int, Meta(description="Number of people who respond.")]
    plus_n: Annotated[int, Meta(description="Number of further people who come along.")]
    comment: Annotated[str | None, Meta(description="Text of the comment.")]
    opt_in: Annotated[bool, Meta(description="Whether the responder asked to hear of other events.")]
    min_party: FewestPeople
    place: Annotated[SeatPlace | None, Meta(description="What the response holds of an event with a capacity; null if it needs no place.")]
    answers: Annotated[list[AnswerItem], Meta(description="The answers, with the questions as they were asked.")]
    missing: Annotated[list[int], Meta(description="Ids of required questions that were added since, and are not answered yet.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class SeriesPlaces(Struct):
    """The dates of a series that a response was given to."""

    dates: Annotated[int, Meta(description="The coming dates of the series that have the response now.")]
    held: Annotated[int, Meta(description="The dates with YES at which nobody of the party waits.")]
    waiting: Annotated[int, Meta(description="The dates at which the party waits for places.")]


class ResponseCreated(Struct, kw_only=True):
    """The response; or, for a caller who has not proved that the address is theirs, the request's own fields without `id`,
    `place`, `missing`, `created_at` and `updated_at`."""

    event_id: EventId
    email_address: Annotated[str, Meta(description="E-mail address.")]
    name: Annotated[str | None, Meta(description="Name.")]
    response: Attendance
    number: Annotated[int, Meta(description="Number of people who respond.")]
    plus_n: Annotated[int, Meta(description="Number of further people who come along.")]
    comment: Annotated[str | None, Meta(description="Text of the comment.")]
    opt_in: Annotated[bool, Meta(description="Whether the responder asked to hear of other events.")]
    min_party: FewestPeople
    answers: Annotated[list[AnswerItem], Meta(description="The answers, with the questions as they were asked.")]
    id: RecordId | UnsetType = UNSET
    series: Annotated[
        SeriesPlaces | UnsetType, Meta(description="With a scope of more than one date: how many dates have the response.")
    ] = UNSET
    place: Annotated[
        SeatPlace | UnsetType | None, Meta(description="What the response holds of an event with a capacity; null if it needs no place.")
    ] = UNSET
    missing: Annotated[
        list[int] | UnsetType, Meta(description="Ids of required questions that were added since, and are not answered yet.")
    ] = UNSET
    created_at: CreatedAt | UnsetType = UNSET
    updated_at: UpdatedAt | UnsetType = UNSET


class ResponseSummary(Struct, kw_only=True):
    """A response in a list; `answers` and `missing` only if `fields` names them."""

    id: RecordId
    event_id: EventId
    email_address: Annotated[str, Meta(description="The responder's e-mail address.")]
    name: Annotated[str | None, Meta(description="Name.")]
    response: Annotated[str, Meta(description="Whether the person comes.")]
    number: Annotated[int, Meta(description="Number of people who respond.")]
    plus_n: Annotated[int, Meta(description="Number of further people who come along.")]
    comment: Annotated[str | None, Meta(description="Text of the comment.")]
    opt_in: Annotated[bool, Meta(description="Whether the responder asked to hear of other events.")]
    min_party: FewestPeople
    place: Annotated[SeatPlace | None, Meta(description="What the response holds of an event with a capacity; null if it needs no place.")]
    created_at: CreatedAt
    updated_at: UpdatedAt
    answers: Annotated[list[AnswerItem] | UnsetType, Meta(description="The answers, with the questions as they were asked.")] = UNSET
    missing: Annotated[
        list[int] | UnsetType, Meta(description="Ids of required questions that were added since, and are not answered yet.")
    ] = UNSET


class ResponseIndex(Page):
    responses: Annotated[list[ResponseSummary], Meta(description="The responses.")]


class Author(Struct, frozen=True):
    """Who responds or comments, and what they have proved."""

    email_address: str
    name: str | None
    # The id of the signed-in user, if the address is theirs.
    user_id: int | None
    # Whether they have proved that the address is theirs.
    is_proven: bool
    # Whether the policy lets them change the stored response, also without proof: as an editor, or the account that made it.
    may_change: bool = False
    # Whether an editor added them to the series.
    is_added: bool = False
    # The editor who did.
    added_by: int | None = None
    # The hash of the key of their browser, which proves that a response made there without proof is theirs.
    browser: str | None = None
    # Whether they answer the questions of the event after the response is stored.
    answers_later: bool = False

    @property
    def has_proof(self) -> bool:
        """Whether they may change the stored response of the address, and learn what is in it."""
        return self.is_proven or self.may_change

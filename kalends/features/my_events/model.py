"""My events: what the API replies with and takes."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from kalends.core.records.response import Attendance
from kalends.features.events.model import EventItem
from kalends.features.responses.model import SeatPlace
from kalends.http.input.options import StructOptions
from kalends.http.input.types import Scope
from kalends.http.paging import Page, Paging

Show = Literal["going", "invited", "hosting", "past"]


class MyEventQuery(Paging, kw_only=True, frozen=True):
    """Which of your events to list."""

    show: Annotated[
        Show,
        Meta(
            description="`going`: what you said YES or MAYBE to. `invited`: what you have not answered. `hosting`: what you may edit "
            "and others can see. Of a series, these have the next date alone. `past`: what you went to, the latest first."
        ),
    ] = "going"


class MyEvent(EventItem, kw_only=True):
    """An event with your response and invitation."""

    response: Annotated[Attendance | None, Meta(description="Your response; null if you have not answered.")]
    people: Annotated[int | None, Meta(description="How many people your response is for; null without one.")]
    whole_series: Annotated[bool, Meta(description="Whether your response, or else your invitation, is to all dates of the series.")]
    place: Annotated[SeatPlace | None, Meta(description="What your response holds of an event with a capacity; null if it needs no place.")]
    invited: Annotated[bool, Meta(description="Whether you are invited.")]
    invited_by: Annotated[str | None, Meta(description="Who invited you; null if nobody did.")]
    message: Annotated[str | None, Meta(description="What they wrote with the invitation.")]
    on_calendar: Annotated[bool, Meta(description="Whether the event is in your calendar. You can remove one that you have not answered.")]
    can_edit: Annotated[bool, Meta(description="Whether you may edit the event.")]
    repeats: Annotated[str | None, Meta(description="The rule of the series in words; null if it does not repeat, or not for you.")]


class MyEventIndex(Page):
    """A page of your events."""

    events: Annotated[list[MyEvent], Meta(description="The events.")]


class MyAnswer(Struct, kw_only=True):
    """Your answer, or whether an invitation is in your calendar."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "number": "must not exceed the event's party_max, nor that of your invitation",
            "answers": "to required questions are not taken here: say YES with them to POST /api/responses",
            "on_calendar": "is for events to which you are invited",
        }
    )

    response: Annotated[Attendance, Meta(description="Whether you come.")] | None = None
    scope: Scope = "this"
    number: Annotated[int, Meta(ge=1, le=10_000, description="How many people come, yourself included.")] | None = None
    on_calendar: (
        Annotated[bool, Meta(description="false removes an invitation from your calendar and leaves it unanswered; true puts it back.")]
        | None
    ) = None


class Mine(Struct, frozen=True):
    """An event of the actor: their response and invitation by id, if there are any."""

    event_id: int
    response_id: int | None
    invitation_id: int | None


class Counts(Struct, frozen=True):
    """The lengths of the lists, counted up to a limit."""

    going: int
    invited: int
    hosting: int


class Guests(Struct, frozen=True):
    """How many people come to an event, how many are on its waiting list, how many invited people have not answered, and how many
    responses and comments wait."""

    event_id: int
    people: int
    on_list: int
    invited: int
    waiting: int

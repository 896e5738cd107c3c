"""The rows of an event, and what of it not everybody may know who sees it."""

from collections.abc import Collection
from typing import Annotated, Any, Literal, Self

from msgspec import Meta, Struct, json, structs

from kalends.core.records import response_settings
from kalends.core.records.response import Tally
from kalends.core.records.response_settings import ResponseSettings
from kalends.core.values import datetimes

# Who sees an event: everyone, anyone who has its link, or only the members of its calendars.
Visibility = Literal["public", "link", "members"]
EventStatus = Literal["planned", "cancelled", "postponed"]
# Who may know the link to an online event, and the exact place: everybody who sees the event, those who come, or the members of its
# calendars. Editors know all of it.
Audience = Literal["everyone", "going", "members"]
PLACE = ("location", "location_name", "street", "city", "state", "zip", "country", "latitude", "longitude")
# What everybody may know of a place.
_AREA = ("city", "state", "country")
# The most people of a response on a page, where the organiser sets no limit.
DEFAULT_PARTY = 10


class Event(Struct, frozen=True):
    """A row of the table, with whether the actor may edit it."""

    id: int
    owner_id: int
    calendar_id: int
    title: str
    description: str | None
    start_at: int
    end_at: int | None
    all_day: bool
    time_zone: str
    location: str | None
    location_name: str | None
    street: str | None
    city: str | None
    state: str | None
    zip: str | None
    country: str | None
    image_url: str | None
    tags: str
    public: bool
    series_id: int | None
    version: int
    created_at: int
    updated_at: int
    slot: str | None
    edited: bool
    uid: str | None
    # The UID that was sent for it, or for the series that it belongs to; others have one of this service.
    sent_uid: str | None
    owner_name: str
    can_edit: bool
    rrule: str | None
    first_date: str | None
    party_max: int | None
    status: EventStatus
    status_note: str | None
    calendar_party_max: int | None
    # The settings for responses as one text; None if they are the defaults.
    settings_text: str | None
    # What the picture shows, for those who cannot see it.
    image_alt: str | None
    # What it costs, in words, and where tickets are sold.
    price: str | None
    ticket_url: str | None
    # Who may know the link and the exact place. What not everybody may know is `withheld`, and missing here until it is revealed.
    online_url: str | None
    online_for: Audience
    place_for: Audience
    withheld: str | None
    # In millionths of a degree.
    latitude: int | None
    longitude: int | None
    # The number in the link by which people see it; None if they do not see it by its link.
    link_number: int | None

    @property
    def by_link(self) -> bool:
        return self.link_number is not None

    @property
    def is_open(self) -> bool:
        """Whether people without an account can open it: everyone, or anyone who has its link."""
        return self.public or self.by_link

    @property
    def visibility(self) -> Visibility:
        return "public" if self.public else "members" if self.link_number is None else "link"

    @property
    def party_limit(self) -> int | None:
        """The most people that one response may bring: the event's own limit, else its home calendar's."""
        return self.calendar_party_max if self.party_max is None else self.party_max

    @property
    def page_limit(self) -> int:
        """The limit on the pages for guests, where few come along unless the organiser sets another limit."""
        return DEFAULT_PARTY if self.party_limit is None else self.party_limit

    @property
    def settings(self) -> ResponseSettings:
        """The settings for responses."""
        return response_settings.decode(self.settings_text)

    @property
    def etag(self) -> str:
        return f"{self.id}-{self.version}"

    @property
    def is_online(self) -> bool:
        """Whether people can take part by a link, which the reader need not know."""
        return self.online_url is not None or "online_url" in decode_withheld(self.withheld)

    @property
    def has_place(self) -> bool:
        """Whether it takes place somewhere, which the reader need not know."""
        return self.location is not None or "location" in decode_withheld(self.withheld)

    @property
    def whole(self) -> Self:
        """The event with all that is withheld, as its editors know it."""
        return self.reveal(("going", "members"))

    @property
    def is_whole(self) -> bool:
        """Whether nothing of it is missing here."""
        return self.withheld is None or self.whole == self

    def reveal(self, audiences: Collection[Audience]) -> Self:
        """The event as these know it."""
        if self.withheld is None:
            return self
        known = decode_withheld(self.withheld)
        if self.online_for not in audiences:
            known.pop("online_url", None)
        if self.place_for not in audiences:
            known = {name: value for name, value in known.items() if name not in PLACE}
        return structs.replace(self, **known)

    def is_over(self, now: int) -> bool:
        """Whether the event has ended; one without an end lasts until the end of its day."""
        if self.end_at is not None:
            return self.end_at <= now
        return datetimes.end_of_day(datetimes.to_local(self.start_at, self.time_zone).date(), self.time_zone) <= now


class CalendarName(Struct, frozen=True):
    """A calendar on which an event is placed."""

    id: Annotated[int, Meta(description="Id of the record.")]
    name: Annotated[str, Meta(description="Name.")]


class SeatCounts(Struct, frozen=True, array_like=True):
    """What an event with a capacity counts. Lapsed are the seats of offers whose time is over, offered those of the others;
    unconfirmed is what responses have that were not confirmed in time: seats, people who wait, and responses and people of the tally."""

    taken: int
    waiting: int
    lapsed: int
    offered: int
    unconfirmed: int
    unconfirmed_waiting: int
    unconfirmed_responses: int
    unconfirmed_people: int


class EventWithCounts(Event, frozen=True):
    """A row of the table, with the calendars that the actor sees the event on, and what others did about it."""

    calendars: list[CalendarName]
    # None if nobody has responded.
    tally: Tally | None
    comments_count: int
    # The dates that were added to its series and excepted, delimited by commas as in the table of series.
    also: str | None
    excepted: str | None
    # Whether it or its home calendar has questions.
    has_questions: bool
    # None without a capacity.
    seats: SeatCounts | None


class EventRow(Struct, frozen=True, gc=False):
    """The columns of an event that a list reads. `calendar_ids` are those that the actor sees, delimited by commas. `public` and `all_day`
    may be 0 or 1, as a database returns them."""

    id: int
    start_at: int
    updated_at: int
    public: int
    series_id: int | None
    sent_uid: str | None
    calendar_ids: str
    title: str
    end_at: int | None
    all_day: int
    time_zone: str
    location: str | None
    image_url: str | None
    tags: str
    status: EventStatus
    status_note: str | None
    place_for: Audience
    withheld: str | None

    def reveal(self, audiences: Collection[Audience]) -> Self:
        """The row with the place as these know it."""
        known = decode_withheld(self.withheld)
        return structs.replace(self, location=known["location"]) if self.place_for in audiences and "location" in known else self


def split_withheld(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of a whole event as they are stored. What is withheld is kept apart from what everybody may know, as a text of its own,
    so that a list, a search or a file cannot tell it by mistake."""
    public, withheld = dict(columns), dict[str, Any]()
    if columns["online_for"] != "everyone" and columns["online_url"]:
        withheld["online_url"], public["online_url"] = columns["online_url"], None
    exact = {name: columns[name] for name in PLACE if columns[name] is not None}
    if columns["place_for"] != "everyone" and exact:
        withheld |= exact
        area = {name: columns[name] for name in _AREA}
        line = ", ".join(filter(None, (area["city"], area["state"], area["country"]))) or None
        public |= dict.fromkeys(PLACE) | area | {"location": line}
    return public | {"withheld": json.encode(withheld).decode() if withheld else None}


def decode_withheld(text: str | None) -> dict[str, Any]:
    """The columns of what is withheld; those of the place are there all or not at all."""
    values: dict[str, Any] = json.decode(text) if text else {}
    online = {"online_url": values["online_url"]} if "online_url" in values else {}
    place = {name: values.get(name) for name in PLACE} if values.keys() & set(PLACE) else {}
    return online | place

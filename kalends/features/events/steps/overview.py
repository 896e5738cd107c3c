"""What organisers see of their event: the head of all its tabs, and the overview with figures, the latest responses and what to do."""

from msgspec import Struct

from kalends import policy
from kalends.core.records.event import Event, EventWithCounts
from kalends.features.calendars import store as calendar_store
from kalends.features.comments import store as comments
from kalends.features.deliveries import store as deliveries
from kalends.features.events import change_notice_store as change_notices
from kalends.features.events import present
from kalends.features.events.input_model import EventFields
from kalends.features.events.invitations import store as invitations
from kalends.features.events.listing.query_model import CommentPage
from kalends.features.events.listing.store.cards import find_rules
from kalends.features.events.rules import response_days
from kalends.features.events.series.model import Repeat
from kalends.features.responses import guest_list_store as guest_list
from kalends.features.responses import present as response_present
from kalends.features.responses.guest_list_store import GuestQuery
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.policy import Right
from kalends.web.environment import GLOBALS
from kalends.web.forms import FormState
from kalends.web.render import render

LATEST = 4
MAX_COMMENTS = 100


class OrganiserHead(Struct, frozen=True):
    """What stands above all tabs of an event."""

    event: Event
    fields: EventFields
    color: str
    repeat: Repeat | None
    comments: int
    pending: int
    edits_home: bool
    # Where guests can open it; None: only people on its calendars can.
    link_url: str | None

    @property
    def waiting(self) -> int:
        """How much waits for the organisers."""
        return self.comments + self.pending


def load_head(ctx: Context, event_id: int) -> OrganiserHead:
    """The head of the tabs, for those who may edit the event."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    pending = guest_list.count(ctx, event.id, "pending") if event.settings.approval else 0
    color = calendar_store.find_color(ctx, event.calendar_id)
    comments_waiting = comments.count_waiting_of_event(ctx, event.id)
    repeat = find_rules(ctx, [event.series_id]).get(event.series_id) if event.series_id else None
    fields = present.editable(event)
    link_url = None if fields.visibility == "members" else policy.guest_url(ctx.settings, event)
    return OrganiserHead(event, fields, color, repeat, comments_waiting, pending, policy.edits_home(ctx, event), link_url)


GLOBALS["organiser_head"] = load_head


def show_overview(ctx: Context, event: EventWithCounts, forms: dict[str, FormState]) -> Document:
    """The overview of an event, for those who may edit it."""
    detail = present.detail_with_comments(ctx, event, CommentPage(limit=MAX_COMMENTS))
    head, latest = load_head(ctx, event.id), guest_list.find(ctx, event.id, GuestQuery(limit=LATEST))[:LATEST]
    counts = guest_list.count_by_time(ctx, event.id, ctx.now - int(response_days.LONGEST.total_seconds()))
    return render(
        "events/overview.html",
        ctx,
        title=detail.title,
        event=detail,
        event_path=f"/events/{event.id}",
        head=head,
        going=detail.places.going if detail.places else detail.responses.people if detail.responses else 0,
        invited=invitations.count_unanswered(ctx, event),
        guests=guest_list.count(ctx, event.id, "all"),
        latest=response_present.items(ctx, latest),
        columns=response_days.columns(counts, ctx.now, event.time_zone),
        link_url=head.link_url,
        recipients=deliveries.count_recipients(ctx, event),
        is_over=event.is_over(ctx.now),
        own_comments=comments.own_ids(ctx, event.id),
        forms=forms,
        held=len(change_notices.find_waiting(ctx, [event.id]) or ()),
        needs_calendar=_needs_calendar(ctx, event),
    )


def _needs_calendar(ctx: Context, event: EventWithCounts) -> bool:
    """Whether the event is public, and nobody can follow its organiser, because they have no public calendar."""
    if not event.public or event.owner_id != policy.user(ctx).id or event.is_over(ctx.now):
        return False
    own = [calendar for calendar in policy.named_member_calendars(ctx) if calendar.role == "owner"]
    return event.calendar_id in {calendar.id for calendar in own} and not any(calendar.public for calendar in own)

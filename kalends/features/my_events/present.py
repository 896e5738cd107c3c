"""The events of a member as the API returns them, with what they answered and who invited them."""

from collections.abc import Sequence

from msgspec import structs

from kalends import policy
from kalends.core.records.event import Event, EventRow
from kalends.core.records.response import Invitation, Response
from kalends.features.events import present as events
from kalends.features.events.listing.store import listing
from kalends.features.events.listing.store.cards import find_rules
from kalends.features.events.model import EventItem
from kalends.features.events.series.model import Repeat
from kalends.features.my_events import store
from kalends.features.my_events.model import Mine, MyEvent
from kalends.features.responses import present as responses
from kalends.features.responses import store as response_store
from kalends.features.responses.model import SeatPlace
from kalends.http.context import Context


def items(ctx: Context, mine: Sequence[Mine]) -> list[MyEvent]:
    """The events in this order."""
    ids = [each.event_id for each in mine]
    rows = {row.id: row for row in listing.load(ctx, ids)} if ids else {}
    visible, links = policy.visible_events(ctx, ids), store.find_links(ctx, ids)
    answers = {each.id: each for each in response_store.find_by_ids(ctx, [each.response_id for each in mine if each.response_id])}
    places = responses.find_places(ctx, list(answers.values()))
    invitations = store.find_invitations(ctx, [each.invitation_id for each in mine if each.invitation_id])
    rules = find_rules(ctx, [row.series_id for row in rows.values() if row.series_id])
    result = []
    for each in mine:
        row, event = rows[each.event_id], visible.get(each.event_id)
        response = answers.get(each.response_id or 0)
        invitation, sender, is_off = invitations.get(each.invitation_id or 0, (None, None, False))
        item = events.items(ctx.settings, [_shown(row, is_open=bool(event or links.get(row.id)))])[0]
        item.url = _url(ctx, item, event, links.get(row.id), response, invitation)
        result.append(
            _my_event(
                item,
                response,
                places.get(each.response_id or 0),
                invitation,
                sender,
                on_calendar=not is_off,
                can_edit=bool(event and event.can_edit),
                repeat=rules.get(row.series_id or 0) if event or (invitation and invitation.series_id) else None,
            )
        )
    return result


def _my_event(
    item: EventItem,
    response: Response | None,
    place: SeatPlace | None,
    invitation: Invitation | None,
    sender: str | None,
    *,
    on_calendar: bool,
    can_edit: bool,
    repeat: Repeat | None,
) -> MyEvent:
    is_whole = response.by_series if response else bool(invitation and invitation.series_id)
    return MyEvent(
        *structs.astuple(item),
        response=response.response if response else None,
        people=response.number + response.plus_n if response else None,
        whole_series=is_whole,
        place=place,
        invited=invitation is not None,
        invited_by=sender,
        message=invitation.message if invitation else None,
        on_calendar=on_calendar,
        can_edit=can_edit,
        repeats=repeat.text if repeat else None,
    )


def _shown(row: EventRow, *, is_open: bool) -> EventRow:
    """The row as its guests see it: of an event for members no picture and no tags."""
    return row if is_open else structs.replace(row, image_url=None, tags="")


def _url(
    ctx: Context, item: EventItem, event: Event | None, link_number: int | None, response: Response | None, invitation: Invitation | None
) -> str:
    """Where the member can open the event: on its own page, or by the link that they were mailed."""
    if event is not None:
        return item.url
    if link_number is not None:
        return f"{ctx.settings.url}/e/{policy.event_token(ctx.settings, item.id, link_number)}"
    if response is not None:
        return policy.response_url(ctx.settings, response)
    return policy.invitation_url(ctx.settings, invitation) if invitation else item.url

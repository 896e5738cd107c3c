"""What the actor goes to and is invited to: responses and invitations to their address, and what they see of these events."""

from kalends.core import errors
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, Response
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy.actor import user
from kalends.policy.events import HIDDEN, event_visible, select_events
from kalends.policy.response_link import GUEST_SEES_EVENT, guest_view

# No address has this key.
NO_KEY = " "
# SQL: the ids of the actor's responses. They gave them, or have verified the address (:my_key). Two indexes find them.
MY_RESPONSE_IDS = "(SELECT id FROM responses WHERE user_id = :me UNION SELECT id FROM responses WHERE email_key = :my_key)"
# Whether the actor sees the event `e` to which they gave the response `r`.
ANSWERED_EVENT_VISIBLE = GUEST_SEES_EVENT.replace("r.user_id", ":me")
# Whether the invitation `i` is to the actor, who does not block the person who sent it.
MY_INVITATION = """(i.email_key = :my_key AND i.state <> 'withdrawn' AND NOT EXISTS (
    SELECT 1 FROM blocks b WHERE b.user_id = :me AND b.owner_id IN (i.owner_id, i.invited_by)))"""
# Whether the actor sees the event `e` to which they are invited.
INVITED_EVENT_VISIBLE = f"(NOT {HIDDEN})"
_INVITATION_TO = f"""SELECT {columns(Invitation, "i")} FROM invitations i
WHERE {MY_INVITATION} AND (i.event_id = :event_id OR i.series_id = :series_id) ORDER BY i.event_id IS NULL, i.id LIMIT 1"""


def my_key(ctx: Context) -> str:
    """The key of the actor's address, once it is verified."""
    actor = ctx.actor
    return fold_case(actor.email_address) if actor and actor.verified_at is not None else NO_KEY


def my_response(ctx: Context, event_id: int) -> Response | None:
    """The actor's response to the event."""
    sql = f"SELECT {columns(Response)} FROM responses WHERE event_id = :event_id AND id IN {MY_RESPONSE_IDS} ORDER BY id LIMIT 1"
    return ctx.tx.one(Response, sql, event_id=event_id, me=user(ctx).id, my_key=my_key(ctx))


def my_event(ctx: Context, event_id: int) -> tuple[Event, Invitation | None]:
    """An event that the actor sees, has answered or is invited to, with the invitation. Of one that only its members see, guests learn
    what a mail about it says."""
    me, key = user(ctx).id, my_key(ctx)
    event = ctx.tx.one(Event, f"{select_events(ctx)} WHERE e.id = :id", id=event_id, me=me)
    if event is None:
        raise errors.NotFound
    params = {"event_id": event_id, "series_id": event.series_id, "me": me, "my_key": key}
    invitation = ctx.tx.one(Invitation, _INVITATION_TO, **params)
    if ctx.tx.rows(f"SELECT 1 FROM events e WHERE e.id = :id AND {event_visible(ctx)}", id=event_id, me=me):
        return event, invitation
    answered = f"SELECT 1 FROM responses r WHERE r.event_id = e.id AND r.id IN {MY_RESPONSE_IDS} AND {ANSWERED_EVENT_VISIBLE}"
    invited = f"(:is_invited = 1 AND {INVITED_EVENT_VISIBLE})"
    sql = f"SELECT 1 FROM events e WHERE e.id = :id AND ({invited} OR EXISTS ({answered}))"
    if not ctx.tx.rows(sql, id=event_id, me=me, my_key=key, is_invited=int(invitation is not None)):
        raise errors.NotFound
    return guest_view(event), invitation

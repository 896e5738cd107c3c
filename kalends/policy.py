"""Who may see and do what: the only place. A record that the actor may not see is NotFound, one that they may see and
not change is Forbidden."""

from enum import Enum
from hmac import compare_digest

from msgspec import structs

from kalends import errors
from kalends.calendars.feed_link import feed_key
from kalends.calendars.model import Calendar, OwnCalendar
from kalends.comments.model import Comment
from kalends.contacts.model import Contact
from kalends.context import Actor, Context
from kalends.db import columns
from kalends.errors import FieldError
from kalends.events.model import Event
from kalends.keys.model import Key
from kalends.responses.model import Response
from kalends.sessions.model import Session
from kalends.subscribers.model import Subscriber
from kalends.transports import FILES
from kalends.values import text


class Right(Enum):
    SEE = "see"
    EDIT = "edit"
    OWN = "own"


# Calendars with the role that the actor (:me, 0 for a guest) has in each.
SELECT_CALENDARS = """
SELECT c.id, c.owner_id, c.name, c.description, c.color, c.time_zone, c.public, c.moderation, c.is_primary,
       c.created_at, c.updated_at, c.revision, c.changed_at, c.feed_version, c.public_revision, c.public_changed_at,
       coalesce(u.name, u.user_name),
       CASE WHEN c.owner_id = :me THEN 'owner' ELSE s.role END, c.party_max
FROM calendars c
JOIN users u ON u.id = c.owner_id
LEFT JOIN calendar_shares s ON s.calendar_id = c.id AND s.user_id = :me
"""


MY_CALENDAR_IDS = "SELECT id FROM calendars WHERE owner_id = :me UNION SELECT calendar_id FROM calendar_shares WHERE user_id = :me"
IN_MY_CALENDARS = f"c.id IN ({MY_CALENDAR_IDS})"

_MEMBER = """(
    EXISTS (SELECT 1 FROM calendars own WHERE own.id = {0} AND own.owner_id = :me)
    OR EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = {0} AND s.user_id = :me)
)"""

# An event is seen by everyone if it is public; else by its owner, by the members of its home calendar, and by the members of
# a calendar on which somebody who may edit it has placed it. (The home calendar is a placement of that kind.)
EVENT_VISIBLE = f"""(
    e.public OR e.owner_id = :me
    OR EXISTS (SELECT 1 FROM placements g WHERE g.event_id = e.id AND g.grants AND {_MEMBER.format("g.calendar_id")})
)"""

# Whether the actor may edit an event `e` whose home calendar is `c`: its owner may, and the owner and the editors of that calendar.
EVENT_EDITABLE = """(
    e.owner_id = :me OR c.owner_id = :me
    OR EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = c.id AND s.user_id = :me AND s.role = 'editor')
)"""

# Which calendars `c` a signed-in user event_visible.
_SEES_CALENDAR = f"(c.public OR {_MEMBER.format('c.id')})"
# The same as EVENT_VISIBLE for an event that `p` places on a calendar of which the actor is a member.
_SEES_AS_MEMBER = f"(p.grants OR {EVENT_VISIBLE})"

# Events with whether the actor may edit them.
SELECT_EVENTS = f"""
SELECT e.id, e.owner_id, e.calendar_id, e.title, e.description, e.start_at, e.end_at, e.all_day, e.time_zone, e.location,
       e.location_name, e.street, e.city, e.state, e.zip, e.country, e.image_url, e.tags, e.public, e.series_id, e.version,
       e.created_at, e.updated_at, e.slot, e.edited, e.uid, coalesce(u.name, u.user_name),
       {EVENT_EDITABLE}, r.frequency, r.step, r.start_date, r.end_date, e.party_max, c.party_max
FROM events e
JOIN users u ON u.id = e.owner_id
JOIN calendars c ON c.id = e.calendar_id
LEFT JOIN series r ON r.id = e.series_id
"""

# The ids of the events that the actor may edit.
EDITABLE_EVENT_IDS = """(
    SELECT id FROM events WHERE owner_id = :me
    UNION SELECT e.id FROM calendars c JOIN events e ON e.calendar_id = c.id WHERE c.owner_id = :me
    UNION SELECT e.id FROM calendar_shares s JOIN events e ON e.calendar_id = s.calendar_id WHERE s.user_id = :me AND s.role = 'editor'
)"""

# The actor's own contacts `k`: those of the primary list, and those of the temporary one that have not expired.
CONTACT_LISTS = {
    "primary": "k.user_id = :me AND k.service IS NULL",
    "imported": "k.user_id = :me AND k.service IS NOT NULL AND k.expires_at > :now",
}


def user(ctx: Context) -> Actor:
    """The signed-in user."""
    if ctx.actor is None:
        raise errors.Unauthorized
    return ctx.actor


def me(ctx: Context) -> int:
    """The actor's user id, or 0 for a guest."""
    return ctx.actor.id if ctx.actor else 0


def require_open_registration(ctx: Context) -> None:
    if ctx.settings.registration == "closed":
        raise errors.Forbidden("Registration is closed here. Ask the operator for an account.")


def require_verified_sender(ctx: Context) -> None:
    """Where mail is really sent, only those may send it to a list whose own address is known to be theirs."""
    if ctx.settings.email != FILES and user(ctx).verified_at is None:
        raise errors.Forbidden(
            "Verify your e-mail address first: follow the link that was mailed to it, or have it sent again in the settings."
        )


def own_account(ctx: Context, user_id: int) -> Actor:
    """Users see and change themselves only."""
    if user(ctx).id != user_id:
        raise errors.NotFound
    return user(ctx)


def session(ctx: Context, session_id: str) -> Session:
    """A live session of the actor's own; `current` is the one in use."""
    wanted = user(ctx).session_id if session_id == "current" else session_id
    found = ctx.tx.one(
        Session,
        f"SELECT {columns(Session)} FROM sessions WHERE id = :id AND user_id = :me",
        id=wanted or "",
        me=user(ctx).id,
    )
    if found is None or ctx.now >= found.expires_at:
        raise errors.NotFound
    return found


def key_creating_session(ctx: Context) -> Session:
    """The actor's session, if keys may be made in it. Keys make none, else a leaked one would outlive its deletion."""
    current = session(ctx, "current") if user(ctx).session_id else None
    if current is None or current.key_id is not None:
        raise errors.Forbidden("A key makes no keys, nor does a session that a key opened. Sign in with your password.")
    return current


def key(ctx: Context, key_id: str) -> Key:
    """A key of the actor's own."""
    found = ctx.tx.one(Key, f"SELECT {columns(Key)} FROM keys WHERE id = :id AND user_id = :me", id=key_id, me=user(ctx).id)
    if found is None:
        raise errors.NotFound
    return found


def calendar(ctx: Context, calendar_id: int, *, to: Right) -> Calendar:
    """The calendar, if the actor may do this to it."""
    found = ctx.tx.one(Calendar, f"{SELECT_CALENDARS} WHERE c.id = :id", id=calendar_id, me=me(ctx))
    if found is None or not (found.public or found.role):
        raise errors.NotFound
    if to is Right.SEE:
        return found
    user(ctx)
    if to is Right.EDIT and not can_edit(found):
        raise errors.Forbidden("Only the calendar's owner and its editors may do this.")
    if to is Right.OWN and found.role != "owner":
        raise errors.Forbidden("Only the calendar's owner may do this.")
    return found


def shared_calendar(ctx: Context, calendar_id: int) -> Calendar:
    """A calendar that somebody else shares with the actor, which they may leave."""
    found = calendar(ctx, calendar_id, to=Right.SEE)
    user(ctx)
    if found.role == "owner":
        raise errors.Conflict("The calendar is yours. Delete it instead.")
    if found.role is None:
        raise errors.Forbidden("The calendar is not shared with you.")
    return found


def is_own_account(ctx: Context, name: str) -> bool:
    """Whether this is the actor's own user name or e-mail address."""
    return ctx.actor is not None and text.fold_case(name) in (text.fold_case(ctx.actor.user_name), text.fold_case(ctx.actor.email_address))


def calendar_feed(ctx: Context, calendar_id: int, key: str | None) -> Calendar:
    """The calendar, to read it whole: whoever has its secret key event_visible what its members see."""
    if key is None:
        return calendar(ctx, calendar_id, to=Right.SEE)
    found = ctx.tx.one(Calendar, f"{SELECT_CALENDARS} WHERE c.id = :id", id=calendar_id, me=me(ctx))
    if found is None or not compare_digest(key.encode(), feed_key(ctx.settings, found).encode()):
        raise errors.NotFound
    return structs.replace(found, role=found.role or "viewer")


def own_calendars(ctx: Context) -> list[Calendar]:
    """The calendars that the signed-in user owns or that are shared with them."""
    return ctx.tx.all(Calendar, f"{SELECT_CALENDARS} WHERE {IN_MY_CALENDARS} ORDER BY c.id", me=user(ctx).id)


def my_calendar_ids(ctx: Context) -> list[OwnCalendar]:
    """The same, as far as a search needs to know them."""
    return ctx.tx.all(OwnCalendar, f"{MY_CALENDAR_IDS} ORDER BY 1", me=user(ctx).id)


def primary_calendar(ctx: Context) -> Calendar:
    found = ctx.tx.one(Calendar, f"{SELECT_CALENDARS} WHERE c.owner_id = :me AND c.is_primary", me=user(ctx).id)
    assert found is not None
    return found


def event_visible(ctx: Context) -> str:
    """Which events `e` the actor event_visible, as SQL: the one place that says it."""
    return "e.public" if ctx.actor is None else EVENT_VISIBLE


def placed_event_visible(ctx: Context, as_member: bool) -> str:
    """The same for an event `e` that `p` places on a calendar, of which the actor is a member or not."""
    if ctx.actor is None:
        return "(p.grants OR p.public)" if as_member else "p.public"
    return _SEES_AS_MEMBER if as_member else EVENT_VISIBLE


def calendar_visible(ctx: Context) -> str:
    """Which calendars `c` the actor event_visible, as SQL."""
    return "c.public" if ctx.actor is None else _SEES_CALENDAR


def event(ctx: Context, event_id: int, *, to: Right) -> Event:
    """The event, if the actor may do this to it."""
    found = ctx.tx.one(Event, f"{SELECT_EVENTS} WHERE e.id = :id AND {event_visible(ctx)}", id=event_id, me=me(ctx))
    if found is None:
        raise errors.NotFound
    if to is Right.EDIT:
        user(ctx)
        if not found.can_edit:
            raise errors.Forbidden("Only the event's owner, and the owner and editors of its home calendar, may do this.")
    return found


def events(ctx: Context, event_id: int, ids: list[int] | None, *, to: Right) -> list[Event]:
    """The event and those of `ids`, or an error that names the first that is missing or forbidden."""
    if not ids:
        return [event(ctx, event_id, to=to)]
    found = []
    for each in dict.fromkeys([event_id, *ids]):
        try:
            found.append(event(ctx, each, to=to))
        except (errors.NotFound, errors.Forbidden) as error:
            missing = FieldError("ids", f"event {each} is not there", "not_found")
            forbidden = FieldError("ids", f"event {each} is not yours to change", "forbidden")
            raise type(error)(error.detail, [missing if isinstance(error, errors.NotFound) else forbidden]) from None
    return found


def require_removal(ctx: Context, on: Event, calendar_id: int) -> None:
    """Whether the actor may take the event off the calendar: its editors may, and those who may edit the event, where they know of it."""
    if on.can_edit and ctx.tx.rows(
        f"""SELECT 1 FROM placements p JOIN calendars c ON c.id = p.calendar_id
            WHERE p.event_id = :event_id AND c.id = :calendar_id AND (p.grants OR {calendar_visible(ctx)})""",
        event_id=on.id,
        calendar_id=calendar_id,
        me=me(ctx),
    ):
        return
    calendar(ctx, calendar_id, to=Right.EDIT)


def require_whole_series(ctx: Context, series_id: int) -> None:
    """Whoever changes a series must be allowed to edit each of its events."""
    if ctx.tx.rows(f"SELECT 1 FROM events WHERE series_id = :id AND id NOT IN {EDITABLE_EVENT_IDS} LIMIT 1", id=series_id, me=user(ctx).id):
        raise errors.Forbidden("Some events of this series are not yours to edit. Change this event alone.")


def comment_visible(found: Event) -> str:
    """Which comments `c` on the event the actor event_visible, as SQL: what is not approved, the event owner and its author only."""
    return "1 = 1" if found.can_edit else "(c.approved OR c.user_id = :me)"


def comment(ctx: Context, comment_id: int, *, to: Right) -> tuple[Comment, Event]:
    """The comment and its event: its author and the event owner may edit and delete it, the event owner approves it."""
    found = ctx.tx.one(Comment, f"SELECT {columns(Comment)} FROM comments WHERE id = :id", id=comment_id)
    if found is None:
        raise errors.NotFound
    on = event(ctx, found.event_id, to=Right.SEE)
    is_author = ctx.actor is not None and found.user_id == ctx.actor.id
    if not (found.approved or on.can_edit or is_author):
        raise errors.NotFound
    user(ctx)
    if not on.can_edit and (to is Right.OWN or not is_author):
        raise errors.Forbidden(
            "Only the event owner may approve or hide a comment." if is_author else "Only its author and the event owner may do this."
        )
    return found, on


def needs_no_approval(ctx: Context, found: Event) -> bool:
    """Whether what the actor says about the event needs no approval."""
    moderation = ctx.tx.value("SELECT moderation FROM calendars WHERE id = :id", id=found.calendar_id)
    return found.can_edit or moderation == "none" or (moderation == "guests" and ctx.actor is not None)


def has_verified(ctx: Context, email_address: str) -> bool:
    """Whether the actor has proved that the e-mail address is theirs."""
    actor = ctx.actor
    return actor is not None and actor.verified_at is not None and text.fold_case(actor.email_address) == text.fold_case(email_address)


def can_see_response(ctx: Context, response: Response, to_event: Event) -> bool:
    """Whether the actor may see and change the response: an editor of the event, whoever proved that its address is theirs, and the
    account that made it itself."""
    is_own = response.user_id is not None and response.user_id == me(ctx)
    return to_event.can_edit or is_own or has_verified(ctx, response.email_address)


def response(ctx: Context, response_id: int) -> tuple[Response, Event]:
    """The response and its event."""
    user(ctx)
    row = ctx.tx.one(Response, f"SELECT {columns(Response)} FROM responses WHERE id = :id", id=response_id)
    if row is None:
        raise errors.NotFound
    to_event = event(ctx, row.event_id, to=Right.SEE)
    if not can_see_response(ctx, row, to_event):
        raise errors.NotFound
    return row, to_event


def contact(ctx: Context, contact_id: int) -> Contact:
    """A contact of the actor's own, on either list."""
    lists = " OR ".join(f"({of_list})" for of_list in CONTACT_LISTS.values())
    found = ctx.tx.one(
        Contact,
        f"SELECT {columns(Contact, 'k')} FROM contacts k WHERE k.id = :id AND ({lists})",
        id=contact_id,
        me=user(ctx).id,
        now=ctx.now,
    )
    if found is None:
        raise errors.NotFound
    return found


def subscriber(ctx: Context, subscriber_id: int) -> Subscriber:
    """An address on the actor's own list."""
    found = ctx.tx.one(
        Subscriber,
        f"SELECT {columns(Subscriber)} FROM subscribers WHERE id = :id AND owner_id = :me",
        id=subscriber_id,
        me=user(ctx).id,
    )
    if found is None:
        raise errors.NotFound
    return found


def can_edit(found: Calendar) -> bool:
    return found.role in ("owner", "editor")

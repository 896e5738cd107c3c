"""The personal link of a response, `/r/<id>-<MAC>`: anyone who has it may see and change the response, without an account."""

import hmac

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy.events import HIDDEN, SELECT_EVENTS, VISIBLE_TO_USER

# How long after the event the link works.
LINK_LIFETIME = 30 * 86_400
MAX_DIGITS = 18
INCOMPLETE = gettext(
    "This link doesn’t work: it is incomplete, or a newer one has replaced it. Use the link in your most recent email about the event."
)
ENDED = gettext("This link expired 30 days after the event.")
# SQL: whether the guest of the response `r` can open the event `e`, is invited to it, or was added by an editor, and no admin hides it.
GUEST_SEES_EVENT = f"""(NOT {HIDDEN} AND (r.added OR e.by_link OR {VISIBLE_TO_USER.replace(":me", "r.user_id")}
    OR EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = e.id AND i.email_key = r.email_key AND i.state <> 'withdrawn')
    OR EXISTS (SELECT 1 FROM invitations i WHERE i.series_id = e.series_id AND i.email_key = r.email_key AND i.state <> 'withdrawn')
))"""


def response_token(settings: Settings, response: Response) -> str:
    return f"{response.id}-{_mac(settings, response)}"


def response_url(settings: Settings, response: Response) -> str:
    return f"{settings.url}/r/{response_token(settings, response)}"


def linked_response(ctx: Context, token: str, *, of_hidden: bool = False) -> tuple[Response, Event]:
    """The response of the personal link, and its event as the guest sees it, who edits nothing.

    The guest must see the event; of_hidden: or not.
    """
    number = token.partition("-")[0]
    is_number = number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS
    response = ctx.tx.one(Response, f"SELECT {columns(Response)} FROM responses WHERE id = :id", id=int(number)) if is_number else None
    if response is None or not hmac.compare_digest(token.encode(), response_token(ctx.settings, response).encode()):
        raise errors.NotFound(INCOMPLETE)
    event = ctx.tx.one(Event, f"{SELECT_EVENTS} WHERE e.id = :id", id=response.event_id, me=0)
    if event is None or not (of_hidden or sees_event(ctx, response, event)):
        raise errors.NotFound
    if ctx.now >= (event.end_at or event.start_at) + LINK_LIFETIME and ctx.now >= _end_of_series(ctx, response, event) + LINK_LIFETIME:
        raise errors.NotFound(ENDED)
    ctx.guest_response = response
    return response, _limit_party(ctx, response, guest_view(event))


def _end_of_series(ctx: Context, response: Response, event: Event) -> int:
    """The end of the last date, if the address has responded to the series of the event as a whole; else 0."""
    sql = """SELECT coalesce(max(coalesce(e.end_at, e.start_at)), 0) FROM series_responses s
             JOIN events e ON e.series_id = s.series_id JOIN responses r ON r.event_id = e.id AND r.email_key = s.email_key
             WHERE s.series_id = :series_id AND s.email_key = :key"""
    return int(ctx.tx.value(sql, series_id=event.series_id, key=fold_case(response.email_address)))


def guest_view(event: Event) -> Event:
    """The event as its guests see it by links and mails: one for members with its title, time, place and status alone."""
    return event if event.is_open else structs.replace(event, description=None, image_url=None, tags="")


def sees_event(ctx: Context, response: Response, event: Event) -> bool:
    """Whether the guest of the response sees the event at all: they can open it, are invited to it, or an editor added them."""
    if event.is_open:
        return True
    sql = f"SELECT 1 FROM responses r, events e WHERE r.id = :id AND e.id = :event_id AND {GUEST_SEES_EVENT}"
    return bool(ctx.tx.rows(sql, id=response.id, event_id=event.id))


def opens_event(ctx: Context, response: Response, event: Event) -> bool:
    """Whether the guest of the response can open the event: it is public or seen by its link, or visible to their account."""
    if event.is_open:
        return True
    sql = f"SELECT 1 FROM events e WHERE e.id = :id AND {VISIBLE_TO_USER}"
    return response.user_id is not None and bool(ctx.tx.rows(sql, id=event.id, me=response.user_id))


def _limit_party(ctx: Context, response: Response, event: Event) -> Event:
    """The event with the limit of the guest's invitation, if there is one and it is lower."""
    sql = """SELECT min(party_max) FROM invitations
             WHERE (event_id = :event_id OR series_id = :series_id) AND email_key = :key AND state <> 'withdrawn'"""
    invited = ctx.tx.value(sql, event_id=event.id, series_id=event.series_id, key=fold_case(response.email_address))
    limits = [limit for limit in (event.party_limit, invited) if limit is not None]
    return structs.replace(event, party_max=min(limits)) if limits else event


def _mac(settings: Settings, response: Response) -> str:
    """It covers the address, so that a row that is about someone else has another link."""
    return derive(settings, "response", f"{response.id}.{response.link_version}.{fold_case(response.email_address)}")[:32]

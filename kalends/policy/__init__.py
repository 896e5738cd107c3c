"""Permission: who may see and do what. Nothing else in the code decides that.

A record that the actor may not see raises NotFound; one that they may see and not change raises Forbidden.
"""

from kalends.policy.account import (
    CONTACT_LISTS,
    contact,
    has_verified,
    is_own_account,
    key,
    key_creating_session,
    own_account,
    require_open_registration,
    require_verified_sender,
    session,
    subscriber,
)
from kalends.policy.actor import Right, me, user
from kalends.policy.calendars import (
    IN_MY_CALENDARS,
    SELECT_CALENDARS,
    calendar,
    calendar_feed,
    calendar_visible,
    can_edit,
    my_calendar_ids,
    own_calendars,
    primary_calendar,
    shared_calendar,
    target_calendar,
)
from kalends.policy.events import (
    EDITABLE_EVENT_IDS,
    EVENT_EDITABLE,
    SELECT_EVENTS,
    event,
    event_visible,
    events,
    placed_event_visible,
    require_removal,
    require_whole_series,
)
from kalends.policy.feed_link import feed_url
from kalends.policy.guests import can_see_response, comment, comment_visible, needs_no_approval, response

__all__ = [
    "CONTACT_LISTS",
    "EDITABLE_EVENT_IDS",
    "EVENT_EDITABLE",
    "IN_MY_CALENDARS",
    "SELECT_CALENDARS",
    "SELECT_EVENTS",
    "Right",
    "calendar",
    "calendar_feed",
    "calendar_visible",
    "can_edit",
    "can_see_response",
    "comment",
    "comment_visible",
    "contact",
    "event",
    "event_visible",
    "events",
    "feed_url",
    "has_verified",
    "is_own_account",
    "key",
    "key_creating_session",
    "me",
    "my_calendar_ids",
    "needs_no_approval",
    "own_account",
    "own_calendars",
    "placed_event_visible",
    "primary_calendar",
    "require_open_registration",
    "require_removal",
    "require_verified_sender",
    "require_whole_series",
    "response",
    "session",
    "shared_calendar",
    "subscriber",
    "target_calendar",
    "user",
]

"""The SQL of the latest RSVPs to one's events and comments on them."""

from msgspec import Struct

from kalends import policy
from kalends.core.records.response import Attendance
from kalends.http.context import Context


class News(Struct, frozen=True):
    """An RSVP or, without a response, a comment on an event that the actor may edit."""

    id: int
    at: int
    event_id: int
    title: str
    name: str | None
    response_id: int | None
    response: Attendance | None
    people: int | None


def find(ctx: Context, limit: int) -> list[News]:
    """The latest news, the newest first."""
    return ctx.tx.all(
        News,
        f"""SELECT n.id, n.at, e.id, e.title, coalesce(r.name, r.email_address, o.name), r.id, r.response, r.number + r.plus_n
            FROM organiser_news n
            LEFT JOIN responses r ON r.id = n.response_id LEFT JOIN comments o ON o.id = n.comment_id
            JOIN events e ON e.id = coalesce(r.event_id, o.event_id) JOIN calendars c ON c.id = e.calendar_id
            WHERE n.owner_id = :me AND {policy.EVENT_EDITABLE} ORDER BY n.id DESC LIMIT :limit""",
        me=policy.user(ctx).id,
        limit=limit,
    )

"""Calendars: collections of events, the people they are shared with, and the programs that fetch their feeds."""

from hashlib import blake2b

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar
from kalends.core.tokens import derive
from kalends.core.values import timestamps
from kalends.features.calendars import former_editor_steps as former_editor
from kalends.features.calendars import former_editor_store, present, sharing_steps, store
from kalends.features.calendars import sharing_store as sharing
from kalends.features.calendars.model import (
    CalendarDetail,
    CalendarIndex,
    CalendarInput,
    FeedKey,
    LeftBehind,
    ReaderColor,
    ReaderIndex,
    ReaderItem,
    Shared,
    Sharing,
    Unshared,
    Unsharing,
)
from kalends.features.calendars.rules.programs import program_of
from kalends.features.events.feeds.steps import feed as feeds
from kalends.features.events.feeds.steps import feed_cache
from kalends.features.events.placements import store as placements
from kalends.http import rate_limit
from kalends.http.context import Context
from kalends.http.endpoint import CALENDAR_FILE, Document, endpoint
from kalends.http.input.fields import Changes, Params
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, build_page
from kalends.policy import Right, quotas

SHARES = rate_limit.Limit("shares", 60, 3600, gettext("You can share calendars %(max)s times an hour. Try again later."))


@endpoint("GET", "/api/calendars")
def index(ctx: Context, params: Paging) -> CalendarIndex:
    """The calendars that you own or that are shared with you."""
    user = policy.user(ctx)
    calendars, page = build_page(ctx, params, store.index(ctx, user.id, params), lambda: store.count(ctx, user.id))
    return CalendarIndex(calendars=[present.item(calendar) for calendar in calendars], **page)


@endpoint("GET", "/api/calendars/new")
def new(ctx: Context) -> CalendarInput:
    """The editable fields with defaults. Nothing is saved."""
    user = policy.user(ctx)
    return CalendarInput(name="", time_zone=user.time_zone, color=store.find_free_color(ctx, user.id))


@endpoint("POST", "/api/calendars", status=201, location="/api/calendars/{id}", only_tags=True)
def create(ctx: Context, params: Params[CalendarInput]) -> CalendarDetail:
    """Make a calendar. Without a `color`, it has one that none of your calendars has, as long as there is one."""
    user, fields = policy.user(ctx), params.value
    quotas.reserve(ctx, user.id, "calendars", 1)
    if "color" not in params.names:
        fields = structs.replace(fields, color=store.find_free_color(ctx, user.id))
    calendar_id = store.insert(ctx, user.id, _with_time_zone(fields, user.time_zone))
    return _tagged_detail(ctx, calendar_id)


@endpoint("GET", "/api/calendars/{calendar_id}", guests=True, etag=True)
def show(ctx: Context, calendar_id: int) -> CalendarDetail:
    """The calendar, expanded.

    Its ETag changes with every change of the events on it; for those with whom it is not shared, with its public events only.
    """
    return _tagged_detail(ctx, calendar_id)


@endpoint("GET", "/api/calendars/{calendar_id}/edit")
def edit(ctx: Context, calendar_id: int) -> CalendarInput:
    """The editable fields of the calendar."""
    return present.editable(policy.calendar(ctx, calendar_id, to=Right.MANAGE))


@endpoint("PUT", "/api/calendars/{calendar_id}", etag=True)
def update(ctx: Context, calendar_id: int, params: Changes[CalendarInput]) -> CalendarDetail:
    """Change the calendar. Its owner and managers may."""
    ctx.tx.advisory_lock(f"calendar {calendar_id}")
    calendar = policy.calendar(ctx, calendar_id, to=Right.MANAGE)
    ctx.require_version(_etag(calendar))
    store.update(ctx, calendar_id, _with_time_zone(params.over(present.editable(calendar)), policy.user(ctx).time_zone))
    return _tagged_detail(ctx, calendar_id)


@endpoint("DELETE", "/api/calendars/{calendar_id}", transaction=False, etag=True)
def destroy(ctx: Context, calendar_id: int) -> Deletion:
    """Delete the calendar and the events that are on no other calendar. Your primary calendar cannot be deleted."""
    with ctx.read():
        calendar = policy.calendar(ctx, calendar_id, to=Right.OWN)
        if calendar.is_primary:
            raise errors.Conflict(
                gettext("This is your primary calendar, which can’t be deleted. Rename it, or delete its events instead.")
            )
        ctx.require_version(_etag(calendar))
    placements.remove_in_batches(ctx, [calendar_id])
    with ctx.write():
        policy.calendar(ctx, calendar_id, to=Right.OWN)
        placements.remove_all(ctx, calendar_id)
        store.delete(ctx, calendar_id)
        return Deletion([calendar_id])


@endpoint("PUT", "/api/calendars/{calendar_id}/share", transaction=False, fixed_time=True)
def share(ctx: Context, calendar_id: int, params: Sharing) -> Shared:
    """Share the calendar with a user, as viewer, editor or manager; again to change the role. Its owner and managers may.

    The person gets mail when it is first shared with them, which counts as an invitation, and none about another role. `notified` is 0
    beyond your limits and if you may not send to others. People who block the owner get no mail, nor do those who want no more
    invitations from you; `notified` does not disclose that.

    With an e-mail address, the share waits for anyone who verifies that address. The reply is the same whether or not someone has.
    When an editor becomes a viewer, their grants to others end, and the feed gets a new secret URL.
    """
    with ctx.read():
        policy.calendar(ctx, calendar_id, to=Right.MANAGE)
    count_share(ctx)
    with ctx.write():
        calendar = _lock_for_manager(ctx, calendar_id)
        notified = sharing_steps.invite(ctx, calendar, params)
        return Shared(**structs.asdict(_detail(ctx, calendar_id)), notified=notified)


@endpoint("PUT", "/api/calendars/{calendar_id}/unshare", transaction=False, fixed_time=True)
def unshare(ctx: Context, calendar_id: int, params: Unsharing) -> Unshared:
    """Stop sharing the calendar with a user or an e-mail address; with your own name, leave a calendar that is shared with you.

    An editor's rights and grants to others end with their share, and the feed gets a new secret URL. The calendar's owner
    becomes that of the events that they created on it, unless `events` says otherwise. `left` in the reply lists these, the invitations
    that they made, the guests whom they added, and the events that are seen by a link: `withdraw_invitations` and `reset_links` end those,
    and `dry_run=true` lists them first. It also lists the co-hosts whom they added, who are no longer any.

    `block=true` with your own name also blocks the owner: you leave all their calendars, and what they share with you later has no
    effect. They are not notified.
    """
    with ctx.read():
        role = policy.calendar(ctx, calendar_id, to=Right.SEE).role
        is_own = policy.is_own_account(ctx, params.user_name)
    if role != "owner" and is_own:
        return _leave(ctx, calendar_id, params.block)
    with ctx.write(is_last=False):
        _lock_for_manager(ctx, calendar_id)
        if params.block:
            raise errors.invalid("block", gettext("works only with your own username, when you leave a calendar"))
        left = find_left(ctx, calendar_id, params.user_name)
        user_id = _unshare(ctx, calendar_id, params.user_name)
        if user_id == former_editor_store.NOBODY:
            left = former_editor_store.find(ctx, calendar_id, user_id)
        calendar = policy.calendar(ctx, calendar_id, to=Right.MANAGE)
    former_editor.settle(ctx, calendar, user_id, params)
    with ctx.write():
        return Unshared(**structs.asdict(_detail(ctx, calendar_id)), left=left)


def _unshare(ctx: Context, calendar_id: int, name: str) -> int:
    """End the share with the user or the address; returns the user, unless they edit the calendar by another share."""
    if "@" in name:
        role, verified_by = sharing.withdraw_address(ctx, calendar_id, name)
        user_id = verified_by or former_editor_store.NOBODY
    else:
        user_id = policy.required_user(ctx, name).id
        role = sharing.withdraw_user(ctx, calendar_id, user_id)
    if role == "editor":
        sharing.reset_feed(ctx, calendar_id)
    return former_editor_store.NOBODY if sharing.is_editor(ctx, calendar_id, user_id) else user_id


def find_left(ctx: Context, calendar_id: int, name: str) -> LeftBehind:
    """What the user or the address would leave on the calendar, for its owner and managers."""
    policy.calendar(ctx, calendar_id, to=Right.MANAGE)
    user_id = sharing.find_user_of(ctx, calendar_id, name) if "@" in name else policy.required_user(ctx, name).id
    return former_editor_store.find(ctx, calendar_id, user_id or former_editor_store.NOBODY)


@endpoint("GET", "/api/calendars/{calendar_id}.ics", guests=True, etag=True)
def feed(ctx: Context, calendar_id: int, params: FeedKey) -> Document:
    """The calendar for other programs: all its events that you may see, each series as one rule.

    The `feed_url` of a private calendar has a `key`, which opens it without signing in. The status of an unchanged feed is 304.
    With `alarms=1`, the events have their reminders as alarms.
    """
    calendar = policy.calendar_feed(ctx, calendar_id, params.key)
    store.count_later(ctx, calendar.id, program_of(ctx.caller.headers.get("user-agent", "")))
    if (not calendar.is_member and ctx.actor is not None) or params.alarms:
        # The other events that they see on it have no revision, nor have reminders, so the content is hashed.
        content = _build(ctx, calendar, has_alarms=params.alarms)
        ctx.tag(blake2b(content, digest_size=12).hexdigest())
        return Document(content, CALENDAR_FILE)
    version, changed_at = _version(ctx, calendar)
    if ctx.not_modified(version, changed_at):
        return Document(b"", CALENDAR_FILE)
    return Document(_build(ctx, calendar, has_alarms=False), CALENDAR_FILE)


def _build(ctx: Context, calendar: Calendar, *, has_alarms: bool) -> bytes:
    """The feed; that of guests comes from the cache."""
    if ctx.actor is not None or calendar.is_member:
        return feeds.build_for_calendar(ctx, calendar, has_alarms=has_alarms)
    version = (_version(ctx, calendar)[0], has_alarms)
    return feed_cache.read(ctx, version, lambda: feeds.build_for_calendar(ctx, calendar, has_alarms=has_alarms)).content


def _version(ctx: Context, calendar: Calendar) -> tuple[str, int]:
    """The feed's ETag and the time of its last change. A guest's ETag does not depend on private events."""
    if not calendar.is_member:
        digest = derive(ctx.settings, "feed version", f"{calendar.id}.{calendar.public_revision}.{ctx.settings.url}")
        return f"f{calendar.id}-{digest[:16]}", calendar.public_changed_at
    viewer = f"{calendar.role}.{ctx.actor.id if ctx.actor else ''}.{ctx.settings.url}"
    return f"f{calendar.id}-{calendar.revision}-{blake2b(viewer.encode(), digest_size=6).hexdigest()}", calendar.changed_at


@endpoint("PUT", "/api/calendars/{calendar_id}/reset_feed")
def reset_feed(ctx: Context, calendar_id: int) -> CalendarDetail:
    """Give the calendar's feed a new secret URL; the old one stops working. Its owner and managers may."""
    policy.calendar(ctx, calendar_id, to=Right.MANAGE)
    sharing.reset_feed(ctx, calendar_id)
    return _detail(ctx, calendar_id)


@endpoint("PUT", "/api/calendars/{calendar_id}/color")
def color(ctx: Context, calendar_id: int, params: ReaderColor) -> ReaderColor:
    """Choose the colour in which you alone see a calendar that is shared with you, on the pages of this site."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.SEE)
    policy.user(ctx)
    if calendar.role is None:
        raise errors.Forbidden(gettext("This calendar isn’t shared with you."))
    if calendar.role == "owner":
        raise errors.Conflict(gettext("The calendar is yours. Change its own colour instead."))
    store.set_reader_color(ctx, calendar_id, params.color)
    return params


@endpoint("GET", "/api/calendars/{calendar_id}/readers")
def readers(ctx: Context, calendar_id: int) -> ReaderIndex:
    """Which programs fetch the feed of your calendar, when and how often: their names, and nothing of who uses them."""
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    return ReaderIndex([_reader(row) for row in store.readers(ctx, calendar_id)])


def _lock_for_manager(ctx: Context, calendar_id: int) -> Calendar:
    """The calendar, which the actor must manage; its shares and placements are locked until the transaction ends."""
    ctx.tx.advisory_lock(f"calendar {calendar_id}")
    return policy.calendar(ctx, calendar_id, to=Right.MANAGE)


def count_share(ctx: Context) -> None:
    """Count in a separate transaction, so that attempts with unknown names count too."""
    if ctx.settings.rate_limits == "on":
        with ctx.write():
            rate_limit.count(ctx, SHARES, str(policy.user(ctx).id))


def _leave(ctx: Context, calendar_id: int, block: bool) -> Unshared:
    """Leave the calendar, and return it as it was. Its owner takes over the events that the actor created on it."""
    with ctx.write(is_last=False):
        ctx.tx.advisory_lock(f"calendar {calendar_id}")
        calendar = policy.shared_calendar(ctx, calendar_id)
        me = policy.user(ctx).id
        policy.require_manager_left(ctx, calendar.owner_id, None if block else calendar_id)
        sharing.leave(ctx, calendar_id, me)
        if policy.can_edit(calendar):
            sharing.reset_feed(ctx, calendar_id)
        others = sharing.block(ctx, me, calendar.owner_id) if block else []
    for left_id in [calendar_id, *others]:
        former_editor.take_over(ctx, left_id, calendar.owner_id, me)
    with ctx.write():
        return Unshared(**structs.asdict(present.detail(ctx, structs.replace(calendar, role=None))))


def _tagged_detail(ctx: Context, calendar_id: int) -> CalendarDetail:
    """The calendar, with its ETag."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.SEE)
    ctx.tag(_etag(calendar), with_body_hash=True)
    return present.detail(ctx, calendar)


def _reader(row: store.ReaderRow) -> ReaderItem:
    return ReaderItem(row.program, row.fetches, timestamps.format_utc(row.first_at), timestamps.format_utc(row.last_at))


def _etag(calendar: Calendar) -> str:
    return f"{calendar.id}-{calendar.revision if calendar.is_member else calendar.public_revision}"


def _detail(ctx: Context, calendar_id: int) -> CalendarDetail:
    return present.detail(ctx, policy.calendar(ctx, calendar_id, to=Right.SEE))


def _with_time_zone(params: CalendarInput, zone: str) -> CalendarInput:
    return params if params.time_zone else structs.replace(params, time_zone=zone)

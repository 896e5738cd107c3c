"""PROPFIND, the properties of a path and, with Depth 1, of what it has; and GET of a calendar and of its resources."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar
from kalends.core.values import timestamps
from kalends.dav import listing, paths, properties
from kalends.dav.books.sync import current_ctag
from kalends.dav.calendars import calendar_store, resources, sync, text
from kalends.dav.calendars.resources import Resource
from kalends.dav.calendars.sync import Token
from kalends.dav.call import ALLPROP, CALENDAR_TYPE, PROP, PROPNAME, Call, DavReply, find_calendar, require_home
from kalends.dav.properties import SCHEDULE_TAG, Subject, dav
from kalends.dav.push.web_push import calendar_topic
from kalends.dav.xml import DAV, DavError, Response, multistatus, write_response
from kalends.features.changes import journal_store
from kalends.features.contacts import store as contact_store
from kalends.features.contacts.rules.birthday import COLOR
from kalends.features.events.feeds.steps import feed
from kalends.policy.site import reader_locale

# The names of the properties in a request, in characters: those that a resource lacks are in the response of each. Clients ask for a third.
MAX_NAMES = 10_000


def propfind(call: Call) -> DavReply:
    """The properties of a path that is no resource in a calendar."""
    require_home(call)
    target, depth = call.target, require_finite(call)
    own = Subject(call.ctx, policy.user(call.ctx), target.kind)
    path = {"root": f"{paths.ROOT}/", "users": f"{paths.ROOT}/users/", "principal": paths.principal(own.user.id)}.get(target.kind)
    responses = [describe(call, own, path or paths.home(own.user.id))]
    if target.kind == "home" and depth == "1":
        made = calendar_store.find_of_owner(call.ctx, own.user.id)
        stored = calendar_store.find_properties(call.ctx, own.user.id)
        for calendar in policy.member_calendars(call.ctx):
            subject = _calendar_subject(call, calendar)
            subject.stored = stored.get(calendar.id, {})
            subject.components = made[calendar.id].components if calendar.id in made else ""
            slug = made[calendar.id].slug if calendar.id in made else str(calendar.id)
            responses.append(describe(call, subject, paths.calendar(own.user.id, slug)))
        if contact_store.has_birthdays(call.ctx, own.user.id) and policy.may_read_contacts(own.user):
            responses.append(describe(call, birthdays_subject(call), paths.calendar(own.user.id, paths.BIRTHDAYS)))
    return DavReply(207, multistatus(map(write_response, responses)))


def propfind_calendar(call: Call) -> DavReply:
    names, depth = requested_names(call.root), require_finite(call)
    calendar = find_calendar(call)
    subject = _calendar_subject(call, calendar)
    if names is None or not properties.PROTECTED.issuperset(names):
        subject.stored = calendar_store.find_properties(call.ctx, subject.user.id, calendar.id).get(calendar.id, {})
    if names is None or properties.COMPONENT_SET in names:
        subject.components = calendar_store.find_components(call.ctx, calendar)
    folder = paths.calendar(subject.user.id, call.target.slug)
    responses = [write_response(describe(call, subject, folder))]
    if depth == "1":
        responses += _describe_resources(call, calendar, subject, folder)
    return DavReply(207, multistatus(responses))


def _describe_resources(call: Call, calendar: Calendar, subject: Subject, folder: str) -> Iterable[str]:
    names = resource_names(call.root)
    if not needs_text(names):
        return listing.describe_all(subject, folder, names, resources.find_tags(call.ctx, calendar), is_brief=call.is_brief)
    items = resources.find_all(call.ctx, calendar)
    texts = text.read_all(call.ctx, calendar, items)
    return listing.describe_all(subject, folder, names, items, texts, is_brief=call.is_brief)


def propfind_resource(call: Call) -> DavReply:
    calendar = find_calendar(call)
    resource = resources.find(call.ctx, calendar, call.target.name)
    if resource is None:
        raise DavError(404, "There is no such resource in the calendar.")
    require_finite(call)
    names = resource_names(call.root)
    texts = text.read_all(call.ctx, calendar, [resource]) if needs_text(names) else None
    folder = paths.calendar(policy.user(call.ctx).id, call.target.slug)
    subject = Subject(call.ctx, policy.user(call.ctx), "resource", calendar)
    return DavReply(207, multistatus(listing.describe_all(subject, folder, names, [resource], texts, is_brief=call.is_brief)))


def describe(call: Call, subject: Subject, path: str) -> Response:
    names = requested_names(call.root)
    if names is None:
        is_listed = call.root is not None and call.root.find(PROPNAME) is not None
        known = properties.names_of(subject.kind)
        names = known if is_listed else [name for name in known if name in properties.IN_ALLPROP]
        names += [name for name in subject.stored if name not in known]
    return properties.describe(subject, path, names, is_brief=call.is_brief)


def requested_names(root: Element | None) -> list[str] | None:
    """The names that a body asks for; None for all."""
    prop = root.find(PROP) if root is not None else None
    if prop is not None:
        names = list(dict.fromkeys(child.tag for child in prop))
        if sum(map(len, names)) > MAX_NAMES:
            raise DavError(403, "Ask for fewer properties in one request.")
        return names
    if root is None or root.find(ALLPROP) is not None or root.find(PROPNAME) is not None:
        return None
    raise DavError(400, "The body must have prop, allprop or propname.")


def resource_names(root: Element | None) -> list[str]:
    """The names that are asked of the resources in a calendar."""
    names = requested_names(root)
    if names is not None:
        return names
    return listing.NAMES if root is not None and root.find(PROPNAME) is not None else listing.IN_ALLPROP


def needs_text(names: list[str]) -> bool:
    return not {listing.DATA, SCHEDULE_TAG, dav("getcontentlength")}.isdisjoint(names)


def require_finite(call: Call) -> str:
    """The depth. A list of everything below has no bound."""
    depth = call.depth
    if depth == "infinity" and "depth" not in call.headers and call.target.kind in ("principal", "resource", "root"):
        return "0"
    if depth == "infinity":
        raise DavError(403, "Ask with Depth 0 or 1.", f"{{{DAV}}}propfind-finite-depth")
    return depth


def _calendar_subject(call: Call, calendar: Calendar) -> Subject:
    names = requested_names(call.root) or []
    token = sync.current_token(call.ctx, calendar) if properties.SYNC_TOKEN in names else ""
    topic = calendar_topic(call.ctx.settings, calendar)
    return Subject(call.ctx, policy.user(call.ctx), "calendar", calendar, token, push_topic=topic)


def birthdays_subject(call: Call) -> Subject:
    """The calendar of the birthdays of one's contacts, with its sync token: it is made of the contacts, and its user is a viewer of it."""
    ctx, user = call.ctx, policy.user(call.ctx)
    name = str(reader_locale(ctx).translate(gettext("Birthdays")))
    calendar = structs.replace(policy.primary_calendar(ctx), id=0, name=name, color=COLOR, description=None, role="viewer", public=False)
    journal = journal_store.find_journal(ctx)
    token = Token(birthdays_collection(user.id), journal.epoch, journal.end).text
    return Subject(ctx, user, "birthdays", calendar, token, ctag=current_ctag(ctx), components="VEVENT")


def birthdays_collection(user_id: int) -> str:
    """What the calendar of birthdays is called in sync tokens."""
    return f"birthdays-{user_id}"


def get_resource(call: Call) -> DavReply:
    resource, content = _find_cached_file(call) or _find_file(call)
    headers = {"ETag": resource.etag, "Last-Modified": timestamps.format_http_date(resource.updated_at)}
    if call.ctx.caller.has_version(resource.etag):
        return DavReply(304, content_type="", headers=headers)
    if tag := resource.schedule_tag(content):
        headers["Schedule-Tag"] = tag
    return DavReply(200, content, CALENDAR_TYPE, headers)


def _find_file(call: Call) -> tuple[Resource, bytes]:
    calendar = find_calendar(call)
    resource = resources.find(call.ctx, calendar, call.target.name)
    if resource is None:
        raise DavError(404, "There is no such resource in the calendar.")
    has_it = call.ctx.caller.has_version(resource.etag)
    return resource, b"" if has_it else text.read(call.ctx, calendar, resource)


def _find_cached_file(call: Call) -> tuple[Resource, bytes] | None:
    """A file that is in memory takes one statement, for its ETag and the right to see it."""
    require_home(call)
    calendar_id = call.target.calendar_id
    resource = resources.find_unwritten(call.ctx, calendar_id, call.target.name) if calendar_id else None
    content = text.find_cached(call.ctx, resource) if resource else None
    return (resource, content) if resource and content else None


def get_calendar(call: Call) -> DavReply:
    """All events as one file, as the feed has them."""
    return DavReply(200, feed.build_for_calendar(call.ctx, find_calendar(call)), CALENDAR_TYPE)

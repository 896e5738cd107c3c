"""WebDAV-Push (draft-bitfire-webdav-push): devices register what they follow, and say when they do not need it any more."""

from xml.etree.ElementTree import Element

from kalends import policy
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.core.values.xml_tree import InvalidXml
from kalends.dav import paths, xml
from kalends.dav.books.propfind import require_book
from kalends.dav.call import Call, DavReply, find_calendar, require_home
from kalends.dav.push import store, web_push
from kalends.dav.push.store import Subscription
from kalends.dav.push.web_push import book_topic, calendar_topic
from kalends.dav.xml import PUSH, DavError
from kalends.features.changes import journal_store as journal

_P = f"{{{PUSH}}}"
_WEB_PUSH = f"{_P}subscription/{_P}web-push-subscription"
# A subscription ends after this time unless the device asks for less, or renews it.
LONGEST = 7 * 86_400
MAX_SUBSCRIPTIONS = 500


def register_for_calendar(call: Call) -> DavReply:
    calendar = find_calendar(call)
    return _register(call, calendar_topic(call.ctx.settings, calendar), calendar_id=calendar.id)


def register_for_book(call: Call) -> DavReply:
    book = require_book(call)
    return _register(call, book_topic(call.ctx.settings, call.target.user_id, book.id), book_id=book.id)


def unregister(call: Call) -> DavReply:
    require_home(call)
    if not store.delete_own(call.ctx, call.target.user_id, int(call.target.name)):
        raise DavError(404, "There is no such subscription.")
    return DavReply(204)


def _register(call: Call, topic: str, calendar_id: int | None = None, book_id: int | None = None) -> DavReply:
    ctx, user = call.ctx, policy.user(call.ctx)
    if not web_push.is_on(ctx.settings):
        raise DavError(403, "This service sends no push messages.", f"{_P}push-not-available")
    root = _read_body(call)
    url, public_key, auth_secret = _read_subscription(ctx.settings, root)
    if root.find(f"{_P}trigger/{_P}content-update") is None:
        raise DavError(403, "Only changes of the content are told.", f"{_P}no-supported-trigger")
    if store.count(ctx, user.id) >= MAX_SUBSCRIPTIONS:
        raise DavError(403, f"An account has at most {MAX_SUBSCRIPTIONS} subscriptions.", f"{_P}push-not-available")
    expires_at = min(_read_expiration(root) or ctx.now + LONGEST, ctx.now + LONGEST)
    new = Subscription(0, user.id, calendar_id, book_id, topic, url, public_key, auth_secret, 0, 0, 0)
    subscription_id = store.upsert(ctx, new, user.key_id, journal.find_journal(ctx), expires_at)
    location = ctx.settings.url + paths.push(user.id, subscription_id)
    return DavReply(204, headers={"Location": location, "Expires": timestamps.format_http_date(expires_at)})


def _read_body(call: Call) -> Element:
    try:
        root = xml.parse(call.body)
    except InvalidXml as error:
        raise DavError(400, str(error)) from None
    if root.tag != f"{_P}push-register":
        raise DavError(400, "The body must be a push-register.")
    return root


def _read_subscription(settings: Settings, root: Element) -> tuple[str, str, str]:
    """Where messages are sent to, and the keys that encrypt them. Earlier drafts call the public key another name."""
    element = root.find(_WEB_PUSH)
    found = {} if element is None else {each.tag.removeprefix(_P): (each.text or "").strip() for each in element}
    public_key = found.get("subscription-public-key") or found.get("client-public-key") or ""
    url, auth_secret = found.get("push-resource", ""), found.get("auth-secret", "")
    if not web_push.is_allowed(settings, url):
        raise DavError(403, "Messages to this push service are not allowed here.", f"{_P}invalid-subscription")
    if found.get("content-encoding", "aes128gcm") != "aes128gcm" or not web_push.are_valid_keys(public_key, auth_secret):
        raise DavError(403, "Messages are encrypted: send a P-256 public key and a secret of 16 octets.", f"{_P}invalid-subscription")
    return url, public_key, auth_secret


def _read_expiration(root: Element) -> int | None:
    text = (root.findtext(f"{_P}expires") or "").strip()
    return timestamps.parse_http_date(text) if text else None

"""The author of a response or comment: by the address and name in the request, else the signed-in user. And a new link for them."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.values.text import fold_case
from kalends.features.deliveries.steps import guest_notice
from kalends.features.responses import store
from kalends.features.responses.model import Author
from kalends.features.responses.steps import guest_cookie
from kalends.http.context import Context


def author(ctx: Context, email_address: str | None, name: str | None) -> Author:
    """The author of a new response or comment: a guest, who needs an address, or the signed-in user, who may write for another address."""
    actor = ctx.actor
    if actor is None:
        if email_address is None:
            raise errors.invalid("email_address", gettext("is required"), "required")
        return Author(email_address, name, None, is_proven=False, browser=guest_cookie.browser(ctx))
    if email_address is None or fold_case(email_address) == fold_case(actor.email_address):
        address = email_address or actor.email_address
        return Author(address, name or actor.display_name, actor.id, policy.has_verified(ctx, address))
    return Author(email_address, name, None, is_proven=False)


def by_link(email_address: str, name: str | None) -> Author:
    """The author of a response who has proved the address by a link that was mailed to it."""
    return Author(email_address, name, None, is_proven=True, may_change=True)


def on_page(email_address: str, name: str | None) -> Author:
    """The author of a response on the page of a link that was mailed: one tap saves it, and the page asks the questions afterwards."""
    return Author(email_address, name, None, is_proven=True, may_change=True, answers_later=True)


def acts_for_guest(ctx: Context, event: Event, who: Author) -> bool:
    """Whether the actor acts for a guest, as an editor of the event."""
    if ctx.actor is None or not event.can_edit or who.is_proven:
        return False
    return fold_case(who.email_address) != fold_case(ctx.actor.email_address)


def sees_result(ctx: Context, event: Event) -> bool:
    """Whether the guest's own program shows what became of the response: it came from a device, and the event gives no places that the
    guest may have to wait for."""
    return ctx.via == "dav" and event.settings_text is None


def author_of(ctx: Context, response: Response) -> Author:
    """The author of a stored response that the actor may change."""
    is_proven = policy.has_verified(ctx, response.email_address)
    user_id = policy.me(ctx) if is_proven else None
    return Author(response.email_address, response.name, user_id, is_proven, may_change=True)


def reset_link(ctx: Context, response: Response, event: Event) -> Response:
    """Make the personal link void, and mail another one to the address. If that cannot be sent now, the old link stays."""
    response = store.reset_link(ctx, response.id)
    if not guest_notice.insert_response(ctx, event, response.email_address, response_id=response.id):
        raise errors.TooMany(gettext("This address or your network has had too many emails lately. Try again later."), 3600)
    return response

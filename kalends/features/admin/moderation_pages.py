"""Administration: reports, comments that wait, hidden events and blocked senders."""

import re
from typing import Annotated, Any, Literal

from msgspec import Meta

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.blocked_senders import api as blocked_senders
from kalends.features.blocked_senders.api import BlockedSenderInput
from kalends.features.comments import api as comments
from kalends.features.comments.model import CommentQuery
from kalends.features.hidden_events import api as hidden_events
from kalends.features.hidden_events.api import HiddenEventInput
from kalends.features.reports import api as reports
from kalends.features.reports.model import ReportQuery
from kalends.features.reports.pages import REASONS
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

Part = Literal["reports", "comments", "hidden", "blocked"]
PATH = "/admin/moderation"
# The number of an event, alone or in the URL of its page.
EVENT = re.compile(r"(?:.*/events/)?([0-9]{1,18})(?:[?#].*)?")


class ModerationQuery(Paging, kw_only=True, frozen=True):
    """What to look at."""

    show: Annotated[Part, Meta(description="Which list.")] = "reports"


@page("GET", "/admin/moderation")
def show(ctx: Context, params: ModerationQuery, form: FormState | None = None) -> Document:
    """What waits for an admin, and what they have hidden and blocked."""
    policy.admin(ctx)
    paging: dict[str, Any] = {"limit": params.limit, "offset": params.offset}
    index: Any
    events: dict[int, Any] = {}
    if params.show == "reports":
        index = reports.index(ctx, ReportQuery(**paging))
    elif params.show == "comments":
        index = comments.index(ctx, CommentQuery(**paging, waiting=True))
        events = {each.event_id: policy.event_of_admin(ctx, each.event_id) for each in index.comments}
    else:
        index = (hidden_events if params.show == "hidden" else blocked_senders).index(ctx, Paging(**paging))
    return render(
        "admin/moderation.html",
        ctx,
        title=gettext("Moderation"),
        shown=params.show,
        index=index,
        events=events,
        reasons=dict(REASONS),
        form=form or FormState(),
    )


def _hide_again(ctx: Context, form: FormState) -> Document:
    return show(ctx, ModerationQuery(show="hidden"), form)


@page("POST", "/admin/moderation/hide", again=_hide_again)
def hide(ctx: Context, params: Form) -> Document:
    """Hide an event, which is named by its number or the URL of its page."""
    policy.admin(ctx)
    event = EVENT.fullmatch(params.text("event").strip())
    if event is None:
        raise errors.invalid("event", gettext("must be the link to the event’s page, or its number"), "invalid_format")
    hidden_events.create(ctx, Form({"event_id": event[1], "reason": params.text("reason")}).read(HiddenEventInput))
    return redirect(ctx, f"{PATH}?show=hidden", done="event-hidden")


@page("POST", "/admin/moderation/hidden/{hidden_id}/show")
def show_again(ctx: Context, hidden_id: int, params: Form) -> Document:
    """Show a hidden event again."""
    hidden_events.destroy(ctx, hidden_id)
    return redirect(ctx, f"{PATH}?show=hidden", done="event-shown")


def _block_again(ctx: Context, form: FormState) -> Document:
    return show(ctx, ModerationQuery(show="blocked"), form)


@page("POST", "/admin/moderation/block", again=_block_again)
def block(ctx: Context, params: Form) -> Document:
    """Block an address or a domain of guests."""
    blocked_senders.create(ctx, params.read(BlockedSenderInput))
    return redirect(ctx, f"{PATH}?show=blocked", done="sender-blocked")


@page("POST", "/admin/moderation/blocked/{sender_id}/unblock")
def unblock(ctx: Context, sender_id: int, params: Form) -> Document:
    """Accept again what an address or a domain sends."""
    blocked_senders.destroy(ctx, sender_id)
    return redirect(ctx, f"{PATH}?show=blocked", done="sender-unblocked")

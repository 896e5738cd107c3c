"""Pages on which organisers write to the guests of an event, see a preview first, and what they have sent."""

import re
import secrets
from typing import Any

from kalends import policy
from kalends.core.i18n import gettext, pgettext
from kalends.core.records.delivery import GuestGroup
from kalends.features.deliveries.messages import guest_message as mail
from kalends.features.events.messages import api
from kalends.features.events.messages.model import MAX_RECIPIENTS, MessageInput
from kalends.features.events.messages.steps import send
from kalends.features.idempotency.steps import form_token
from kalends.features.responses import store as responses
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.policy.site import reader_locale
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

GROUPS: list[tuple[GuestGroup, str]] = [
    ("going", pgettext("guests", "Going")),
    ("maybe", pgettext("guests", "Maybe")),
    ("waiting", gettext("On the waiting list")),
    ("no", pgettext("guests", "Can’t go")),
    ("not_answered", gettext("Invited, no reply yet")),
]
NO_PAGE = Paging()
_ID = re.compile("[0-9]{1,18}")


@page("GET", "/events/{event_id}/messages")
def index(ctx: Context, event_id: int, params: Paging = NO_PAGE, form: FormState | None = None) -> Document:
    """The messages to the guests of an event, and the form to write one."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    listed = api.messages(ctx, event_id, params)
    return render(
        "messages/index.html",
        ctx,
        title=gettext("Messages about %(title)s", title=event.title),
        event=event,
        messages=listed.messages,
        next_page=listed.next,
        offset=params.offset,
        groups=[*GROUPS, *_named(ctx, event.id, form)],
        form=form or FormState({"to": ["going"]}),
    )


def _named(ctx: Context, event_id: int, form: FormState | None) -> list[tuple[str, str]]:
    """The guests whom the form names one by one, with their names."""
    ids = [int(each) for each in form.texts("to") if _ID.fullmatch(each)] if form else []
    rows = responses.find_by_ids(ctx, ids[:MAX_RECIPIENTS]) if ids else []
    return [(str(row.id), row.name or row.email_address) for row in rows if row.event_id == event_id]


@page("POST", "/events/{event_id}/messages/check", again=index)
def check(ctx: Context, event_id: int, params: Form) -> Document:
    """Show what will be sent and to how many people, before anything is."""
    fields = _read(params)
    event, selection = send.select(ctx, event_id, fields)
    ctx.status = 200
    carried = [*(("to[]", each) for each in fields.to), ("subject", fields.subject), ("text", fields.text)]
    return render(
        "messages/check.html",
        ctx,
        title=gettext("Review message"),
        event=event,
        notified=selection.notified,
        subject=fields.subject,
        carried=[*carried, (form_token.FIELD, secrets.token_urlsafe(16))],
        preview=mail.preview(event, fields.text, reader_locale(ctx)),
    )


@page("POST", "/events/{event_id}/messages/send", again=index)
def create(ctx: Context, event_id: int, params: Form) -> Document:
    """Send the message; a second click sends it no second time."""
    if path := form_token.find_path(ctx, params):
        return redirect(ctx, path, done="sent")
    sent = api.send_message(ctx, event_id, _read(params))
    path = f"/events/{event_id}/messages"
    form_token.insert_path(ctx, params, path)
    return redirect(ctx, path, done="announced", count=sent.notified.email)


def _read(form: Form) -> MessageInput:
    return Form(form.without(form_token.FIELD).values | {"to": _as_list(form.values.get("to", []))}).read(MessageInput)


def _as_list(value: Any) -> list[str]:
    """The ticked boxes; a single one is not a list."""
    return [str(each) for each in (value if isinstance(value, list) else [value])]

"""Pages on which organisers write to the guests of an event, see a preview first, and what they have sent."""

import secrets
from typing import Any

from kalends import policy
from kalends.context import Context
from kalends.events.messages import api, send
from kalends.events.messages.model import MessageGroup, MessageInput
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.i18n import gettext
from kalends.outbound import guest_message as mail
from kalends.policy import Right
from kalends.site.reader_locale import reader_locale
from kalends.web import form_token
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

GROUPS: list[tuple[MessageGroup, str]] = [
    ("going", gettext("Going")),
    ("maybe", gettext("Maybe")),
    ("waiting", gettext("Waiting for a place")),
    ("no", gettext("Not going")),
    ("not_answered", gettext("Invited, without a response")),
]
NO_PAGE = Paging()


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
        groups=GROUPS,
        ticked=_as_list(form.values.get("to", [])) if form else ["going"],
        form=form or filled({}),
    )


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
        title=gettext("Check the message"),
        event=event,
        told=selection.told,
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
    return redirect(ctx, path, done="announced", count=sent.told.email)


def _read(form: Form) -> MessageInput:
    return Form(form.without(form_token.FIELD).values | {"to": _as_list(form.values.get("to", []))}).read(MessageInput)


def _as_list(value: Any) -> list[str]:
    """The ticked boxes; a single one is not a list."""
    return [str(each) for each in (value if isinstance(value, list) else [value])]

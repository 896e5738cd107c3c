"""Pages on which organisers invite people to an event, see a preview first, and follow their invitations."""

import re
from typing import Any

from kalends import policy
from kalends.contacts import store as contacts
from kalends.contacts.model import ContactFilter, Tags, Text
from kalends.context import Context
from kalends.events.invitations import api, present, store
from kalends.events.invitations import invite as inviting
from kalends.events.invitations.model import InvitationInput
from kalends.http import paging
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.i18n import gettext
from kalends.outbound import invitation_message as message
from kalends.policy import Right
from kalends.records.contact import Contact
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

# The contacts that the form offers at once; a search finds the others.
MAX_CONTACTS = 100
_ID = re.compile("[0-9]{1,18}")
_SEPARATORS = re.compile(r"[\s,;]+")


class InvitationSearch(Paging, kw_only=True, frozen=True):
    """Which contacts the form offers."""

    text: Text | None = None
    tags: Tags | None = None


NO_SEARCH = InvitationSearch()


@page("GET", "/events/{event_id}/invitations")
def index(ctx: Context, event_id: int, params: InvitationSearch = NO_SEARCH, form: FormState | None = None) -> Document:
    """Who is invited to an event, and the form to invite more people."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    rows, next_page = paging.paginate(ctx, params, store.of_event(ctx, event, params.fetch, params.offset))
    offered = contacts.index(ctx, ContactFilter(text=params.text, tags=params.tags), MAX_CONTACTS + 1)
    ticked = _ticked_ids(form)
    # Those who were ticked before a search stay there.
    ticked_contacts = contacts.find_by_ids(
        ctx, [int(each) for each in set(ticked) - {str(contact.id) for contact in offered[:MAX_CONTACTS]}]
    )
    return render(
        "invitations/index.html",
        ctx,
        title=gettext("Invitations to %(title)s", title=event.title),
        event=event,
        invitations=[present.item(row) for row in rows],
        total=store.count_of_event(ctx, event),
        next_page=next_page,
        offset=params.offset,
        choices=[(str(contact.id), _label(contact)) for contact in [*ticked_contacts, *offered[:MAX_CONTACTS]] if contact.email_address],
        ticked=ticked,
        has_more=len(offered) > MAX_CONTACTS,
        form=filled({"scope": "this", "text": params.text, "tags": params.tags}, form),
    )


@page("POST", "/events/{event_id}/invitations/search", again=index)
def search(ctx: Context, event_id: int, params: Form) -> Document:
    """The page with the contacts that match a search. What was ticked and typed stays."""
    ctx.status = 200
    terms = Form({name: params.text(name) for name in ("text", "tags") if params.text(name)}).read(InvitationSearch)
    return index(ctx, event_id, terms, FormState(params.values))


@page("POST", "/events/{event_id}/invitations/check", again=index)
def check(ctx: Context, event_id: int, params: Form) -> Document:
    """Show what will be sent and to how many people, before anything is."""
    fields = Form(_values(params)).read(InvitationInput)
    event, _, selection = inviting.select(ctx, event_id, fields)
    ctx.status = 200
    carried = [("contact_ids[]", str(contact_id)) for contact_id in fields.contact_ids]
    carried += [("addresses", " ".join(fields.addresses)), ("tag", fields.tag or ""), ("message", fields.message or "")]
    carried += [("party_max", str(fields.party_max or "")), ("scope", fields.scope)]
    return render(
        "invitations/check.html",
        ctx,
        title=gettext("Check the invitation"),
        event=event,
        counts=selection.counts,
        carried=[pair for pair in carried if pair[1]],
        preview=message.preview(ctx, event, fields.message, fields.scope),
    )


@page("POST", "/events/{event_id}/invitations/send", again=index)
def send(ctx: Context, event_id: int, params: Form) -> Document:
    """Invite the people."""
    invited = api.invite(ctx, event_id, Form(_values(params)).read(InvitationInput))
    return redirect(ctx, f"/events/{event_id}/invitations", done="announced", count=invited.invited)


@page("POST", "/events/{event_id}/invitations/{invitation_id}/resend")
def resend(ctx: Context, event_id: int, invitation_id: int, params: Form) -> Document:
    """Send an invitation once more."""
    api.resend_invitation(ctx, event_id, invitation_id)
    return redirect(ctx, f"/events/{event_id}/invitations", done="sent")


@page("POST", "/events/{event_id}/invitations/{invitation_id}/withdraw")
def withdraw(ctx: Context, event_id: int, invitation_id: int, params: Form) -> Document:
    """Take an invitation back."""
    api.withdraw_invitation(ctx, event_id, invitation_id)
    return redirect(ctx, f"/events/{event_id}/invitations", done="withdrawn")


def _label(contact: Contact) -> str:
    name = " ".join(filter(None, (contact.first_name, contact.last_name)))
    return f"{name} ({contact.email_address})" if name else contact.email_address or ""


def _ticked_ids(form: FormState | None) -> list[str]:
    ids = form.values.get("contact_ids", []) if form else []
    return [str(each) for each in (ids if isinstance(ids, list) else [ids]) if _ID.fullmatch(str(each))]


def _values(form: Form) -> dict[str, Any]:
    """The values of the form: addresses are typed with blanks, commas or lines between them."""
    values = {name: value for name, value in form.without("text", "tags").values.items() if value not in ("", [])}
    ids = values.get("contact_ids", [])
    return values | {
        "addresses": [address for address in _SEPARATORS.split(form.text("addresses")) if address],
        "contact_ids": ids if isinstance(ids, list) else [ids],
    }

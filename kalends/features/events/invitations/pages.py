"""Pages on which organisers invite people to an event, see a preview first, and follow their invitations."""

import re
from typing import Any

from kalends import policy
from kalends.core.i18n import gettext, ngettext
from kalends.core.records.event import Event
from kalends.core.records.people import Contact
from kalends.core.values.text import fold_case
from kalends.features.contacts import store as contacts
from kalends.features.contacts.model import ContactFilter, Tags, Text
from kalends.features.deliveries.messages import invitation_message as message
from kalends.features.events.invitations import api, store
from kalends.features.events.invitations.model import InvitationInput
from kalends.features.events.invitations.steps import invite as inviting
from kalends.features.responses import store as responses
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

# The contacts that the form offers at once; a search finds the others.
MAX_CONTACTS = 100
MAX_TAGS = 12
MAX_OTHERS = 10
_ID = re.compile("[0-9]{1,18}")
_OTHERS = re.compile("[0-9]{1,4}")
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
    offered = contacts.index(ctx, ContactFilter(text=params.text, tags=params.tags), MAX_CONTACTS + 1)
    ticked = _ticked_ids(form)
    # Those who were ticked before a search stay there.
    ticked_contacts = contacts.find_by_ids(
        ctx, [int(each) for each in set(ticked) - {str(contact.id) for contact in offered[:MAX_CONTACTS]}]
    )
    listed = [contact for contact in [*ticked_contacts, *offered[:MAX_CONTACTS]] if contact.email_address]
    answers = _answers(ctx, event, listed)
    return render(
        "invitations/index.html",
        ctx,
        title=gettext("Invite people to %(title)s", title=event.title),
        event=event,
        contacts=[(contact, _name(contact)) for contact in listed],
        answers=answers,
        selectable=sum(fold_case(contact.email_address or "") not in answers for contact in listed),
        key=fold_case,
        tags=contacts.count_by_tag(ctx)[:MAX_TAGS],
        total=contacts.count(ctx, ContactFilter()),
        others=[(str(each), ngettext("1 person", "%(num)s people", each)) for each in range(1, MAX_OTHERS + 1)],
        ticked=ticked,
        has_more=len(offered) > MAX_CONTACTS,
        form=filled({"scope": "this", "text": params.text, "tags": params.tags}, form),
    )


def _answers(ctx: Context, event: Event, listed: list[Contact]) -> dict[str, str]:
    """What the contacts have said who have responded, and INVITED for those who are invited, by the keys of their addresses."""
    addresses = [contact.email_address for contact in listed if contact.email_address]
    targets = {store.target_of(event, "this"), store.target_of(event, "all")}
    invited = [row for target in targets for row in store.find_by_addresses(ctx, target, addresses).values() if row.state != "withdrawn"]
    answers = responses.find_answers(ctx, event.id, {fold_case(address) for address in addresses}) if addresses else {}
    return {row.email_key: "INVITED" for row in invited} | answers


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
        title=gettext("Review invitation"),
        event=event,
        counts=selection.counts,
        people=[guest.name or guest.address for guest in selection.new],
        carried=[pair for pair in carried if pair[1]],
        preview=message.preview(ctx, event, fields.message, fields.scope),
    )


@page("POST", "/events/{event_id}/invitations/send", again=index)
def send(ctx: Context, event_id: int, params: Form) -> Document:
    """Invite the people."""
    invited = api.invite(ctx, event_id, Form(_values(params)).read(InvitationInput))
    return redirect(ctx, f"/events/{event_id}/responses?tab=invited", done="invited", count=invited.invited)


@page("POST", "/events/{event_id}/invitations/{invitation_id}/resend")
def resend(ctx: Context, event_id: int, invitation_id: int, params: Form) -> Document:
    """Send an invitation once more."""
    api.resend_invitation(ctx, event_id, invitation_id)
    return redirect(ctx, f"/events/{event_id}/responses?tab=invited", done="sent")


@page("POST", "/events/{event_id}/invitations/{invitation_id}/withdraw")
def withdraw(ctx: Context, event_id: int, invitation_id: int, params: Form) -> Document:
    """Take an invitation back."""
    api.withdraw_invitation(ctx, event_id, invitation_id)
    return redirect(ctx, f"/events/{event_id}/responses?tab=invited", done="withdrawn")


def _name(contact: Contact) -> str:
    return " ".join(filter(None, (contact.first_name, contact.last_name)))


def _ticked_ids(form: FormState | None) -> list[str]:
    return [each for each in form.texts("contact_ids") if _ID.fullmatch(each)] if form else []


def _values(form: Form) -> dict[str, Any]:
    """The values of the form: addresses are typed with blanks, commas or lines between them; the others of a group without the guest."""
    values = {name: value for name, value in form.without("text", "tags", "others").values.items() if value not in ("", [])}
    if _OTHERS.fullmatch(form.text("others")):
        values["party_max"] = int(form.text("others")) + 1
    ids = values.get("contact_ids", [])
    return values | {
        "addresses": [address for address in _SEPARATORS.split(form.text("addresses")) if address],
        "contact_ids": ids if isinstance(ids, list) else [ids],
    }

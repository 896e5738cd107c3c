"""Pages of contacts: the list, searched by words and tags; adding, changing and deleting them; and their birthdays."""

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.contacts import api, birthday_api, present, store
from kalends.features.contacts.model import (
    ContactChanges,
    ContactFilter,
    ContactInput,
    ContactQuery,
    DeleteAllInput,
    GuestsOfEvent,
    Tags,
    Text,
)
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

PATH = "/contacts/birthdays"


class Search(Paging, kw_only=True, frozen=True):
    """What to look for on the primary list."""

    text: Text | None = None
    tags: Tags | None = None
    event_id: GuestsOfEvent | None = None


@page("GET", "/contacts")
def index(ctx: Context, params: Search) -> Document:
    """One's contacts by name, searched by words and tags."""
    policy.user(ctx)
    event = policy.event(ctx, params.event_id, to=Right.EDIT) if params.event_id else None
    state = filled({name: getattr(params, name) for name in ("text", "tags", "event_id")})
    contacts = api.index(ctx, ContactQuery(**structs.asdict(params)))
    total = store.count(ctx, ContactFilter(text=params.text, tags=params.tags, event_id=params.event_id))
    imported = store.count(ctx, ContactFilter(list="imported"))
    return render(
        "contacts/index.html", ctx, title=gettext("Contacts"), form=state, index=contacts, total=total, imported=imported, event=event
    )


@page("GET", "/contacts/new")
def new(ctx: Context, form: FormState | None = None) -> Document:
    """The form to add a contact."""
    policy.user(ctx)
    return render("contacts/form.html", ctx, title=gettext("New contact"), form=form or filled(api.new(ctx)), contact=None)


@page("POST", "/contacts", again=new, transaction=False)
def create(ctx: Context, params: Form) -> Document:
    """Add a contact."""
    api.create(ctx, params.without("file").read(ContactInput))
    return redirect(ctx, "/contacts", done="created")


@page("GET", "/contacts/{contact_id}/edit")
def edit(ctx: Context, contact_id: int, form: FormState | None = None) -> Document:
    """The form to change a contact. When it is shown again, saving replaces the version that is stored then."""
    contact = policy.contact(ctx, contact_id)
    values = form.values if form else structs.asdict(present.editable(contact))
    form = structs.replace(form or FormState(), values={**values, "version": contact.etag})
    return render("contacts/form.html", ctx, title=gettext("Edit contact"), form=form, contact=contact)


@page("POST", "/contacts/{contact_id}/edit", again=edit)
def update(ctx: Context, contact_id: int, params: Form) -> Document:
    """Change a contact."""
    store.lock(ctx)
    if params.text("version") != policy.contact(ctx, contact_id).etag:
        raise errors.Conflict(
            gettext("Someone changed this contact after you opened this form. Compare it with your contacts, then save again.")
        )
    api.update(ctx, contact_id, params.changes(ContactChanges))
    return redirect(ctx, "/contacts", done="saved", can_undo=True)


@page("GET", "/contacts/{contact_id}/delete")
def ask(ctx: Context, contact_id: int) -> Document:
    """Ask before a contact is deleted."""
    contact = present.item(policy.contact(ctx, contact_id))
    return render("contacts/delete.html", ctx, title=gettext("Delete contact"), contact=contact)


@page("POST", "/contacts/{contact_id}/delete")
def destroy(ctx: Context, contact_id: int, params: Form) -> Document:
    """Delete a contact."""
    api.destroy(ctx, contact_id)
    return redirect(ctx, "/contacts", done="deleted", can_undo=True)


@page("GET", "/contacts/delete_all")
def ask_all(ctx: Context) -> Document:
    """Ask before all contacts are deleted."""
    policy.user(ctx)
    primary, imported = store.count(ctx, ContactFilter()), store.count(ctx, ContactFilter(list="imported"))
    return render("contacts/delete_all.html", ctx, title=gettext("Delete all contacts"), primary=primary, imported=imported)


@page("POST", "/contacts/delete_all", transaction=False)
def delete_all(ctx: Context, params: Form) -> Document:
    """Delete all contacts."""
    api.delete_all(ctx, DeleteAllInput())
    with ctx.read():
        return redirect(ctx, "/contacts", done="deleted", can_undo=True)


@page("GET", PATH)
def birthdays(ctx: Context) -> Document:
    """The birthdays of one's contacts."""
    policy.user(ctx)
    return render("contacts/birthdays.html", ctx, title=gettext("Birthdays"), index=birthday_api.birthdays(ctx))


@page("POST", f"{PATH}/reset_feed")
def reset_feed(ctx: Context, params: Form) -> Document:
    """Give the calendar a new secret URL."""
    birthday_api.reset_birthdays_feed(ctx)
    return redirect(ctx, PATH, done="saved")

"""Pages of contacts: the list, searched by words and tags; adding, changing and deleting them."""

from msgspec import structs

from kalends import errors, policy
from kalends.contacts import api, store
from kalends.contacts.model import Contact, ContactChanges, ContactFilter, ContactInput, ContactQuery, DeleteAllInput, GuestsOf, Tags, Text
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.web.forms import FormState, filled, submit
from kalends.web.render import redirect, render


class Search(Paging, kw_only=True):
    """What to look for on the primary list."""

    text: Text | None = None
    tags: Tags | None = None
    event_id: GuestsOf | None = None


@endpoint("GET", "/contacts", format="html")
def index(ctx: Context, params: Search) -> Document:
    """One's contacts by name, searched by words and tags."""
    policy.user(ctx)
    event = policy.event(ctx, params.event_id, to=Right.EDIT) if params.event_id else None
    state = filled({name: getattr(params, name) for name in ("text", "tags", "event_id")})
    found = api.index(ctx, ContactQuery(**structs.asdict(params)))
    total = store.count(ctx, ContactFilter(text=params.text, tags=params.tags, event_id=params.event_id))
    waiting = store.count(ctx, ContactFilter(list="imported"))
    return render("contacts/index.html", ctx, title="Contacts", form=state, found=found, total=total, waiting=waiting, event=event)


@endpoint("GET", "/contacts/new", format="html")
def new(ctx: Context) -> Document:
    """The form to add a contact."""
    return _form(ctx, filled(api.new(ctx)))


@endpoint("POST", "/contacts", transaction=False, format="html")
def create(ctx: Context, params: Form) -> Document:
    """Add a contact."""

    def act() -> Document:
        api.create(ctx, params.without("file").read(ContactInput))
        return redirect(ctx, "/contacts", done="created")

    return submit(ctx, params, act, lambda state: _form(ctx, state), write=False)


@endpoint("GET", "/contacts/{contact_id}/edit", format="html")
def edit(ctx: Context, contact_id: int) -> Document:
    """The form to change a contact."""
    contact = policy.contact(ctx, contact_id)
    return _form(ctx, filled(structs.asdict(store.editable(contact)) | {"version": contact.etag}), contact)


@endpoint("POST", "/contacts/{contact_id}/edit", transaction=False, format="html")
def update(ctx: Context, contact_id: int, params: Form) -> Document:
    """Change a contact."""

    def act() -> Document:
        store.hold(ctx)
        if params.text("version") != policy.contact(ctx, contact_id).etag:
            raise errors.Conflict("It was changed since you opened this form. Compare it with the list, then save again.")
        api.update(ctx, contact_id, params.changes(ContactChanges))
        return redirect(ctx, "/contacts", done="saved")

    def again(state: FormState) -> Document:
        contact = policy.contact(ctx, contact_id)
        return _form(ctx, structs.replace(state, values={**state.values, "version": contact.etag}), contact)

    return submit(ctx, params, act, again)


@endpoint("GET", "/contacts/{contact_id}/delete", format="html")
def ask(ctx: Context, contact_id: int) -> Document:
    """Ask before a contact is deleted."""
    contact = store.item(policy.contact(ctx, contact_id))
    return render("contacts/ask.html", ctx, title="Delete the contact", contact=contact)


@endpoint("POST", "/contacts/{contact_id}/delete", format="html")
def destroy(ctx: Context, contact_id: int, params: Form) -> Document:
    """Delete a contact."""
    api.destroy(ctx, contact_id)
    return redirect(ctx, "/contacts", done="deleted")


@endpoint("GET", "/contacts/delete_all", format="html")
def ask_all(ctx: Context) -> Document:
    """Ask before all contacts are deleted."""
    policy.user(ctx)
    kept, imported = store.count(ctx, ContactFilter()), store.count(ctx, ContactFilter(list="imported"))
    return render("contacts/ask_all.html", ctx, title="Delete all contacts", kept=kept, imported=imported)


@endpoint("POST", "/contacts/delete_all", format="html")
def delete_all(ctx: Context, params: Form) -> Document:
    """Delete all contacts."""
    api.delete_all(ctx, DeleteAllInput())
    return redirect(ctx, "/contacts", done="deleted")


def _form(ctx: Context, state: FormState, contact: Contact | None = None) -> Document:
    policy.user(ctx)
    title = "Edit the contact" if contact else "New contact"
    return render("contacts/form.html", ctx, title=title, form=state, contact=contact)

"""Pages on which contacts come in numbers: from a service to the temporary list and from there to the primary one, or from a file."""

from typing import Annotated

from msgspec import Meta, structs

from kalends import errors, policy
from kalends.contacts import api, store
from kalends.contacts.model import ContactFilter, ContactInput, FileImport, ImportInput, KeepInput
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.http.paging import Paging, page
from kalends.values import timestamps
from kalends.web.forms import FormState, submit
from kalends.web.render import redirect, render


class Arrived(Paging, kw_only=True):
    """Which part of the temporary list to show, and how many of the last import could not come."""

    skipped: Annotated[int, Meta(ge=0)] = 0


@endpoint("GET", "/contacts/import", format="html")
def choose(ctx: Context) -> Document:
    """The forms to import contacts from a service or a file."""
    return _forms(ctx)


@endpoint("POST", "/contacts/import", transaction=False, pool="upload", format="html")
def import_(ctx: Context, params: Form) -> Document:
    """Import contacts from a service into the temporary list, with the password there."""
    return _import(ctx, params, "service")


@endpoint("POST", "/contacts/import/token", transaction=False, pool="upload", format="html")
def import_by_token(ctx: Context, params: Form) -> Document:
    """The same, with an access token."""
    return _import(ctx, params, "token")


@endpoint("POST", "/contacts/upload", transaction=False, pool="upload", format="html")
def upload(ctx: Context, params: Form) -> Document:
    """Put the contacts of a file on the primary list, and tell what of it could not be kept."""

    def act() -> Document:
        file = params.file("file")
        if file is None:
            raise errors.invalid("file", "choose a .vcf or .csv file", "required")
        made = api.create(ctx, ContactInput(file=file))
        assert isinstance(made, FileImport)
        return render("contacts/uploaded.html", ctx, title="Imported contacts", made=made)

    policy.user(ctx)
    return submit(ctx, params, act, lambda state: _forms(ctx, file=state), write=False)


@endpoint("GET", "/contacts/imported", format="html")
def imported(ctx: Context, params: Arrived) -> Document:
    """The temporary list: who came from a service, and until when they can be kept."""
    return _temporary(ctx, params, FormState())


@endpoint("POST", "/contacts/keep", transaction=False, format="html")
def keep(ctx: Context, params: Form) -> Document:
    """Move those who are ticked, or all, from the temporary list to the primary one."""

    def act() -> Document:
        if params.text("all"):
            api.keep(ctx, KeepInput())
            return redirect(ctx, "/contacts", done="kept")
        chosen = params.read(KeepInput)
        if not chosen.ids:
            raise errors.invalid("ids", "tick those whom you want to keep, or keep all", "required")
        api.keep(ctx, chosen)
        return redirect(ctx, "/contacts/imported", done="kept")

    return submit(ctx, params, act, lambda state: _temporary(ctx, Arrived(), state))


def _import(ctx: Context, params: Form, form: str) -> Document:
    def act() -> Document:
        made = api.import_(ctx, params.read(ImportInput))
        return redirect(ctx, f"/contacts/imported?skipped={made.skipped}")

    return submit(ctx, params, act, lambda state: _forms(ctx, **{form: state}), write=False)


def _forms(ctx: Context, **states: FormState) -> Document:
    policy.user(ctx)
    forms = {name: structs.replace(states.get(name, FormState()), prefix=f"{name}-") for name in ("service", "token", "file")}
    return render("contacts/import.html", ctx, title="Import contacts", forms=forms)


def _temporary(ctx: Context, params: Arrived, state: FormState) -> Document:
    policy.user(ctx)
    listed = ContactFilter(list="imported")
    found, next_page = page(ctx, params, store.index(ctx, listed, params.fetch, params.offset))
    return render(
        "contacts/imported.html",
        ctx,
        title="Imported contacts",
        form=state,
        contacts=found,
        total=store.count(ctx, listed),
        skipped=params.skipped,
        next_page=next_page,
        utc=timestamps.format_utc,
    )

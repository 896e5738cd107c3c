"""Pages on which contacts are imported: from a service to the temporary list and from there to the primary one, or from a file."""

from typing import Annotated

from msgspec import Meta, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values import timestamps
from kalends.features.contacts import api, store
from kalends.features.contacts.model import ContactFilter, ContactInput, FileImport, ImportInput, KeepInput
from kalends.http import paging
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


class ImportedQuery(Paging, kw_only=True, frozen=True):
    """The part of the temporary list to show, and how many contacts the last import left out."""

    skipped: Annotated[int, Meta(ge=0)] = 0


@page("GET", "/contacts/import")
def choose(ctx: Context, **submitted: FormState) -> Document:
    """The forms to import contacts from a service or a file. A form that was submitted keeps its state."""
    policy.user(ctx)
    forms = {name: structs.replace(submitted.get(name, FormState()), prefix=f"{name}-") for name in ("service", "token", "file")}
    return render("contacts/import.html", ctx, title=gettext("Import contacts"), forms=forms)


@page("POST", "/contacts/import", again=choose, form="service", pool="upload")
def import_(ctx: Context, params: Form) -> Document:
    """Import contacts from a service into the temporary list, with the password there."""
    result = api.import_(ctx, params.read(ImportInput))
    return redirect(ctx, f"/contacts/imported?skipped={result.skipped}")


@page("POST", "/contacts/import/token", again=choose, form="token", pool="upload")
def import_by_token(ctx: Context, params: Form) -> Document:
    """Import contacts from a service into the temporary list, with an access token."""
    return import_(ctx, params)


@page("POST", "/contacts/upload", again=choose, form="file", pool="upload")
def upload(ctx: Context, params: Form) -> Document:
    """Put the contacts of a file on the primary list, and list what could not be imported."""
    policy.user(ctx)
    file = params.file("file")
    if file is None:
        raise errors.invalid("file", gettext("is required: choose a .vcf or .csv file"), "required")
    result = api.create(ctx, ContactInput(file=file))
    assert isinstance(result, FileImport)
    return render("contacts/uploaded.html", ctx, title=gettext("Imported contacts"), result=result)


def _imported(ctx: Context, form: FormState, params: ImportedQuery | None = None) -> Document:
    policy.user(ctx)
    params = params or ImportedQuery()
    query = ContactFilter(list="imported")
    contacts, next_page = paging.paginate(ctx, params, store.index(ctx, query, params.fetch, params.offset))
    return render(
        "contacts/imported.html",
        ctx,
        title=gettext("Imported contacts"),
        form=form,
        contacts=contacts,
        total=store.count(ctx, query),
        skipped=params.skipped,
        next_page=next_page,
        utc=timestamps.format_utc,
    )


@page("GET", "/contacts/imported")
def imported(ctx: Context, params: ImportedQuery) -> Document:
    """The temporary list: the contacts from a service, and until when they can be kept."""
    return _imported(ctx, FormState(), params)


@page("POST", "/contacts/keep", again=_imported, transaction=False)
def keep(ctx: Context, params: Form) -> Document:
    """Move the ticked contacts, or all, from the temporary list to the primary one."""
    if params.text("all"):
        api.keep(ctx, KeepInput())
        return redirect(ctx, "/contacts", done="kept")
    selection = params.read(KeepInput)
    if not selection.ids:
        raise errors.invalid("ids", gettext("needs at least one person. Select who to keep, or keep all"), "required")
    api.keep(ctx, selection)
    return redirect(ctx, "/contacts/imported", done="kept")

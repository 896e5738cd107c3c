"""Contacts: the primary list, and the temporary list of imported contacts."""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.records.people import Contact
from kalends.db import UniqueViolation
from kalends.features.contacts import present, store
from kalends.features.contacts.model import (
    AllDeleted,
    ContactChanges,
    ContactDetail,
    ContactFields,
    ContactFile,
    ContactFilter,
    ContactIndex,
    ContactInput,
    ContactQuery,
    DeleteAllInput,
    FileImport,
    ImportInput,
    KeepInput,
    KeepResult,
    ServiceImport,
)
from kalends.features.contacts.rules import address_book, csv_table, vcard
from kalends.features.contacts.steps import bulk_import
from kalends.http.context import Context
from kalends.http.csv_file import csv_file
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.multipart import Upload
from kalends.http.input.tags import tagged
from kalends.http.input.types import Deletion
from kalends.http.paging import build_page
from kalends.policy import Right

IDENTIFYING = ("first_name", "last_name", "email_address", "phone_number")


@endpoint("GET", "/api/contacts")
def index(ctx: Context, params: ContactQuery) -> ContactIndex:
    """Your contacts by name: those of the primary list, or with `list=imported` those of the temporary one."""
    rows, page = build_page(ctx, params, _find_matching(ctx, params, params.fetch, params.offset), lambda: store.count(ctx, params))
    return ContactIndex(contacts=[present.item(contact) for contact in rows], **page)


@endpoint("GET", "/api/contacts.csv")
def export_csv(ctx: Context, params: ContactFilter) -> Document:
    """Your contacts as a table, all that match."""
    return csv_file(ctx, "contacts", csv_table.COLUMNS, [csv_table.row(contact) for contact in _find_matching(ctx, params)])


@endpoint("GET", "/api/contacts.vcf")
def export_vcf(ctx: Context, params: ContactFilter) -> Document:
    """Your contacts as vCards, all that match."""
    ctx.headers["Content-Disposition"] = 'attachment; filename="contacts.vcf"'
    return Document(vcard.write(_find_matching(ctx, params)).encode(), "text/vcard; charset=utf-8")


@endpoint("GET", "/api/contacts/new")
def new(ctx: Context) -> ContactFields:
    """The editable fields with defaults. Nothing is saved."""
    policy.user(ctx)
    return ContactFields()


@endpoint("POST", "/api/contacts", status=201, location="/api/contacts/{id}", only_tags=True, transaction=False, result=ContactDetail)
def create(ctx: Context, params: ContactInput) -> ContactDetail | FileImport:
    """Create a contact."""
    policy.user(ctx)
    if params.file:
        _require_file_alone(params)
        return _import_file(ctx, params.file)
    _require_identity(params)
    with ctx.write(), _translate_taken():
        store.lock(ctx)
        return _detail(ctx, store.insert(ctx, params))


@endpoint("GET", "/api/contacts/{contact_id}", etag=True)
def show(ctx: Context, contact_id: int) -> ContactDetail:
    """The contact, expanded."""
    return _detail(ctx, contact_id)


@endpoint("GET", "/api/contacts/{contact_id}/edit", etag=True)
def edit(ctx: Context, contact_id: int) -> ContactFields:
    """The editable fields of the contact."""
    contact = policy.contact(ctx, contact_id)
    ctx.tag(contact.etag)
    return present.editable(contact)


@endpoint("PUT", "/api/contacts/{contact_id}", etag=True)
def update(ctx: Context, contact_id: int, params: Changes[ContactChanges]) -> ContactDetail:
    """Change the contact."""
    store.lock(ctx)
    contact = policy.contact(ctx, contact_id)
    ctx.require_version(contact.etag)
    merged = params.over(ContactChanges(**structs.asdict(present.editable(contact))))
    if merged.tag:
        merged.tag_list = tagged(merged.tag_list, merged.tag)
    _require_identity(merged)
    with _translate_taken():
        store.update(ctx, contact_id, merged)
    return _detail(ctx, contact_id)


@endpoint("DELETE", "/api/contacts/{contact_id}", etag=True)
def destroy(ctx: Context, contact_id: int) -> Deletion:
    """Delete the contact."""
    store.lock(ctx)
    contact = policy.contact(ctx, contact_id)
    ctx.require_version(contact.etag)
    store.delete(ctx, contact_id)
    return Deletion([contact_id])


@endpoint("POST", "/api/contacts/import_file", status=201, transaction=False)
def import_file(ctx: Context, params: ContactFile) -> FileImport:
    """Import the contacts of a .vcf or .csv file into your primary list; those on the list already are skipped."""
    policy.user(ctx)
    return _import_file(ctx, params.file)


def _import_file(ctx: Context, file: Upload) -> FileImport:
    return bulk_import.from_file(ctx, address_book.read_file(file.filename, file.content))


@endpoint("POST", "/api/contacts/import", status=201, transaction=False, pool="upload")
def import_(ctx: Context, params: ImportInput) -> ServiceImport:
    """Import contacts from google, outlook or yahoo into the temporary list, where they stay for 24 hours.

    Importing again replaces what came from the service before. `keep` moves entries into your primary list.
    """
    policy.user(ctx)
    # Imported late, for a quick start.
    from kalends.features.contacts.steps.providers.fetch import fetch_entries

    return bulk_import.from_service(ctx, params.service, fetch_entries(ctx.settings, params))


@endpoint("POST", "/api/contacts/keep", transaction=False)
def keep(ctx: Context, params: KeepInput) -> KeepResult:
    """Move entries of the temporary list, or all of it, into your primary list; duplicate addresses are skipped."""
    with ctx.read():
        entries = (
            store.index(ctx, ContactFilter(list="imported"))
            if params.ids is None
            else [_load_entry(ctx, contact_id) for contact_id in dict.fromkeys(params.ids)]
        )
        contacts = store.index(ctx, ContactFilter())
    return bulk_import.keep(ctx, entries, contacts)


@endpoint("POST", "/api/contacts/delete_all", transaction=False)
def delete_all(ctx: Context, params: DeleteAllInput) -> AllDeleted:
    """Delete all your contacts of both lists, or with `list` of one."""
    return AllDeleted(store.delete_all(ctx, params.list))


def _find_matching(ctx: Context, query: ContactFilter | ContactQuery, limit: int | None = None, offset: int = 0) -> list[Contact]:
    """The matching contacts. Only editors of an event may filter by its guests."""
    policy.user(ctx)
    if query.event_id is not None:
        with errors.naming("event_id"):
            policy.event(ctx, query.event_id, to=Right.EDIT)
    return store.index(ctx, query, limit, offset)


def _detail(ctx: Context, contact_id: int) -> ContactDetail:
    contact = policy.contact(ctx, contact_id)
    ctx.tag(contact.etag)
    return present.detail(contact)


def _load_entry(ctx: Context, contact_id: int) -> Contact:
    """An entry of the temporary list."""
    try:
        contact = policy.contact(ctx, contact_id)
    except errors.NotFound as missing:
        raise errors.NotFound(
            missing.detail, [FieldError("ids", gettext("includes contact %(id)s, which doesn’t exist", id=str(contact_id)), "not_found")]
        ) from None
    if contact.service is None:
        raise errors.Conflict(
            gettext("This contact is already on your main list."),
            [
                FieldError(
                    "ids", gettext("includes contact %(id)s, which isn’t on the list of imported contacts", id=str(contact_id)), "conflict"
                )
            ],
        )
    return contact


def _require_file_alone(params: ContactInput) -> None:
    """Refuse fields beside a file, which would have no effect."""
    beside = [name for name in ContactFields.__struct_fields__ if getattr(params, name)]
    if beside:
        raise errors.invalid("file", f"must come without other fields, such as {beside[0]}", "conflict")


def _require_identity(params: ContactFields) -> None:
    if not any(getattr(params, name) for name in IDENTIFYING):
        raise errors.invalid("first_name", gettext("is required unless you give an email address or a phone number"), "required")


@contextmanager
def _translate_taken() -> Iterator[None]:
    """Translate a violation of the unique index into a conflict of its field."""
    try:
        yield
    except UniqueViolation:
        raise errors.Conflict(
            gettext("Another of your contacts already has this unique_id."), [FieldError("unique_id", gettext("is already taken"), "taken")]
        ) from None

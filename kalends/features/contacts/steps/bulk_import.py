"""Bulk import of contacts from a file or a provider: skip duplicates, insert the rest."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.records.people import Contact
from kalends.core.values.text import fold_case
from kalends.features.contacts import store
from kalends.features.contacts.model import ContactFields, ContactFilter, FileImport, Imported, KeepResult, Service, ServiceImport
from kalends.features.contacts.rules.address_book import parse_entry
from kalends.features.contacts.rules.entry import MAX_ENTRIES, TOO_MANY, Entry
from kalends.features.contacts.steps.providers import errors as provider_errors
from kalends.http.context import Context
from kalends.http.csv_file import Remark, limit_remarks
from kalends.policy import quotas

LIFETIME = 24 * 60 * 60

# A contact, and its columns.
NewContact = tuple[ContactFields, dict[str, Any]]


class ContactList:
    """The people on a list, by address or else by name and phone number, and their unique_ids."""

    def __init__(self, contacts: list[Contact]):
        self._people = {_person(contact) for contact in contacts}
        self._unique_ids = {contact.unique_id for contact in contacts}

    def has(self, contact: Contact | ContactFields) -> bool:
        return _person(contact) in self._people

    def take_id(self, unique_id: str | None) -> bool:
        """Reserve the unique_id; False if it was taken."""
        if unique_id is None or unique_id in self._unique_ids:
            return unique_id is None
        self._unique_ids.add(unique_id)
        return True

    def add(self, contact: Contact) -> None:
        self._people.add(_person(contact))


def from_file(ctx: Context, entries: list[Entry]) -> FileImport:
    """Add the contacts that are not on the primary list yet. Two entries of the file with one address become two contacts."""
    incoming, remarks, skipped = _read(entries, errors.invalid("file", TOO_MANY, "too_large"))
    # Computed before the transaction, to hold the write lock for a shorter time.
    rows = [(contact, store.row(ctx, contact)) for contact in incoming]
    with ctx.read():
        contacts = store.index(ctx, ContactFilter())
        new_contacts = _without_known(rows, ContactList(contacts))
        _check_quota(ctx, new_contacts)
    newest, added_since = max((contact.id for contact in contacts), default=0), ContactList([])

    def insert(step: Sequence[NewContact]) -> list[Imported]:
        nonlocal newest
        for contact in store.find_newer(ctx, newest):
            added_since.add(contact)
            added_since.take_id(contact.unique_id)
        imported = _insert(ctx, _without_known(step, added_since))
        newest = max((each.id for each in imported), default=newest)
        return imported

    imported = list(chain.from_iterable(store.in_steps(ctx, new_contacts, insert)))
    return FileImport(len(imported), skipped + len(incoming) - len(imported), imported, remarks)


def from_service(ctx: Context, service: Service, entries: list[Entry]) -> ServiceImport:
    """Replace the temporary list of this provider with the entries that have an address."""
    incoming, _, skipped = _read(entries, provider_errors.unexpected_reply(service, f"it has more than {MAX_ENTRIES:,} contacts"))
    by_address = {fold_case(contact.email_address): contact for contact in reversed(incoming) if contact.email_address}
    contacts = list(reversed(by_address.values()))
    rows = [(contact, store.row(ctx, contact, service, ctx.now + LIFETIME)) for contact in contacts]
    with ctx.read():
        former = store.find_ids_of_service(ctx, service)
        _check_quota(ctx, rows[len(former) :])
    delete = partial(store.delete_by_ids, ctx)
    store.in_steps(ctx, former[store.BATCH :], delete, is_last=False)
    if not rows:
        store.in_steps(ctx, former[: store.BATCH], delete)

    def replace(step: Sequence[NewContact]) -> list[Imported]:
        if step[0] is rows[0]:
            delete(store.find_ids_of_service(ctx, service))
        return _insert(ctx, step)

    imported = list(chain.from_iterable(store.in_steps(ctx, rows, replace)))
    return ServiceImport(service, len(imported), skipped + len(incoming) - len(imported), imported)


def keep(ctx: Context, entries: list[Contact], contacts: list[Contact]) -> KeepResult:
    """Move the entries to the primary list, which has these contacts; skip those whose address is on it already."""
    contact_list = ContactList(contacts)
    new_contacts = []
    for entry in entries:
        if not contact_list.has(entry):
            contact_list.add(entry)
            new_contacts.append(entry if contact_list.take_id(entry.unique_id) else structs.replace(entry, unique_id=None))
    kept = sum(store.in_steps(ctx, new_contacts, partial(_keep, ctx)))
    return KeepResult(kept, len(entries) - kept)


def _keep(ctx: Context, entries: Sequence[Contact]) -> int:
    """Move those that nobody has moved or deleted in the meantime."""
    gone = store.find_departed(ctx, [entry.id for entry in entries])
    store.keep(ctx, [entry for entry in entries if entry.id not in gone])
    return len(entries) - len(gone)


def _without_known(rows: Sequence[NewContact], contact_list: ContactList) -> list[NewContact]:
    return [(contact, row) for contact, row in rows if not contact_list.has(contact) and contact_list.take_id(contact.unique_id)]


def _check_quota(ctx: Context, rows: Sequence[NewContact]) -> None:
    """Refuse more than the account may hold before a part of it is written."""
    if len(rows) > store.BATCH:
        quotas.check(ctx, policy.user(ctx).id, "contacts", len(rows), sum(quotas.size(row) for _, row in rows))


def _insert(ctx: Context, rows: Sequence[NewContact]) -> list[Imported]:
    ids = store.insert_all(ctx, [row for _, row in rows])
    return [_imported_contact(contact, contact_id) for (contact, _), contact_id in zip(rows, ids, strict=True)]


def _read(entries: list[Entry], too_many: errors.Invalid) -> tuple[list[ContactFields], list[Remark], int]:
    """Convert entries to contacts; also return the remarks and the number of empty entries."""
    incoming: list[ContactFields] = []
    remarks: list[Remark] = []
    empty = 0
    for entry in entries:
        contacts, messages = parse_entry(entry)
        incoming += contacts
        remarks += messages
        empty += not contacts
        # Fail before converting the rest, which may take long.
        if len(incoming) > MAX_ENTRIES:
            raise too_many
    return incoming, limit_remarks(remarks), empty


def _imported_contact(contact: ContactFields, contact_id: int) -> Imported:
    return Imported(contact_id, _name(contact), contact.email_address)


def _name(contact: Contact | ContactFields) -> str:
    return " ".join(filter(None, (contact.first_name, contact.last_name)))


def _person(contact: Contact | ContactFields) -> tuple[str, ...]:
    if contact.email_address:
        return (fold_case(contact.email_address),)
    return (fold_case(_name(contact)), "".join(filter(str.isdigit, contact.phone_number or "")))

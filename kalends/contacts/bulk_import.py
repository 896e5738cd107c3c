"""Bulk import of contacts from a file or a provider: skip duplicates, insert the rest."""

from msgspec import structs

from kalends import errors
from kalends.contacts import store
from kalends.contacts.address_book import parse_entry
from kalends.contacts.entry import MAX_ENTRIES, TOO_MANY, Entry
from kalends.contacts.model import ContactFields, ContactFilter, FileImport, Imported, KeepResult, Service, ServiceImport
from kalends.contacts.providers import errors as provider_errors
from kalends.context import Context
from kalends.http.remarks import Remark, limit_remarks
from kalends.records.contact import Contact
from kalends.values.text import fold_case

LIFETIME = 24 * 60 * 60


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
    with ctx.write(alone=True):
        store.lock(ctx)
        contact_list = ContactList(store.index(ctx, ContactFilter()))
        new_contacts = [
            (contact, row) for contact, row in rows if not contact_list.has(contact) and contact_list.take_id(contact.unique_id)
        ]
        ids = store.insert_all(ctx, [row for _, row in new_contacts])
        imported = [_imported_contact(contact, contact_id) for (contact, _), contact_id in zip(new_contacts, ids, strict=True)]
        return FileImport(len(imported), skipped + len(incoming) - len(imported), imported, remarks)


def from_service(ctx: Context, service: Service, entries: list[Entry]) -> ServiceImport:
    """Replace the temporary list of this provider with the entries that have an address."""
    incoming, _, skipped = _read(entries, provider_errors.unexpected_reply(service, f"it has more than {MAX_ENTRIES:,} contacts"))
    by_address = {fold_case(contact.email_address): contact for contact in reversed(incoming) if contact.email_address}
    contacts = list(reversed(by_address.values()))
    rows = [store.row(ctx, contact, service, ctx.now + LIFETIME) for contact in contacts]
    with ctx.write(alone=True):
        store.lock(ctx)
        store.delete_imported(ctx, service)
        ids = store.insert_all(ctx, rows)
        imported = [_imported_contact(contact, contact_id) for contact, contact_id in zip(contacts, ids, strict=True)]
        return ServiceImport(service, len(imported), skipped + len(incoming) - len(imported), imported)


def keep(ctx: Context, entries: list[Contact]) -> KeepResult:
    """Move the entries to the primary list; skip those whose address is on it already."""
    contact_list = ContactList(store.index(ctx, ContactFilter()))
    new_contacts = []
    for entry in entries:
        if not contact_list.has(entry):
            contact_list.add(entry)
            new_contacts.append(entry if contact_list.take_id(entry.unique_id) else structs.replace(entry, unique_id=None))
    store.keep(ctx, new_contacts)
    return KeepResult(len(new_contacts), len(entries) - len(new_contacts))


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

"""Contacts that come in numbers, from a file or a service: which of them are new."""

from msgspec import structs

from kalends import errors
from kalends.contacts import store
from kalends.contacts.address_book import contacts_of
from kalends.contacts.entry import MOST_ENTRIES, TOO_MANY, Entry
from kalends.contacts.model import Contact, ContactFields, ContactFilter, FileImport, Imported, Kept, ServiceImport
from kalends.contacts.providers import errors as provider_errors
from kalends.context import Context
from kalends.http.remarks import Remark, limit_remarks
from kalends.values.text import fold_case

LIFETIME = 24 * 60 * 60


class Known:
    """Whom a list holds: by address or, without one, by name and number; and the ids that are taken."""

    def __init__(self, contacts: list[Contact]):
        self._people = {_person(contact) for contact in contacts}
        self._unique_ids = {contact.unique_id for contact in contacts}

    def has(self, contact: Contact | ContactFields) -> bool:
        return _person(contact) in self._people

    def take_id(self, unique_id: str | None) -> bool:
        """Whether the id was free. It is not any more."""
        if unique_id is None or unique_id in self._unique_ids:
            return unique_id is None
        self._unique_ids.add(unique_id)
        return True

    def add(self, contact: Contact) -> None:
        self._people.add(_person(contact))


def from_file(ctx: Context, entries: list[Entry]) -> FileImport:
    """Put those who are not on the primary list yet on it. Two in the file with one address are two contacts."""
    arrived, remarks, skipped = _read(entries, errors.invalid("file", TOO_MANY, "too_large"))
    # Before the transaction: it takes a while, and others want to write too.
    rows = [(contact, store.row(ctx, contact)) for contact in arrived]
    with ctx.write(alone=True):
        store.hold(ctx)
        known = Known(store.index(ctx, ContactFilter()))
        fresh = [(contact, row) for contact, row in rows if not known.has(contact) and known.take_id(contact.unique_id)]
        ids = store.insert_all(ctx, [row for _, row in fresh])
        made = [_made(contact, contact_id) for (contact, _), contact_id in zip(fresh, ids, strict=True)]
        return ctx.done(FileImport(len(made), skipped + len(arrived) - len(made), made, remarks))


def from_service(ctx: Context, service: str, entries: list[Entry]) -> ServiceImport:
    """Put those who have an address on the temporary list, in the place of what came from the service before."""
    arrived, _, skipped = _read(entries, provider_errors.strange_answer(service, f"it has more than {MOST_ENTRIES:,} contacts"))
    fresh = {fold_case(contact.email_address): contact for contact in reversed(arrived) if contact.email_address}
    chosen = list(reversed(fresh.values()))
    rows = [store.row(ctx, contact, service, ctx.now + LIFETIME) for contact in chosen]
    with ctx.write(alone=True):
        store.hold(ctx)
        store.delete_imported(ctx, service)
        ids = store.insert_all(ctx, rows)
        made = [_made(contact, contact_id) for contact, contact_id in zip(chosen, ids, strict=True)]
        return ctx.done(ServiceImport(service, len(made), skipped + len(arrived) - len(made), made))


def keep(ctx: Context, entries: list[Contact]) -> Kept:
    """Move the entries to the primary list, but for those whose address is there already."""
    known = Known(store.index(ctx, ContactFilter()))
    kept = []
    for entry in entries:
        if not known.has(entry):
            known.add(entry)
            kept.append(entry if known.take_id(entry.unique_id) else structs.replace(entry, unique_id=None))
    store.keep(ctx, kept)
    return Kept(len(kept), len(entries) - len(kept))


def _read(entries: list[Entry], too_many: errors.Invalid) -> tuple[list[ContactFields], list[Remark], int]:
    """What the entries hold, what of it cannot be kept, and how many entries hold nothing."""
    arrived: list[ContactFields] = []
    remarks: list[Remark] = []
    empty = 0
    for entry in entries:
        contacts, said = contacts_of(entry)
        arrived += contacts
        remarks += said
        empty += not contacts
        # At once, since the others may take long to read.
        if len(arrived) > MOST_ENTRIES:
            raise too_many
    return arrived, limit_remarks(remarks), empty


def _made(contact: ContactFields, contact_id: int) -> Imported:
    return Imported(contact_id, _name(contact), contact.email_address)


def _name(contact: Contact | ContactFields) -> str:
    return " ".join(filter(None, (contact.first_name, contact.last_name)))


def _person(contact: Contact | ContactFields) -> tuple[str, ...]:
    if contact.email_address:
        return (fold_case(contact.email_address),)
    return (fold_case(_name(contact)), "".join(filter(str.isdigit, contact.phone_number or "")))

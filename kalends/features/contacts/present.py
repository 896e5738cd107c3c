"""Representations of contacts in API replies and forms."""

from typing import Any

from kalends.core.i18n import gettext
from kalends.core.records.people import Contact
from kalends.core.values import timestamps
from kalends.features.contacts.model import ContactDetail, ContactFields, ContactItem
from kalends.http.context import Context
from kalends.policy.site import reader_locale


def book_name(ctx: Context) -> str:
    """What an address book is called in the reader's language, until somebody names it."""
    return reader_locale(ctx).translate(gettext("Contacts"))


def editable(contact: Contact) -> ContactFields:
    """The editable fields with their current values."""
    names = (name for name in ContactFields.__struct_fields__ if name != "tag_list")
    return ContactFields(tag_list=contact.tags, **{name: getattr(contact, name) for name in names})


def item(contact: Contact) -> ContactItem:
    return ContactItem(**_limited_fields(contact))


def detail(contact: Contact) -> ContactDetail:
    return ContactDetail(
        **_limited_fields(contact),
        birthday=contact.birthday,
        gender=contact.gender,
        country=contact.country,
        zip_code=contact.zip_code,
        unique_id=contact.unique_id,
        created_at=timestamps.format_utc(contact.created_at),
    )


def _limited_fields(contact: Contact) -> dict[str, Any]:
    return {
        "id": contact.id,
        "first_name": contact.first_name,
        "last_name": contact.last_name,
        "email_address": contact.email_address,
        "phone_number": contact.phone_number,
        "tag_list": contact.tags,
        "tags": contact.tags.split(",") if contact.tags else [],
        "updated_at": timestamps.format_utc(contact.updated_at),
    }

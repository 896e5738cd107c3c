"""Contacts: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from kalends.core.i18n import gettext
from kalends.core.records.people import Gender
from kalends.core.values import datetimes
from kalends.http.csv_file import Remark
from kalends.http.input.multipart import Upload
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.tags import Tag, TagList
from kalends.http.input.types import DATE_OR_TIME, CreatedAt, EmailAddress, Id, Ids, Name, RecordId, UpdatedAt
from kalends.http.paging import Page, Paging

MAX_QUERY = 1_000

Service = Literal["google", "outlook", "yahoo"]


def _birthday(value: str) -> str:
    """The date of a date or time."""
    try:
        return datetimes.parse(value).local.date().isoformat()
    except ValueError as error:
        raise FieldInvalid(error.args[0]) from None


def _phone(value: str) -> str:
    if not any(character.isdigit() for character in value):
        raise FieldInvalid(gettext("must have digits, such as +33 6 12 34 56 78"))
    return value


Birthday = Annotated[
    str,
    Meta(max_length=100, description="The date of birth; a time with it is ignored.", examples=["1990-05-11"]),
    FieldOptions(check=_birthday, schema={"format": DATE_OR_TIME}),
]
PhoneNumber = Annotated[
    str,
    Meta(
        max_length=100,
        description="Mobile phone number, kept as typed; it is best given with its country code.",
        examples=["+33 6 12 34 56 78"],
    ),
    FieldOptions(check=_phone, is_phone=True, schema={"format": "phone"}),
]
Credential = Annotated[str, Meta(max_length=10_000), FieldOptions(keep_whitespace=True)]
Query = Annotated[str, Meta(max_length=MAX_QUERY), FieldOptions(multiline=True)]


class ContactFields(Struct, kw_only=True):
    """The editable fields of a contact."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "first_name": "a contact needs a name, an e-mail address or a phone number",
            "tag": "must leave at most 100 tags",
            "birthday": "must lie in the years 1900 to 9999",
            "phone_number": "must have digits",
        }
    )

    first_name: Annotated[Name, Meta(description="Given name.")] | None = None
    last_name: Annotated[Name, Meta(description="Family name.")] | None = None
    phone_number: PhoneNumber | None = None
    email_address: EmailAddress | None = None
    birthday: Birthday | None = None
    gender: Annotated[Gender, Meta(description="male or female.")] | None = None
    country: Annotated[Name, Meta(description="Country, as a name or its two-letter code.")] | None = None
    zip_code: Annotated[Name, Meta(description="Postal code.")] | None = None
    tag_list: TagList = ""
    unique_id: Annotated[Name, Meta(description="An id of yours for it, unique among your contacts.")] | None = None


class ContactInput(ContactFields, kw_only=True):
    """A new contact; or, instead of the fields, a file of contacts, as in POST /api/contacts/import_file."""

    file: Annotated[Upload, Meta(description="A .vcf or .csv file of contacts, instead of the fields.")] | None = None


class ContactFile(Struct, kw_only=True):
    """A file of contacts."""

    OPTIONS: ClassVar = StructOptions(rules={"file": "must hold vCards, or a table with a header that is known"})

    file: Annotated[Upload, Meta(description="A .vcf or .csv file.")]


class ContactChanges(ContactFields, kw_only=True):
    """Changes of a contact."""

    tag: Tag | None = None


Text = Annotated[Query, Meta(description='Words, each in some text field; "…" keeps words together, * is any characters.')]
Tags = Annotated[Query, Meta(description="Comma-delimited tags; all must be on the contact.")]
GuestsOfEvent = Annotated[Id, Meta(description="Only those who responded to or commented on this event, which you may edit.")]
List = Annotated[Literal["primary", "imported"], Meta(description="`imported` for the temporary list.")]


class ContactFilter(Struct, kw_only=True):
    """Which contacts to export. All given conditions must hold."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "text": "may have at most 20 words and phrases, each of at most 100 characters and 5 stars",
            "tags": "may have at most 20 tags of at most 200 characters",
        }
    )

    text: Text | None = None
    tags: Tags | None = None
    event_id: GuestsOfEvent | None = None
    list: List = "primary"


class ContactQuery(Paging, kw_only=True, frozen=True):
    """Which contacts to list. All given conditions must hold."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "text": "may have at most 20 words and phrases, each of at most 100 characters and 5 stars",
            "tags": "may have at most 20 tags of at most 200 characters",
        }
    )

    text: Text | None = None
    tags: Tags | None = None
    event_id: GuestsOfEvent | None = None
    list: List = "primary"


class ImportInput(Struct, kw_only=True):
    """The provider and credential to import contacts with. The credential is used once, and neither stored nor logged."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "password": "is required, unless there is an access_token",
            "user_name": "is required with a password",
            "access_token": "must be a token: no spaces, and only ASCII characters",
        }
    )

    service: Annotated[Service, Meta(description="google, outlook or yahoo.")]
    user_name: Annotated[str, Meta(max_length=254, description="User name or e-mail address at the service.")] | None = None
    password: Annotated[Credential, Meta(description="Password at the service; google and yahoo want an app password.")] | None = None
    access_token: Annotated[Credential, Meta(description="An OAuth token of the service, instead of the password.")] | None = None


class KeepInput(Struct, kw_only=True):
    """The entries of the temporary list to keep."""

    ids: Annotated[Ids, Meta(description="Entries of the temporary list; without them, all.")] | None = None


class ContactItem(Struct, kw_only=True):
    """A contact's limited fields."""

    id: RecordId
    first_name: Annotated[str | None, Meta(description="Given name.")]
    last_name: Annotated[str | None, Meta(description="Family name.")]
    email_address: Annotated[str | None, Meta(description="E-mail address.")]
    phone_number: Annotated[str | None, Meta(description="Phone number, as it was typed.")]
    tag_list: Annotated[str, Meta(description="Tags, comma-delimited.")]
    tags: Annotated[list[str], Meta(description="Tags, as an array.")]
    updated_at: UpdatedAt


class ContactDetail(ContactItem, kw_only=True):
    """A contact's expanded fields."""

    birthday: Annotated[str | None, Meta(description="Date of birth.")]
    gender: Annotated[Gender | None, Meta(description="Gender.")]
    country: Annotated[str | None, Meta(description="Country.")]
    zip_code: Annotated[str | None, Meta(description="Postal code.")]
    unique_id: Annotated[str | None, Meta(description="Your own id for the contact.")]
    created_at: CreatedAt


class ContactIndex(Page):
    contacts: Annotated[list[ContactItem], Meta(description="The contacts.")]


class Imported(Struct):
    """An imported contact."""

    id: RecordId
    name: Annotated[str, Meta(description="Name.")]
    email_address: Annotated[str | None, Meta(description="E-mail address.")]


class ServiceImport(Struct):
    """The contacts imported from the service into the temporary list."""

    service: Annotated[Service, Meta(description="The service that the contacts came from.")]
    imported: Annotated[int, Meta(description="Number of new records.")]
    skipped: Annotated[int, Meta(description="Number of entries that were left out.")]
    contacts: Annotated[list[Imported], Meta(description="The contacts.")]


class FileImport(Struct):
    """The contacts imported from the file into the primary list, with remarks on omitted values; beyond 1,000 remarks, their number."""

    imported: Annotated[int, Meta(description="Number of new records.")]
    skipped: Annotated[int, Meta(description="Number of entries that were left out.")]
    contacts: Annotated[list[Imported], Meta(description="The contacts.")]
    remarks: Annotated[list[Remark], Meta(description="What could not be imported, by line; at most 1,000.")]


class KeepResult(Struct):
    """The numbers of entries that were moved to the primary list, and that were skipped as duplicates."""

    kept: Annotated[int, Meta(description="Number of entries that were moved into the primary list.")]
    skipped: Annotated[int, Meta(description="Number of entries that were left out.")]


class DeleteAllInput(Struct, kw_only=True):
    """The list to delete."""

    list: Annotated[List, Meta(description="Only those of this list; without it, all of both.")] | None = None


class AllDeleted(Struct):
    """The number of deleted contacts."""

    deleted: Annotated[int, Meta(description="The number of deleted contacts.")]

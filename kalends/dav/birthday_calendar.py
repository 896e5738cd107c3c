"""The calendar of the birthdays of one's contacts, as properties are asked of it.

It is made of the contacts, and nothing of it is stored."""

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.dav.books.sync import current_ctag
from kalends.dav.calendars.sync import Token
from kalends.dav.call import Call
from kalends.dav.properties import Subject
from kalends.features.changes import journal_store
from kalends.features.contacts.rules.birthday import COLOR
from kalends.policy.site import reader_locale


def subject(call: Call) -> Subject:
    """The calendar with its sync token. Its user is a viewer of it."""
    ctx, user = call.ctx, policy.user(call.ctx)
    name = str(reader_locale(ctx).translate(gettext("Birthdays")))
    calendar = structs.replace(policy.primary_calendar(ctx), id=0, name=name, color=COLOR, description=None, role="viewer", public=False)
    journal = journal_store.find_journal(ctx)
    token = Token(collection(user.id), journal.epoch, journal.end).text
    return Subject(ctx, user, "birthdays", calendar, token, ctag=current_ctag(ctx), components="VEVENT")


def collection(user_id: int) -> str:
    """What the calendar is called in sync tokens."""
    return f"birthdays-{user_id}"

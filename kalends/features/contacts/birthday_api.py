"""The birthdays of one's contacts: a list, and a calendar for other programs."""

from datetime import date
from hashlib import blake2b
from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.values import datetimes
from kalends.features.contacts import store
from kalends.features.contacts.rules import birthday as rules
from kalends.features.contacts.rules.birthday import Birthday
from kalends.features.contacts.steps import birthday_file
from kalends.features.events.feeds.steps import ical
from kalends.http.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.policy.site import reader_locale

CALENDAR_FILE = "text/calendar; charset=utf-8"


class BirthdayItem(Struct):
    contact_id: Annotated[int, Meta(description="Id of the contact.")]
    name: Annotated[str, Meta(description="Name of the contact.")]
    birthday: Annotated[str, Meta(description="Date of birth.")]
    next_date: Annotated[str, Meta(description="The next birthday, today included, in your time zone.")]
    age: Annotated[int, Meta(description="How old the person will be then.")]


class BirthdayIndex(Struct):
    birthdays: Annotated[list[BirthdayItem], Meta(description="The birthdays, the next one first.")]
    feed_url: Annotated[str, Meta(description="Secret URL of the calendar for other programs.")]


class BirthdayFeedKey(Struct, kw_only=True):
    """Whose calendar it is, and its secret: both are in `feed_url`."""

    user_id: Annotated[int, Meta(ge=1, description="The user of `feed_url`; yourself by default.")] | None = None
    key: Annotated[str, Meta(max_length=100, description="The secret of `feed_url`.")] | None = None


@endpoint("GET", "/api/contacts/birthdays")
def birthdays(ctx: Context) -> BirthdayIndex:
    """The birthdays of the contacts of your primary list, the next one first."""
    user = policy.user(ctx)
    today = datetimes.to_local(ctx.now, user.time_zone).date()
    items = [_item(each, today) for each in store.find_birthdays(ctx, user.id)]
    version = store.find_birthdays_version(ctx, user.id) or 0
    return BirthdayIndex(sorted(items, key=lambda item: (item.next_date, item.name)), policy.birthdays_url(ctx.settings, user.id, version))


def _item(birthday: Birthday, today: date) -> BirthdayItem:
    following = rules.next_date(birthday.born, today)
    return BirthdayItem(birthday.id, birthday.name, birthday.birthday, following.isoformat(), following.year - birthday.born.year)


@endpoint("GET", "/api/contacts/birthdays.ics", guests=True, etag=True)
def birthdays_feed(ctx: Context, params: BirthdayFeedKey) -> Document:
    """The birthdays of your contacts as a calendar, each as an event that repeats every year.

    The `feed_url` of the list has a `key`, which opens it without signing in.
    """
    user_id = policy.birthdays_owner(ctx, params.user_id, params.key)
    locale = reader_locale(ctx)
    properties = ical.feed_properties(locale.translate(gettext("Birthdays")), None, rules.COLOR)
    content = birthday_file.write(store.find_birthdays(ctx, user_id), ctx.settings, locale, properties, "PUBLISH")
    ctx.tag(blake2b(content, digest_size=12).hexdigest())
    return Document(content, CALENDAR_FILE)


@endpoint("PUT", "/api/contacts/birthdays/reset_feed")
def reset_birthdays_feed(ctx: Context) -> BirthdayIndex:
    """Give the calendar of birthdays a new secret URL; the old one stops working."""
    store.reset_birthdays_feed(ctx, policy.user(ctx).id)
    return birthdays(ctx)

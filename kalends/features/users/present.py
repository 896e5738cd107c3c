"""Representations of users in API replies and forms."""

from typing import Any, cast

from kalends.core.i18n.catalogs import Language
from kalends.core.records.people import HourCycle, User, WeekStart
from kalends.core.values import timestamps
from kalends.features.calendars.ownership_store import Bequest
from kalends.features.users import store
from kalends.features.users.model import AccountDeletion, BequeathedCalendar, Profile, UserDetail
from kalends.http.context import Context


def editable(user: User) -> Profile:
    """The editable fields with their current values."""
    values: dict[str, Any] = {name: getattr(user, name) or None for name in Profile.__struct_fields__}
    return Profile(**values)


def deletion(user: User, bequests: list[Bequest]) -> AccountDeletion:
    return AccountDeletion([user.id], [BequeathedCalendar(each.calendar_id, each.name, each.user_name) for each in bequests])


def detail(ctx: Context, user: User) -> UserDetail:
    return UserDetail(
        id=user.id,
        user_name=user.user_name,
        email_address=user.email_address,
        name=user.name,
        time_zone=user.time_zone,
        response_notices=user.response_notices,
        language=cast(Language, user.language) or None,
        hour_cycle=cast(HourCycle, user.hour_cycle) or None,
        week_start=cast(WeekStart, user.week_start) or None,
        role=user.role,
        status=user.status,
        verified=user.verified_at is not None,
        verified_at=None if user.verified_at is None else timestamps.format_utc(user.verified_at),
        primary_calendar_id=store.primary_calendar_id(ctx, user.id),
        created_at=timestamps.format_utc(user.created_at),
        updated_at=timestamps.format_utc(user.updated_at),
    )

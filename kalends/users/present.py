"""Representations of users in API replies and forms."""

from typing import Any, cast

from kalends.context import Context
from kalends.i18n.catalogs import Language
from kalends.records.user import HourCycle, User, WeekStart
from kalends.users import store
from kalends.users.model import Profile, UserDetail
from kalends.values import timestamps


def editable(user: User) -> Profile:
    """The editable fields with their current values."""
    values: dict[str, Any] = {name: getattr(user, name) or None for name in Profile.__struct_fields__}
    return Profile(**values)


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

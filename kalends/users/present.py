"""Representations of users in API replies and forms."""

from kalends.context import Context
from kalends.records.user import User
from kalends.users import store
from kalends.users.model import Profile, UserDetail
from kalends.values import timestamps


def editable(user: User) -> Profile:
    """The editable fields with their current values."""
    return Profile(**{name: getattr(user, name) for name in Profile.__struct_fields__})


def detail(ctx: Context, user: User) -> UserDetail:
    return UserDetail(
        id=user.id,
        user_name=user.user_name,
        email_address=user.email_address,
        name=user.name,
        time_zone=user.time_zone,
        response_notices=user.response_notices,
        role=user.role,
        status=user.status,
        verified=user.verified_at is not None,
        verified_at=None if user.verified_at is None else timestamps.format_utc(user.verified_at),
        primary_calendar_id=store.primary_calendar_id(ctx, user.id),
        created_at=timestamps.format_utc(user.created_at),
        updated_at=timestamps.format_utc(user.updated_at),
    )

"""Limits that suit a family, a club and a site for everyone: what the settings are unless they are set one by one."""

from typing import Literal

Preset = Literal["family", "club", "public"]

# Who can register until the operator or an admin says so.
REGISTRATION: dict[Preset | Literal[""], Literal["open", "approval", "invitation"]] = {
    "": "open",
    "family": "invitation",
    "club": "approval",
    "public": "open",
}
PRESETS: dict[Preset | Literal[""], dict[str, int]] = {
    # The defaults of the settings.
    "": {},
    # A few people who know each other.
    "family": {
        "guest_writes_per_minute": 60,
        "guest_writes_per_event_per_hour": 200,
        "guest_searches_per_minute": 60,
        "guest_sends_per_hour": 30,
        "account_announcements_per_day": 500,
        "account_invitations_per_day": 500,
        "emails_per_day": 2_000,
        "sms_per_day": 50,
        "quota_picture_megabytes": 2_000,
    },
    # Members who are let in, and many guests: the defaults of the settings.
    "club": {},
    # Anyone may come, also those who mean harm.
    "public": {
        "guest_writes_per_event_per_hour": 1_000,
        "guest_sends_per_hour": 60,
        "guest_sms_per_day": 2,
        "account_sends_per_hour": 50,
        "account_sends_per_day": 150,
        "account_announcements_per_day": 2_000,
        "account_invitations_per_day": 500,
        "account_sms_per_day": 20,
        "quota_events": 5_000,
        "quota_contacts": 5_000,
        "quota_calendars": 20,
        "quota_megabytes": 50,
        "quota_picture_megabytes": 100,
    },
}

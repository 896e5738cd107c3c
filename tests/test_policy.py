"""The permission table: every endpoint, every actor, on public and on private records. An endpoint without a row fails."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.features.calendars import sharing_store as sharing
from kalends.features.deliveries.rules.recipient_links import confirm_url, notices_url, unsubscribe_url
from kalends.http.context import Context
from kalends.http.paging import Paging
from tests.cast import (
    PASSWORD,
    Cast,
    Person,
    a_block,
    a_calendar,
    a_cohost,
    a_comment,
    a_contact,
    a_key,
    a_question,
    a_reminder,
    a_report,
    a_response,
    a_webhook,
    an_event,
    an_invitation,
    an_ownership_offer,
    last_change,
)
from tests.client import Client
from tests.conftest import NOON
from tests.deliveries.samples import a_stop_token, a_suppression
from tests.http.multipart import multipart
from tests.identities.records import an_identity
from tests.passkeys.authenticator import a_passkey, registration
from tests.pictures.files import SMALL_PICTURE, a_picture
from tests.responses.mail import a_proposal_token, a_response_token, an_invitation_token
from tests.site.administrator import (
    Admin,
    a_blocked_sender,
    a_deleted_calendar,
    a_hidden_event,
    a_style_sheet,
    an_account_invitation,
    an_inactive_person,
)
from tests.sources.server import a_held_run, a_source, any_address
from tests.subscribers.confirmations import confirmations
from tests.users.account_mail import a_reset_token, a_verify_token
from tests.users.second_factor import a_second_factor, an_app, code_at

ACTORS = ("anonymous", "owner", "editor", "viewer", "stranger")

# The status that each actor gets: anonymous, owner, editor, viewer, stranger; then that of a manager, where it is not an editor's.
Row = tuple[int, int, int, int, int] | tuple[int, int, int, int, int, int]


def statuses(row: Row) -> dict[str, int]:
    """The status of each actor. A former manager is a stranger."""
    manager = row[5] if len(row) == 6 else row[2]
    return dict(zip(ACTORS, row, strict=False)) | {"manager": manager, "former manager": row[4]}


EVERYBODY: Row = (200, 200, 200, 200, 200)
SIGNED_IN: Row = (401, 200, 200, 200, 200)
REDIRECTED: Row = (308, 308, 308, 308, 308)
ADMINS: Row = (401, 403, 403, 403, 403)
OWN_ONLY: Row = (401, 200, 404, 404, 404)

# For the responder and editors, and for everybody who sends the token of the personal link.
BY_TOKEN = {"private": (401, 200, 200, 404, 404), "public": (401, 200, 200, 404, 404), "by token": EVERYBODY}


def for_editors(status: int) -> dict[str, Row]:
    """The owner and editors get this status. Guests and strangers do not find what is private."""
    return {"private": (404, status, status, 403, 404), "public": (401, status, status, 403, 403)}


# Those who may edit the calendar of a source; for others there is none.
FOLLOWERS = (401, 200, 200, 404, 404)


def for_owner(status: int) -> dict[str, Row]:
    """The same for the owner alone."""
    return {"private": (404, status, 403, 403, 404), "public": (401, status, 403, 403, 403)}


def for_managers(status: int) -> dict[str, Row]:
    """The same for the owner and managers."""
    return {"private": (404, status, 403, 403, 404, status), "public": (401, status, 403, 403, 403, status)}


def for_readers(status: int) -> dict[str, Row]:
    """The same for those with whom the calendar is shared. The owner is refused: the calendar is their own."""
    return {"private": (404, 409, status, status, 404), "public": (401, 409, status, status, 403)}


# An offer that the owner makes to the viewer, who alone may accept it.
TO_VIEWER: dict[str, Row] = {"": (401, 403, 404, 200, 404)}


def for_those_who_see(status: int) -> dict[str, Row]:
    """Anyone who sees the event gets this status: members, everyone if it is public, and those who send its link."""
    everybody = (status, status, status, status, status)
    return {"private": (404, status, status, status, 404), "public": everybody, "by link": everybody}


TABLE: dict[str, dict[str, Row]] = {
    "GET /healthz": {"": EVERYBODY},
    "GET /readyz": {"": EVERYBODY},
    "GET /metrics": {"": (401, 401, 401, 401, 401)},
    "GET /docs": {"": EVERYBODY},
    "GET /docs/errors": {"": EVERYBODY},
    "GET /api": {"": REDIRECTED},
    "GET /openapi.json": {"": REDIRECTED},
    "GET /docs/guide": {"": EVERYBODY},
    "GET /docs/guide/{page_name}": {"": EVERYBODY},
    "GET /static/{name}": {"": EVERYBODY},
    # Its URL is the permission.
    "GET /pictures/{picture_name}": {"private": EVERYBODY, "public": EVERYBODY},
    # For the networks on which links are shared: they have no account.
    "GET /events/{event_id}/share_picture.png": {"private": (404, 404, 404, 404, 404), "public": EVERYBODY},
    "GET /api/contacts/birthdays": {"": SIGNED_IN},
    "GET /api/contacts/birthdays.ics": {"": EVERYBODY},
    "PUT /api/contacts/birthdays/reset_feed": {"": SIGNED_IN},
    "GET /contacts/birthdays": {"": SIGNED_IN},
    "POST /contacts/birthdays/reset_feed": {"": (401, 303, 303, 303, 303)},
    "GET /accent/{color_name}": {"": EVERYBODY},
    "GET /robots.txt": {"": EVERYBODY},
    # Only for admins, which nobody of the table is.
    "GET /api/site": {"": EVERYBODY},
    "PUT /api/site": {"": ADMINS},
    "GET /style/{digest}": {"": EVERYBODY},
    "GET /admin/style": {"": ADMINS},
    "POST /admin/style": {"": ADMINS},
    "POST /admin/style/preview": {"": ADMINS},
    "GET /admin": {"": ADMINS},
    "POST /admin": {"": ADMINS},
    "GET /api/admin/people": {"": ADMINS},
    "PUT /api/admin/people/{person_id}": {"": ADMINS},
    "PUT /api/admin/people/{person_id}/approve": {"": ADMINS},
    "PUT /api/admin/people/{person_id}/refuse": {"": ADMINS},
    "PUT /api/admin/people/{person_id}/suspend": {"": ADMINS},
    "PUT /api/admin/people/{person_id}/activate": {"": ADMINS},
    "DELETE /api/admin/people/{person_id}": {"": ADMINS},
    "GET /api/admin/invitations": {"": ADMINS},
    "POST /api/admin/invitations": {"": ADMINS},
    "DELETE /api/admin/invitations/{account_invitation_id}": {"": ADMINS},
    "GET /api/admin/audit": {"": ADMINS},
    "GET /admin/audit": {"": ADMINS},
    "GET /api/admin/suppressions": {"": ADMINS},
    "DELETE /api/admin/suppressions/{suppression_id}": {"": ADMINS},
    "GET /api/admin/deleted_calendars": {"": ADMINS},
    "PUT /api/admin/deleted_calendars/{deleted_calendar_id}": {"": ADMINS},
    "DELETE /api/admin/deleted_calendars/{deleted_calendar_id}": {"": ADMINS},
    "GET /admin/deleted_calendars": {"": ADMINS},
    "POST /admin/deleted_calendars/{deleted_calendar_id}/give": {"": ADMINS},
    "POST /admin/deleted_calendars/{deleted_calendar_id}/delete": {"": ADMINS},
    "GET /api/admin/mail": {"": ADMINS},
    "POST /api/admin/test_mail": {"": ADMINS},
    "GET /api/admin/health": {"": ADMINS},
    "GET /admin/mail": {"": ADMINS},
    "POST /admin/mail/test": {"": ADMINS},
    "GET /admin/suppressions": {"": ADMINS},
    "POST /admin/suppressions/{suppression_id}/lift": {"": ADMINS},
    "GET /admin/health": {"": ADMINS},
    "GET /welcome": {"": SIGNED_IN},
    "GET /welcome/site": {"": ADMINS},
    "POST /welcome/site": {"": ADMINS},
    "GET /welcome/people": {"": ADMINS},
    "POST /welcome/people": {"": ADMINS},
    "GET /welcome/mail": {"": ADMINS},
    "POST /welcome/mail": {"": ADMINS},
    "GET /admin/people": {"": ADMINS},
    "POST /admin/people/{person_id}/approve": {"": ADMINS},
    "POST /admin/people/{person_id}/refuse": {"": ADMINS},
    "POST /admin/people/{person_id}/suspend": {"": ADMINS},
    "POST /admin/people/{person_id}/activate": {"": ADMINS},
    "GET /admin/people/{person_id}/delete": {"": ADMINS},
    "POST /admin/people/{person_id}/delete": {"": ADMINS},
    "GET /admin/people/{person_id}/role": {"": ADMINS},
    "POST /admin/people/{person_id}/role": {"": ADMINS},
    "POST /admin/people/{person_id}/sending": {"": ADMINS},
    "POST /admin/people/invitations": {"": ADMINS},
    "POST /admin/people/invitations/{account_invitation_id}/withdraw": {"": ADMINS},
    "GET /sitemap.xml": {"": EVERYBODY},
    "GET /feed.xml": {"": EVERYBODY},
    "GET /atom.xml": {"": EVERYBODY},
    "GET /manifest.json": {"": EVERYBODY},
    "GET /": {"": EVERYBODY},
    "GET /search": {"": EVERYBODY},
    "GET /me": {"": SIGNED_IN},
    "GET /notifications": {"": SIGNED_IN},
    "GET /organisers": {"": EVERYBODY},
    "GET /organisers/{user_id}": {"private": (404, 404, 404, 404, 404), "public": EVERYBODY},
    "GET /events/{event_id}": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    "POST /events/{event_id}/respond": {"private": (404, 303, 303, 303, 404), "public": (303, 303, 303, 303, 303)},
    "POST /events/{event_id}/comment": {"private": (404, 303, 303, 303, 404), "public": (303, 303, 303, 303, 303)},
    "POST /events/{event_id}/link": {"private": (404, 303, 303, 303, 404), "public": (303, 303, 303, 303, 303)},
    "POST /events/{event_id}/send": {"private": (404, 303, 303, 303, 404), "public": (303, 303, 303, 303, 303)},
    "GET /events/{event_id}/announce": for_editors(200),
    "POST /events/{event_id}/announce": {"private": (404, 409, 409, 403, 404), "public": (401, 303, 303, 403, 403)},
    "POST /events/{event_id}/copy": {"private": (404, 303, 303, 303, 404), "public": (401, 303, 303, 303, 303)},
    "POST /events/{event_id}/add": {"private": (404, 303, 303, 303, 404), "public": (401, 303, 303, 303, 303)},
    "GET /events/new": {"": (401, 303, 303, 303, 303)},
    "POST /events/quick": {"": SIGNED_IN},
    "GET /events/{event_id}/duplicate": for_editors(303),
    "POST /events": {"private": (401, 303, 303, 403, 404), "public": (401, 303, 303, 403, 403)},
    "GET /events/{event_id}/edit": for_editors(200),
    "POST /events/{event_id}": for_editors(303),
    "GET /events/{event_id}/repeat": for_editors(200),
    "POST /events/{event_id}/repeat": for_editors(303),
    "GET /events/{event_id}/cancel": for_editors(200),
    "POST /events/{event_id}/cancel": for_editors(303),
    "GET /events/{event_id}/delete": for_editors(200),
    "POST /events/{event_id}/delete": for_editors(303),
    "GET /calendar": {"": EVERYBODY},
    "GET /embed/calendars/{calendar_id}": {"private": (404, 404, 404, 404, 404), "public": EVERYBODY},
    "GET /embed/events/{event_id}": {"private": (404, 404, 404, 404, 404), "public": EVERYBODY},
    "GET /sign-in": {"": EVERYBODY},
    "GET /sign-in/emergency": {"": EVERYBODY},
    # There is no provider in these tests: tests/identities has some.
    "GET /sign-in/oidc/{provider_name}": {"": (404, 404, 404, 404, 404)},
    "GET /sign-in/oidc/{provider_name}/callback": {"": (404, 404, 404, 404, 404)},
    "POST /sign-in": {"": (422, 422, 422, 422, 422)},
    "POST /sign-out": {"": (303, 303, 303, 303, 303)},
    "POST /language": {"": (303, 303, 303, 303, 303)},
    "GET /sign-up": {"": EVERYBODY},
    "POST /sign-up": {"": (422, 422, 422, 422, 422)},
    "GET /sign-up/{sign_up_token}": {"": EVERYBODY},
    "POST /sign-up/{sign_up_token}": {"": (303, 303, 303, 303, 303)},
    "GET /reset": {"": EVERYBODY},
    "POST /reset": {"": (303, 303, 303, 303, 303)},
    "GET /reset/{reset_token}": {"": EVERYBODY},
    "POST /reset/{reset_token}": {"": (303, 303, 303, 303, 303)},
    "GET /verify/{verify_token}": {"": EVERYBODY},
    "POST /verify/{verify_token}": {"": (303, 303, 303, 303, 303)},
    "POST /account/verify": {"": (401, 303, 303, 303, 303)},
    "GET /account": {"": SIGNED_IN},
    "POST /account/profile": {"": (401, 303, 303, 303, 303)},
    "POST /account/password": {"": (401, 303, 303, 303, 303)},
    "GET /account/delete": {"": SIGNED_IN},
    "POST /account/delete": {"": (401, 303, 303, 303, 303)},
    "POST /account/sessions/{session_id}/end": {"": (401, 303, 404, 404, 404)},
    "POST /account/sessions/end": {"": (401, 303, 303, 303, 303)},
    "POST /account/keys": {"": SIGNED_IN},
    "GET /account/codes": {"": SIGNED_IN},
    "POST /account/codes": {"": SIGNED_IN},
    "POST /account/codes/confirm": {"": (401, 200, 409, 409, 409)},
    "POST /account/codes/recovery": {"": (401, 200, 409, 409, 409)},
    "POST /account/codes/keys": {"": (401, 303, 409, 409, 409)},
    "POST /account/codes/delete": {"": (401, 303, 404, 404, 404)},
    "GET /account/identities": {"": SIGNED_IN},
    "POST /account/identities/link/{provider_name}": {"": (404, 404, 404, 404, 404)},
    "POST /account/identities/{identity_id}/delete": {"": (401, 303, 404, 404, 404)},
    "GET /account/passkeys": {"": SIGNED_IN},
    "POST /account/passkeys": {"": (401, 303, 422, 422, 422)},
    "POST /account/passkeys/{passkey_id}/delete": {"": (401, 303, 404, 404, 404)},
    "GET /account/devices": {"": SIGNED_IN},
    "POST /account/devices": {"": SIGNED_IN},
    "GET /account/devices/{profile_name}": {"": OWN_ONLY},
    "GET /account/keys/{key_id}/delete": {"": OWN_ONLY},
    "POST /account/keys/{key_id}/delete": {"": (401, 303, 404, 404, 404)},
    "POST /account/blocks/{blocked_id}/delete": {"": (401, 303, 404, 404, 404)},
    "GET /calendars": {"": SIGNED_IN},
    "GET /calendars/new": {"": SIGNED_IN},
    "POST /calendars": {"": (401, 303, 303, 303, 303)},
    "GET /calendars/{calendar_id}": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    # Nobody announces what is on a private calendar.
    "POST /calendars/{calendar_id}/subscribe": {"private": (404, 403, 403, 403, 404), "public": (303, 303, 303, 303, 303)},
    # The owner changes the calendar's own colour.
    "POST /calendars/{calendar_id}/color": for_readers(303),
    "PUT /api/calendars/{calendar_id}/color": for_readers(200),
    "GET /calendars/{calendar_id}/edit": for_managers(200),
    "POST /calendars/{calendar_id}/edit": for_managers(303),
    "GET /calendars/{calendar_id}/delete": for_owner(200),
    "POST /calendars/{calendar_id}/delete": for_owner(303),
    "POST /calendars/{calendar_id}/share": for_managers(303),
    "GET /calendars/{calendar_id}/unshare": for_managers(200),
    "POST /calendars/{calendar_id}/unshare": for_managers(303),
    "GET /calendars/{calendar_id}/leave": for_readers(200),
    "POST /calendars/{calendar_id}/leave": for_readers(303),
    "GET /calendars/{calendar_id}/reset_feed": for_managers(200),
    "POST /calendars/{calendar_id}/reset_feed": for_managers(303),
    "GET /calendars/{calendar_id}/import": for_editors(200),
    "POST /calendars/{calendar_id}/import": for_editors(422),
    "GET /contacts": {"": SIGNED_IN},
    "GET /contacts/new": {"": SIGNED_IN},
    "POST /contacts": {"": (401, 303, 303, 303, 303)},
    "GET /contacts/{contact_id}/edit": {"": OWN_ONLY},
    "POST /contacts/{contact_id}/edit": {"": (401, 303, 404, 404, 404)},
    "GET /contacts/{contact_id}/delete": {"": OWN_ONLY},
    "POST /contacts/{contact_id}/delete": {"": (401, 303, 404, 404, 404)},
    "GET /contacts/delete_all": {"": SIGNED_IN},
    "POST /contacts/delete_all": {"": (401, 303, 303, 303, 303)},
    "GET /contacts/import": {"": SIGNED_IN},
    "POST /contacts/import": {"": (401, 422, 422, 422, 422)},
    "POST /contacts/import/token": {"": (401, 422, 422, 422, 422)},
    "POST /contacts/upload": {"": (401, 422, 422, 422, 422)},
    "GET /contacts/imported": {"": SIGNED_IN},
    "POST /contacts/keep": {"": (401, 303, 303, 303, 303)},
    "GET /responses": {"": SIGNED_IN},
    "GET /api/my_events": {"": SIGNED_IN},
    # Of a private event, those whom it concerns find it: its members, and people who are invited or have answered.
    "GET /api/my_events/{event_id}": {"private": (401, 200, 200, 200, 404), "public": SIGNED_IN},
    "PUT /api/my_events/{event_id}": {"private": (401, 200, 200, 200, 404), "public": SIGNED_IN},
    "GET /my-events": {"": SIGNED_IN},
    "GET /my-events/{event_id}": {"private": (401, 303, 303, 303, 404), "public": (401, 303, 303, 303, 303)},
    "POST /my-events/{event_id}": {"private": (401, 303, 303, 303, 404), "public": (401, 303, 303, 303, 303)},
    "GET /responses/events": {"": SIGNED_IN},
    "POST /events/{event_id}/responses/selected": for_editors(303),
    "GET /events/{event_id}/responses/new": for_editors(200),
    "POST /events/{event_id}/responses/new": for_editors(303),
    "GET /events/{event_id}/responses": for_editors(200),
    "GET /events/{event_id}/questions": for_editors(200),
    "POST /events/{event_id}/questions": for_editors(303),
    "GET /calendars/{calendar_id}/questions": for_managers(200),
    "POST /calendars/{calendar_id}/questions": for_managers(303),
    "GET /events/{event_id}/reminders": for_editors(200),
    "POST /events/{event_id}/reminders": for_editors(303),
    "POST /events/{event_id}/reminders/{reminder_id}/delete": for_editors(303),
    "GET /events/{event_id}/reminders/{reminder_id}/edit": for_editors(200),
    "POST /events/{event_id}/reminders/{reminder_id}/edit": for_editors(303),
    "GET /calendars/{calendar_id}/reminders": for_managers(200),
    "POST /calendars/{calendar_id}/reminders": for_managers(303),
    "POST /calendars/{calendar_id}/reminders/{reminder_id}/delete": for_managers(303),
    "GET /calendars/{calendar_id}/reminders/{reminder_id}/edit": for_managers(200),
    "POST /calendars/{calendar_id}/reminders/{reminder_id}/edit": for_managers(303),
    "GET /events/{event_id}/cohosts": for_editors(200),
    "POST /events/{event_id}/cohosts": for_editors(303),
    "POST /events/{event_id}/cohosts/{cohost_id}/delete": for_editors(303),
    "GET /events/{event_id}/questions/{question_id}/edit": for_editors(200),
    "POST /events/{event_id}/questions/{question_id}/edit": for_editors(303),
    "GET /calendars/{calendar_id}/questions/{question_id}/edit": for_managers(200),
    "POST /calendars/{calendar_id}/questions/{question_id}/edit": for_managers(303),
    "GET /events/{event_id}/questions/{question_id}/delete": for_editors(200),
    "POST /events/{event_id}/questions/{question_id}/delete": for_editors(303),
    "GET /calendars/{calendar_id}/questions/{question_id}/delete": for_managers(200),
    "POST /calendars/{calendar_id}/questions/{question_id}/delete": for_managers(303),
    "GET /responses/{response_id}/questions": {"private": (401, 200, 200, 404, 404), "public": (401, 200, 200, 404, 404)},
    "POST /responses/{response_id}/questions": {"private": (401, 303, 303, 404, 404), "public": (401, 303, 303, 404, 404)},
    "POST /events/{event_id}/respond/questions": {"private": (404, 303, 303, 303, 404), "public": (303, 303, 303, 303, 303)},
    "POST /changes/{seq}/undo": {"private": (401, 303, 303, 403, 404), "public": (401, 303, 303, 403, 403)},
    "GET /events/{event_id}/history": for_editors(200),
    "GET /events/{event_id}/preview": for_editors(200),
    "GET /trash": {"": SIGNED_IN},
    "POST /comments/{comment_id}/approve": for_editors(303),
    "POST /comments/{comment_id}/hide": for_editors(303),
    "GET /comments/{comment_id}/delete": for_editors(200),
    "POST /comments/{comment_id}/delete": for_editors(303),
    "GET /subscribers": {"": SIGNED_IN},
    "GET /subscribers/{subscriber_id}/delete": {"": OWN_ONLY},
    "POST /subscribers/{subscriber_id}/delete": {"": (401, 303, 404, 404, 404)},
    "GET /deliveries": {"": SIGNED_IN},
    "GET /api/openapi": {"": EVERYBODY},
    "POST /api/session": {"": (422, 422, 422, 422, 422)},
    "GET /api/session/{session_id}": {"": OWN_ONLY},
    "DELETE /api/session/{session_id}": {"": OWN_ONLY},
    "GET /api/ownership_offers": {"": SIGNED_IN},
    # Alice offers the calendar to the viewer.
    "GET /api/ownership_offers/{offer_id}": {"": (401, 200, 404, 200, 404)},
    "PUT /api/ownership_offers/{offer_id}": TO_VIEWER,
    "DELETE /api/ownership_offers/{offer_id}": {"": (401, 200, 404, 403, 404)},
    "POST /api/calendars/{calendar_id}/ownership_offers": for_owner(201),
    "GET /calendars/offers": {"": SIGNED_IN},
    "POST /calendars/offers/{offer_id}": {"": (401, 403, 404, 303, 404)},
    "POST /calendars/offers/{offer_id}/withdraw": {"": (401, 303, 404, 403, 404)},
    "GET /calendars/{calendar_id}/ownership": for_owner(200),
    "POST /calendars/{calendar_id}/ownership": for_owner(303),
    "GET /api/users/new": {"": EVERYBODY},
    "GET /api/users/current": {"": SIGNED_IN},
    "POST /api/users": {"": (422, 422, 422, 422, 422)},
    "GET /api/users/{user_id}": {"": OWN_ONLY},
    "GET /api/users/{user_id}/export": {"": OWN_ONLY},
    "GET /api/users/{user_id}/edit": {"": OWN_ONLY},
    "PUT /api/users/{user_id}": {"": OWN_ONLY},
    "POST /api/users/{user_id}/verify": {"": (401, 202, 404, 404, 404)},
    "DELETE /api/users/{user_id}": {"": OWN_ONLY},
    "GET /api/users/{user_id}/totp": {"": OWN_ONLY},
    "POST /api/users/{user_id}/totp": {"": (401, 201, 404, 404, 404)},
    "POST /api/users/{user_id}/totp/confirmation": {"": OWN_ONLY},
    "PUT /api/users/{user_id}/totp": {"": OWN_ONLY},
    "POST /api/users/{user_id}/totp/recovery_codes": {"": (401, 201, 404, 404, 404)},
    "DELETE /api/users/{user_id}/totp": {"": OWN_ONLY},
    "GET /api/identities": {"": SIGNED_IN},
    "DELETE /api/identities/{identity_id}": {"": OWN_ONLY},
    "GET /api/passkeys": {"": SIGNED_IN},
    "POST /api/passkeys/options": {"": SIGNED_IN},
    # Each passkey is that of the user for whom the options were made: alice.
    "POST /api/passkeys": {"": (401, 201, 422, 422, 422)},
    "DELETE /api/passkeys/{passkey_id}": {"": OWN_ONLY},
    "POST /api/session/passkey_options": {"": EVERYBODY},
    "GET /api/keys": {"": SIGNED_IN},
    "GET /api/keys/new": {"": SIGNED_IN},
    "POST /api/keys": {"": (401, 201, 201, 201, 201)},
    "DELETE /api/keys/{key_id}": {"": OWN_ONLY},
    "GET /api/blocks": {"": SIGNED_IN},
    "DELETE /api/blocks/{blocked_id}": {"": (401, 200, 404, 404, 404)},
    "GET /api/calendars": {"": SIGNED_IN},
    "GET /api/calendars/new": {"": SIGNED_IN},
    "POST /api/calendars": {"": (401, 201, 201, 201, 201)},
    "GET /api/calendars/{calendar_id}": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    "GET /api/calendars/{calendar_id}/edit": for_managers(200),
    "PUT /api/calendars/{calendar_id}": for_managers(200),
    "DELETE /api/calendars/{calendar_id}": for_owner(200),
    "PUT /api/calendars/{calendar_id}/share": for_managers(200),
    "PUT /api/calendars/{calendar_id}/unshare": for_managers(200),
    "GET /api/calendars/{calendar_id}/readers": for_owner(200),
    "GET /api/calendars/{calendar_id}.ics": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    "PUT /api/calendars/{calendar_id}/reset_feed": for_managers(200),
    "GET /api/changes": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    "POST /api/changes/{seq}/undo": {"private": (401, 200, 200, 403, 404), "public": (401, 200, 200, 403, 403)},
    "GET /api/events/{event_id}/changes": for_editors(200),
    "GET /api/trash": {"": SIGNED_IN},
    "GET /api/changes/stream": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    "GET /api/webhooks": {"": SIGNED_IN},
    "POST /api/webhooks": {"private": (401, 201, 201, 201, 404), "public": (401, 201, 201, 201, 201)},
    "GET /api/webhooks/{webhook_id}": {"": OWN_ONLY},
    "PUT /api/webhooks/{webhook_id}": {"": OWN_ONLY},
    "DELETE /api/webhooks/{webhook_id}": {"": OWN_ONLY},
    "POST /api/webhooks/{webhook_id}/rotate_secret": {"": OWN_ONLY},
    "POST /api/webhooks/{webhook_id}/ping": {"": (401, 202, 404, 404, 404)},
    "POST /api/webhooks/{webhook_id}/redeliver": {"": (401, 202, 404, 404, 404)},
    "GET /api/webhooks/{webhook_id}/deliveries": {"": OWN_ONLY},
    "GET /calendars/{calendar_id}/sources": for_editors(200),
    "POST /calendars/{calendar_id}/sources/preview": {"private": (401, 200, 200, 403, 404), "public": (401, 200, 200, 403, 403)},
    "POST /calendars/{calendar_id}/sources/imports": {"private": (401, 200, 200, 403, 404), "public": (401, 200, 200, 403, 403)},
    "POST /api/sources/imports": {"private": (401, 201, 201, 403, 404), "public": (401, 201, 201, 403, 403)},
    "POST /calendars/{calendar_id}/sources": {"private": (401, 303, 303, 403, 404), "public": (401, 303, 303, 403, 403)},
    "GET /sources/{source_id}": {"": FOLLOWERS},
    "POST /sources/{source_id}/edit": {"": (401, 303, 303, 404, 404)},
    "POST /sources/{source_id}/runs": {"": (401, 303, 303, 404, 404)},
    "POST /sources/{source_id}/accept": {"": (401, 303, 303, 404, 404)},
    "GET /sources/{source_id}/delete": {"": FOLLOWERS},
    "POST /sources/{source_id}/delete": {"": (401, 303, 303, 404, 404)},
    "POST /events/{event_id}/detach": {"": (404, 303, 303, 403, 404)},
    "GET /admin/sources": {"": ADMINS},
    "GET /api/sources": {"private": (401, 200, 200, 403, 404), "public": (401, 200, 200, 403, 403)},
    "POST /api/sources": {"private": (401, 201, 201, 403, 404), "public": (401, 201, 201, 403, 403)},
    "GET /api/sources/{source_id}": {"": FOLLOWERS},
    "PUT /api/sources/{source_id}": {"": FOLLOWERS},
    "DELETE /api/sources/{source_id}": {"": FOLLOWERS},
    "GET /api/sources/{source_id}/runs": {"": FOLLOWERS},
    "POST /api/sources/{source_id}/runs": {"": (401, 201, 201, 404, 404)},
    "PUT /api/sources/{source_id}/runs/{run_id}": {"": FOLLOWERS},
    "DELETE /api/sources/{source_id}/events/{event_id}": {"": FOLLOWERS},
    "GET /deliveries/suppressions": {"": SIGNED_IN},
    "POST /deliveries/suppressions/{suppression_id}/lift": {"": (401, 303, 404, 404, 404)},
    "GET /deliveries/stop/{stop_token}": {"": EVERYBODY},
    "POST /deliveries/stop/{stop_token}": {"": EVERYBODY},
    "GET /account/notices/{notices_token}": {"": EVERYBODY},
    "POST /account/notices/{notices_token}": {"": EVERYBODY},
    "GET /webhooks": {"": SIGNED_IN},
    "POST /webhooks": {"private": (401, 200, 200, 200, 404), "public": SIGNED_IN},
    "GET /webhooks/{webhook_id}": {"": OWN_ONLY},
    "POST /webhooks/{webhook_id}/edit": {"": (401, 303, 404, 404, 404)},
    "POST /webhooks/{webhook_id}/ping": {"": (401, 303, 404, 404, 404)},
    "POST /webhooks/{webhook_id}/redeliver": {"": (401, 303, 404, 404, 404)},
    "POST /webhooks/{webhook_id}/rotate_secret": {"": OWN_ONLY},
    "GET /webhooks/{webhook_id}/delete": {"": OWN_ONLY},
    "POST /webhooks/{webhook_id}/delete": {"": (401, 303, 404, 404, 404)},
    "GET /api/events.ics": {"": EVERYBODY},
    "GET /api/events/{event_id}.ics": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY, "by link": EVERYBODY},
    "GET /api/events": {"": EVERYBODY},
    "GET /api/events/new": {"": SIGNED_IN},
    "POST /api/events": {"private": (401, 201, 201, 403, 404), "public": (401, 201, 201, 403, 403)},
    "POST /api/events/import": {"private": (401, 201, 201, 403, 404), "public": (401, 201, 201, 403, 403)},
    "GET /api/events/{event_id}": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY, "by link": EVERYBODY},
    "GET /api/events/{event_id}/edit": for_editors(200),
    "PUT /api/events": {"private": (401, 201, 201, 403, 404), "public": (401, 201, 201, 403, 403)},
    "DELETE /api/events": {"private": (401, 200, 200, 403, 404), "public": (401, 200, 200, 403, 403)},
    "PUT /api/events/{event_id}": for_editors(200),
    "DELETE /api/events/{event_id}": for_editors(200),
    "PUT /api/events/{event_id}/reset_link": {
        "private": (404, 409, 409, 403, 404),
        "public": (401, 409, 409, 403, 403),
        "by link": (404, 200, 200, 403, 404),
    },
    "POST /events/{event_id}/reset_link": {
        "private": (404, 409, 409, 403, 404),
        "public": (401, 409, 409, 403, 403),
        "by link": (404, 303, 303, 403, 404),
    },
    # Members are sent to the URL of the event.
    "GET /e/{event_link}": {"by link": (200, 200, 200, 303, 200)},
    "POST /e/{event_link}/respond": {"by link": (303, 303, 303, 303, 303)},
    "POST /e/{event_link}/respond/questions": {"by link": (303, 303, 303, 303, 303)},
    "POST /e/{event_link}/comment": {"by link": (303, 303, 303, 303, 303)},
    "POST /e/{event_link}/link": {"by link": (303, 303, 303, 303, 303)},
    "POST /e/{event_link}/send": {"by link": (303, 303, 303, 303, 303)},
    "PUT /api/events/{event_id}/add": {"private": (404, 200, 200, 200, 404), "public": SIGNED_IN},
    "PUT /api/events/{event_id}/remove": for_editors(409),
    "GET /api/comments": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY, "by link": EVERYBODY},
    "GET /api/comments/new": {"": EVERYBODY},
    "POST /api/comments": for_those_who_see(201),
    "GET /api/comments/{comment_id}": for_those_who_see(200),
    "GET /api/comments/{comment_id}/edit": for_editors(200),
    "PUT /api/comments/{comment_id}": for_editors(200),
    "DELETE /api/comments/{comment_id}": for_editors(200),
    "POST /api/reports": for_those_who_see(201),
    # Only for admins, which nobody of the table is.
    "GET /api/reports": {"": ADMINS},
    "PUT /api/reports/{report_id}": {"": ADMINS},
    "GET /reports": {"": ADMINS},
    "GET /admin/moderation": {"": ADMINS},
    "POST /admin/moderation/hide": {"": ADMINS},
    "POST /admin/moderation/hidden/{hidden_id}/show": {"": ADMINS},
    "POST /admin/moderation/block": {"": ADMINS},
    "POST /admin/moderation/blocked/{sender_id}/unblock": {"": ADMINS},
    "GET /api/hidden_events": {"": ADMINS},
    "POST /api/hidden_events": {"": ADMINS},
    "DELETE /api/hidden_events/{hidden_id}": {"": ADMINS},
    "GET /api/blocked_senders": {"": ADMINS},
    "POST /api/blocked_senders": {"": ADMINS},
    "DELETE /api/blocked_senders/{sender_id}": {"": ADMINS},
    "POST /reports/{report_id}/close": {"": ADMINS},
    "POST /reports/{report_id}/reopen": {"": ADMINS},
    "GET /reports/new": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    "POST /reports/new": {"private": (404, 303, 303, 303, 404), "public": (303, 303, 303, 303, 303)},
    "GET /api/responses": {"": SIGNED_IN},
    "GET /api/responses.csv": for_editors(200),
    "GET /api/responses/new": {"": EVERYBODY},
    "GET /api/responses/{response_id}": BY_TOKEN,
    "GET /api/responses/{response_id}/edit": {"private": (401, 200, 200, 404, 404), "public": (401, 200, 200, 404, 404)},
    "PUT /api/responses/{response_id}": BY_TOKEN,
    "DELETE /api/responses/{response_id}": BY_TOKEN,
    "PUT /api/responses/{response_id}/accept": {"private": (401, 200, 200, 404, 404), "public": (401, 200, 200, 404, 404)},
    "GET /responses/{response_id}/edit": {"private": (401, 200, 200, 404, 404), "public": (401, 200, 200, 404, 404)},
    "POST /responses/{response_id}/edit": {"private": (401, 303, 303, 404, 404), "public": (401, 303, 303, 404, 404)},
    "POST /responses/{response_id}/accept": {"private": (401, 303, 303, 404, 404), "public": (401, 303, 303, 404, 404)},
    "GET /responses/{response_id}/delete": {"private": (401, 200, 200, 404, 404), "public": (401, 200, 200, 404, 404)},
    "POST /responses/{response_id}/delete": {"private": (401, 303, 303, 404, 404), "public": (401, 303, 303, 404, 404)},
    "POST /api/responses": for_those_who_see(201),
    "GET /api/contacts": {"": SIGNED_IN},
    "GET /api/contacts.csv": {"": SIGNED_IN},
    "GET /api/contacts.vcf": {"": SIGNED_IN},
    "GET /api/contacts/new": {"": SIGNED_IN},
    "POST /api/contacts": {"": (401, 201, 201, 201, 201)},
    "GET /api/contacts/{contact_id}": {"": OWN_ONLY},
    "GET /api/contacts/{contact_id}/edit": {"": OWN_ONLY},
    "PUT /api/contacts/{contact_id}": {"": OWN_ONLY},
    "DELETE /api/contacts/{contact_id}": {"": OWN_ONLY},
    "POST /api/contacts/import": {"": (401, 422, 422, 422, 422)},
    "POST /api/contacts/import_file": {"": (401, 201, 201, 201, 201)},
    "POST /api/contacts/keep": {"": SIGNED_IN},
    "POST /api/contacts/delete_all": {"": SIGNED_IN},
    "GET /api/deliveries": {"": SIGNED_IN},
    "PUT /api/events/{event_id}/send_to_me": for_those_who_see(202),
    "PUT /api/events/{event_id}/announce": {"private": (404, 409, 409, 403, 404), "public": (401, 202, 202, 403, 403)},
    "GET /api/deliveries/suppressions": {"": SIGNED_IN},
    "DELETE /api/deliveries/suppressions/{suppression_id}": {"": OWN_ONLY},
    "GET /api/subscribers": {"": SIGNED_IN},
    "GET /api/subscribers.csv": {"": SIGNED_IN},
    "DELETE /api/subscribers/{subscriber_id}": {"": OWN_ONLY},
    "GET /confirm/{confirm_token}": {"": EVERYBODY},
    "POST /confirm/{confirm_token}": {"": EVERYBODY},
    "GET /c/{confirm_token}": {"": EVERYBODY},
    "POST /c/{confirm_token}": {"": EVERYBODY},
    "GET /r/{response_token}": {"": EVERYBODY},
    "POST /r/{response_token}": {"": (303, 303, 303, 303, 303)},
    "GET /r/{response_token}/questions": {"": EVERYBODY},
    "POST /r/{response_token}/questions": {"": (303, 303, 303, 303, 303)},
    "GET /r/{response_token}/reminders": {"": EVERYBODY},
    "POST /r/{response_token}/reminders": {"": (303, 303, 303, 303, 303)},
    "PUT /api/responses/{response_id}/reminders": BY_TOKEN,
    "POST /r/{response_token}/withdraw": {"": (303, 303, 303, 303, 303)},
    "POST /r/{response_token}/reset": {"": EVERYBODY},
    "POST /r/{response_token}/forget": {"": EVERYBODY},
    "GET /r/confirm/{proposal_token}": {"public": EVERYBODY},
    "POST /r/confirm/{proposal_token}": {"public": (303, 303, 303, 303, 303)},
    "POST /api/responses/link": for_those_who_see(202),
    "PUT /api/responses/{response_id}/reset_link": BY_TOKEN,
    "POST /responses/{response_id}/reset_link": {"private": (401, 303, 303, 404, 404), "public": (401, 303, 303, 404, 404)},
    "GET /api/events/{event_id}/invitations": for_editors(200),
    "POST /api/events/{event_id}/invitations": for_editors(202),
    "PUT /api/events/{event_id}/invitations/{invitation_id}/resend": for_editors(200),
    "DELETE /api/events/{event_id}/invitations/{invitation_id}": for_editors(200),
    "GET /events/{event_id}/invitations": for_editors(200),
    "POST /events/{event_id}/invitations/search": for_editors(200),
    "POST /events/{event_id}/invitations/check": for_editors(200),
    "POST /events/{event_id}/invitations/send": for_editors(303),
    "POST /events/{event_id}/invitations/{invitation_id}/resend": for_editors(303),
    "POST /events/{event_id}/invitations/{invitation_id}/withdraw": for_editors(303),
    "GET /api/events/{event_id}/messages": for_editors(200),
    "POST /api/events/{event_id}/messages": for_editors(202),
    "GET /events/{event_id}/messages": for_editors(200),
    "POST /events/{event_id}/messages/check": for_editors(200),
    "POST /events/{event_id}/messages/send": for_editors(303),
    "GET /i/{invitation_token}": {"private": EVERYBODY, "public": EVERYBODY},
    "POST /i/{invitation_token}": {"private": (303, 303, 303, 303, 303), "public": (303, 303, 303, 303, 303)},
    "GET /i/{invitation_token}/stop": {"": EVERYBODY},
    "POST /i/{invitation_token}/stop": {"": EVERYBODY},
    "GET /unsubscribe/{token}": {"": EVERYBODY},
    "POST /unsubscribe/{token}": {"": EVERYBODY},
    "GET /u/{token}": {"": EVERYBODY},
    "POST /u/{token}": {"": EVERYBODY},
    "PUT /api/events/{event_id}/repeat": for_editors(200),
    "GET /api/events/{event_id}/questions": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    "POST /api/events/{event_id}/questions": for_editors(201),
    "PUT /api/events/{event_id}/questions/{question_id}": for_editors(200),
    "DELETE /api/events/{event_id}/questions/{question_id}": for_editors(200),
    "POST /api/events/{event_id}/image": for_editors(200),
    "DELETE /api/events/{event_id}/image": for_editors(200),
    "GET /api/events/{event_id}/reminders": for_editors(200),
    "POST /api/events/{event_id}/reminders": for_editors(201),
    "PUT /api/events/{event_id}/reminders/{reminder_id}": for_editors(200),
    "DELETE /api/events/{event_id}/reminders/{reminder_id}": for_editors(200),
    "GET /api/events/{event_id}/cohosts": for_editors(200),
    "POST /api/events/{event_id}/cohosts": for_editors(201),
    "DELETE /api/events/{event_id}/cohosts/{cohost_id}": for_editors(200),
    "GET /api/calendars/{calendar_id}/reminders": for_editors(200),
    "POST /api/calendars/{calendar_id}/reminders": for_managers(201),
    "PUT /api/calendars/{calendar_id}/reminders/{reminder_id}": for_managers(200),
    "DELETE /api/calendars/{calendar_id}/reminders/{reminder_id}": for_managers(200),
    "GET /api/calendars/{calendar_id}/questions": {"private": (404, 200, 200, 200, 404), "public": EVERYBODY},
    "POST /api/calendars/{calendar_id}/questions": for_managers(201),
    "PUT /api/calendars/{calendar_id}/questions/{question_id}": for_managers(200),
    "DELETE /api/calendars/{calendar_id}/questions/{question_id}": for_managers(200),
    "PUT /api/events/{event_id}/copy": {"private": (404, 201, 201, 201, 404), "public": (401, 201, 201, 201, 201)},
}


# Each actor in the cast, and those with whom the calendar is shared.
PEOPLE = {
    **{"owner": "alice", "editor": "bob", "viewer": "vera", "manager": "mona"},
    **{"anonymous": "anonymous", "stranger": "carol", "former manager": "fred"},
}
SHARED = {"editor": "editor", "viewer": "viewer", "manager": "manager", "former manager": "manager"}


class Scene:
    """One set of records of alice's, made anew after each write that was done: whatever it destroys, the next one has its own."""

    def __init__(self, cast: Cast, settings: Settings, visibility: str):
        self.cast = cast
        self.settings = settings
        self.visibility = visibility
        self.calendar = a_calendar(cast.alice, public=visibility in ("public", "by token"))
        self._shared = set[str]()

    @cached_property
    def actors(self) -> dict[str, Client]:
        """Everybody who may want something of these records."""
        return {name: self.actor(name) for name in PEOPLE}

    def actor(self, name: str) -> Client:
        """Somebody who wants something of these records: the calendar is shared with them when they do."""
        person: Client = getattr(self.cast, PEOPLE[name])
        if isinstance(person, Person) and name in SHARED and name not in self._shared:
            self._shared.add(name)
            self._share(person, SHARED[name])
            if name == "former manager":
                path = f"/api/calendars/{self.calendar['id']}/unshare"
                assert self.cast.alice.put(path, json={"user_name": person.user_name}).status == 200
        return person

    def _share(self, person: Person, role: str) -> None:
        """Share the calendar without a request: the table needs thousands."""
        app: Any = person.app
        services = app._services
        ctx = Context(services.db, services.settings, services.clock())
        with ctx.write():
            sharing.invite_user(ctx, self.calendar["id"], person.id, role)

    @cached_property
    def event(self) -> dict[str, Any]:
        fields = {"visibility": "link"} if self.visibility == "by link" else {}
        return an_event(self.cast.alice, calendar_id=self.calendar["id"], **fields)

    @cached_property
    def contact(self) -> dict[str, Any]:
        return a_contact(self.cast.alice)

    @cached_property
    def webhook(self) -> dict[str, Any]:
        return a_webhook(self.cast.alice)

    @cached_property
    def source(self) -> dict[str, Any]:
        return a_source(self.cast.alice, calendar_id=self.calendar["id"])

    def _followed_event(self) -> int:
        """An event of the source."""
        listed = self.cast.alice.get("/api/events", query={"calendar_id": self.source["calendar_id"], "title": "gig"}).json["events"]
        return int(listed[0]["id"])

    @cached_property
    def subscriber(self) -> dict[str, Any]:
        a_response(self.cast.alice, self.event, email_address="dana@example.org", opt_in=True)
        listed: list[dict[str, Any]] = self.cast.alice.get("/api/subscribers").json["subscribers"]
        return listed[-1]

    @cached_property
    def confirmation(self) -> int:
        """The message that asks an address whether it wants to be on alice's list."""
        assert self.subscriber
        return confirmations(self.cast.alice, "dana@example.org")[0]

    def _propose(self) -> str:
        """The token by which a change is confirmed that was proposed without proof."""
        a_response(self.cast.alice, self.event, email_address="gus@example.org")
        a_response(self.actor("viewer"), self.event, email_address="gus@example.org", response="NO")
        return a_proposal_token(self.settings, NOON)

    def _share_by_link(self) -> str:
        """What follows /e/ in the link of the event, which is shared by it if it was not yet."""
        event = self.cast.alice.put(f"/api/events/{self.event['id']}", json={"visibility": "link"}).json
        return str(event["link_url"]).rsplit("/", 1)[1]

    def path(self, template: str) -> str:
        if template.removeprefix("/api").startswith("/calendars"):
            template = template.replace("{question_id}", "{shared_question_id}").replace("{reminder_id}", "{shared_reminder_id}")
        if "/sources/" in template or template.endswith("/detach"):
            template = template.replace("{event_id}", "{followed_event_id}")
        if template.endswith(("/approve", "/refuse")):
            template = template.replace("{person_id}", "{waiting_person_id}")
        if template.endswith("/activate"):
            template = template.replace("{person_id}", "{suspended_person_id}")
        return template.format_map(_Lazily(self))

    def find(self, name: str) -> Any:
        values: dict[str, Callable[[], Any]] = {
            "session_id": lambda: self.cast.alice.session_id,
            "user_id": lambda: self.cast.alice.id,
            "person_id": lambda: Person(self.cast.anonymous, "paul").id,
            "waiting_person_id": lambda: an_inactive_person(self.cast.anonymous, "waiting").id,
            "suspended_person_id": lambda: an_inactive_person(self.cast.anonymous, "suspended").id,
            "account_invitation_id": lambda: an_account_invitation(self.cast.anonymous, f"{uuid4().hex}@example.org")[0],
            "deleted_calendar_id": lambda: a_deleted_calendar(self.cast.anonymous),
            "sign_up_token": lambda: an_account_invitation(self.cast.anonymous, f"{uuid4().hex}@example.org")[1],
            "identity_id": lambda: an_identity(self.settings, self.cast.alice),
            "provider_name": lambda: "nobody",
            "passkey_id": lambda: a_passkey(self.cast.alice)["id"],
            "key_id": lambda: a_key(self.cast.alice)["id"],
            "profile_name": lambda: f"{a_key(self.cast.alice, kind='dav')['id']}.mobileconfig",
            "blocked_id": lambda: a_block(self.cast.alice, self.cast.dave),
            "calendar_id": lambda: self.calendar["id"],
            "event_id": lambda: self.event["id"],
            "event_link": self._share_by_link,
            "webhook_id": lambda: self.webhook["id"],
            "source_id": lambda: self.source["id"],
            "run_id": lambda: a_held_run(self.cast.alice, self.source)["id"],
            "followed_event_id": self._followed_event,
            "comment_id": lambda: a_comment(self.cast.alice, self.event)["id"],
            "seq": lambda: last_change(self.cast.alice, self.event),
            "hidden_id": lambda: a_hidden_event(Admin(self.cast.anonymous, "ada"), an_event(self.cast.alice))["id"],
            "sender_id": lambda: a_blocked_sender(Admin(self.cast.anonymous, "ada"))["id"],
            "report_id": lambda: a_report(self.cast.alice, event_id=self.event["id"])["id"],
            "response_id": lambda: a_response(self.cast.alice, self.event, email_address="gus@example.org")["id"],
            "question_id": lambda: a_question(self.cast.alice, f"/api/events/{self.event['id']}")["id"],
            "reminder_id": lambda: a_reminder(self.cast.alice, f"/api/events/{self.event['id']}")["id"],
            "cohost_id": lambda: a_cohost(self.cast.alice, self.event, f"{uuid4().hex}@example.org")["id"],
            "offer_id": lambda: an_ownership_offer(self.cast.alice, self.calendar, self.cast.vera)["id"],
            "shared_reminder_id": lambda: a_reminder(self.cast.alice, f"/api/calendars/{self.calendar['id']}")["id"],
            "shared_question_id": lambda: a_question(self.cast.alice, f"/api/calendars/{self.calendar['id']}")["id"],
            "contact_id": lambda: self.contact["id"],
            "invitation_id": lambda: an_invitation(self.cast.alice, self.event, f"{uuid4().hex}@example.org")["id"],
            "invitation_token": lambda: an_invitation_token(self.settings, self.find("invitation_id")),
            "subscriber_id": lambda: self.subscriber["id"],
            "token": lambda: unsubscribe_url(self.settings, self.subscriber["id"]).rsplit("/", 1)[1],
            "confirm_token": lambda: confirm_url(self.settings, self.confirmation).rsplit("/", 1)[1],
            "response_token": lambda: a_response_token(self.settings, self.find("response_id")),
            "proposal_token": self._propose,
            "notices_token": lambda: notices_url(self.settings, self.cast.dave.id).rsplit("/", 1)[1],
            "suppression_id": lambda: a_suppression(self.settings, self.cast.alice),
            "stop_token": lambda: a_stop_token(self.settings, self.cast.alice),
            "reset_token": lambda: a_reset_token(self.settings, self.cast.dave.id, NOON),
            "verify_token": lambda: a_verify_token(self.settings, self.cast.dave.id, NOON),
            "name": lambda: "style.css",
            "picture_name": lambda: a_picture(self.cast.alice, self.event).rpartition("/")[2],
            "page_name": lambda: "api",
            "color_name": lambda: "2a5db0",
            "digest": lambda: a_style_sheet(Admin(self.cast.anonymous, "ada")),
        }
        return values[name]()


class _Lazily(dict[str, Any]):
    def __init__(self, scene: Scene):
        super().__init__()
        self._scene = scene

    def __missing__(self, name: str) -> Any:
        return self._scene.find(name)


# Fields that a request needs so that permission alone decides.
REQUEST_FIELDS: dict[str, Callable[[Scene], dict[str, Any]]] = {
    "POST /reset": lambda scene: {"user_name": "nobody"},
    "POST /language": lambda scene: {"language": "fr"},
    "POST /reset/{reset_token}": lambda scene: {"password": PASSWORD},
    "POST /account/profile": lambda scene: {"name": "Another name"},
    "POST /account/password": lambda scene: {"current_password": PASSWORD, "password": PASSWORD},
    "POST /account/delete": lambda scene: {"current_password": PASSWORD},
    "PUT /api/site": lambda scene: {"tagline": "Every night"},
    "POST /admin": lambda scene: {"tagline": "Every night"},
    "PUT /api/admin/people/{person_id}": lambda scene: {"role": "admin"},
    "POST /admin/people/{person_id}/role": lambda scene: {"role": "admin"},
    "POST /admin/people/{person_id}/sending": lambda scene: {"sending": "allowed"},
    "PUT /api/admin/deleted_calendars/{deleted_calendar_id}": lambda scene: {"user_name": scene.cast.dave.user_name},
    "POST /admin/deleted_calendars/{deleted_calendar_id}/give": lambda scene: {"user_name": scene.cast.dave.user_name},
    "POST /admin/people/invitations": lambda scene: {"email_address": f"{uuid4().hex}@example.org"},
    "POST /api/admin/invitations": lambda scene: {"email_address": f"{uuid4().hex}@example.org"},
    "POST /sign-up/{sign_up_token}": lambda scene: {"user_name": f"kim-{uuid4().hex[:8]}", "password": PASSWORD},
    **dict.fromkeys(
        ("POST /api/users/{user_id}/totp/confirmation", "POST /account/codes/confirm"),
        lambda scene: {"code": code_at(an_app(scene.cast.alice), NOON)},
    ),
    **dict.fromkeys(
        (
            "PUT /api/users/{user_id}/totp",
            "POST /api/users/{user_id}/totp/recovery_codes",
            "DELETE /api/users/{user_id}/totp",
            "POST /account/codes/recovery",
            "POST /account/codes/keys",
            "POST /account/codes/delete",
        ),
        lambda scene: {"key_logins": False} if a_second_factor(scene.cast.alice) else {},
    ),
    "POST /api/passkeys": lambda scene: registration(scene.cast.alice),
    "POST /account/passkeys": lambda scene: registration(scene.cast.alice),
    "POST /account/keys": lambda scene: {"name": "a key"},
    "POST /account/devices": lambda scene: {"name": "a phone"},
    "POST /api/keys": lambda scene: {"name": "a key"},
    "POST /api/webhooks": lambda scene: {"url": "https://[2606:4700::1111]/hook", "calendar_id": scene.calendar["id"]},
    "POST /webhooks": lambda scene: {"url": "https://[2606:4700::1111]/hook", "calendar_id": str(scene.calendar["id"])},
    # By the secret URL of the feed.
    "GET /api/contacts/birthdays.ics": lambda scene: dict(
        parse_qsl(urlsplit(scene.cast.alice.get("/api/contacts/birthdays").json["feed_url"]).query)
    ),
    "GET /api/sources": lambda scene: {"calendar_id": scene.calendar["id"]},
    "POST /api/sources": lambda scene: {"url": any_address(), "calendar_id": scene.calendar["id"]},
    "PUT /api/sources/{source_id}": lambda scene: {"name": "Another name"},
    "POST /calendars/{calendar_id}/sources/preview": lambda scene: {"url": any_address()},
    "POST /calendars/{calendar_id}/sources/imports": lambda scene: {"url": any_address()},
    "POST /api/sources/imports": lambda scene: {"url": any_address(), "calendar_id": scene.calendar["id"]},
    "POST /calendars/{calendar_id}/sources": lambda scene: {"url": any_address()},
    "POST /sources/{source_id}/edit": lambda scene: {"name": "Another name"},
    "POST /sources/{source_id}/accept": lambda scene: {"run_id": str(a_held_run(scene.cast.alice, scene.source)["id"])},
    "PUT /api/sources/{source_id}/runs/{run_id}": lambda scene: {"accepted": True},
    "POST /webhooks/{webhook_id}/redeliver": lambda scene: {"hours": "1"},
    "POST /api/webhooks/{webhook_id}/redeliver": lambda scene: {"since": "2026-05-11T15:00:00Z"},
    "POST /api/calendars": lambda scene: {"name": "a calendar"},
    "POST /calendars": lambda scene: {"name": "a calendar"},
    "POST /calendars/{calendar_id}/color": lambda scene: {"color": "#00707a"},
    "PUT /api/calendars/{calendar_id}/color": lambda scene: {"color": "#00707a"},
    "POST /calendars/{calendar_id}/share": lambda scene: {"user_name": scene.cast.dave.user_name},
    "GET /calendars/{calendar_id}/unshare": lambda scene: {"user_name": scene.cast.dave.user_name},
    "POST /calendars/{calendar_id}/unshare": lambda scene: {"user_name": scene.cast.dave.user_name},
    "PUT /api/calendars/{calendar_id}/share": lambda scene: {"user_name": scene.cast.dave.user_name},
    "PUT /api/calendars/{calendar_id}/unshare": lambda scene: {"user_name": scene.cast.dave.user_name},
    "POST /api/events": lambda scene: {"title": "Gig", "start_time": "2026-05-11T20:00", "calendar_id": scene.calendar["id"]},
    "PUT /api/events": lambda scene: {"uid": "gig", "title": "Gig", "start_time": "2026-05-11", "calendar_id": scene.calendar["id"]},
    "PUT /api/events/{event_id}": lambda scene: {"title": "Another title"},
    "POST /api/comments": lambda scene: {"event_id": scene.event["id"], "comment": "Hello", "email_address": "guest@example.org"},
    "POST /api/reports": lambda scene: {"event_id": scene.event["id"], "reason": "spam"},
    "PUT /api/reports/{report_id}": lambda scene: {"closed": True},
    "POST /admin/moderation/hide": lambda scene: {"event": str(scene.event["id"]), "reason": "Spam"},
    "POST /admin/moderation/block": lambda scene: {"sender": "spam.example"},
    "POST /api/blocked_senders": lambda scene: {"sender": "spam.example"},
    "POST /api/hidden_events": lambda scene: {"event_id": scene.event["id"], "reason": "Spam"},
    "GET /reports/new": lambda scene: {"event_id": scene.event["id"]},
    "POST /reports/new": lambda scene: {"event_id": str(scene.event["id"]), "reason": "spam"},
    "GET /api/changes": lambda scene: {"calendar_id": scene.calendar["id"]},
    "GET /api/changes/stream": lambda scene: {"calendar_id": scene.calendar["id"]},
    "DELETE /api/events": lambda scene: {"uid": scene.event["uid"], "calendar_id": scene.calendar["id"]},
    "GET /api/comments": lambda scene: {"event_id": scene.event["id"]},
    "POST /api/events/{event_id}/questions": lambda scene: {"label": "Vegan?", "kind": "yes_no"},
    "PUT /api/ownership_offers/{offer_id}": lambda scene: {"accepted": True},
    "POST /calendars/offers/{offer_id}": lambda scene: {"accepted": "true"},
    "POST /api/calendars/{calendar_id}/ownership_offers": lambda scene: {"user_name": scene.cast.dave.user_name},
    "POST /calendars/{calendar_id}/ownership": lambda scene: {"user_name": scene.cast.dave.user_name},
    "POST /api/events/{event_id}/cohosts": lambda scene: {"user_name": f"{uuid4().hex}@example.org"},
    "POST /events/{event_id}/cohosts": lambda scene: {"user_name": f"{uuid4().hex}@example.org"},
    "POST /api/events/{event_id}/reminders": lambda scene: {"before": 60},
    "POST /api/calendars/{calendar_id}/reminders": lambda scene: {"before": 60},
    "POST /api/calendars/{calendar_id}/questions": lambda scene: {"label": "Vegan?", "kind": "yes_no"},
    "PUT /api/responses/{response_id}/reminders": lambda scene: {"wanted": False},
    "PUT /api/comments/{comment_id}": lambda scene: {"comment": "Another text"},
    "POST /api/contacts": lambda scene: {"first_name": "Ana"},
    "POST /contacts": lambda scene: {"first_name": "Ana"},
    "POST /contacts/{contact_id}/edit": lambda scene: {"version": f"c{scene.contact['id']}-1"},
    "POST /contacts/keep": lambda scene: {"all": "true"},
    "POST /api/contacts/import": lambda scene: {"service": "google"},
    "PUT /api/events/{event_id}/send_to_me": lambda scene: {"email": "guest@example.org"},
    "POST /events/{event_id}/responses/selected": lambda scene: {"guests": [f"r{scene.find('response_id')}"], "action": "NO"},
    "POST /events/{event_id}/responses/new": lambda scene: {"response": "YES", "email_address": "new.guest@example.org"},
    "POST /events/{event_id}/respond": lambda scene: {"response": "NO", "email_address": "guest@example.org"},
    "POST /events/{event_id}/respond/questions": lambda scene: {"response": "YES", "email_address": "guest@example.org"},
    "POST /events/{event_id}/reminders": lambda scene: {"when": "60"},
    "POST /calendars/{calendar_id}/reminders": lambda scene: {"when": "60"},
    "POST /events/{event_id}/reminders/{reminder_id}/edit": lambda scene: {"when": "60"},
    "POST /calendars/{calendar_id}/reminders/{reminder_id}/edit": lambda scene: {"when": "60"},
    "POST /events/{event_id}/questions": lambda scene: {"label": "Vegan?", "kind": "yes_no"},
    "POST /calendars/{calendar_id}/questions": lambda scene: {"label": "Vegan?", "kind": "yes_no"},
    "POST /events/{event_id}/comment": lambda scene: {"comment": "Hello", "email_address": "guest@example.org"},
    "POST /events/{event_id}/link": lambda scene: {"email_address": "guest@example.org"},
    "POST /events/{event_id}/send": lambda scene: {"email": "guest@example.org"},
    "POST /calendars/{calendar_id}/subscribe": lambda scene: {"email_address": "guest@example.org"},
    "POST /events": lambda scene: {"title": "Gig", "start_time": "2026-05-11", "calendar_id": str(scene.calendar["id"])},
    "POST /events/{event_id}": lambda scene: {"title": "Another title", "version": f"{scene.event['id']}-1"},
    "POST /events/{event_id}/repeat": lambda scene: {"repeat": "daily", "ends": "on", "end_date": "2026-06-03"},
    "POST /api/events/{event_id}/invitations": lambda scene: {"addresses": ["gus@example.org"]},
    "POST /events/{event_id}/invitations/check": lambda scene: {"addresses": "gus@example.org"},
    "POST /events/{event_id}/invitations/send": lambda scene: {"addresses": "gus@example.org"},
    "POST /api/events/{event_id}/messages": lambda scene: {"to": ["going"], "subject": "Hello", "text": "Bring a chair."},
    "POST /events/{event_id}/messages/check": lambda scene: {"to": "going", "subject": "Hello", "text": "Bring a chair."},
    "POST /events/{event_id}/messages/send": lambda scene: {"to": "going", "subject": "Hello", "text": "Bring a chair."},
    "POST /i/{invitation_token}": lambda scene: {"response": "NO", "number": "1", "plus_n": "0"},
    "POST /r/{response_token}": lambda scene: {"response": "MAYBE", "number": "1", "plus_n": "0"},
    "POST /api/responses/link": lambda scene: {"event_id": scene.event["id"], "email_address": "gus@example.org"},
    "PUT /api/responses/{response_id}": lambda scene: {"response": "NO"},
    "PUT /api/my_events/{event_id}": lambda scene: {"response": "MAYBE"},
    "POST /my-events/{event_id}": lambda scene: {"response": "MAYBE"},
    "POST /responses/{response_id}/edit": lambda scene: {"response": "NO", "number": "1", "plus_n": "0"},
    "GET /api/responses.csv": lambda scene: {"event_id": scene.event["id"]},
    "POST /api/responses": lambda scene: {"event_id": scene.event["id"], "response": "NO", "email_address": "guest@example.org"},
    "PUT /api/events/{event_id}/repeat": lambda scene: {"frequency": "DAILY", "end_date": "2026-06-03"},
    "PUT /api/events/{event_id}/remove": lambda scene: {"calendar_id": scene.calendar["id"]},
    "DELETE /api/users/{user_id}": lambda scene: {"current_password": PASSWORD},
}

REQUEST_FIELDS |= {
    name.replace("/events/{event_id}/", "/e/{event_link}/"): REQUEST_FIELDS[name]
    for name in (f"POST /events/{{event_id}}/{action}" for action in ("respond", "respond/questions", "comment", "link", "send"))
}

# After these, the people cannot go on: they are signed out, gone, or no longer subscribed or blocked.
CHANGES_PEOPLE = re.compile(r"/(sign-|session|users|account|reset|verify|blocks|unsubscribe|u/|confirm|c/)")

# Those that carry a file, beside the home calendar.
FILES = {
    "POST /api/events/import": ("a.ics", b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:gig\nDTSTART:20270510T180000Z\nEND:VEVENT\nEND:VCALENDAR\n"),
    "POST /api/events/{event_id}/image": ("a.png", SMALL_PICTURE),
    "POST /api/contacts/import_file": ("a.vcf", b"BEGIN:VCARD\nVERSION:4.0\nFN:Hal\nEND:VCARD\n"),
}
# Guests may use these where the settings have a token of the metrics, or a provider.
WITH_SETTINGS = {"GET /metrics", "GET /sign-in/oidc/{provider_name}", "GET /sign-in/oidc/{provider_name}/callback"}


def name_of(endpoint: Any) -> str:
    return f"{endpoint.method} {endpoint.url}"


def test_every_endpoint_has_a_row_and_every_row_an_endpoint() -> None:
    assert {name_of(endpoint) for endpoint in ENDPOINTS} == set(TABLE)


def test_the_documentation_names_the_endpoints_that_guests_may_use() -> None:
    """`guests=True` is documentation, and this holds it against the table."""
    declared = {name_of(endpoint): endpoint.guests for endpoint in ENDPOINTS}
    held = {name: any(row[0] != 401 and row[0] != 404 for row in rows.values()) or name in WITH_SETTINGS for name, rows in TABLE.items()}
    assert declared == held


@pytest.mark.parametrize("query", ["offset=1000000000", "limit=0", "limit=0&count=true"])
def test_guests_are_refused_a_list_whatever_part_of_it_they_ask_for(client: Client, query: str) -> None:
    urls = [each.url for each in ENDPOINTS if each.params and issubclass(each.params, Paging) and not each.guests and "{" not in each.url]
    assert "/api/trash" in urls
    replies = {url: client.get(f"{url}?{query}").status for url in urls}
    assert replies == dict.fromkeys(urls, 401)


# What a page shows is decided by the same functions as in the API, which run on both databases.
@pytest.mark.parametrize(
    "endpoint",
    [pytest.param(each, id=name_of(each), marks=[pytest.mark.on_one_database] if each.format == "html" else []) for each in ENDPOINTS],
)
def test_each_actor_has_the_permissions_of_the_table(client: Client, settings: Settings, endpoint: Any, soak: bool) -> None:
    """In short, PostgreSQL has no public records, where an endpoint has private ones (see tests/README.md)."""
    name = name_of(endpoint)
    cast, scene = Cast(client), None
    is_short = settings.database and not soak and "private" in TABLE[name]
    for visibility, row in TABLE[name].items():
        if is_short and visibility == "public":
            continue
        # Those who are refused change nothing, so the one after them needs no new records.
        for actor, status in sorted(statuses(row).items(), key=lambda each: each[1] < 400):
            if scene is None or scene.visibility != visibility:
                scene = Scene(cast, settings, visibility)
                path, content = scene.path(endpoint.url), content_of(name, scene)
            reply = scene.actor(actor).request(endpoint.method, path, **content)
            assert reply.status == status, (visibility, actor, reply)
            if endpoint.writes and status < 400:
                cast, scene = Cast(client) if CHANGES_PEOPLE.search(name) else cast, None


def one_who_may(name: str, scene: Scene) -> Client:
    """Who sends a request that must succeed: an admin or a viewer where the owner of the records is refused, else the owner."""
    if TABLE[name] == {"": ADMINS}:
        return Admin(scene.cast.anonymous, "ada")
    return scene.actor("viewer") if TABLE[name] in (for_readers(200), TO_VIEWER) else scene.cast.alice


def content_of(name: str, scene: Scene) -> dict[str, Any]:
    if name in FILES:
        return multipart({"calendar_id": str(scene.calendar["id"])}, [("file", *FILES[name])])
    proof = {"token": a_response_token(scene.settings, scene.find("response_id"))} if scene.visibility == "by token" else {}
    if scene.visibility == "by link" and "/api/" in name and not name.endswith("reset_link"):
        proof = {"link": scene.find("event_link")}
    return {"json": (REQUEST_FIELDS[name](scene) if name in REQUEST_FIELDS else {}) | proof}

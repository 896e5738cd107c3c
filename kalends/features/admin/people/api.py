"""The people of the site, whom admins approve, suspend, delete and make admins."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.people import User
from kalends.core.values import timestamps
from kalends.features.admin.audit import store as audit
from kalends.features.admin.people import store
from kalends.features.admin.people.model import PeopleIndex, PeopleQuery, PersonDeletion, PersonInput, PersonItem
from kalends.features.admin.people.store import Person
from kalends.features.deliveries import refusal_store as refusals
from kalends.features.sessions.steps.credentials import confirm_admin
from kalends.features.users import present
from kalends.features.users import store as users
from kalends.features.users.model import AccountDeletion
from kalends.features.users.steps import account_status, deletion
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import build_page


@endpoint("GET", "/api/admin/people", for_admins=True)
def people(ctx: Context, params: PeopleQuery) -> PeopleIndex:
    """The people who have an account, or wait for one, the newest first; for admins."""
    policy.admin(ctx)
    rows, page = build_page(ctx, params, store.index(ctx, params), lambda: store.count(ctx, params))
    return PeopleIndex([_item(row) for row in rows], **page)


@endpoint("PUT", "/api/admin/people/{person_id}", transaction=False, pool="hash")
def update_person(ctx: Context, person_id: int, params: PersonInput) -> PersonItem:
    """Make someone an admin, or a member again; stop an account from sending to others, or allow it again; for admins.

    409 for your own account. All admins get mail about a new admin. A role requires a session that was opened within the
    last 15 minutes, in any way, or `current_password`. A key cannot change it.
    """
    if params.role:
        _confirm(ctx, person_id, params.current_password)
    with ctx.write():
        person = policy.managed_user(ctx, person_id)
        if not (params.role or params.sending):
            raise errors.invalid("role", gettext("name what to change: role or sending"), "required")
        if params.role:
            account_status.change_role(ctx, person, params.role)
        if params.sending and refusals.change_sending(ctx, person_id, params.sending):
            audit.record(ctx, "sending_changed", "account", person_id, params.sending)
        return _item(store.get(ctx, person_id))


@endpoint("PUT", "/api/admin/people/{person_id}/approve")
def approve(ctx: Context, person_id: int) -> PersonItem:
    """Approve a pending account and notify the user by mail; for admins. 409 if it is not pending."""
    account_status.approve(ctx, policy.managed_user(ctx, person_id))
    return _item(store.get(ctx, person_id))


@endpoint("PUT", "/api/admin/people/{person_id}/refuse")
def refuse(ctx: Context, person_id: int) -> Deletion:
    """Delete a pending account and notify the user by mail; for admins. 409 if it is not pending."""
    person = policy.managed_user(ctx, person_id)
    account_status.refuse(ctx, person, users.get(ctx, policy.admin(ctx).id))
    return Deletion([person_id])


@endpoint("PUT", "/api/admin/people/{person_id}/suspend")
def suspend(ctx: Context, person_id: int) -> PersonItem:
    """Suspend an account: sessions end, keys are deleted, and nobody can sign in to it. Calendars of others that it edits get new feed
    URLs. What it has published stays. For admins."""
    account_status.suspend(ctx, _load_decided(ctx, person_id).id)
    return _item(store.get(ctx, person_id))


@endpoint("PUT", "/api/admin/people/{person_id}/activate")
def activate(ctx: Context, person_id: int) -> PersonItem:
    """Lift the suspension of an account; for admins."""
    account_status.activate(ctx, _load_decided(ctx, person_id).id)
    return _item(store.get(ctx, person_id))


@endpoint("DELETE", "/api/admin/people/{person_id}", transaction=False, pool="hash")
def delete_person(ctx: Context, person_id: int, params: PersonDeletion) -> AccountDeletion:
    """Delete an account, and with it its contacts, keys, sessions and the calendars that nobody else edits; for admins. 409 for your own
    account.

    A calendar that others edit goes to the manager, else the editor, who has shared it for the longest time; with `give_to`, all calendars
    go to this user. The others are in the trash for 30 days: see `GET /api/admin/deleted_calendars`.
    `calendars` in the reply says who gets what, and `dry_run=true` says it first.

    Comments and responses to other people's events stay with those events. Neither the person nor the guests are notified. This requires a
    session that was opened within the last 15 minutes, in any way, or `current_password`. A key cannot do it.
    """
    person = _confirm(ctx, person_id, params.current_password)
    give_to = _find_heir(ctx, person_id, params.give_to) if params.give_to else None
    return present.deletion(person, deletion.delete_account(ctx, person, give_to=give_to))


def _find_heir(ctx: Context, person_id: int, name: str) -> int:
    """The id of the user who gets the calendars of the person."""
    with ctx.read():
        heir = users.find(ctx, name)
    if heir is None or heir.id == person_id or heir.status != "active":
        raise errors.invalid("give_to", gettext("must be someone else with an active account"), "not_found")
    return heir.id


def _confirm(ctx: Context, person_id: int, password: str | None) -> User:
    """The person, if the admin has signed in recently or gives the password."""
    with ctx.read():
        person = policy.managed_user(ctx, person_id)
    confirm_admin(ctx, password)
    return person


def _load_decided(ctx: Context, person_id: int) -> User:
    """The person, who must not wait for approval."""
    person = policy.managed_user(ctx, person_id)
    if person.status == "waiting":
        raise errors.Conflict(gettext("This account is awaiting approval. Approve or decline it first."))
    return person


def _item(person: Person) -> PersonItem:
    return PersonItem(
        id=person.id,
        user_name=person.user_name,
        email_address=person.email_address,
        name=person.name,
        role=person.role,
        status=person.status,
        sending=person.sending,
        verified=person.verified_at is not None,
        created_at=timestamps.format_utc(person.created_at),
        last_seen_at=None if person.last_seen_at is None else timestamps.format_utc(person.last_seen_at),
    )

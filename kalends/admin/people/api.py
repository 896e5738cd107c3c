"""The people of the site, whom admins approve, suspend, delete and make admins."""

from msgspec import UNSET

from kalends import errors, policy
from kalends.admin.people import store
from kalends.admin.people.model import PeopleIndex, PeopleQuery, PersonDeletion, PersonInput, PersonItem
from kalends.admin.people.store import Person
from kalends.audit import store as audit
from kalends.context import Context
from kalends.deliveries import refusals
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import paginate
from kalends.i18n import gettext
from kalends.records.session import VERY_RECENT
from kalends.records.user import User
from kalends.sessions import credentials
from kalends.users import approval, deletion, roles, suspension
from kalends.users import store as users
from kalends.values import timestamps


@endpoint("GET", "/api/admin/people", for_admins=True)
def people(ctx: Context, params: PeopleQuery) -> PeopleIndex:
    """The people who have an account, or wait for one, the newest first; for admins."""
    policy.admin(ctx)
    rows, next_page = paginate(ctx, params, store.index(ctx, params))
    total = store.count(ctx, params) if params.count else UNSET
    return PeopleIndex([_item(row) for row in rows], params.size, params.offset, next_page, total)


@endpoint("PUT", "/api/admin/people/{person_id}", transaction=False, pool="hash")
def update_person(ctx: Context, person_id: int, params: PersonInput) -> PersonItem:
    """Make someone an admin, or a member again; stop an account from sending to others, or allow it again; for admins.

    409 for your own account. All admins get mail about a new admin. A role requires a session that was opened with the password within the
    last 15 minutes, or `current_password`. A key cannot change it.
    """
    if params.role:
        _confirm(ctx, person_id, params.current_password)
    with ctx.write():
        person = policy.managed_user(ctx, person_id)
        if not (params.role or params.sending):
            raise errors.invalid("role", gettext("name what to change: role or sending"), "required")
        if params.role:
            roles.change_role(ctx, person, params.role)
        if params.sending and refusals.change_sending(ctx, person_id, params.sending):
            audit.record(ctx, "sending_changed", "account", person_id, params.sending)
        return _item(store.get(ctx, person_id))


@endpoint("PUT", "/api/admin/people/{person_id}/approve")
def approve(ctx: Context, person_id: int) -> PersonItem:
    """Let someone sign in who waits for approval, and tell them by mail; for admins. 409 if they do not wait."""
    approval.approve(ctx, policy.managed_user(ctx, person_id))
    return _item(store.get(ctx, person_id))


@endpoint("PUT", "/api/admin/people/{person_id}/refuse")
def refuse(ctx: Context, person_id: int) -> Deletion:
    """Delete the registration of someone who waits for approval, and tell them by mail; for admins. 409 if they do not wait."""
    person = policy.managed_user(ctx, person_id)
    approval.refuse(ctx, person, users.get(ctx, policy.admin(ctx).id))
    return Deletion([person_id])


@endpoint("PUT", "/api/admin/people/{person_id}/suspend")
def suspend(ctx: Context, person_id: int) -> PersonItem:
    """Suspend an account: sessions end, keys are deleted, and nobody can sign in to it. What it has published stays. For admins."""
    suspension.suspend(ctx, _load_decided(ctx, person_id).id)
    return _item(store.get(ctx, person_id))


@endpoint("PUT", "/api/admin/people/{person_id}/activate")
def activate(ctx: Context, person_id: int) -> PersonItem:
    """Lift the suspension of an account; for admins."""
    suspension.activate(ctx, _load_decided(ctx, person_id).id)
    return _item(store.get(ctx, person_id))


@endpoint("DELETE", "/api/admin/people/{person_id}", transaction=False, pool="hash")
def delete_person(ctx: Context, person_id: int, params: PersonDeletion) -> Deletion:
    """Delete an account, and with it its calendars, events, contacts, keys and sessions; for admins. 409 for your own account.

    Comments and responses to other people's events stay with those events. Neither the person nor the guests are told. This requires a
    session that was opened with the password within the last 15 minutes, or `current_password`. A key cannot do it.
    """
    person = _confirm(ctx, person_id, params.current_password)
    deletion.delete_account(ctx, person)
    return Deletion([person_id])


def _confirm(ctx: Context, person_id: int, password: str | None) -> User:
    """The person, if the admin has signed in recently or gives the password."""
    with ctx.read():
        person = policy.managed_user(ctx, person_id)
        session = policy.administrating_session(ctx)
        admin = users.get(ctx, session.user_id)
    if password:
        credentials.confirm(ctx, admin, password)
    elif not session.is_recent(ctx.now, VERY_RECENT):
        rule = gettext("is required, since you signed in more than 15 minutes ago")
        raise errors.SignInAgain(
            gettext("You signed in more than 15 minutes ago. Sign in again, or send your password as current_password."),
            [errors.FieldError("current_password", rule, "required")],
        )
    return person


def _load_decided(ctx: Context, person_id: int) -> User:
    """The person, who must not wait for approval."""
    person = policy.managed_user(ctx, person_id)
    if person.status == "waiting":
        raise errors.Conflict(gettext("This account waits for approval. Approve or refuse it."))
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

"""Administration: the people of the site, who waits for approval, and who is invited."""

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.admin.invitations import api as invitation_api
from kalends.features.admin.invitations.api import AccountInvitationInput
from kalends.features.admin.people import api, store
from kalends.features.admin.people.model import PeopleQuery, PersonDeletion, PersonInput
from kalends.features.calendars import ownership_store as ownership
from kalends.features.sessions.steps.credentials import admin_needs_password
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

BACK = "/admin/people"
INVITED = f"{BACK}#invitations"
MAX_INVITATIONS = 100


@page("GET", "/admin/people")
def index(ctx: Context, params: PeopleQuery) -> Document:
    """The people, the newest first, and the invitations to make an account."""
    return _render(ctx, params, FormState())


def _render(ctx: Context, params: PeopleQuery, invitation: FormState) -> Document:
    people = api.people(ctx, params)
    return render(
        "people/index.html",
        ctx,
        title=gettext("People"),
        people=people,
        form=filled({"text": params.text}),
        query=params,
        deleted_calendars=policy.count_deleted_calendars(ctx),
        waiting=store.count(ctx, PeopleQuery(status="waiting")),
        invitations=invitation_api.invitations(ctx, Paging(limit=MAX_INVITATIONS)).invitations,
        invitation=structs.replace(invitation, prefix="invitation-"),
    )


@page("POST", "/admin/people/{person_id}/approve")
def approve(ctx: Context, person_id: int, params: Form) -> Document:
    """Approve a pending account."""
    api.approve(ctx, person_id)
    return redirect(ctx, BACK, done="person-approved")


@page("POST", "/admin/people/{person_id}/refuse")
def refuse(ctx: Context, person_id: int, params: Form) -> Document:
    """Delete the registration of someone who waits for approval."""
    api.refuse(ctx, person_id)
    return redirect(ctx, BACK, done="person-refused")


@page("POST", "/admin/people/{person_id}/suspend")
def suspend(ctx: Context, person_id: int, params: Form) -> Document:
    """Suspend an account."""
    api.suspend(ctx, person_id)
    return redirect(ctx, BACK, done="person-suspended")


@page("POST", "/admin/people/{person_id}/activate")
def activate(ctx: Context, person_id: int, params: Form) -> Document:
    """Lift the suspension of an account."""
    api.activate(ctx, person_id)
    return redirect(ctx, BACK, done="person-activated")


@page("GET", "/admin/people/{person_id}/delete")
def ask(ctx: Context, person_id: int, form: FormState | None = None) -> Document:
    """Ask before an account is deleted, and show what goes with it."""
    person = policy.managed_user(ctx, person_id)
    return render(
        "people/delete.html",
        ctx,
        title=gettext("Delete the account %(name)s?", name=person.user_name),
        person=person,
        counts=store.count_records(ctx, person_id),
        calendars=ownership.find_bequests(ctx, person_id, None),
        form=form or FormState(),
        needs_password=admin_needs_password(ctx),
    )


@page("POST", "/admin/people/{person_id}/delete", again=ask, pool="hash")
def delete(ctx: Context, person_id: int, params: Form) -> Document:
    """Delete an account."""
    api.delete_person(ctx, person_id, params.read(PersonDeletion))
    return redirect(ctx, BACK, done="deleted")


@page("GET", "/admin/people/{person_id}/role")
def ask_role(ctx: Context, person_id: int, form: FormState | None = None) -> Document:
    """Ask before someone is made an admin, or a member again."""
    person = policy.managed_user(ctx, person_id)
    is_member = person.role == "member"
    if is_member:
        title = gettext("Make %(name)s an administrator?", name=person.user_name)
    else:
        title = gettext("Make %(name)s a member again?", name=person.user_name)
    return render(
        "people/role.html",
        ctx,
        title=title,
        person=person,
        role="admin" if is_member else "member",
        form=form or FormState(),
        needs_password=admin_needs_password(ctx),
    )


@page("POST", "/admin/people/{person_id}/role", again=ask_role, pool="hash")
def change_role(ctx: Context, person_id: int, params: Form) -> Document:
    """Make someone an admin, or a member again."""
    api.update_person(ctx, person_id, params.read(PersonInput))
    return redirect(ctx, BACK, done="saved")


@page("POST", "/admin/people/{person_id}/sending", pool="hash")
def change_sending(ctx: Context, person_id: int, params: Form) -> Document:
    """Stop an account from sending to others, or allow it again."""
    api.update_person(ctx, person_id, params.read(PersonInput))
    return redirect(ctx, BACK, done="saved")


def _again(ctx: Context, invitation: FormState) -> Document:
    return _render(ctx, PeopleQuery(), invitation)


@page("POST", "/admin/people/invitations", again=_again, form="invitation")
def invite(ctx: Context, params: Form) -> Document:
    """Invite someone by mail to make an account."""
    invitation_api.invite(ctx, params.read(AccountInvitationInput))
    return redirect(ctx, INVITED, done="person-invited")


@page("POST", "/admin/people/invitations/{account_invitation_id}/withdraw")
def withdraw(ctx: Context, account_invitation_id: int, params: Form) -> Document:
    """Withdraw an invitation."""
    invitation_api.withdraw_invitation(ctx, account_invitation_id)
    return redirect(ctx, INVITED, done="withdrawn")

"""Administration: the calendars that deleted accounts leave in the trash."""

from msgspec import structs

from kalends.core.i18n import gettext
from kalends.features.admin.deleted_calendars import api
from kalends.features.admin.deleted_calendars.api import Recipient
from kalends.features.sessions.steps.credentials import admin_needs_password
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

PATH = "/admin/deleted_calendars"


@page("GET", "/admin/deleted_calendars")
def index(ctx: Context, params: Paging) -> Document:
    """The calendars of deleted accounts, the last one first."""
    return _render(ctx, params, FormState(), None)


def _render(ctx: Context, params: Paging, form: FormState, answered_id: int | None) -> Document:
    listed = api.deleted_calendars(ctx, params)
    states = {each.id: form if each.id == answered_id else FormState() for each in listed.deleted_calendars}
    return render(
        "deleted_calendars/index.html",
        ctx,
        title=gettext("Calendars of deleted accounts"),
        index=listed,
        calendars=[(each, structs.replace(states[each.id], prefix=f"calendar{each.id}-")) for each in listed.deleted_calendars],
        problem=form if answered_id not in states else FormState(),
        needs_password=admin_needs_password(ctx),
    )


def _again(ctx: Context, deleted_calendar_id: int, form: FormState) -> Document:
    return _render(ctx, Paging(), form, deleted_calendar_id)


@page("POST", "/admin/deleted_calendars/{deleted_calendar_id}/give", again=_again, pool="hash")
def give(ctx: Context, deleted_calendar_id: int, params: Form) -> Document:
    """Give a calendar to somebody."""
    api.give_calendar(ctx, deleted_calendar_id, params.read(Recipient))
    return redirect(ctx, PATH, done="calendar-given")


@page("POST", "/admin/deleted_calendars/{deleted_calendar_id}/delete", again=_again, transaction=False)
def delete(ctx: Context, deleted_calendar_id: int, params: Form) -> Document:
    """Erase a calendar for good."""
    api.erase_calendar(ctx, deleted_calendar_id)
    return redirect(ctx, PATH, done="deleted")

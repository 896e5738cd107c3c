"""The calendars that a calendar follows: the list, the box for an address, and the preview of what is there."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.sources import api
from kalends.features.sources.model import AddressImport, SourceInput, SourceQuery
from kalends.features.sources.steps.follow import look_up
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import MAX_PAGE
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/calendars/{calendar_id}/sources")
def index(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """What the calendar follows, how each is, and the box for one more address."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.EDIT)
    sources = api.index(ctx, SourceQuery(calendar_id=calendar_id, limit=MAX_PAGE)).sources
    return render(
        "sources/index.html", ctx, title=gettext("Followed calendars"), form=form or FormState(), calendar=calendar, sources=sources
    )


@page("POST", "/calendars/{calendar_id}/sources/preview", again=index, pool="upload")
def preview(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Show what is at the address before it is followed."""
    found = look_up(ctx, Form({"url": params.text("url"), "calendar_id": calendar_id}).read(SourceInput)).found
    with ctx.read():
        calendar = policy.calendar(ctx, calendar_id, to=Right.EDIT)
        values = FormState(params.values | {"name": found.name, "public": "true" if calendar.public else "false"})
        return render("sources/preview.html", ctx, title=gettext("Follow this calendar?"), form=values, calendar=calendar, found=found)


@page("POST", "/calendars/{calendar_id}/sources", again=index, pool="upload")
def create(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Follow the address."""
    api.create(ctx, Form(params.values | {"calendar_id": calendar_id}).read(SourceInput))
    return redirect(ctx, f"/calendars/{calendar_id}/sources", done="followed")


@page("POST", "/calendars/{calendar_id}/sources/imports", again=index, pool="upload")
def import_once(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Import what is at the address once."""
    values = {name: params.values.get(name) for name in ("url", "public")}
    result = api.import_once(ctx, Form(values | {"calendar_id": calendar_id}).read(AddressImport))
    with ctx.read():
        return render("calendars/imported.html", ctx, title=gettext("Imported events"), result=result, calendar_id=calendar_id)

"""The calendars that a calendar follows: the list, the box for an address, and the preview of what is there."""

from typing import Any

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.tokens import decrypt, encrypt
from kalends.features.calendars import api as calendars
from kalends.features.calendars.model import CalendarInput
from kalends.features.sources import api, item_store
from kalends.features.sources.model import AddressImport, SourceInput, SourceQuery
from kalends.features.sources.rules.address import public_form
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

# The address may have a password, so the preview has it as nobody but this server can read it.
_PURPOSE = "address of a source"
# The choice of a new calendar, in the place of the id of one that is there.
NEW = "new"


@page("GET", "/calendars/{calendar_id}/sources")
def index(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """What the calendar follows, how each is, and the box for one more address."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.EDIT)
    sources = api.index(ctx, SourceQuery(calendar_id=calendar_id, limit=MAX_PAGE)).sources
    counts = item_store.count_by_source(ctx, [source.id for source in sources])
    form = form or FormState()
    if "@" in form.value("url"):
        # A password is not shown again.
        form = structs.replace(form, values={**form.values, "url": ""})
    return render(
        "sources/index.html", ctx, title=gettext("Calendars from elsewhere"), form=form, calendar=calendar, sources=sources, counts=counts
    )


@page("POST", "/calendars/{calendar_id}/sources/preview", again=index, pool="upload")
def preview(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Show what is at the address before it is followed."""
    reading = look_up(ctx, Form({"url": params.text("url"), "calendar_id": calendar_id}).read(SourceInput))
    with ctx.read():
        calendar = policy.calendar(ctx, calendar_id, to=Right.EDIT)
        return render(
            "sources/preview.html",
            ctx,
            title=gettext("Follow this calendar?"),
            form=FormState({"name": reading.found.name, "into": NEW}),
            calendar=calendar,
            calendars=[each for each in policy.named_member_calendars(ctx) if policy.can_edit(each)],
            new=NEW,
            found=reading.found,
            url=public_form(reading.url),
            address=encrypt(ctx.settings, _PURPOSE, str(policy.user(ctx).id), reading.url),
        )


@page("POST", "/calendars/{calendar_id}/sources", again=index, pool="upload")
def create(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Follow the address, on the calendar that was chosen."""
    values = params.without("address", "into").values | {"url": _address(ctx, params), "calendar_id": _target(params, calendar_id)}
    source = api.create(ctx, Form(values).read(SourceInput))
    return redirect(ctx, f"/calendars/{source.calendar_id}/sources", done="followed")


@page("POST", "/calendars/{calendar_id}/sources/imports", again=index, pool="upload")
def import_once(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Import what is at the address once, into the calendar that was chosen."""
    values = {"url": _address(ctx, params), "public": params.values.get("public")}
    target = _target(params, calendar_id)
    is_new = target is None
    if is_new:
        with ctx.write(is_last=False):
            target = calendars.create(ctx, Form({"name": params.text("name"), "public": values["public"]}).params(CalendarInput)).id
    try:
        result = api.import_once(ctx, Form(values | {"calendar_id": target}).read(AddressImport))
    except errors.Problem:
        if is_new and target:
            calendars.destroy(ctx, target)
        raise
    with ctx.read():
        return render("calendars/imported.html", ctx, title=gettext("Imported events"), result=result, calendar_id=target)


def _target(params: Form, calendar_id: int) -> Any:
    """The id of the calendar that was chosen; None for a new one, and without a preview that of the page."""
    return None if params.text("into") == NEW else params.text("into") or calendar_id


def _address(ctx: Context, params: Form) -> str | None:
    """The address that was looked at; without a preview, the one that was pasted."""
    return decrypt(ctx.settings, _PURPOSE, str(policy.user(ctx).id), params.text("address")) or params.values.get("url")

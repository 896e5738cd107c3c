"""The form to report something, and the list of reports for admins."""

from urllib.parse import urlencode

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.reports import api
from kalends.features.reports.model import ReportFields, ReportInput, ReportQuery, Subject
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

REASONS = [
    ("spam", gettext("It’s spam")),
    ("abuse", gettext("It’s hateful or harasses someone")),
    ("illegal", gettext("It’s against the law")),
    ("misleading", gettext("It’s false or a scam")),
    ("private", gettext("It reveals someone’s private information")),
    ("other", gettext("Something else")),
]
TITLES = {
    "event": gettext("Report this event"),
    "comment": gettext("Report this comment"),
    "calendar": gettext("Report this calendar"),
}
NAMES = ("event_id", "comment_id", "calendar_id")


@page("GET", "/reports/new", guests=True)
def new(ctx: Context, params: Subject) -> Document:
    """The form to report an event, a comment or a calendar."""
    return _render(ctx, params, FormState())


def _again(ctx: Context, form: FormState) -> Document:
    reported = _subject(Form(form.values))
    ctx.page_path = f"/reports/new?{urlencode([(name, value) for name in NAMES if (value := getattr(reported, name)) is not None])}"
    return _render(ctx, reported, form)


@page("POST", "/reports/new", guests=True, rate_limited=True, is_guest_form=True, again=_again)
def create(ctx: Context, params: Form) -> Document:
    """Report something to the administrators."""
    reported = api.load_subject(ctx, _subject(params))
    api.create(ctx, params.read(ReportInput))
    return redirect(ctx, reported.path, done="reported")


@page("GET", "/reports")
def index(ctx: Context, params: ReportQuery) -> Document:
    """The closed reports, for admins; those that wait are on the page of moderation."""
    policy.admin(ctx)
    if not params.closed:
        return redirect(ctx, "/admin/moderation")
    reports = api.index(ctx, params)
    return render("reports/index.html", ctx, title=gettext("Closed reports"), index=reports, reasons=dict(REASONS))


@page("POST", "/reports/{report_id}/close")
def close(ctx: Context, report_id: int, params: Form) -> Document:
    """Close a report that was dealt with."""
    api.update(ctx, report_id, ReportFields(closed=True))
    return redirect(ctx, "/admin/moderation", done="report-closed")


@page("POST", "/reports/{report_id}/reopen")
def reopen(ctx: Context, report_id: int, params: Form) -> Document:
    """Let a report wait again."""
    api.update(ctx, report_id, ReportFields(closed=False))
    return redirect(ctx, "/admin/moderation", done="report-reopened")


def _subject(form: Form) -> Subject:
    return Form({name: form.text(name) for name in NAMES if form.text(name)}).read(Subject)


def _render(ctx: Context, params: Subject, form: FormState) -> Document:
    reported = api.load_subject(ctx, params)
    carried = [(name, value) for name in NAMES if (value := getattr(params, name)) is not None]
    address = {"email_address": ctx.actor.email_address if ctx.actor else ""}
    return render(
        "reports/new.html",
        ctx,
        title=TITLES[reported.kind],
        form=filled(address, form),
        reported=reported,
        carried=carried,
        reasons=REASONS,
    )

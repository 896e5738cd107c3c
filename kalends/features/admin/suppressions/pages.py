"""Administration: the addresses that get no more messages."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.admin.suppressions import api
from kalends.features.admin.suppressions.api import SiteSuppressionQuery
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

PATH = "/admin/suppressions"


@page("GET", "/admin/suppressions")
def index(ctx: Context, params: SiteSuppressionQuery) -> Document:
    """The addresses that get no more messages of an organiser, or of all."""
    listed = api.site_suppressions(ctx, params)
    events = policy.visible_events(ctx, [each.event_id for each in listed.suppressions])
    form = filled({"address": params.address})
    return render("suppressions/index.html", ctx, title=gettext("Addresses that get no messages"), index=listed, events=events, form=form)


@page("POST", "/admin/suppressions/{suppression_id}/lift")
def lift(ctx: Context, suppression_id: int, params: Form) -> Document:
    """Send to the address again."""
    api.lift_suppression(ctx, suppression_id)
    return redirect(ctx, PATH, done="saved")

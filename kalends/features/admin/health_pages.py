"""Administration: whether the service is well."""

from kalends.core.i18n import gettext
from kalends.features.admin import api
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.render import render

# Below this share of free space, the page warns.
LITTLE = 0.1
GIBIBYTE = 1024**3


@page("GET", "/admin/health")
def show(ctx: Context) -> Document:
    """Version, database, worker, queue, backup and disk."""
    health = api.find_health(ctx)
    is_full = health.disk_free < LITTLE * health.disk_total
    gibibytes = {"free": round(health.disk_free / GIBIBYTE), "total": round(health.disk_total / GIBIBYTE)}
    return render("admin/health.html", ctx, title=gettext("Health"), health=health, is_full=is_full, gibibytes=gibibytes)

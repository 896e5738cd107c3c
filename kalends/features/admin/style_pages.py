"""The look of the site: its introduction and its own style sheet, with a preview of both."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.site import api, store
from kalends.features.site.model import SiteInput
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/admin/style")
def edit(ctx: Context, form: FormState | None = None) -> Document:
    """The forms for the introduction and the style sheet, as they are stored."""
    policy.admin(ctx)
    row = store.find_row(ctx)
    values = {"introduction": row.introduction, "style": store.find_style(ctx, row.style) if row.style else ""}
    return _render(ctx, filled(values, form))


@page("POST", "/admin/style", again=edit)
def update(ctx: Context, params: Form) -> Document:
    """Change the introduction and the style sheet."""
    api.update(ctx, params.changes(SiteInput))
    return redirect(ctx, "/admin/style", done="saved")


@page("POST", "/admin/style/preview", again=edit)
def preview(ctx: Context, params: Form) -> Document:
    """Show the introduction and the style sheet of the form. Visitors see no change."""
    policy.admin(ctx)
    changes = params.changes(SiteInput)
    draft = store.insert_style(ctx, changes.values.get("style"))
    return _render(ctx, filled(dict(changes.values)), is_preview=True, draft=draft)


def _render(ctx: Context, form: FormState, *, is_preview: bool = False, draft: str | None = None) -> Document:
    return render("admin/style.html", ctx, title=gettext("Look and introduction"), form=form, is_preview=is_preview, draft=draft)


@page("GET", "/style/{digest}", guests=True)
def show(ctx: Context, digest: str) -> Document:
    """The style sheet with this digest. It follows from its URL alone, so caches may store it."""
    css = store.find_style(ctx, digest)
    if css is None:
        raise errors.NotFound(gettext("There is no such path. Check the URL."))
    ctx.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return Document(css.encode(), "text/css; charset=utf-8")

"""Administration: e-mail that waits or could not be sent, and a test message."""

from kalends.core.i18n import gettext
from kalends.core.settings import variable
from kalends.features.admin import api
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/admin/mail")
def show(ctx: Context, form: FormState | None = None) -> Document:
    """How e-mail is sent, what waits, and what could not be sent lately."""
    return render("admin/mail.html", ctx, title=gettext("Email"), form=form, mail=api.mail(ctx), variable=variable("email"))


@page("POST", "/admin/mail/test", again=show)
def test(ctx: Context, params: Form) -> Document:
    """Mail a test message to oneself."""
    api.test_mail(ctx)
    return redirect(ctx, "/admin/mail", done="test-sent")

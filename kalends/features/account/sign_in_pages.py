"""Signing in, and sending the form again that came after the session had ended."""

from urllib.parse import parse_qsl

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.sessions import api, store
from kalends.features.sessions.model import Credentials
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web import labels, sign_in_ways
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import Destination, local_path, redirect
from kalends.web.render import render

# The fields of an interrupted form that are shown before it is sent again; the others are choices and figures.
READABLE = ("title", "name", "start_time", "start_clock", "end_time", "location", "description", "comment", "first_name", "last_name")
MISMATCH = gettext("Wrong username or password.")


def _form(ctx: Context, form: FormState) -> Document:
    if form.value("ticket"):
        return render("account/second_step.html", ctx, title=gettext("Enter a code"), form=form)
    return render(
        "account/sign_in.html",
        ctx,
        title=gettext("Sign in again") if form.value("resume") else gettext("Sign in"),
        form=form,
        lost="",
        ways=sign_in_ways.find(ctx.settings, with_password=bool(form.value("user_name") or form.value("emergency"))),
    )


@page("GET", "/sign-in", guests=True)
def new(ctx: Context, params: Destination) -> Document:
    """The form to sign in."""
    return _form(ctx, FormState({"next": local_path(params.next)}))


@page("GET", "/sign-in/emergency", guests=True)
def emergency(ctx: Context, params: Destination) -> Document:
    """The form of the password, where passwords are switched off for everyone but one admin."""
    return _form(ctx, FormState({"next": local_path(params.next), "emergency": "1"}))


@page("POST", "/sign-in", guests=True, again=_form, pool="hash")
def create(ctx: Context, params: Form) -> Document:
    """Sign in, and go to the page that needed it; or ask for a one-time code, if the account has them."""
    try:
        credentials = params.without("next", "resume", "typed", "wkey", "digest", "timestamp").read(Credentials)
        session = api.create(ctx, structs.replace(credentials, cookie=True))
    except errors.SecondFactorRequired as required:
        return structs.replace(_form(ctx, FormState(params.values | {"ticket": required.ticket})), status=required.status)
    except errors.TicketExpired as expired:
        return structs.replace(_form(ctx, FormState(params.without("ticket").values, problem=expired.detail)), status=expired.status)
    except errors.Unauthorized as mismatch:
        problem = mismatch.detail if params.text("ticket") or params.text("passkey") else MISMATCH
        return structs.replace(_form(ctx, FormState(params.values, problem=problem)), status=mismatch.status)
    return _resume(ctx, session.token, params) if params.text("resume") else redirect(ctx, local_path(params.text("next")))


def _resume(ctx: Context, token: str, params: Form) -> Document:
    """Offer to send the interrupted form. Its own page will say if a field is missing."""
    with ctx.read():
        ctx.actor = store.authenticate(ctx, token)
    pairs = parse_qsl(params.text("typed"), keep_blank_values=True)
    readable = [(labels.label(name), value) for name, value in pairs if value and name in READABLE]
    path = local_path(params.text("resume"))
    return render("account/resume_form.html", ctx, title=gettext("Welcome back"), resume=path, pairs=pairs, readable=readable)

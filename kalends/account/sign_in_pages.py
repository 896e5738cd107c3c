"""Signing in and out on pages, and looking after one's sessions."""

from typing import Annotated
from urllib.parse import parse_qsl

from msgspec import Meta, Struct, structs

from kalends import errors, policy
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.sessions import api, store
from kalends.sessions.model import Credentials
from kalends.web import words
from kalends.web.forms import FormState, submit
from kalends.web.render import redirect, render

BACK = "/settings#sessions"
# What of a form is worth reading before it is sent again; the rest are choices and figures.
READABLE = ("title", "name", "start_time", "start_clock", "end_time", "location", "description", "comment", "first_name", "last_name")
MISMATCH = "That name and password do not match."


class Destination(Struct, kw_only=True):
    """Where to go afterwards."""

    next: Annotated[str, Meta(max_length=2_000)] | None = None


@endpoint("GET", "/sign-in", guests=True, format="html")
def new(ctx: Context, params: Destination) -> Document:
    """The form to sign in."""
    return _form(ctx, FormState({"next": local(params.next)}))


@endpoint("POST", "/sign-in", guests=True, transaction=False, pool="hash", format="html")
def create(ctx: Context, params: Form) -> Document:
    """Sign in, and go where one was headed."""

    def act() -> Document:
        made = api.create(ctx, params.without("next", "resume", "typed", "wkey", "digest", "timestamp").read(Credentials))
        return _resume(ctx, made.token, params) if params.text("resume") else redirect(ctx, local(params.text("next")))

    try:
        return submit(ctx, params, act, lambda state: _form(ctx, state), write=False)
    except errors.Unauthorized as wrong:
        return structs.replace(_form(ctx, FormState(params.values, problem=MISMATCH)), status=wrong.status)


@endpoint("POST", "/sign-out", guests=True, format="html")
def destroy(ctx: Context, params: Form) -> Document:
    """Sign out."""
    if ctx.actor and ctx.actor.session_id:
        api.destroy(ctx, "current")
    return redirect(ctx, "/", done="signed-out")


@endpoint("POST", "/settings/sessions/{session_id}/end", format="html")
def end(ctx: Context, session_id: str, params: Form) -> Document:
    """End a session of one's own, on this device or another."""
    ended = api.destroy(ctx, session_id).deleted[0]
    return redirect(ctx, "/", done="signed-out") if ended == policy.user(ctx).session_id else redirect(ctx, BACK, done="ended")


@endpoint("POST", "/settings/sessions/end", format="html")
def end_others(ctx: Context, params: Form) -> Document:
    """End all one's sessions but this one."""
    store.delete_others(ctx, policy.user(ctx))
    return redirect(ctx, BACK, done="others-ended")


def _form(ctx: Context, state: FormState) -> Document:
    return render("sessions/new.html", ctx, title="Sign in again" if state.value("resume") else "Sign in", form=state, lost="")


def _resume(ctx: Context, token: str, params: Form) -> Document:
    """Offer to send the form that came when the session had ended. Its own page will say if a field is missing."""
    with ctx.read():
        ctx.actor = store.authenticate(ctx, token)
    pairs = parse_qsl(params.text("typed"), keep_blank_values=True)
    readable = [(words.label(name), value) for name, value in pairs if value and name in READABLE]
    return render("sessions/resume.html", ctx, title="Welcome back", resume=local(params.text("resume")), pairs=pairs, readable=readable)


def local(path: str | None) -> str:
    """A path of this service, whatever was asked for."""
    is_ours = path and path.startswith("/") and not path.startswith(("//", "/\\")) and path.isascii() and path.isprintable()
    return path if is_ours and path else "/calendar"

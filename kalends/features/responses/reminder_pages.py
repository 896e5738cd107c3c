"""The page on which guests switch reminders of an event off or on, by their personal link."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.responses import reminder_choice_store as choice
from kalends.features.responses.link_pages import load
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/r/{response_token}/reminders", guests=True, credentials=False)
def ask(ctx: Context, response_token: str, form: FormState | None = None) -> Document:
    """Whether the guest is reminded of the event, with a button to change it."""
    response, event = load(ctx, response_token, of_hidden=True)
    return render(
        "responses/reminders.html",
        ctx,
        title=gettext("Reminders"),
        form=form,
        event=event,
        is_visible=policy.sees_event(ctx, response, event),
        is_wanted=choice.is_wanted(ctx, event, response),
        link_path=f"/r/{response_token}",
    )


@page("POST", "/r/{response_token}/reminders", guests=True, credentials=False, by_link=True, rate_limited=True, again=ask)
def choose(ctx: Context, response_token: str, params: Form) -> Document:
    """Switch the reminders off; with `reminders=on`, on again. Mail programs send it without the guest, by List-Unsubscribe."""
    response, event = load(ctx, response_token, of_hidden=True)
    choice.save(ctx, event, response, is_wanted=params.text("reminders") == "on")
    if "List-Unsubscribe" in params.values:
        # RFC 8058: no redirect, which programs may not follow.
        return ask(ctx, response_token)
    return redirect(ctx, f"/r/{response_token}/reminders", done="saved")

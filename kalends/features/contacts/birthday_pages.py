"""The page of birthdays: the next ones first, and how other programs subscribe to them."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.contacts import birthday_api as api
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

PATH = "/contacts/birthdays"


@page("GET", PATH)
def index(ctx: Context) -> Document:
    """The birthdays of one's contacts."""
    policy.user(ctx)
    return render("contacts/birthdays.html", ctx, title=gettext("Birthdays"), index=api.birthdays(ctx))


@page("POST", f"{PATH}/reset_feed")
def reset_feed(ctx: Context, params: Form) -> Document:
    """Give the calendar a new secret URL."""
    api.reset_birthdays_feed(ctx)
    return redirect(ctx, PATH, done="saved")

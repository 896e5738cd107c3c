"""The former URL of the settings page."""

from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.redirects import redirect_permanently


@page("GET", "/settings", guests=True, transaction=False, credentials=False)
def settings(ctx: Context) -> Document:
    """Redirect to /account."""
    return redirect_permanently(ctx, "/account")

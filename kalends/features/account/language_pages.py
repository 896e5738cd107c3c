"""The switch of languages, at the bottom of every page."""

from typing import Annotated

from msgspec import Meta

from kalends.core.i18n.catalogs import Language
from kalends.core.i18n.locale import COOKIE, COOKIE_SECONDS
from kalends.features.users import store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.redirects import Destination, local_path, redirect


class LanguageChoice(Destination, kw_only=True):
    """The language to show pages in from now on."""

    language: Annotated[Language, Meta(description="The language of pages and mail.")]


@page("POST", "/language", guests=True, transaction=False)
def language(ctx: Context, params: LanguageChoice) -> Document:
    """Remember the language that the reader chose: in a cookie and, if they are signed in, in their account."""
    if ctx.actor:
        with ctx.write():
            store.update_language(ctx, ctx.actor.id, params.language)
    ctx.set_cookie(COOKIE, params.language, COOKIE_SECONDS)
    return redirect(ctx, local_path(params.next))

"""The style sheets of accent colours."""

from kalends import errors
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.i18n import gettext
from kalends.settings import COLOR
from kalends.web.accent import style_sheet
from kalends.web.page import page


@page("GET", "/accent/{color_name}", guests=True, transaction=False, credentials=False)
def show(ctx: Context, color_name: str) -> Document:
    """The style sheet of this accent colour: six hexadecimal digits. It follows from its URL alone, so caches may store it."""
    color = f"#{color_name}"
    if not COLOR.fullmatch(color):
        raise errors.NotFound(gettext("There is no such path."))
    ctx.headers["Cache-Control"] = "public, max-age=86400"
    return Document(style_sheet(color.lower()).encode(), "text/css; charset=utf-8")

"""The files of pictures."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.pictures import store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page


@page("GET", "/pictures/{picture_name}", guests=True, credentials=False)
def show(ctx: Context, picture_name: str) -> Document:
    """A picture of an event, in one of its sizes. Its URL cannot be guessed: anyone who has it may see the picture."""
    content = store.find_file(ctx, f"/pictures/{picture_name}")
    if content is None:
        raise errors.NotFound(gettext("There is no such path. Check the URL."))
    ctx.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    # Other sites show it, too, where they embed or link an event.
    ctx.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    ctx.tag(picture_name.removesuffix(".webp"))
    return Document(content, "image/webp")

"""The static files of the pages."""

from kalends import errors
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.render import static_file


@page("GET", "/static/{name}", guests=True, transaction=False, credentials=False)
def static(ctx: Context, name: str) -> Document:
    """A stylesheet, a script or a picture of the pages."""
    file = static_file(name)
    if file is None:
        raise errors.NotFound("There is no such path.")
    content, kind, version = file
    ctx.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    ctx.tag(version)
    return Document(content, kind)

"""The static files of the pages."""

from msgspec import Struct

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.render import static_file


class Version(Struct):
    """Which content of a file the page means."""

    v: str | None = None


@page("GET", "/static/{name}", guests=True, transaction=False, credentials=False)
def static(ctx: Context, name: str, params: Version) -> Document:
    """A stylesheet, a script or a picture of the pages."""
    file = static_file(name)
    if file is None:
        raise errors.NotFound(gettext("There is no such path. Check the URL."))
    content, kind, version = file
    # During an upgrade, a page of the new server may ask the old one for its file, which must not be cached under the new name.
    ctx.headers["Cache-Control"] = "public, max-age=31536000, immutable" if params.v == version else "public, no-cache"
    ctx.tag(version)
    return Document(content, kind)

"""The URLs of a public page in each language, for search engines (`hreflang`)."""

from kalends.context import Context
from kalends.i18n.catalogs import OFFERED


def language_urls(ctx: Context) -> list[tuple[str, str]]:
    """Each language with the URL of this page in it, and the URL that follows the reader's browser; none for a page of results."""
    if ctx.caller.query not in ("", f"lang={ctx.caller.language}"):
        return []
    url = ctx.settings.url + ctx.caller.path
    return [*((language, f"{url}?lang={language}") for language in OFFERED), ("x-default", url)]

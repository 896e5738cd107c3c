"""The language and the formats in which pages are written before their template is rendered."""

from kalends.context import Context
from kalends.i18n.locale import Locale
from kalends.site import store as sites


def reader_locale(ctx: Context) -> Locale:
    """The reader's, with the language of the site if they have chosen none, which is known once the site is read."""
    sites.get_or_default(ctx)
    return ctx.locale

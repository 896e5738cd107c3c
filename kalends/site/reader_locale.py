"""The language and the formats of the reader."""

from kalends.context import Context
from kalends.i18n.locale import Locale
from kalends.site import store as sites


def reader_locale(ctx: Context) -> Locale:
    """As `ctx.locale`, which has the language of the site for those who ask for none that is offered, once the site is read."""
    sites.get_or_default(ctx)
    return ctx.locale

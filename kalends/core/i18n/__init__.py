"""Languages: English is in the code, the other languages are in catalogues (`kalends/core/i18n/<language>/LC_MESSAGES/kalends.po`).

How to write a string for people. The English sentence is its key (msgid):

- In a template: `{{ _("Sign in") }}`, `{{ _("Shared by %(name)s", name=owner) }}`, `{{ ngettext("1 guest", "%(num)s guests", count) }}`.
  Markup may be in the sentence: `_('Please <a href="%(url)s">sign in</a>.', url=url)`. Values are escaped, the sentence is not.
- In Python: `gettext("Saved.")`, `gettext("At most %(max)s.", max=5)` and `ngettext("1 place", "%(num)s places", count)` of this package.
  They make a `Text`: an English `str`, which the API sends as it is, and which knows its msgid. A template translates it when it shows it;
  other code calls `locale.translate(text)`. Make no f-string of a Text: give it to another one as a value.
- `pgettext("Sunday", "first")` has a context (msgctxt), for words that other languages inflect or translate in two ways, such as
  `pgettext("event", "Cancel")`. Templates have it, too.
- Whole sentences with named placeholders only; no sentence out of pieces, no `|lower` or `|upper`, since other languages have other orders.
  `%` is written `%%` only if there are placeholders.
- Dates and numbers: `times.…` and `number(…)` in templates, `reader_locale(ctx).formats` in Python. Never strftime.
- `ctx.locale` is the reader's: their setting, else the cookie of the switch, else `Accept-Language`, else the setting of the site.
- `make catalogs` writes new msgids into the catalogues; `tests/i18n` fails on a literal in a template or a message."""

from kalends.core.i18n.text import DateText, Text, dump, fill, gettext, load, ngettext, pgettext

__all__ = ["DateText", "Text", "dump", "fill", "gettext", "load", "ngettext", "pgettext"]

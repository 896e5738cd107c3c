"""Names that stand before an e-mail address: none may look like another address or a link."""

import re

from kalends.core.i18n import gettext
from kalends.core.values.text import replace_control_characters

# With the signs of other widths that look the same.
PATTERN = r"^(?!.*://)[^@<>\uff20\ufe6b\uff1c\uff1e]*$"
REFUSAL = gettext("must not contain @, <, > or ://")

_FORBIDDEN = re.compile(r"[@<>\uff20\ufe6b\uff1c\uff1e]|://")


def clean(name: str) -> str:
    """A name from before there was this rule, on one line."""
    return " ".join(_FORBIDDEN.sub(" ", replace_control_characters(name)).split())

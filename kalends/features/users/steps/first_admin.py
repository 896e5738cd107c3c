"""The one-time code by which the first administrator creates an account: `kalends serve` prints it while there is none. A site that can be
reached before its operator has an account does not belong to the first stranger who finds it."""

import hashlib
import hmac

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.tokens import derive
from kalends.features.admin.audit import store as audit
from kalends.http import rate_limit
from kalends.http.context import Context
from kalends.http.rate_limit import Limit

# Without 0, O, 1 and I, which look alike: five bits each.
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
GROUP = 4
WRONG = gettext("That is not the code. The server prints it each time it starts.")
# Of all networks together: at this rate, a code of 40 bits is found in a million years.
TRIES = Limit(
    "first-admin",
    100,
    3600,
    gettext("At most %(max)s codes an hour are checked. Try again later, or run 'kalends users create --admin' on the server."),
)


def find_code(ctx: Context) -> str | None:
    """The code in two groups; None if there is an administrator."""
    return None if policy.has_admin(ctx) else _group(_code(ctx))


def find_url(ctx: Context) -> str | None:
    """The address of the form with the code filled in; None if there is an administrator."""
    code = find_code(ctx)
    return code and f"{ctx.settings.url}/sign-up/{code}"


def count_try(ctx: Context, invitation: str | None) -> None:
    """Count a code that someone sends, right or wrong, while there is no administrator, or raise TooMany."""
    if invitation is None or ctx.settings.rate_limits == "off":
        return
    with ctx.read():
        if policy.has_admin(ctx):
            return
    with ctx.write():
        rate_limit.count(ctx, TRIES, "")


def is_valid(ctx: Context, code: str) -> bool:
    """Whether the code makes the first administrator. Its case and its hyphen do not matter."""
    return not policy.has_admin(ctx) and hmac.compare_digest(normalize(code).encode(), _code(ctx).encode())


def has_form(code: str) -> bool:
    """Whether the text could be a code. It does not show which one is right: only codes that are sent are counted."""
    text = normalize(code)
    return len(text) == 2 * GROUP and set(text) <= set(ALPHABET)


def normalize(code: str) -> str:
    return "".join(code.split()).replace("-", "").upper()


def _group(code: str) -> str:
    return f"{code[:GROUP]}-{code[GROUP:]}"


def _code(ctx: Context) -> str:
    """Another one after each administrator, so that a used code is void for good."""
    digest = hashlib.sha256(derive(ctx.settings, "first admin", str(audit.count_admins(ctx))).encode()).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[: 2 * GROUP])

"""Signing in to CalDAV: an app password by HTTP Basic, or a session token or API key as a Bearer token.

Devices ask without a credential first, on every connection: that costs no transaction and counts as no failure. A cookie means nothing
here, so that no other site can make a browser act."""

import base64
import binascii

from kalends.core import errors
from kalends.core.log import get_logger
from kalends.core.values.text import fold_case
from kalends.dav.xml import DavError
from kalends.features.keys import store as keys
from kalends.features.sessions.steps import login_attempts
from kalends.http.context import Actor, Context
from kalends.http.origin import network
from kalends.http.run_endpoint import Services

log = get_logger(__name__)

_CHALLENGE = {"WWW-Authenticate": 'Basic realm="Kalends", charset="UTF-8"'}
_MAX_CREDENTIAL = 2_000


def authenticate(services: Services, ctx: Context, header: str | None) -> Actor | None:
    """The user of the credential in the open transaction; None if it is wrong."""
    if header is None:
        raise challenge(ctx.settings.url, "Sign in with your user name and an app password.")
    scheme, _, credential = header.partition(" ")
    if scheme.lower() == "bearer":
        return services.authenticate(ctx, credential.strip())
    name, password = _decode(credential) if scheme.lower() == "basic" else ("", "")
    actor = keys.find_device_user(ctx, password) if name and password else None
    if actor is None or fold_case(name.strip()) not in (fold_case(actor.user_name), fold_case(actor.email_address)):
        return None
    return actor


def count_failure(ctx: Context) -> DavError:
    """Count a wrong credential against the devices of its network, outside of any transaction; returns the error to raise.

    A device with a stale password asks again at every sync: it must not lock people out of the website."""
    subject = f"devices {network(ctx.caller.address)}"
    try:
        login_attempts.begin(ctx, [subject])
    except errors.TooMany as refusal:
        return DavError(429, refusal.detail, headers=refusal.headers)
    log.warning("login_failed", kind="dav", network=network(ctx.caller.address) if ctx.settings.log_addresses == "on" else None)
    return challenge(
        ctx.settings.url,
        "That user name and app password do not match. Your account's own password does not work here",
    )


def challenge(url: str, reason: str) -> DavError:
    return DavError(401, f"{reason.rstrip('.')}. Make an app password at {url}/account/devices", headers=_CHALLENGE)


def _decode(credential: str) -> tuple[str, str]:
    """The name and the password; both empty if they cannot be read."""
    if len(credential) > _MAX_CREDENTIAL:
        return "", ""
    try:
        name, _, password = base64.b64decode(credential.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return "", ""
    return name, password

"""API keys, and the app passwords of devices that use CalDAV and CardDAV: creating one, which is shown once, and deleting one; and the
configuration profile with which Apple's devices use theirs."""

import plistlib
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import NAMESPACE_URL, uuid5

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.credentials import Key
from kalends.core.values import timestamps
from kalends.features.account.pages import MAX_KEYS, show
from kalends.features.keys import api
from kalends.features.keys.model import KeyRequest
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import site as sites
from kalends.web import labels
from kalends.web.drawings import draw_qr_code
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

# After how many days a key ends, as the form offers.
DAYS = ("30", "90", "365")
APPLE_PROFILE = "application/x-apple-aspen-config"
# Of the profile: the name of the settings of each account, its type, and what it is called.
_ACCOUNTS = (("CalDAV", "com.apple.caldav.account", "calendars"), ("CardDAV", "com.apple.carddav.account", "contacts"))


@page("POST", "/account/keys", again=show, form="key", pool="hash")
def create(ctx: Context, params: Form) -> Document:
    """Create a key, and show it once."""
    policy.user(ctx)
    key = api.create(ctx, _read(ctx, params))
    ctx.headers["Cache-Control"] = "no-store"
    return render("account/key_created.html", ctx, title=gettext("Your new API key"), key=key, server=ctx.settings.url)


def _read(ctx: Context, params: Form) -> KeyRequest:
    """The key of the form, which asks for days instead of a moment; without a ticked scope it has no limits."""
    days = params.text("days")
    end = {"expires_at": timestamps.format_utc(ctx.now + int(days) * 86_400)} if days in DAYS else {}
    return Form({**params.without("days").values, **end}).read(KeyRequest)


@page("GET", "/account/keys/{key_id}/delete")
def ask(ctx: Context, key_id: str) -> Document:
    """Ask before a key is deleted."""
    return render("account/key_delete.html", ctx, title=gettext("Delete API key"), key=policy.key(ctx, key_id))


@page("POST", "/account/keys/{key_id}/delete")
def destroy(ctx: Context, key_id: str, params: Form) -> Document:
    """Delete the key, and return to the page that lists those of its kind."""
    kind = policy.key(ctx, key_id).kind
    api.destroy(ctx, key_id)
    return redirect(ctx, "/account/devices" if kind == "dav" else "/account#keys", done="deleted")


@page("GET", "/account/devices")
def devices(ctx: Context, form: FormState | None = None) -> Document:
    """The devices with an app password, and a form for another one."""
    policy.user(ctx)
    return render(
        "account/devices.html",
        ctx,
        title=gettext("Connect a device"),
        form=form or FormState(),
        needs_password=not policy.is_recent(ctx),
        calendars={calendar.id: labels.calendar_name(ctx, calendar.name) for calendar in policy.member_calendars(ctx)},
        keys=[key for key in api.index(ctx, Paging(limit=MAX_KEYS)).keys if key.kind == "dav"],
        server=ctx.settings.url,
    )


@page("POST", "/account/devices", again=devices, pool="hash")
def create_device(ctx: Context, params: Form) -> Document:
    """Make an app password, and show it once with what to type where."""
    user = policy.user(ctx)
    key = api.create(ctx, structs.replace(params.read(KeyRequest), kind="dav"))
    ctx.headers["Cache-Control"] = "no-store"
    url = account_url(ctx.settings.url, user.user_name, key.wkey)
    return render(
        "account/device_created.html",
        ctx,
        title=gettext("Your app password"),
        key=key,
        user_name=user.user_name,
        server=ctx.settings.url,
        account_url=url,
        qr_code=draw_qr_code(url),
        profile_qr_code=draw_qr_code(f"{ctx.settings.url}/account/devices/{key.id}.mobileconfig"),
    )


@page("GET", "/account/devices/{profile_name}")
def apple_profile(ctx: Context, profile_name: str) -> Document:
    """The configuration profile for an iPhone, an iPad or a Mac: its accounts of CalDAV and CardDAV, without the password."""
    key_id, _, suffix = profile_name.rpartition(".")
    user, key = policy.user(ctx), policy.key(ctx, key_id)
    if key.kind != "dav" or suffix != "mobileconfig":
        raise errors.NotFound
    ctx.headers["Content-Disposition"] = 'attachment; filename="kalends.mobileconfig"'
    content = _build_apple_profile(ctx.settings.url, sites.get(ctx).name, user.id, user.user_name, key)
    return Document(content, APPLE_PROFILE)


def _build_apple_profile(site_url: str, site_name: str, user_id: int, user_name: str, key: Key) -> bytes:
    """The profile for the device of this app password.

    It has no password: whoever installs it types the app password of the device. Installed once more, it takes the place of the first one,
    since its identifiers are made from the URL of the site and the id of the key."""
    site = urlsplit(site_url)
    accounts = [
        _payload(site_url, key, kind, payload_type, f"{site_name}: {content}")
        | {
            f"{kind}AccountDescription": site_name,
            f"{kind}HostName": site.hostname or "",
            f"{kind}Port": site.port or (443 if site.scheme == "https" else 80),
            f"{kind}UseSSL": site.scheme == "https",
            f"{kind}PrincipalURL": f"{site.path}/dav/users/{user_id}/",
            f"{kind}Username": user_name,
        }
        for kind, payload_type, content in _ACCOUNTS
    ]
    profile = _payload(site_url, key, "profile", "Configuration", f"{site_name} ({key.name})")
    return plistlib.dumps(profile | {"PayloadContent": accounts, "PayloadOrganization": site_name, "PayloadRemovalDisallowed": False})


def _payload(site_url: str, key: Key, part: str, payload_type: str, name: str) -> dict[str, Any]:
    """What every payload of a profile has."""
    host = ".".join(reversed((urlsplit(site_url).hostname or "localhost").split(".")))
    return {
        "PayloadType": payload_type,
        "PayloadVersion": 1,
        "PayloadIdentifier": f"{host}.kalends.{key.id}.{part.lower()}",
        "PayloadUUID": str(uuid5(NAMESPACE_URL, f"{site_url}/account/devices/{key.id}#{part}")).upper(),
        "PayloadDisplayName": name,
    }


def account_url(server: str, user_name: str, password: str) -> str:
    """The URL by which DAVx⁵ opens with the account filled in: https is spelled caldavs there."""
    parts = urlsplit(server)
    scheme = "caldavs" if parts.scheme == "https" else "caldav"
    return f"{scheme}://{quote(user_name, safe='')}:{quote(password, safe='')}@{parts.netloc}{parts.path}/"

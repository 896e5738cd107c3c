"""Devices that have one's calendars and contacts by CalDAV and CardDAV: how to connect one, and its app password, which is shown once."""

from urllib.parse import quote, urlsplit

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.account.pages import MAX_KEYS
from kalends.features.account.rules import apple_profile as apple_profiles
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
from kalends.web.render import render


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
def create(ctx: Context, params: Form) -> Document:
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
    content = apple_profiles.build(ctx.settings.url, sites.get(ctx).name, user.id, user.user_name, key)
    return Document(content, apple_profiles.CONTENT_TYPE)


def account_url(server: str, user_name: str, password: str) -> str:
    """The URL by which DAVx⁵ opens with the account filled in: https is spelled caldavs there."""
    parts = urlsplit(server)
    scheme = "caldavs" if parts.scheme == "https" else "caldav"
    return f"{scheme}://{quote(user_name, safe='')}:{quote(password, safe='')}@{parts.netloc}{parts.path}/"

"""The settings of the site, which everybody reads and admins change."""

from msgspec import UNSET, structs

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.settings import variable
from kalends.core.values.picture import to_url
from kalends.features.admin.audit import store as audit
from kalends.features.site import store
from kalends.features.site.model import FIXED, SiteDetail, SiteInput
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.policy import site as sites


@endpoint("GET", "/api/site", guests=True)
def show(ctx: Context) -> SiteDetail:
    """The settings of the site. For admins, `fixed` lists those that the operator has set in the environment."""
    return _detail(ctx)


@endpoint("PUT", "/api/site")
def update(ctx: Context, params: Changes[SiteInput]) -> SiteDetail:
    """Change settings of the site; null means the default. For admins.

    Every process shows the change at once. 409 for a setting that the operator has set in the environment.
    """
    policy.admin(ctx)
    row = store.lock(ctx)
    _require_open(ctx, params)
    values = dict(params.values)
    if "style" in values:
        values["style"] = store.insert_style(ctx, values["style"])
    store.update(ctx, structs.replace(row, **values))
    audit.record(ctx, "site_changed", "site", detail=", ".join(sorted(params.values)))
    return _detail(ctx)


def _require_open(ctx: Context, params: Changes[SiteInput]) -> None:
    """Raise Conflict for each setting that the operator has set to another value."""
    fixed = sites.fixed_values(ctx.settings)
    names = [name for name, value in params.values.items() if name in fixed and (value or "") != fixed[name]]
    if names:
        variables = ", ".join(variable(sites.OPERATOR_SETTINGS[name]) for name in names)
        raise errors.Conflict(
            gettext("The server operator has set %(variables)s, so it can’t be changed here.", variables=variables),
            [FieldError(name, FIXED, "conflict") for name in names],
        )


def _detail(ctx: Context) -> SiteDetail:
    site = sites.get(ctx)
    return SiteDetail(
        name=site.name,
        headline=str(site.headline),
        tagline=site.tagline or None,
        logo_url=to_url(site.logo, ctx.settings.url),
        accent_color=site.accent_color or None,
        time_zone=site.time_zone,
        language=site.language or None,
        imprint_url=site.imprint_url or None,
        privacy_url=site.privacy_url or None,
        registration=site.registration,
        visibility=site.visibility,
        introduction=site.introduction or None,
        style_url=f"{ctx.settings.url}/style/{site.style}" if site.style else None,
        fixed=sorted(sites.fixed_values(ctx.settings)) if site.reader_is_admin else UNSET,
    )

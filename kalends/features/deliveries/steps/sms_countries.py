"""To which numbers SMS are sent: those of mobile phones in the countries that the operator allows. Others cost much more."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.settings import ALL_COUNTRIES, listed
from kalends.core.transports import FILES
from kalends.core.values import phone
from kalends.http.context import Context
from kalends.policy import site as sites


def require_allowed(ctx: Context, field: str, number: str) -> None:
    """Raise an error about the field if no SMS is sent to the number."""
    if phone.country_of(number) not in _find_countries(ctx):
        text = gettext("must be a number of a country to which this site sends SMS. Give one, or an e-mail address instead")
        raise errors.invalid(field, text, "forbidden")


def is_allowed(ctx: Context, number: str) -> bool:
    """Whether SMS are sent to the number."""
    return phone.is_mobile(number) and phone.country_of(number) in _find_countries(ctx)


def _find_countries(ctx: Context) -> set[str]:
    """The countries that the operator has set, else that of the site's time zone. Without one, all if SMS are only written to files."""
    names = listed(ctx.settings.sms_countries)
    if names:
        return phone.countries() if ALL_COUNTRIES in names else set(names)
    country = phone.country_of_zone(sites.get(ctx).time_zone)
    if country:
        return {country}
    return phone.countries() if ctx.settings.sms == FILES else set()

"""Fetch the entries of an address book from Google, Outlook or Yahoo."""

import base64
import re
import threading

from kalends.core.errors import Invalid, Unavailable, invalid
from kalends.core.i18n import gettext
from kalends.core.net import http_client
from kalends.core.settings import Settings
from kalends.features.contacts.model import ImportInput
from kalends.features.contacts.rules.entry import Entry
from kalends.features.contacts.steps.providers import carddav, graph
from kalends.features.contacts.steps.providers import errors as provider_errors

# Per process, so that providers that hang cannot occupy every thread.
MAX_CONCURRENT = 2

APP_PASSWORD = re.compile(r"[a-z]{16}|[a-z]{4}( [a-z]{4}){3}", re.IGNORECASE)

_slots = threading.BoundedSemaphore(MAX_CONCURRENT)


def fetch_entries(settings: Settings, params: ImportInput) -> list[Entry]:
    """Fetch all entries of the user's address book. The credential is sent to the provider alone."""
    _check(params)
    if not _slots.acquire(blocking=False):
        raise Unavailable("Other imports are running. Try again in a minute.", retry_after=60)
    try:
        with http_client.ProviderSession() as session:
            return _from_outlook(session, settings, params) if params.service == "outlook" else _from_carddav(session, settings, params)
    except http_client.ProviderUnavailable as error:
        name = provider_errors.NAMES[params.service]
        raise Unavailable(f"{name} is unavailable: {error}. Nothing was changed; try again later.", error.retry_after) from None
    except http_client.UnexpectedReply as error:
        raise provider_errors.unexpected_reply(params.service, str(error)) from None
    except http_client.CredentialRejected as error:
        raise _rejection(params, error) from None
    finally:
        _slots.release()


def _check(params: ImportInput) -> None:
    if params.access_token:
        if not graph.is_token(params.access_token):
            raise invalid("access_token", gettext("must be a token: no spaces, and only ASCII characters"))
        return
    if not params.password:
        raise invalid("password", ImportInput.OPTIONS.rules["password"])
    if not params.user_name:
        raise invalid("user_name", ImportInput.OPTIONS.rules["user_name"])
    if params.service != "outlook" and ":" in params.user_name:
        raise invalid("user_name", gettext("must not contain a colon"))


def _from_carddav(session: http_client.ProviderSession, settings: Settings, params: ImportInput) -> list[Entry]:
    url = settings.google_carddav_url if params.service == "google" else settings.yahoo_carddav_url
    return carddav.fetch_entries(session, url, _authorization(params))


def _from_outlook(session: http_client.ProviderSession, settings: Settings, params: ImportInput) -> list[Entry]:
    token = params.access_token
    if not token:
        if not settings.graph_client_id:
            raise provider_errors.oauth_needed(params.service)
        token = graph.fetch_token(
            session, settings.graph_login_url, settings.graph_client_id, params.user_name or "", params.password or ""
        )
    return graph.fetch_entries(session, settings.graph_url, token)


def _authorization(params: ImportInput) -> str:
    if params.access_token:
        return f"Bearer {params.access_token}"
    password = params.password or ""
    if APP_PASSWORD.fullmatch(password):
        # Providers display app passwords with spaces that do not belong to them.
        password = password.replace(" ", "")
    return "Basic " + base64.b64encode(f"{params.user_name}:{password}".encode()).decode()


def _rejection(params: ImportInput, error: http_client.CredentialRejected) -> Invalid:
    if params.access_token:
        return provider_errors.wrong_token(params.service)
    if params.service == "outlook":
        is_wrong = isinstance(error, graph.WrongPassword)
        return provider_errors.wrong_password(params.service) if is_wrong else provider_errors.oauth_needed(params.service)
    if APP_PASSWORD.fullmatch(params.password or ""):
        return provider_errors.wrong_password(params.service)
    return provider_errors.app_password_needed(params.service)

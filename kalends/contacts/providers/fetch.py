"""The services that contacts are imported from: one function asks any of them."""

import base64
import re
import threading

from kalends.contacts.entry import Entry
from kalends.contacts.model import ImportInput
from kalends.contacts.providers import carddav, graph
from kalends.contacts.providers import errors as provider_errors
from kalends.errors import Invalid, Unavailable, invalid
from kalends.net import http_client
from kalends.settings import Settings

# Per process, so that providers which hang cannot take every thread.
AT_ONCE = 2

APP_PASSWORD = re.compile(r"[a-z]{16}|[a-z]{4}( [a-z]{4}){3}", re.IGNORECASE)

_room = threading.BoundedSemaphore(AT_ONCE)


def fetch_entries(settings: Settings, given: ImportInput) -> list[Entry]:
    """Everybody in the user's address book at the service. The credential goes there and nowhere else."""
    _check(given)
    if not _room.acquire(blocking=False):
        raise Unavailable("Other imports are running. Try again in a minute.", retry_after=60)
    try:
        with http_client.Visit() as visit:
            return _from_outlook(visit, settings, given) if given.service == "outlook" else _from_carddav(visit, settings, given)
    except http_client.Away as away:
        name = provider_errors.NAMES[given.service]
        raise Unavailable(f"{name} cannot be asked now: {away}. Nothing was changed; try again later.", away.retry_after) from None
    except http_client.Strange as strange:
        raise provider_errors.strange_answer(given.service, str(strange)) from None
    except http_client.Refused as refused:
        raise _refusal(given, refused) from None
    finally:
        _room.release()


def _check(given: ImportInput) -> None:
    if given.access_token:
        if not graph.is_token(given.access_token):
            raise invalid("access_token", "must be a token, which has no spaces and no letters beyond ASCII")
        return
    if not given.password:
        raise invalid("password", ImportInput.RULES["password"])
    if not given.user_name:
        raise invalid("user_name", ImportInput.RULES["user_name"])
    if given.service != "outlook" and ":" in given.user_name:
        raise invalid("user_name", "must have no colon")


def _from_carddav(visit: http_client.Visit, settings: Settings, given: ImportInput) -> list[Entry]:
    url = settings.google_carddav_url if given.service == "google" else settings.yahoo_carddav_url
    return carddav.fetch_entries(visit, url, _authorization(given))


def _from_outlook(visit: http_client.Visit, settings: Settings, given: ImportInput) -> list[Entry]:
    token = given.access_token
    if not token:
        if not settings.graph_client_id:
            raise provider_errors.oauth_needed(given.service)
        token = graph.fetch_token(visit, settings.graph_login_url, settings.graph_client_id, given.user_name or "", given.password or "")
    return graph.fetch_entries(visit, settings.graph_url, token)


def _authorization(given: ImportInput) -> str:
    if given.access_token:
        return f"Bearer {given.access_token}"
    password = given.password or ""
    if APP_PASSWORD.fullmatch(password):
        # They are shown with spaces, which are no part of them.
        password = password.replace(" ", "")
    return "Basic " + base64.b64encode(f"{given.user_name}:{password}".encode()).decode()


def _refusal(given: ImportInput, refused: http_client.Refused) -> Invalid:
    if given.access_token:
        return provider_errors.wrong_token(given.service)
    if given.service == "outlook":
        is_wrong = isinstance(refused, graph.WrongPassword)
        return provider_errors.wrong_password(given.service) if is_wrong else provider_errors.oauth_needed(given.service)
    if APP_PASSWORD.fullmatch(given.password or ""):
        return provider_errors.wrong_password(given.service)
    return provider_errors.app_password_needed(given.service)

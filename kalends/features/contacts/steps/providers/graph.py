"""Microsoft Graph client: contacts of an Outlook account, and the password grant where the organisation allows it."""

import re
from typing import TypeVar
from urllib.parse import urlencode

import msgspec
from msgspec import Struct, field

from kalends.core.net.http_client import CredentialRejected, Host, ProviderResponse, ProviderSession, UnexpectedReply
from kalends.features.contacts.rules.entry import MAX_ENTRIES, Entry

SCOPE = "https://graph.microsoft.com/Contacts.Read"
FIELDS = (
    "id,givenName,surname,displayName,emailAddresses,mobilePhone,homePhones,businessPhones,birthday,"
    "homeAddress,businessAddress,otherAddress,categories"
)
PAGE = 500
# Sign-in errors (AADSTS…) about user name and password. Any other rejection needs a sign-in by OAuth.
PASSWORD_CODES = {50034, 50053, 50055, 50056, 50057, 50126}
PERSONAL = re.compile(r"@(outlook|hotmail|live|msn|passport)\.", re.IGNORECASE)
# The year of a birthday that has none.
NO_YEAR = "1604"

T = TypeVar("T")


class WrongPassword(CredentialRejected):
    """The name or the password is wrong, or the account is locked."""


class OAuthNeeded(CredentialRejected):
    """A password alone does not open this account."""


class Place(Struct, rename="camel"):
    postal_code: str | None = None
    country_or_region: str | None = None


class Mail(Struct):
    address: str | None = None


class Person(Struct, rename="camel"):
    """A contact of Microsoft Graph."""

    id: str = ""
    given_name: str | None = None
    surname: str | None = None
    display_name: str | None = None
    email_addresses: list[Mail] = []
    mobile_phone: str | None = None
    home_phones: list[str] = []
    business_phones: list[str] = []
    birthday: str | None = None
    home_address: Place | None = None
    business_address: Place | None = None
    other_address: Place | None = None
    categories: list[str] = []


class Page(Struct):
    value: list[Person]
    next: str = field(default="", name="@odata.nextLink")


class Token(Struct):
    access_token: str


class SignInError(Struct):
    error: str = ""
    error_description: str = ""
    error_codes: list[int] = []


def fetch_token(session: ProviderSession, login_url: str, client_id: str, user_name: str, password: str) -> str:
    """Get a token by the password grant. Not retried: every failure counts towards an account lock."""
    form = {"grant_type": "password", "client_id": client_id, "scope": SCOPE, "username": user_name, "password": password}
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    url = f"{login_url.rstrip('/')}/oauth2/v2.0/token"
    response = session.open(url).request("POST", url, urlencode(form).encode(), headers)
    if response.status in (400, 401, 403):
        raise _rejection(response, user_name)
    token = _decode(response.expect(200), Token).access_token
    if not is_token(token):
        raise UnexpectedReply("it sent an invalid token")
    return token


def is_token(text: str) -> bool:
    """Whether the text can be sent as a bearer token."""
    return re.fullmatch(r"[\x21-\x7e]+", text) is not None


def fetch_entries(session: ProviderSession, graph_url: str, token: str) -> list[Entry]:
    """Fetch all contacts of the account, page by page."""
    host = session.open(graph_url, f"Bearer {token}")
    url = f"{graph_url.rstrip('/')}/me/contacts?" + urlencode({"$select": FIELDS, "$top": PAGE}, safe="$,")
    entries: list[Entry] = []
    seen: set[str] = set()
    while url not in seen:
        seen.add(url)
        page = _decode(_request(session, host, url).expect(200), Page)
        entries += [_entry(person) for person in page.value]
        if len(entries) > MAX_ENTRIES:
            raise UnexpectedReply(f"it has more than {MAX_ENTRIES:,} contacts")
        if not page.next:
            return entries
        url = host.resolve(url, page.next)
    raise UnexpectedReply("its pages link in a loop")


def _request(session: ProviderSession, host: Host, url: str) -> ProviderResponse:
    """GET with retries after the provider's Retry-After, within the deadline."""
    while True:
        response = host.request("GET", url, headers={"Accept": "application/json"})
        if response.status not in (429, 503) or response.retry_after is None:
            return response
        session.pause(response.retry_after)


def _decode(response: ProviderResponse, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(response.body, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise UnexpectedReply("it did not respond like Microsoft Graph") from None


def _rejection(response: ProviderResponse, user_name: str) -> CredentialRejected:
    error = _decode(response, SignInError)
    codes = set(error.error_codes) or {int(code) for code in re.findall(r"AADSTS(\d{1,9})\b", error.error_description)}
    is_password = codes & PASSWORD_CODES if codes else error.error == "invalid_grant"
    if is_password and not PERSONAL.search(user_name):
        return WrongPassword("it rejected the user name or password")
    return OAuthNeeded("it wants more than a password")


def _entry(person: Person) -> Entry:
    places = [place for place in (person.home_address, person.business_address, person.other_address) if place]
    place = next((place for place in places if place.postal_code or place.country_or_region), Place())
    phones = [person.mobile_phone or "", *person.home_phones, *person.business_phones]
    mails = [mail.address or "" for mail in person.email_addresses]
    has_name = person.given_name or person.surname
    display_name = "" if has_name or person.display_name in mails else person.display_name
    birthday = (person.birthday or "")[:10]
    return Entry(
        first_name=person.given_name or display_name or "",
        last_name=person.surname or "",
        phone_numbers=[phone for phone in dict.fromkeys(phones) if phone],
        email_addresses=[mail for mail in dict.fromkeys(mails) if mail],
        birthday="" if birthday.startswith(NO_YEAR) else birthday,
        country=place.country_or_region or "",
        zip_code=place.postal_code or "",
        tags=person.categories,
        unique_id=person.id,
    )

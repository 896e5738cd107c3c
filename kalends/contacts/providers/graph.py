"""Microsoft Graph: the contacts of an Outlook account, and a token for its password where the organisation allows that."""

import re
from typing import TypeVar
from urllib.parse import urlencode

import msgspec
from msgspec import Struct, field

from kalends.contacts.entry import MOST_ENTRIES, Entry
from kalends.net.http_client import Answer, Host, Refused, Strange, Visit

SCOPE = "https://graph.microsoft.com/Contacts.Read"
FIELDS = (
    "id,givenName,surname,displayName,emailAddresses,mobilePhone,homePhones,businessPhones,birthday,"
    "homeAddress,businessAddress,otherAddress,categories"
)
PAGE = 500
# Sign-in errors (AADSTS…) that are about the name and the password. Whatever else is refused needs a sign-in by OAuth.
PASSWORD_CODES = {50034, 50053, 50055, 50056, 50057, 50126}
PERSONAL = re.compile(r"@(outlook|hotmail|live|msn|passport)\.", re.IGNORECASE)
# The year of a birthday that has none.
NO_YEAR = "1604"

T = TypeVar("T")


class WrongPassword(Refused):
    """The name or the password is wrong, or the account is locked."""


class OAuthNeeded(Refused):
    """A password alone does not open this account."""


class Place(Struct, rename="camel"):
    postal_code: str | None = None
    country_or_region: str | None = None


class Mail(Struct):
    address: str | None = None


class Person(Struct, rename="camel"):
    """A contact as Graph tells it."""

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


def fetch_token(visit: Visit, login_url: str, client_id: str, user_name: str, password: str) -> str:
    """A token for the name and the password. It is asked for once: every failure counts towards a lock."""
    form = {"grant_type": "password", "client_id": client_id, "scope": SCOPE, "username": user_name, "password": password}
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    url = f"{login_url.rstrip('/')}/oauth2/v2.0/token"
    answer = visit.open(url).request("POST", url, urlencode(form).encode(), headers)
    if answer.status in (400, 401, 403):
        raise _refusal(answer, user_name)
    token = _decoded(answer.expect(200), Token).access_token
    if not is_token(token):
        raise Strange("it gave a token that is none")
    return token


def is_token(text: str) -> bool:
    """Whether it can be sent as a token."""
    return re.fullmatch(r"[\x21-\x7e]+", text) is not None


def fetch_entries(visit: Visit, graph_url: str, token: str) -> list[Entry]:
    """Everybody in the account's contacts, page by page."""
    host = visit.open(graph_url, f"Bearer {token}")
    url = f"{graph_url.rstrip('/')}/me/contacts?" + urlencode({"$select": FIELDS, "$top": PAGE}, safe="$,")
    entries: list[Entry] = []
    seen: set[str] = set()
    while url not in seen:
        seen.add(url)
        page = _decoded(_asked(visit, host, url).expect(200), Page)
        entries += [_entry(person) for person in page.value]
        if len(entries) > MOST_ENTRIES:
            raise Strange(f"it has more than {MOST_ENTRIES:,} contacts")
        if not page.next:
            return entries
        url = host.resolve(url, page.next)
    raise Strange("its pages lead round in a circle")


def _asked(visit: Visit, host: Host, url: str) -> Answer:
    """The answer, after as much waiting as the provider asks for and the deadline leaves."""
    while True:
        answer = host.request("GET", url, headers={"Accept": "application/json"})
        if answer.status not in (429, 503) or answer.retry_after is None:
            return answer
        visit.pause(answer.retry_after)


def _decoded(answer: Answer, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise Strange("it did not answer as Microsoft Graph does") from None


def _refusal(answer: Answer, user_name: str) -> Refused:
    said = _decoded(answer, SignInError)
    codes = set(said.error_codes) or {int(code) for code in re.findall(r"AADSTS(\d{1,9})\b", said.error_description)}
    is_password = codes & PASSWORD_CODES if codes else said.error == "invalid_grant"
    if is_password and not PERSONAL.search(user_name):
        return WrongPassword("it does not know this name with this password")
    return OAuthNeeded("it wants more than a password")


def _entry(person: Person) -> Entry:
    places = [place for place in (person.home_address, person.business_address, person.other_address) if place]
    place = next((place for place in places if place.postal_code or place.country_or_region), Place())
    phones = [person.mobile_phone or "", *person.home_phones, *person.business_phones]
    mails = [mail.address or "" for mail in person.email_addresses]
    has_name = person.given_name or person.surname
    shown = "" if has_name or person.display_name in mails else person.display_name
    birthday = (person.birthday or "")[:10]
    return Entry(
        first_name=person.given_name or shown or "",
        last_name=person.surname or "",
        phone_numbers=[phone for phone in dict.fromkeys(phones) if phone],
        email_addresses=[mail for mail in dict.fromkeys(mails) if mail],
        birthday="" if birthday.startswith(NO_YEAR) else birthday,
        country=place.country_or_region or "",
        zip_code=place.postal_code or "",
        tags=person.categories,
        unique_id=person.id,
    )

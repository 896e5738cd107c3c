"""Where a request comes from: credentials, the session cookie and other sites, CORS, and addresses behind proxies."""

from typing import Any

import pytest

from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, a_calendar, a_key
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.http.conftest import Service, Stage, act

# Requests are parsed before any database is used.
pytestmark = pytest.mark.on_one_database

HOST = "testserver"
DAY = 86_400

HERE: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": f"http://{HOST}"},
    {"Sec-Fetch-Site": "same-origin", "Origin": f"http://{HOST}"},
]
ELSEWHERE: list[dict[str, str]] = [
    {},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "nonsense"},
    {"Sec-Fetch-Site": "cross-site", "Origin": f"http://{HOST}"},
    {"Origin": "https://evil.example"},
    {"Origin": f"http://{HOST}.evil.example"},
    {"Origin": f"http://evil.{HOST}"},
    {"Origin": f"http://{HOST}:81"},
    {"Origin": f"http://{HOST}@evil.example"},
    {"Origin": f"http://evil.example/{HOST}"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://["},
    {"Origin": HOST},
]


def with_cookie(token: str | None, **more: str) -> dict[str, str]:
    return {"Cookie": f"kalends_session={token}", **more}


def _sends(client: Client, method: str, path: str, headers: dict[str, str], **kwargs: Any) -> Reply:
    return client.request(method, path, headers=headers, host=HOST, **kwargs)


@pytest.mark.parametrize("says", HERE)
def test_a_page_of_this_site_may_write_with_the_cookie(cast: Cast, says: dict[str, str]) -> None:
    reply = _sends(cast.anonymous, "POST", "/api/calendars", with_cookie(cast.alice.token) | says, json={"name": "Jazz"})
    assert reply.status == 201
    assert reply.json["owner"]["id"] == cast.alice.id


@pytest.mark.parametrize("says", ELSEWHERE)
def test_no_other_site_may_write_with_the_cookie(cast: Cast, says: dict[str, str]) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/api/calendars/{calendar['id']}"
    cookie = with_cookie(cast.alice.token) | says
    for method, where in (("POST", "/api/calendars"), ("PUT", path), ("DELETE", path), ("POST", "/api/keys")):
        reply = _sends(cast.anonymous, method, where, cookie, json={"name": "Stolen"})
        assert (reply.status, reply.json["status"]) == (403, 403)
    assert cast.alice.get(path).json["name"] == calendar["name"]
    assert cast.alice.get("/api/keys").json["keys"] == []


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_reading_with_the_cookie_is_safe_from_anywhere(cast: Cast, method: str) -> None:
    cookie = with_cookie(cast.alice.token, **{"Sec-Fetch-Site": "cross-site"})
    assert _sends(cast.anonymous, method, f"/api/calendars/{cast.alice.primary_calendar_id}", cookie).status == 200


@pytest.mark.parametrize("says", ELSEWHERE)
def test_a_bearer_token_works_from_anywhere_even_beside_a_cookie(cast: Cast, says: dict[str, str]) -> None:
    for cookie in ({}, with_cookie(cast.bob.token), with_cookie("stale")):
        reply = _sends(cast.alice, "POST", "/api/calendars", says | cookie, json={"name": "Jazz"})
        assert (reply.status, reply.json["owner"]["id"]) == (201, cast.alice.id)


def test_a_guests_write_without_a_cookie_needs_no_origin(cast: Cast) -> None:
    assert _sends(cast.anonymous, "POST", "/api/session", {}, json={"user_name": cast.alice.user_name, "password": PASSWORD}).status == 201


def test_a_stale_cookie_is_a_guest(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    stale = with_cookie("stale", **{"Sec-Fetch-Site": "same-origin"})
    assert _sends(cast.anonymous, "GET", f"/api/calendars/{calendar['id']}", stale).status == 200
    assert _sends(cast.anonymous, "GET", "/api/calendars", stale).status == 401
    login = {"user_name": cast.alice.user_name, "password": PASSWORD}
    assert _sends(cast.anonymous, "POST", "/api/session", stale, json=login).status == 201


@pytest.mark.parametrize(
    "cookie", ["", "kalends_session", "kalends_session=", "=", ";;;", "kalends_session=é", 'kalends_session="', "a=b; c"]
)
def test_a_malformed_cookie_is_a_guest(cast: Cast, cookie: str) -> None:
    assert _sends(cast.anonymous, "GET", "/api/calendars", {"Cookie": cookie}).status == 401
    assert _sends(cast.anonymous, "GET", "/api/users/new", {"Cookie": cookie}).status == 200


@pytest.mark.parametrize(
    "credential", ["Bearer wrong", "Bearer wk_wrong", "bearer wrong", "Bearer", "Bearer ", "Basic YTpi", "wrong", "", "Bearer é"]
)
def test_a_wrong_credential_is_401_even_where_the_operation_is_public(cast: Cast, credential: str) -> None:
    calendar = a_calendar(cast.alice, public=True)
    login = {"user_name": cast.alice.user_name, "password": PASSWORD}
    headers = {"Authorization": credential}
    replies = [
        cast.anonymous.get(f"/api/calendars/{calendar['id']}", headers=headers),
        cast.anonymous.get("/api/users/new", headers=headers),
        cast.anonymous.get("/api/openapi", headers=headers),
        cast.anonymous.post("/api/session", json=login, headers=headers),
        cast.anonymous.get("/api/calendars/new", headers=headers | with_cookie(cast.alice.token)),
    ]
    for reply in replies:
        assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_health_is_for_everyone_whatever_they_send(client: Client) -> None:
    assert client.get("/healthz", headers={"Authorization": "Bearer wrong"}).status == 200


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER   "])
def test_the_scheme_is_read_in_any_case(cast: Cast, scheme: str) -> None:
    assert cast.anonymous.get("/api/calendars", headers={"Authorization": f"{scheme}{cast.alice.token}"}).status == 200


def test_a_write_key_is_a_bearer_token_and_no_cookie(cast: Cast) -> None:
    wkey = a_key(cast.alice)["wkey"]
    assert cast.anonymous.get("/api/calendars", headers={"Authorization": f"Bearer {wkey}"}).status == 200


def test_an_expired_token_is_401_and_an_expired_cookie_a_guest(cast: Cast, clock: Clock) -> None:
    calendar = a_calendar(cast.alice, public=True)
    path = f"/api/calendars/{calendar['id']}"
    clock.ahead(15 * DAY)
    assert cast.alice.get(path).status == 401
    assert _sends(cast.anonymous, "GET", path, with_cookie(cast.alice.token)).json["role"] is None


def _cookie(reply: Reply) -> tuple[str, set[str]]:
    """The value of the cookie that was set, and its attributes."""
    first, *rest = reply.headers["Set-Cookie"].split("; ")
    name, _, value = first.partition("=")
    assert name in ("kalends_session", "__Host-kalends_session")
    return value, {attribute for attribute in rest if not attribute.startswith("Max-Age")}


def _log_in(person: Any, **headers: str) -> Reply:
    login = {"user_name": person.user_name, "password": PASSWORD}
    reply = Client(person.app).post("/api/session", json=login, headers=headers, host=HOST)
    assert reply.status == 201
    return reply


def test_the_cookie_is_hidden_from_scripts_and_other_sites(cast: Cast) -> None:
    login = _log_in(cast.alice, **{"Sec-Fetch-Site": "same-origin"})
    token, attributes = _cookie(login)
    assert token == login.json["token"]
    assert attributes == {"Path=/", "HttpOnly", "SameSite=Lax"}
    assert _sends(cast.anonymous, "GET", "/api/calendars", with_cookie(token)).status == 200


def test_the_cookie_is_secure_under_https(service: Service) -> None:
    guest = service(base_url="https://calendar.example.org")
    registration = {"user_name": "alice", "email_address": "alice@example.org", "password": PASSWORD}
    assert guest.post("/api/users", json=registration).status == 201
    login = guest.post("/api/session", json={"user_name": "alice", "password": PASSWORD, "cookie": True})
    assert _cookie(login)[1] == {"Path=/", "HttpOnly", "SameSite=Lax", "Secure"}
    cleared = guest.signed_in(login.json["token"]).delete("/api/session/current")
    assert _cookie(cleared) == ("", {"Path=/", "HttpOnly", "SameSite=Lax", "Secure"})


@pytest.mark.parametrize("says", [e for e in ELSEWHERE if e.get("Sec-Fetch-Site") or e.get("Origin")])
def test_another_site_cannot_log_its_visitors_in(cast: Cast, says: dict[str, str]) -> None:
    assert "Set-Cookie" not in _log_in(cast.alice, **says).headers


def test_logging_out_clears_the_cookie_of_the_session_that_ends(cast: Cast) -> None:
    other = cast.alice.signed_in(_log_in(cast.alice).json["token"])
    assert "Set-Cookie" not in other.delete(f"/api/session/{cast.alice.session_id}").headers
    gone = other.delete("/api/session/current")
    assert _cookie(gone)[0] == ""
    assert "Max-Age=0" in gone.headers["Set-Cookie"]


APP = "https://app.example.org"


def _cors(reply: Reply) -> dict[str, str]:
    return {name.lower(): value for name, value in reply.headers.items() if name.lower().startswith("access-control-")}


def test_cors_is_off_by_default(client: Client) -> None:
    preflight = {"Origin": APP, "Access-Control-Request-Method": "PUT"}
    for reply in (client.get("/api/users/new", headers={"Origin": APP}), client.request("OPTIONS", "/api/calendars", headers=preflight)):
        assert _cors(reply) == {}


def test_a_configured_origin_may_read_replies_and_errors_but_never_with_cookies(service: Service) -> None:
    guest = service(cors_origins=f"https://other.example.org, {APP}")
    for path, status in (("/api/users/new", 200), ("/api/calendars", 401), ("/api/nothing", 404)):
        reply = guest.get(path, headers={"Origin": APP})
        assert reply.status == status
        assert _cors(reply)["access-control-allow-origin"] == APP
        assert "access-control-allow-credentials" not in _cors(reply)
        assert "Origin" in reply.headers["Vary"]


def test_a_configured_origin_passes_the_preflight(service: Service) -> None:
    headers = {"Origin": APP, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization,content-type"}
    reply = service(cors_origins=APP).request("OPTIONS", "/api/calendars/1", headers=headers)
    assert reply.status == 200
    cors_headers = _cors(reply)
    assert cors_headers["access-control-allow-origin"] == APP
    assert {"GET", "POST", "PUT", "DELETE"} <= set(cors_headers["access-control-allow-methods"].split(", "))
    assert {"authorization", "content-type", "if-match", "prefer"} <= set(cors_headers["access-control-allow-headers"].lower().split(", "))


@pytest.mark.parametrize(
    "origin", ["https://evil.example", f"{APP}.evil.example", f"{APP}:8443", "http://app.example.org", "null", "*", None]
)
def test_no_other_origin_gets_cors_headers(service: Service, origin: str | None) -> None:
    guest = service(cors_origins=APP)
    headers = {"Origin": origin} if origin else {}
    for reply in (
        guest.get("/api/users/new", headers=headers),
        guest.request("OPTIONS", "/api/calendars", headers=headers | {"Access-Control-Request-Method": "PUT"}),
    ):
        assert _cors(reply) == {}
        assert "Origin" in reply.headers["Vary"]


def test_a_configured_origin_still_cannot_write_with_the_cookie(service: Service) -> None:
    guest = service(cors_origins=APP)
    reply = guest.post("/api/calendars", json={"name": "Jazz"}, headers=with_cookie("token", Origin=APP))
    assert reply.status == 403


def test_a_script_may_read_retry_after(service: Service) -> None:
    exposed = _cors(service(cors_origins=APP).get("/api/users/new", headers={"Origin": APP}))["access-control-expose-headers"]
    assert {"ETag", "Link", "Retry-After"} <= set(exposed.split(", "))


def test_a_wildcard_origin_lets_every_site_read_what_guests_may_and_nothing_else(service: Service) -> None:
    guest = service(cors_origins=f"*, {APP}")
    other = {"Origin": "https://other.example"}
    assert _cors(guest.get("/api/events", headers=other))["access-control-allow-origin"] == "*"
    assert _cors(guest.get("/", headers=other)) == {}
    assert _cors(guest.post("/api/session", json={}, headers=other)) == {}
    headers = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization"}
    preflight = _cors(guest.request("OPTIONS", "/api/events", headers=other | headers))
    assert preflight["access-control-allow-methods"] == "GET, HEAD"
    assert "authorization" not in preflight["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in preflight
    assert "PUT" in _cors(guest.request("OPTIONS", "/api/events", headers={"Origin": APP} | headers))["access-control-allow-methods"]


@pytest.mark.parametrize(
    ("base_url", "origin", "host", "status"),
    [
        ("http://cal.example", "http://cal.example", "127.0.0.1:8000", 401),
        ("https://Cal.example:443", "https://cal.example", "127.0.0.1:8000", 401),
        ("https://bücher.example:8443", "https://xn--bcher-kva.example:8443", "127.0.0.1:8000", 401),
        ("https://cal.example", "http://cal.example", "cal.example", 403),
        ("https://cal.example", "https://cal.example:8443", "cal.example:8443", 403),
        ("https://cal.example", "https://evil.example", "evil.example", 403),
        ("", "http://cal.example", "cal.example", 401),
        ("", "http://cal.example", "127.0.0.1:8000", 403),
    ],
)
def test_without_fetch_metadata_the_origin_must_be_that_of_the_base_address(
    service: Service, base_url: str, origin: str, host: str, status: int
) -> None:
    """A form of another site is 403; one of this site reaches the login, which is wrong here."""
    form = {"user_name": "nobody", "password": PASSWORD}
    reply = service(base_url=base_url).post("/sign-in", data=form, headers={"Origin": origin}, host=host)
    assert reply.status == status, reply


def _address(ctx: Context) -> dict[str, str]:
    """Say where the caller is."""
    return {"address": ctx.caller.address}


@pytest.mark.parametrize(
    ("proxies", "near", "forwarded", "address"),
    [
        ("", "192.0.2.1", "203.0.113.9", "192.0.2.1"),
        ("10.0.0.0/8", "192.0.2.1", "203.0.113.9", "192.0.2.1"),
        ("10.0.0.0/8", "10.1.1.1", None, "10.1.1.1"),
        ("10.0.0.0/8", "10.1.1.1", "", "10.1.1.1"),
        ("10.0.0.0/8", "10.1.1.1", "203.0.113.9", "203.0.113.9"),
        ("10.0.0.0/8", "10.1.1.1", "198.51.100.6, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.0/8", "10.1.1.1", "127.0.0.1, 203.0.113.9, 10.2.2.2", "203.0.113.9"),
        ("10.0.0.0/8", "10.1.1.1", "10.3.3.3,10.2.2.2", "10.3.3.3"),
        ("10.0.0.0/8", "10.1.1.1", "203.0.113.9, ", "203.0.113.9"),
        ("10.0.0.0/8", "10.1.1.1", "203.0.113.9:4711", "203.0.113.9"),
        ("10.0.0.0/8", "10.1.1.1", "10.0.0.1, unknown", "unknown"),
        ("10.0.0.0/8", "::ffff:10.1.1.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1, ::1", "::1", "2001:db8::9", "2001:db8::9"),
        ("127.0.0.1, ::1", "::1", "[2001:db8::9]:4711, 127.0.0.1", "2001:db8::9"),
        ("2001:db8::/32", "2001:db8::1", "203.0.113.9", "203.0.113.9"),
    ],
)
def test_the_client_address_is_the_nearest_that_is_no_trusted_proxy(
    stage: Stage, proxies: str, near: str, forwarded: str | None, address: str
) -> None:
    guest = stage(act("GET", "/api/address", _address, guests=True), trusted_proxies=proxies)
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    assert guest.get("/api/address", headers=headers, remote_addr=near).json["address"] == address

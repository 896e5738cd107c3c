"""The origin of a request: its address behind proxies and the network of it, its credential, its site, and CORS."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from kalends.core import errors
from kalends.core.settings import Settings, listed
from kalends.http.context import read_cookie
from kalends.http.request import Request

COOKIE = "kalends_session"
# Under https: a browser takes a cookie of this name from this very host alone, with Secure and for all paths.
HOST_PREFIX = "__Host-"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# In the setting: every origin may read what guests may.
PUBLIC = "*"
EXPOSED = "ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
IPV6_PREFIX = 64
# What one customer may get of IPv6, and one company of IPv4.
WIDER_IPV6_PREFIXES = (56, 48)
WIDER_IPV4_PREFIX = 24


class Origins:
    """The settings' proxies and CORS origins, ready to ask."""

    def __init__(self, settings: Settings):
        self._proxies = [ip_network(proxy, strict=False) for proxy in listed(settings.trusted_proxies)]
        self._cors = frozenset(listed(settings.cors_origins)) - {PUBLIC}
        self._is_public = PUBLIC in listed(settings.cors_origins)
        self._own = _origin(settings.base_url) if settings.base_url else None

    def address(self, request: Request) -> str:
        """The client's address: the nearest one that is not a proxy of ours."""
        address = request.address
        if self._proxies and self._trusts(address):
            for hop in reversed(request.headers.get("x-forwarded-for", "").split(",")):
                address = _without_port(hop.strip()) or address
                if not self._trusts(address):
                    break
        return address

    def _trusts(self, address: str) -> bool:
        try:
            known = ip_address(address)
        except ValueError:
            return False
        if isinstance(known, IPv6Address) and known.ipv4_mapped:
            known = known.ipv4_mapped
        return any(known in network for network in self._proxies)

    def cors(self, request: Request) -> dict[str, str]:
        """The headers that let a configured origin's scripts read the HTTP response."""
        origin = request.headers.get("origin")
        if origin in self._cors:
            methods = "GET, POST, PUT, PATCH, DELETE"
            headers = "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer"
            return _cors(request, origin, methods, headers)
        if self._is_public and origin and request.method in SAFE and request.path.startswith("/api/"):
            # Without Authorization among the headers, a browser refuses to send a credential.
            return _cors(request, PUBLIC, "GET, HEAD", "If-None-Match, Prefer")
        return {}

    def is_same_origin(self, request: Request) -> bool:
        """Whether the browser says that a page of this very site sent the request."""
        site = request.headers.get("sec-fetch-site")
        if site is not None:
            return site in ("same-origin", "none")
        origin = request.headers.get("origin")
        if origin is None:
            return False
        if self._own is not None:
            # A proxy need not pass the Host on.
            return origin == self._own
        return origin.partition("://")[2] == request.headers.get("host")

    def is_cross_site(self, request: Request) -> bool:
        """Whether a page of another site sent the request."""
        return ("sec-fetch-site" in request.headers or "origin" in request.headers) and not self.is_same_origin(request)

    def credential(self, request: Request) -> tuple[str | None, bool]:
        """The token that the request carries, and whether it is a Bearer token rather than the cookie."""
        header = request.headers.get("authorization")
        if header is not None:
            scheme, _, token = header.partition(" ")
            if scheme.lower() != "bearer" or not token.strip():
                raise errors.InvalidToken("The Authorization header must be 'Bearer' and a session token or a key.")
            return token.strip(), True
        if "cookie" not in request.headers:
            return None, False
        session = read_cookie(request.headers["cookie"], HOST_PREFIX + COOKIE)
        if session is None:
            session = read_cookie(request.headers["cookie"], COOKIE)
        if session is None:
            return None, False
        if request.method not in SAFE and not self.is_same_origin(request):
            raise errors.Forbidden(
                "A request with the session cookie must come from this site. From a script, send the token as 'Authorization: Bearer …'."
            )
        return session, False


def _cors(request: Request, origin: str, methods: str, headers: str) -> dict[str, str]:
    allowed = {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED}
    if request.method == "OPTIONS" and request.headers.get("access-control-request-method"):
        allowed |= {
            "Access-Control-Allow-Methods": methods,
            "Access-Control-Allow-Headers": headers,
            "Access-Control-Max-Age": "600",
        }
    return allowed


def _origin(url: str) -> str:
    """The origin of a URL as browsers write it: host in lower case and ASCII, no default port."""
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("idna").decode()
    port = "" if parts.port in (None, {"http": 80, "https": 443}[parts.scheme]) else f":{parts.port}"
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def _without_port(hop: str) -> str:
    """`203.0.113.9:4711` and `[2001:db8::9]:4711` as some proxies write them: a port would make each connection someone else."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop


@lru_cache(maxsize=4096)
def network(address: str) -> str:
    """The address itself for IPv4; for IPv6 its /64, the least that a customer gets. Other text is returned unchanged."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, IPV6_PREFIX), strict=False))


@lru_cache(maxsize=4096)
def wider_networks(address: str) -> tuple[str, ...]:
    """The networks around that of the address, which one client may have as well: /56 and /48 for IPv6, /24 for IPv4."""
    try:
        inner = ip_network(network(address))
    except ValueError:
        return ()
    prefixes = (WIDER_IPV4_PREFIX,) if inner.version == 4 else WIDER_IPV6_PREFIXES
    return tuple(str(inner.supernet(new_prefix=prefix)) for prefix in prefixes)

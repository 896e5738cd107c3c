"""One POST to an address that a user chose: the name is resolved once, checked, and connected to by that very address."""

import re
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from ssl import SSLCertVerificationError
from urllib.parse import SplitResult, urlsplit

from kalends.net.deadline import Deadline

PORTS = {"http": 80, "https": 443}
# IPv6 addresses with an IPv4 address in their last 32 bits: IPv4-compatible, and NAT64.
_EMBEDDING = (ip_network("::/96"), ip_network("64:ff9b::/96"))
# Resolvers read `2130706433`, `0x7f.1` and `0177.0.0.1` as IPv4 addresses.
_NUMERIC = re.compile(r"(?:^|\.)(?:[0-9]+|0[xX][0-9a-fA-F]*)\.?$")

Address = tuple[str, int]


class AddressRefused(Exception):
    """The URL leads to an address to which nothing is sent."""


class PostFailed(Exception):
    """There was no HTTP response."""


def check_url(url: str, *, seconds: float, any_network: bool) -> None:
    """Raise AddressRefused unless the URL leads to addresses that are allowed, and PostFailed if its name has none."""
    with Deadline(seconds, seconds) as deadline:
        _resolve(deadline, _split(url), any_network=any_network)


def post(url: str, body: bytes, headers: dict[str, str], *, seconds: float, any_network: bool) -> int:
    """Send the body, and return the status of the HTTP response. Its content is not read, and a redirect is not followed."""
    parts = _split(url)
    with Deadline(seconds, seconds) as deadline:
        addresses = _resolve(deadline, parts, any_network=any_network)
        try:
            connection = HTTPConnection(parts.hostname or "", parts.port or PORTS[parts.scheme])
            try:
                connection.sock = deadline.connect_to(addresses, parts.hostname or "", tls=parts.scheme == "https")
                target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                connection.request("POST", target, body, {"Host": parts.netloc} | headers)
                return connection.getresponse().status
            finally:
                connection.close()
        except TimeoutError:
            raise PostFailed(_late(seconds)) from None
        except SSLCertVerificationError as error:
            raise PostFailed(f"The certificate of the receiver was refused: {error.verify_message.rstrip('.')}.") from None
        except (OSError, HTTPException, ValueError) as error:
            try:
                deadline.left()
            except TimeoutError:
                raise PostFailed(_late(seconds)) from None
            raise PostFailed(f"The connection failed: {type(error).__name__}.") from None


def _late(seconds: float) -> str:
    return f"There was no HTTP response within {seconds:g} seconds."


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme in PORTS and parts.hostname and "@" not in parts.netloc and not parts.fragment
        if is_plain and url.isascii() and url.isprintable() and " " not in url and "\\" not in url and parts.port != 0:
            return parts
    except ValueError:
        pass
    raise AddressRefused("must be an address such as https://example.org/hook, without a password and a fragment")


def _resolve(deadline: Deadline, parts: SplitResult, *, any_network: bool) -> list[Address]:
    """The addresses of the host, all of which are allowed."""
    host = parts.hostname or ""
    if _NUMERIC.search(host) and not _is_ip_address(host):
        raise AddressRefused("must have a name, or an IP address in its usual form")
    try:
        addresses = deadline.resolve(host, parts.port or PORTS[parts.scheme])
    except TimeoutError:
        addresses = []
    if not addresses:
        raise PostFailed("The name of the host has no address.")
    ips = [ip_address(address.partition("%")[0]) for address, _ in addresses]
    if parts.scheme == "http" and not (any_network and all(ip.is_loopback for ip in ips)):
        raise AddressRefused("must begin with https://")
    if not any_network and not all(is_public(ip) for ip in ips):
        raise AddressRefused("leads to a network that is not public")
    return addresses


def is_public(ip: IPv4Address | IPv6Address) -> bool:
    """Whether the address is one host on the Internet."""
    if isinstance(ip, IPv6Address):
        embedded = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if embedded is None and any(ip in network for network in _EMBEDDING):
            embedded = IPv4Address(int(ip) & 0xFFFFFFFF)
        if embedded is not None:
            return is_public(embedded)
        if ip.is_site_local:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _is_ip_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

"""One POST to an address that a user chose: the name is resolved once, checked, and connected to by that very address."""

import re
from http.client import HTTPException
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from kalends.core.i18n import gettext
from kalends.core.net.deadline import Deadline
from kalends.core.net.http_connection import PORTS, Address, Connection, target

# Other ports of other hosts are none of a user's business: their replies would tell what runs there.
PUBLIC_PORTS = (443, 8443)
# IANA's registries of special-purpose addresses, written down here: the tables of Python differ from version to version.
_SPECIAL_IPV4 = tuple(
    ip_network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24"),
        *("192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
    )
)
_GLOBAL_IPV6 = ip_network("2000::/3")
# Within it: Teredo and its neighbours, documentation, and 6to4.
_SPECIAL_IPV6 = tuple(ip_network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
_NAT64 = ip_network("64:ff9b::/96")
# The 32 bits before the IPv4 address in an IPv6 address of ISATAP (RFC 5214).
_ISATAP = (0x00005EFE, 0x02005EFE)
# Resolvers read `2130706433`, `0x7f.1` and `0177.0.0.1` as IPv4 addresses.
_NUMERIC = re.compile(r"(?:^|\.)(?:[0-9]+|0[xX][0-9a-fA-F]*)\.?$")

ONLY_HTTPS = gettext("must begin with https://")


class AddressRefused(Exception):
    """The URL leads to an address to which nothing is sent."""


class PostFailed(Exception):
    """There was no HTTP response."""


def check_url(url: str, *, seconds: float, any_network: bool) -> None:
    """Raise AddressRefused unless the URL leads to addresses that are allowed, and PostFailed if its name has none."""
    with Deadline(seconds, seconds) as deadline:
        resolve(deadline, split(url), any_network=any_network)


def post(url: str, body: bytes, headers: dict[str, str], *, seconds: float, any_network: bool) -> int:
    """Send the body, and return the status of the HTTP response. Its content is not read, and a redirect is not followed."""
    parts = split(url)
    with Deadline(seconds, seconds) as deadline:
        addresses = resolve(deadline, parts, any_network=any_network)
        try:
            connection = Connection(parts.scheme, parts.hostname or "", parts.port or PORTS[parts.scheme], deadline, addresses)
            try:
                connection.open()
                connection.request("POST", target(url), body, headers)
                return connection.getresponse().status
            finally:
                connection.close()
        except (OSError, HTTPException, ValueError):
            # One text for all causes: which one it was tells about the host, which may be anybody's.
            raise PostFailed(
                f"There was no HTTP response within {seconds:g} seconds. Check the address, its certificate, and that it can be reached."
            ) from None


def split(url: str) -> SplitResult:
    """The parts of a URL without user info and fragment; AddressRefused if it is none."""
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme in PORTS and parts.hostname and "@" not in parts.netloc and not parts.fragment
        if is_plain and url.isascii() and url.isprintable() and " " not in url and "\\" not in url and parts.port != 0:
            return parts
    except ValueError:
        pass
    raise AddressRefused(gettext("must be an address such as https://example.org/hook, without a password and a fragment"))


def resolve(deadline: Deadline, parts: SplitResult, *, any_network: bool) -> list[Address]:
    """The addresses of the host, all of which are allowed."""
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    if parts.scheme == "http" and not any_network:
        raise AddressRefused(ONLY_HTTPS)
    if _NUMERIC.search(host) and not _is_ip_address(host):
        raise AddressRefused(gettext("must have a name, or an IP address in its usual form"))
    if not any_network and port not in PUBLIC_PORTS:
        raise AddressRefused(gettext("must have the port 443 or 8443, or none"))
    try:
        addresses = deadline.resolve(host, port)
    except TimeoutError:
        addresses = []
    if not addresses:
        raise PostFailed("The name of the host has no address.")
    ips = [ip_address(address.partition("%")[0]) for address, _ in addresses]
    if parts.scheme == "http" and not all(ip.is_loopback for ip in ips):
        raise AddressRefused(ONLY_HTTPS)
    if not any_network and not all(is_public(ip) for ip in ips):
        raise AddressRefused(gettext("leads to a network that is not public"))
    return addresses


def is_public(ip: IPv4Address | IPv6Address) -> bool:
    """Whether the address is one host on the Internet."""
    if isinstance(ip, IPv4Address):
        return not any(ip in network for network in _SPECIAL_IPV4)
    if ip.ipv4_mapped or ip in _NAT64:
        return is_public(IPv4Address(int(ip) & 0xFFFFFFFF))
    is_special = any(ip in network for network in _SPECIAL_IPV6) or int(ip) >> 32 & 0xFFFFFFFF in _ISATAP
    return ip in _GLOBAL_IPV6 and not is_special


def _is_ip_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

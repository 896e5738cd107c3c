"""The network of a client address, which rate limits count."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

IPV6_PREFIX = 64


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

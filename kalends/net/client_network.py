"""The network that a client's address belongs to: what rate limits count."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

IPV6_PREFIX = 64


@lru_cache(maxsize=4096)
def network(address: str) -> str:
    """The address itself for IPv4; its /64 for IPv6, which one customer has whole. Text that is no address stays as it is."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, IPV6_PREFIX), strict=False))

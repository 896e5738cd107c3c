"""The network of a client address, which rate limits count."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

IPV6_PREFIX = 64
# What one customer may get of IPv6, and one company of IPv4.
WIDER_IPV6_PREFIXES = (56, 48)
WIDER_IPV4_PREFIX = 24


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

"""The network that rate limits count."""

import pytest

from kalends.http.origin import network, wider_networks


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::9", "2001:db8:1:3::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("unix:", "unix:"),
    ],
)
def test_an_ipv6_address_counts_as_its_64(address: str, counted: str) -> None:
    assert network(address) == counted


@pytest.mark.parametrize(
    ("address", "wider"),
    [
        ("203.0.113.9", ("203.0.113.0/24",)),
        ("::ffff:203.0.113.9", ("203.0.113.0/24",)),
        ("2001:db8:1:2ff::9", ("2001:db8:1:200::/56", "2001:db8:1::/48")),
        ("", ()),
        ("unix:", ()),
    ],
)
def test_a_client_may_have_the_networks_around_its_own(address: str, wider: tuple[str, ...]) -> None:
    assert wider_networks(address) == wider

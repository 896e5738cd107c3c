"""SPF, DKIM and DMARC of a sender's domain, asked at a real DNS server."""

import dns.rcode
import pytest

from kalends.core.net.mail_domain import NotAsked, find_problems
from tests.net.dns_server import asked_at, dns_server

GOOD = {
    "example.org": ["google-site-verification=x", "v=spf1 mx -all"],
    "mail._domainkey.example.org": [f"v=DKIM1; p={'A' * 400}"],
    "_dmarc.example.org": ["v=DMARC1; p=quarantine"],
}


def _problems(texts: dict[str, list[str]], domain: str = "example.org") -> dict[str, str]:
    with dns_server(texts):
        return {name: problem for name, problem in find_problems(domain).items() if problem}


def test_a_domain_with_all_three_has_no_problem() -> None:
    assert _problems(GOOD) == {}


def test_a_domain_without_records_is_told_each_of_them() -> None:
    problems = _problems({"example.org": ["hello"]})
    assert list(problems) == ["SPF", "DKIM", "DMARC"]
    assert "v=spf1 mx a:mail.example.org -all" in problems["SPF"]
    assert "mail._domainkey.example.org" in problems["DKIM"]
    assert "v=DMARC1; p=none; rua=mailto:postmaster@example.org" in problems["DMARC"]


@pytest.mark.parametrize(
    ("records", "advice"),
    [
        (["v=spf1 +all"], "lets anyone send"),
        (["v=spf1 mx"], "lets anyone send"),
        (["v=spf1 mx -all", "v=spf1 a -all"], "several TXT records"),
        (["v=spf10 mx -all"], "says nothing about who may send"),
    ],
)
def test_what_is_wrong_with_spf_is_named(records: list[str], advice: str) -> None:
    assert advice in _problems(GOOD | {"example.org": records})["SPF"]


def test_spf_may_be_that_of_another_domain() -> None:
    assert _problems(GOOD | {"example.org": ["v=spf1 redirect=_spf.example.net"]}) == {}


def test_keys_and_policy_of_the_domain_above_hold_for_a_subdomain_and_spf_does_not() -> None:
    assert list(_problems(GOOD | {"calendar.example.org": ["hello"]}, "calendar.example.org")) == ["SPF"]


def test_two_policies_are_none() -> None:
    assert "several" in _problems(GOOD | {"_dmarc.example.org": ["v=DMARC1; p=none", "v=DMARC1; p=reject"]})["DMARC"]


@pytest.mark.parametrize("domain", ["localhost", "[192.0.2.1]"])
def test_a_sender_without_a_domain_is_told_so_without_asking(domain: str) -> None:
    with asked_at(1):
        assert "not a domain of the Internet" in str(find_problems(domain)["SPF"])


def test_a_resolver_that_fails_is_no_missing_record() -> None:
    with dns_server(GOOD, rcode=dns.rcode.SERVFAIL), pytest.raises(NotAsked):
        find_problems("example.org")

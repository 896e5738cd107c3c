"""What the DNS says about the domain of a sender: without SPF, DKIM and DMARC, mail servers refuse its mail or call it spam."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kalends.core.i18n import gettext

if TYPE_CHECKING:
    from dns.resolver import Answer

# For all questions together: somebody waits for the answer.
SECONDS = 3.0


class NotAsked(Exception):
    """The DNS gave no answer, so nothing is known."""


def find_problems(domain: str) -> dict[str, str | None]:
    """SPF, DKIM and DMARC, each with what to do, or None if it is there. Raises NotAsked if the DNS does not answer."""
    if domain.startswith("[") or "." not in domain.strip("."):
        return {
            "SPF": gettext(
                "%(domain)s is not a domain of the Internet, so most mail servers refuse mail from it. Choose another sender.",
                domain=domain,
            )
        }
    return {"SPF": _spf(domain), "DKIM": _dkim(domain), "DMARC": _dmarc(domain)}


def _spf(domain: str) -> str | None:
    records = _texts(domain, "v=spf1")
    if not records:
        return gettext(
            "%(domain)s says nothing about who may send its mail. Publish a TXT record at %(domain)s with the servers that do, "
            "such as: v=spf1 mx a:mail.%(domain)s -all",
            domain=domain,
        )
    if len(records) > 1:
        return gettext("%(domain)s has several TXT records that begin with v=spf1, so none counts. Make them one.", domain=domain)
    terms = records[0].lower().split()
    if not any(term in ("-all", "~all") or term.startswith("redirect=") for term in terms):
        return gettext("The TXT record v=spf1 of %(domain)s lets anyone send. End it with -all or ~all.", domain=domain)
    return None


def _dkim(domain: str) -> str | None:
    """The names of keys are the mail server's affair; whether there are any, the DNS tells for the name above them (RFC 8020)."""
    if any(_ask(f"_domainkey.{each}") is not None for each in _and_parents(domain)):
        return None
    return gettext(
        "%(domain)s has no key to sign mail with. Switch DKIM on in the mail server, and publish the TXT record that it shows, "
        "such as mail._domainkey.%(domain)s.",
        domain=domain,
    )


def _dmarc(domain: str) -> str | None:
    for each in _and_parents(domain):
        if records := _texts(f"_dmarc.{each}", "v=dmarc1"):
            if len(records) > 1:
                return gettext("_dmarc.%(domain)s has several TXT records, so none counts. Keep one.", domain=each)
            return None
    return gettext(
        "%(domain)s says nothing about mail that is forged in its name. Publish a TXT record at _dmarc.%(domain)s, "
        "such as: v=DMARC1; p=none; rua=mailto:postmaster@%(domain)s",
        domain=domain,
    )


def _and_parents(domain: str) -> Iterator[str]:
    """The domain and those above it, whose keys and policies hold for it too, but for the last one, such as `org`."""
    labels = domain.strip(".").split(".")
    return (".".join(labels[start:]) for start in range(len(labels) - 1))


def _texts(name: str, version: str) -> list[str]:
    """The TXT records at this name that begin with this version."""
    answer = _ask(name)
    found = [b"".join(record.strings).decode("ascii", "replace") for record in (answer.rrset if answer and answer.rrset else ())]
    return [text for text in found if text.replace(";", " ").lower().split()[:1] == [version]]


def _ask(name: str) -> "Answer | None":
    """The TXT records of a name, perhaps none; None if neither the name nor any below it exists."""
    # Imported here because it takes time that the start of the service does not need.
    from dns import exception, resolver

    try:
        return resolver.resolve(name, "TXT", lifetime=SECONDS, raise_on_no_answer=False, search=False)
    except resolver.NXDOMAIN:
        return None
    except (exception.DNSException, OSError) as error:
        raise NotAsked from error

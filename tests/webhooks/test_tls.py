"""Webhooks over TLS: a receiver has to prove by its certificate that it is the host of the URL."""

from collections.abc import Callable
from ssl import SSLContext

import pytest

from tests.cast import an_event
from tests.conftest import Clock
from tests.webhooks.certificates import Authority
from tests.webhooks.conftest import Receiver, Service

Issue = Callable[[Authority, Authority], SSLContext]
WRONG: dict[str, Issue] = {
    "unknown authority": lambda trusted, other: other.issue("127.0.0.1"),
    "another host": lambda trusted, other: trusted.issue("hooks.example.org"),
}


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> tuple[Authority, Authority]:
    folder = tmp_path_factory.mktemp("authorities")
    return Authority(folder, "trusted"), Authority(folder, "other")


@pytest.fixture
def trusted(authorities: tuple[Authority, Authority], monkeypatch: pytest.MonkeyPatch) -> Authority:
    """The authority that the service trusts, as its operator says so."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authorities[0].certificate))
    return authorities[0]


def test_a_delivery_over_tls_is_verified_by_its_receiver(service: Service, trusted: Authority) -> None:
    with Receiver(trusted.issue("127.0.0.1")) as receiver:
        assert receiver.url.startswith("https://")
        webhook = service.hook(receiver)
        event = an_event(service.cast.alice)
        assert service.send() == 1
    assert [each.record for each in receiver.deliveries] == [("event.put", event["id"])]
    assert [(each["state"], each["status"]) for each in service.deliveries(webhook)] == [("sent", 204)]


@pytest.mark.on_one_database
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_certificate_is_refused_and_recorded(
    service: Service, trusted: Authority, authorities: tuple[Authority, Authority], clock: Clock, wrong: str
) -> None:
    with Receiver(WRONG[wrong](*authorities)) as receiver:
        webhook = service.hook(receiver)
        an_event(service.cast.alice)
        assert service.send() == 1
    [delivery] = service.deliveries(webhook)
    assert (delivery["state"], delivery["status"], delivery["attempts"]) == ("queued", None, 1)
    assert delivery["error"].startswith("There was no HTTP response within 5 seconds. Check the address, its certificate")
    assert receiver.requests == []
    assert service.show(webhook)["failing_since"]
    assert delivery["error"].replace("'", "&#39;") in service.cast.alice.get(f"/webhooks/{webhook['id']}").text

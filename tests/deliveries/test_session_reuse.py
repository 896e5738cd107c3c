"""The SMTP sessions of a worker: used for several messages, and replaced when a server has ended one."""

from pathlib import Path
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.features.deliveries.messages.message import mail as render_mail
from kalends.features.deliveries.rules.outcome import AddressRefused, TryAgain
from kalends.mail import mail, smtp_session
from kalends.mail.smtp_session import SessionPool
from tests.deliveries.samples import a_delivery, a_row
from tests.deliveries.servers import Mailbox, real_server, server_context
from tests.deliveries.test_mail import login, using


class CountingServer(Mailbox):
    """A server that tells sessions apart. `ends` says what it does with a session after that many messages."""

    def __init__(self, limit: int = 0, ends: str = "421 4.7.0 Too many messages"):
        super().__init__()
        self._limit, self._ends = limit, ends
        self.messages: list[int] = []
        self._numbers: dict[Any, int] = {}

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        number = self._numbers.setdefault(session.peer, len(self._numbers))
        if self._limit and self.messages.count(number) >= self._limit:
            if self._ends != "drop":
                return self._ends
            server.transport.abort()
        return await super().handle_MAIL(server, session, envelope, address, options)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        if address.startswith("nobody"):
            return "550 5.1.1 No such user"
        return await super().handle_RCPT(server, session, envelope, address, options)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        self.messages.append(self._numbers[session.peer])
        return await super().handle_DATA(server, session, envelope)


def send(settings: Settings, pool: SessionPool, address: str = "gus@example.org", step: float = 5) -> None:
    mail.send(settings, render_mail(settings, a_delivery(address=address), a_row()), address, pool=pool, seconds=20, step=step)


def test_messages_share_a_session_up_to_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp_session, "MAX_MESSAGES", 3)
    pool = SessionPool()
    with real_server(server := CountingServer()) as port:
        for _ in range(7):
            send(using(tmp_path, f"smtp://127.0.0.1:{port}"), pool)
        pool.close_idle(0)
        send(using(tmp_path, f"smtp://127.0.0.1:{port}"), pool)
        pool.close_idle(0)
    assert server.messages == [0, 0, 0, 1, 1, 1, 2, 3]


@pytest.mark.parametrize("ends", ["421 4.7.0 Too many messages", "452 4.5.3 Enough for this session", "drop"])
def test_a_session_that_the_server_ends_is_replaced_at_once(tmp_path: Path, ends: str) -> None:
    pool = SessionPool()
    with real_server(server := CountingServer(2, ends)) as port:
        for _ in range(5):
            send(using(tmp_path, f"smtp://127.0.0.1:{port}"), pool)
        pool.close_idle(0)
    assert server.messages == [0, 0, 1, 1, 2]


def test_a_refused_address_does_not_end_the_session(tmp_path: Path) -> None:
    pool = SessionPool()
    with real_server(server := CountingServer()) as port:
        settings = using(tmp_path, f"smtp://127.0.0.1:{port}")
        send(settings, pool)
        with pytest.raises(AddressRefused):
            send(settings, pool, "nobody@example.org")
        send(settings, pool)
        pool.close_idle(0)
    assert server.messages == [0, 0]


def test_a_server_that_is_gone_or_refuses_for_now_is_tried_later(tmp_path: Path) -> None:
    pool = SessionPool()
    with real_server(CountingServer()) as port:
        settings = using(tmp_path, f"smtp://127.0.0.1:{port}")
        send(settings, pool)
    with pytest.raises(TryAgain):
        send(settings, pool)
    refusing = Mailbox(MAIL="451 4.3.2 Not now")
    with real_server(refusing) as port, pytest.raises(TryAgain, match="451"):
        send(using(tmp_path, f"smtp://127.0.0.1:{port}"), SessionPool())


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_session_with_tls_is_used_again_under_a_new_deadline(tmp_path: Path, trusted: Path, scheme: str) -> None:
    pool, server, context = SessionPool(), CountingServer(), server_context(trusted)
    at_once, later = (context, None) if scheme == "smtps" else (None, context)
    auth: dict[str, Any] = {"authenticator": server.authenticate, "auth_require_tls": scheme == "smtp"}
    with real_server(server, at_once, tls_context=later, **auth) as port:
        for _ in range(3):
            send(using(tmp_path, login(port, scheme=scheme)), pool)
        pool.close_idle(0)
    assert (server.messages, server.logins) == ([0, 0, 0], [True])

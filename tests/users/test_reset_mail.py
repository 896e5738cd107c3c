"""The password reset link, from the page to the mailbox, and not in the log."""

import email
import email.policy

import pytest

from tests.deliveries.servers import Mailbox, real_server
from tests.serve.conftest import Start, database, start  # noqa: F401
from tests.serve.running import Running, bearer, eventually
from tests.users.account_mail import link_in

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def send(service: Running, path: str, form: str) -> int:
    """Send a form, as a browser does."""
    connection = service.connection()
    try:
        connection.request("POST", path, form, FORM | {"Sec-Fetch-Site": "same-origin"})
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.on_one_database
def test_the_mail_arrives_and_its_link_is_in_no_log(start: Start, database: str) -> None:  # noqa: F811
    with real_server(box := Mailbox()) as port:
        service = start(work=True, database=database, base_url="https://calendar.example.org", email=f"smtp://127.0.0.1:{port}")
        token = service.sign_up("alice")
        assert send(service, "/reset", "user_name=alice") == 303
        eventually(lambda: box.envelopes)
        mail = email.message_from_bytes(box.envelopes[0].content, policy=email.policy.default)
        assert (mail["To"], mail["Subject"]) == ("alice@example.org", "Reset your password")
        assert mail["From"] == "Kalends <kalends@calendar.example.org>"
        plain, html = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))  # type: ignore[union-attr]
        path = link_in(plain)
        for body in (plain, html):
            assert f"https://calendar.example.org{path}" in body
            assert "alice" in body
        assert not list(mail.iter_attachments())
        assert service.get(path).status == 200
        assert send(service, path, "password=another-canary") == 303
        assert send(service, path, "password=another-canary") == 404
        assert service.get("/api/calendars", headers=bearer(token)).status == 401
        assert service.post("/api/session", {"user_name": "alice", "password": "another-canary"}).status == 201
        assert service.stop() == 0
    log = "".join(service.lines)
    assert "POST /reset/{" in log
    assert [secret for secret in (path, path.split("-", 2)[2], "canary", "alice") if secret in log] == []

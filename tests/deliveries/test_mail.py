"""Sending e-mail by SMTP or to a file, and the outcomes of failures."""

import email
import email.policy
from pathlib import Path
from urllib.parse import quote

import pytest

from kalends.core.settings import Settings
from kalends.features.deliveries.messages.message import mail as render_mail
from kalends.features.deliveries.rules.outcome import AddressRefused, Outcome, TryAgain, Undeliverable
from kalends.mail import mail, smtp_session
from tests.deliveries.samples import a_delivery, a_row
from tests.deliveries.servers import DRIP, DROP, HANG, PASSWORD, USER, Mailbox, real_server, scripted, server_context


def using(folder: Path, email: str = "files", **more: str) -> Settings:
    return Settings(data=str(folder / "data"), base_url="https://calendar.example.org", secret="s" * 32, email=email, **more)  # type: ignore[arg-type]


def send(settings: Settings, address: str = "gus@example.org", seconds: float = 5, step: float = 5) -> None:
    message = render_mail(settings, a_delivery(address=address), a_row(title="Soirée"))
    mail.send(settings, message, address, seconds=seconds, step=step)


def failure(settings: Settings, address: str = "gus@example.org", seconds: float = 5, step: float = 5) -> Outcome:
    with pytest.raises(Outcome) as failed:
        send(settings, address, seconds, step)
    assert "\n" not in str(failed.value)
    assert "canary" not in str(failed.value)
    return failed.value


def login(port: int, password: str = PASSWORD, scheme: str = "smtp") -> str:
    return f"{scheme}://{USER}:{quote(password)}@127.0.0.1:{port}"


def test_a_message_arrives_as_it_was_written(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with real_server(mailbox) as port:
        send(using(tmp_path, f"smtp://127.0.0.1:{port}", email_from="Jazz <jazz@example.org>"))
    (envelope,) = mailbox.envelopes
    assert (envelope.mail_from, envelope.rcpt_tos, envelope.is_safe) == ("jazz@example.org", ["gus@example.org"], False)
    assert mailbox.names == ["calendar.example.org"]
    arrived = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert (arrived["Subject"], arrived["To"], arrived["From"]) == ("Soirée", "gus@example.org", "Jazz <jazz@example.org>")


def test_tls_is_used_where_the_server_offers_it(tmp_path: Path, trusted: Path) -> None:
    mailbox = Mailbox()
    with real_server(mailbox, tls_context=server_context(trusted), authenticator=mailbox.authenticate, auth_required=True) as port:
        send(using(tmp_path, login(port)))
    assert (mailbox.envelopes[0].is_safe, mailbox.logins) == (True, [True])


def test_a_connection_may_use_tls_from_the_start(tmp_path: Path, trusted: Path) -> None:
    mailbox = Mailbox()
    with real_server(mailbox, server_context(trusted), authenticator=mailbox.authenticate, auth_require_tls=False) as port:
        send(using(tmp_path, login(port, scheme="smtps")))
        mail.check(using(tmp_path, login(port, scheme="smtps")))
    assert (len(mailbox.envelopes), mailbox.logins) == (1, [True, True])


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_an_untrusted_certificate_is_refused(tmp_path: Path, certified: Path, scheme: str) -> None:
    mailbox, context = Mailbox(), server_context(certified)
    at_once, later = (context, None) if scheme == "smtps" else (None, context)
    with real_server(mailbox, at_once, tls_context=later, authenticator=mailbox.authenticate) as port:
        failed = failure(using(tmp_path, login(port, scheme=scheme)))
    assert isinstance(failed, TryAgain)
    assert "safe" in str(failed)
    assert (mailbox.envelopes, mailbox.logins) == ([], [])


def test_a_wrong_smtp_password_is_a_problem_for_the_operator(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with real_server(mailbox, authenticator=mailbox.authenticate, auth_require_tls=False) as port:
        failed = failure(using(tmp_path, login(port, "another canary")))
        with pytest.raises(TryAgain):
            mail.check(using(tmp_path, login(port, "another canary")))
    assert isinstance(failed, TryAgain)
    assert "login (535)" in str(failed)
    assert True not in mailbox.logins


def test_a_password_goes_without_tls_to_this_machine_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mailbox = Mailbox()
    with real_server(mailbox, authenticator=mailbox.authenticate, auth_require_tls=False) as port:
        send(using(tmp_path, login(port)))
        monkeypatch.setattr(smtp_session, "_is_local", lambda session: False)
        failed = failure(using(tmp_path, login(port)))
    assert isinstance(failed, TryAgain)
    assert "no TLS" in str(failed)
    assert (len(mailbox.envelopes), mailbox.logins) == (1, [True])


def test_a_server_without_auth_is_a_problem_for_the_operator(tmp_path: Path) -> None:
    with scripted() as server:
        failed = failure(using(tmp_path, login(server.port)))
    assert isinstance(failed, TryAgain)
    assert "no login" in str(failed)


@pytest.mark.parametrize("step", ["MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize(
    ("reply", "kind"), [("550 5.1.1 No such user", Undeliverable), ("451 4.7.1 Greylisted", TryAgain), ("530 Log in", TryAgain)]
)
def test_a_refusal_of_the_message_is_final_or_not_as_its_number_says(tmp_path: Path, step: str, reply: str, kind: type[Outcome]) -> None:
    mailbox = Mailbox(**{step: reply})
    with real_server(mailbox) as port:
        failed = failure(using(tmp_path, f"smtp://127.0.0.1:{port}"))
    assert type(failed) is (AddressRefused if (step, kind) == ("RCPT", Undeliverable) else kind)
    assert reply[:3] in str(failed)
    assert mailbox.envelopes == []


@pytest.mark.parametrize("reply", ["554 No service here", "421 Too busy", "garbage", "x" * 10_000])
@pytest.mark.parametrize("step", ["greeting", "EHLO", "STARTTLS"])
def test_a_refusal_before_the_message_is_not_its_fault(tmp_path: Path, step: str, reply: str) -> None:
    script = {step: reply}
    if step == "EHLO":
        script["HELO"] = reply
    if step == "STARTTLS":
        script["EHLO"] = "250-mail.test\r\n250 STARTTLS"
    with scripted(**script) as server:
        assert type(failure(using(tmp_path, f"smtp://127.0.0.1:{server.port}"))) is TryAgain
    assert "MAIL" not in server.heard


@pytest.mark.parametrize("step", ["MAIL", "RCPT", "DATA", "content"])
@pytest.mark.parametrize("reply", ["garbage", "250" + "x" * 10_000, "354 go on, although nothing was asked", ""])
def test_a_reply_that_is_not_smtp_is_no_refusal_of_the_message(tmp_path: Path, step: str, reply: str) -> None:
    if (step, reply[:3]) == ("DATA", "354"):
        reply = "250 content is not wanted"
    with scripted(**{step: reply}) as server:
        assert type(failure(using(tmp_path, f"smtp://127.0.0.1:{server.port}"))) is TryAgain


@pytest.mark.parametrize("step", ["greeting", "EHLO", "STARTTLS", "MAIL", "RCPT", "DATA", "content"])
@pytest.mark.parametrize("trouble", [HANG, DROP, DRIP])
def test_a_server_that_hangs_drops_or_drips_times_out(tmp_path: Path, step: str, trouble: str) -> None:
    """A drip would go on for ever: that this ends shows the limit, not the clock."""
    script = {step: trouble} | ({"EHLO": "250-mail.test\r\n250 STARTTLS"} if step == "STARTTLS" else {})
    seconds, step_seconds = (0.15, 60.0) if trouble == DRIP else (60.0, 0.15)
    with scripted(**script) as server:
        assert type(failure(using(tmp_path, f"smtp://127.0.0.1:{server.port}"), seconds=seconds, step=step_seconds)) is TryAgain


@pytest.mark.parametrize("trouble", [HANG, DROP, DRIP])
def test_an_accepted_message_is_sent_whatever_the_reply_to_quit(tmp_path: Path, trouble: str) -> None:
    with scripted(QUIT=trouble) as server:
        send(using(tmp_path, f"smtp://127.0.0.1:{server.port}"))
    assert "DATA" in server.heard


def test_addresses_of_private_networks_are_addresses(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with real_server(mailbox) as port:
        send(using(tmp_path, f"smtp://127.0.0.1:{port}", email_from="kalends@mail.local"), "gus@mail.local")
    assert (mailbox.envelopes[0].mail_from, mailbox.envelopes[0].rcpt_tos) == ("kalends@mail.local", ["gus@mail.local"])


def test_an_unavailable_server_is_retried(tmp_path: Path) -> None:
    with scripted() as server:
        gone = using(tmp_path, f"smtp://127.0.0.1:{server.port}")
    for settings in (gone, using(tmp_path, "smtp://no.such.host.invalid")):
        assert type(failure(settings)) is TryAgain


def test_a_servers_reply_is_shown_in_one_short_line_without_the_password(tmp_path: Path) -> None:
    mailbox = Mailbox(RCPT=f"550-The password is {PASSWORD}\r\n550 " + "x" * 400)
    with real_server(mailbox, authenticator=mailbox.authenticate, auth_require_tls=False) as port:
        failed = failure(using(tmp_path, login(port)))
    assert "The password is … x" in str(failed)
    assert len(str(failed)) < 300


def test_a_non_ascii_local_part_requires_smtputf8(tmp_path: Path) -> None:
    knowing, plain = Mailbox(), Mailbox()
    with real_server(knowing, enable_SMTPUTF8=True) as port:
        send(using(tmp_path, f"smtp://127.0.0.1:{port}"), "jürgen@bücher.example")
    assert knowing.envelopes[0].rcpt_tos == ["jürgen@xn--bcher-kva.example"]
    assert "To: jürgen@xn--bcher-kva.example\r\n".encode() in knowing.envelopes[0].content
    with real_server(plain) as port:
        settings = using(tmp_path, f"smtp://127.0.0.1:{port}")
        assert isinstance(failure(settings, "jürgen@example.org"), Undeliverable)
        send(settings, "jurgen@bücher.example")
    assert plain.envelopes[0].rcpt_tos == ["jurgen@xn--bcher-kva.example"]


def test_outbox_files_are_complete_and_private(tmp_path: Path) -> None:
    settings = using(tmp_path)
    for _ in range(2):
        send(settings)
    send(settings, "jürgen@example.org")
    (file,) = (tmp_path / "data" / "outbox").iterdir()
    assert file.name == "42.eml"
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "data", file.parent, file)] == [0o700, 0o700, 0o600]
    arrived = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    assert (arrived["To"], arrived["Subject"]) == ("jürgen@example.org", "Soirée")
    mail.check(settings)


def test_an_outbox_that_cannot_be_written_is_retried(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    assert isinstance(failure(using(tmp_path)), TryAgain)

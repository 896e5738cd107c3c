"""The other commands: users, settings, migrate, doctor and help."""

import os
import pty
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import dns.rcode
import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import open_database
from tests.deliveries.servers import PASSWORD as MAIL_PASSWORD
from tests.deliveries.servers import USER, Mailbox, real_server
from tests.migrated import put_sqlite
from tests.net.dns_server import dns_server
from tests.serve.running import Running, command, environment, eventually, run

PASSWORD = "a-canary-of-a-password"


@pytest.fixture
def kalends(tmp_path: Path, database: str) -> Any:
    """Run a command on each database: its output, once it went well."""

    def well(*arguments: str, stdin: str = "") -> str:
        done = run(*arguments, folder=tmp_path, stdin=stdin, data=tmp_path / "data", database=database)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    return well


def wrong(folder: Path, *arguments: str, stdin: str = "", **settings: object) -> str:
    """The one line of a command that fails."""
    done = run(*arguments, folder=folder, stdin=stdin, **settings)
    assert (done.returncode, done.stdout) == (1, ""), done
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_the_users_command_creates_and_lists_users_and_sets_passwords(kalends: Any) -> None:
    assert kalends("users", "list") == ""
    created = kalends("users", "create", "alice", "alice@example.org", "--name", "Alice", stdin=f"{PASSWORD}\n")
    assert created == "Created alice (id 1, admin).\n"
    number, *listed, created_at, role, status = kalends("users", "list").rstrip("\n").split("\t")
    assert (number, listed, role, status) == ("1", ["alice", "alice@example.org", "Alice"], "admin", "active")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created_at)
    reply = kalends("users", "password", "Alice@example.org", "--password", PASSWORD)
    assert reply == "alice has a new password, no open sessions and no keys.\n"


def test_the_only_admin_stays_whatever_command_is_run(kalends: Any, tmp_path: Path, database: str) -> None:
    for name in ("alice", "bob"):
        kalends("users", "create", name, f"{name}@example.org", "--password", PASSWORD)
    for command_line in (
        ("delete", "alice", "--yes"),
        ("delete", "alice", "--give", "bob", "--yes"),
        ("role", "alice", "member"),
        ("suspend", "alice"),
    ):
        error = wrong(tmp_path, "users", *command_line, data=tmp_path / "data", database=database)
        assert "last administrator" in error
    assert _accounts(kalends) == {"alice": ("admin", "active"), "bob": ("member", "active")}
    kalends("users", "role", "bob", "admin")
    kalends("users", "delete", "alice", "--yes")
    assert _accounts(kalends) == {"bob": ("admin", "active")}


def test_the_users_command_makes_admins_and_suspends_and_deletes_accounts(kalends: Any, tmp_path: Path, database: str) -> None:
    for name, options in {"alice": [], "bob": [], "carol": ["--admin"]}.items():
        kalends("users", "create", name, f"{name}@example.org", "--password", PASSWORD, *options)
    assert _accounts(kalends) == {"alice": ("admin", "active"), "bob": ("member", "active"), "carol": ("admin", "active")}
    assert kalends("users", "role", "bob", "admin") == "bob is an admin now.\n"
    assert kalends("users", "role", "alice", "member") == "alice is a member now.\n"
    assert kalends("users", "suspend", "alice") == "alice is suspended, and has no open sessions and no keys.\n"
    assert _accounts(kalends) == {"alice": ("member", "suspended"), "bob": ("admin", "active"), "carol": ("admin", "active")}
    assert kalends("users", "activate", "alice") == "alice can sign in.\n"
    assert _accounts(kalends)["alice"] == ("member", "active")
    deleted = kalends("users", "delete", "alice", "--yes").splitlines()
    assert deleted == ["The calendar “alice” (id 1) is deleted, and stays in the trash for 30 days.", "The account of alice is deleted."]
    assert list(_accounts(kalends)) == ["bob", "carol"]
    with closing(open_database(Settings(data=str(tmp_path / "data"), database=database))) as db, db.read() as tx:
        log = tx.rows("SELECT action, detail FROM audit_entries WHERE via = 'command' ORDER BY id")
        notified = tx.rows("SELECT address FROM deliveries WHERE notice = 'admin_added' ORDER BY id")
    assert [tuple(each) for each in log] == [
        ("account_created", "admin"),
        ("account_created", "member"),
        ("account_created", "admin"),
        ("role_changed", "admin"),
        ("role_changed", "member"),
        ("account_suspended", ""),
        ("account_activated", ""),
        ("account_deleted", ""),
    ]
    # Mail to alice and about her is deleted with the account.
    assert [address for (address,) in notified] == [f"{name}@example.org" for name in ("carol", "bob", "carol")]


def _accounts(kalends: Any) -> dict[str, tuple[str, str]]:
    """The role and the status of each user."""
    lines = [line.split("\t") for line in kalends("users", "list").splitlines()]
    return {line[1]: (line[5], line[6]) for line in lines}


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (["role", "nobody", "admin"], "", "There is no user called nobody."),
        (["create", "alice"], "", "Missing argument 'EMAIL_ADDRESS'"),
        (["create", "a lice", "alice@example.org"], PASSWORD, "user_name: "),
        (["create", "alice", "alice"], PASSWORD, "email_address: "),
        (["create", "alice", "alice@example.org"], "short", "password: "),
        (["create", "alice", "alice@example.org"], "", "password: "),
        (["create", "alice", "alice@example.org", "--time-zone", "Paris"], PASSWORD, "time_zone: "),
        (["password", "nobody"], PASSWORD, "There is no user called nobody."),
        (["password", "nobody"], "short", "password: "),
        (["remove", "alice"], "", "No such command 'remove'."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_invalid_user_is_reported_in_one_line(tmp_path: Path, arguments: list[str], stdin: str, words: str) -> None:
    put_sqlite(tmp_path / "data")
    line = wrong(tmp_path, "users", *arguments, stdin=stdin)
    assert words in line
    assert PASSWORD not in line


def test_a_user_name_can_be_registered_once(tmp_path: Path) -> None:
    put_sqlite(tmp_path / "data")
    create = ["users", "create", "alice", "alice@example.org", "--password", PASSWORD]
    assert run(*create, folder=tmp_path).returncode == 0
    assert wrong(tmp_path, *create) == "kalends: Someone has this user name or e-mail address already.\n"


def test_the_terminal_prompts_for_a_password_twice_and_never_shows_it(tmp_path: Path) -> None:
    put_sqlite(tmp_path / "data")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        create = command("users", "create", "alice", "alice@example.org")
        os.execve(create[0], create, environment())  # noqa: S606
    output = b""
    for prompt in (b"Password: ", b"Repeat for confirmation: "):
        while not output.endswith(prompt):
            output += os.read(terminal, 1024)
        os.write(terminal, f"{PASSWORD}\n".encode())
    output += eventually(lambda: _rest(terminal))
    assert os.waitpid(pid, 0)[1] == 0
    assert b"Created alice" in output
    assert PASSWORD.encode() not in output


def _rest(terminal: int) -> bytes:
    """The output on a terminal until its program ends, which is an error on Linux and an end elsewhere."""
    output = b""
    try:
        while piece := os.read(terminal, 1024):
            output += piece
    except OSError:
        pass
    return output


def test_a_new_password_ends_the_sessions(tmp_path: Path) -> None:
    put_sqlite(tmp_path / "data")
    assert run("users", "create", "alice", "alice@example.org", folder=tmp_path, stdin=PASSWORD).returncode == 0
    with sqlite3.connect(tmp_path / "data" / "kalends.sqlite3") as connection:
        connection.execute("INSERT INTO sessions (id, user_id, token_hash, created_at, last_used_at) VALUES ('s1', 1, x'00', 0, 0)")
    assert run("users", "password", "alice", folder=tmp_path, stdin=PASSWORD).returncode == 0
    with sqlite3.connect(tmp_path / "data" / "kalends.sqlite3") as connection:
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_settings_are_listed_without_their_secrets(tmp_path: Path) -> None:
    canaries = {"secret": "canary" * 6, "metrics_token": "canary", "database": "postgresql://ana:canary@localhost/kalends"}
    canaries |= {"email": "smtp://ana:canary@localhost", "sms": "twilio://ana:canary@localhost?from=+1"}
    listed = run("settings", folder=tmp_path, threads=3, email_from="Jazz <jazz@example.org>", **canaries)
    assert listed.returncode == 0
    assert "KALENDS_THREADS = 3\n    Threads per server process that run requests. (a whole number from 1 to 256)\n" in listed.stdout
    assert "KALENDS_RATE_LIMITS = on\n" in listed.stdout
    assert "KALENDS_SECRET = (hidden)\n" in listed.stdout
    assert "KALENDS_EMAIL = (hidden)\n" in listed.stdout
    assert "KALENDS_EMAIL_FROM = Jazz <jazz@example.org>\n" in listed.stdout
    assert "canary" not in listed.stdout
    assert list(tmp_path.iterdir()) == []


def test_migrate_says_what_it_did(tmp_path: Path, empty_database: str) -> None:
    first, again = (run("migrate", folder=tmp_path, database=empty_database) for _ in range(2))
    assert first.stdout.startswith("Ran schema")
    assert (again.returncode, again.stdout) == (0, "The database is up to date.\n")


def test_the_doctor_says_what_to_do(tmp_path: Path, empty_database: str) -> None:
    def examined() -> tuple[int, list[str]]:
        done = run("doctor", folder=tmp_path, data=tmp_path / "data", database=empty_database)
        return done.returncode, done.stdout.splitlines()

    status, findings = examined()
    assert status == 1
    assert findings[:2] == ["ok   settings", "ok   data folder"]
    assert findings[2].startswith("BAD  database: ")
    assert "kalends migrate" in findings[2]
    run("migrate", folder=tmp_path, data=tmp_path / "data", database=empty_database)
    status, findings = examined()
    assert (status, findings[:4]) == (0, ["ok   settings", "ok   data folder", "ok   database", "ok   e-mail"])
    outbox = tmp_path / "data" / "outbox"
    assert findings[4:] == [
        "note Base URL: Links begin with http://127.0.0.1:8000, which others may not be able to open. Set KALENDS_BASE_URL to the address "
        "at which they reach the site.",
        "ok   Proxy",
        "note Backup: There is no backup yet. Set KALENDS_BACKUP=daily:7 for one each day, or run 'kalends backup' each night.",
        "ok   Clock",
        f"note e-mail is written to files in {outbox}, not sent. To send it, set KALENDS_EMAIL.",
        f"note SMS is written to files in {outbox}, not sent. To send it, set KALENDS_SMS.",
    ]


def test_the_doctor_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o755)
    (tmp_path / "data" / "kalends.sqlite3").write_text("not a database, whatever its name may say")
    report = run("doctor", folder=tmp_path, host="0.0.0.0").stdout  # noqa: S104
    assert "BAD  settings: the service listens on 0.0.0.0 and KALENDS_BASE_URL is not set" in report
    assert "BAD  data folder: others on this machine may look into data. Run: chmod 700 data" in report
    assert "BAD  database: the database cannot be used: file is not a database" in report
    unavailable = run("doctor", folder=tmp_path, database="postgresql://ana:canary@127.0.0.1:1/kalends")
    assert unavailable.returncode == 1
    assert "BAD  database: the database cannot be used: " in unavailable.stdout
    assert "canary" not in unavailable.stdout + unavailable.stderr


def test_the_doctor_looks_at_a_database_whose_first_migration_is_running(tmp_path: Path) -> None:
    put_sqlite(tmp_path / "data")
    with sqlite3.connect(tmp_path / "data" / "kalends.sqlite3") as connection:
        connection.execute("DELETE FROM migrations")
    assert "BAD  database: The database is not migrated. Run 'kalends migrate'." in run("doctor", folder=tmp_path).stdout


def test_the_doctor_explains_a_wildcard_among_the_origins(tmp_path: Path) -> None:
    noted = "note KALENDS_CORS_ORIGINS has *: scripts of every site may read what guests may read (GET without a credential)."
    assert noted in run("doctor", folder=tmp_path, cors_origins="*").stdout.splitlines()
    assert "KALENDS_CORS_ORIGINS" not in run("doctor", folder=tmp_path, cors_origins="https://example.org").stdout


def test_the_doctor_finds_an_outbox_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "outbox").write_text("in the way")
    report = run("doctor", folder=tmp_path).stdout
    assert "BAD  data folder: data/outbox is not a folder that can be written. Change its owner, or move it." in report


def test_the_doctor_sends_test_messages(tmp_path: Path) -> None:
    put_sqlite(tmp_path / "data")
    result = run("doctor", "--email", "ana@example.org", "--sms", "+33 6 12 34 56 78", folder=tmp_path)
    assert result.returncode == 0, result
    assert "ok   test message to ana@example.org\nok   test SMS to +33 6 12 34 56 78\n" in result.stdout
    (message,) = (tmp_path / "data" / "outbox").glob("test-*.eml")
    assert b"To: ana@example.org\r\n" in message.read_bytes()
    assert (tmp_path / "data" / "outbox" / "test.sms.txt").read_text().startswith("To: +33612345678\n\nThis is a test message")
    wrong = run("doctor", "--email", "ana", "--sms", "12", folder=tmp_path)
    assert wrong.returncode == 1
    assert "BAD  test message to ana: This is not an e-mail address.\nBAD  test SMS to 12: 12 is no phone number" in wrong.stdout


def test_the_doctor_asks_for_the_countries_of_sms_if_they_cost_money(tmp_path: Path) -> None:
    gateway = "twilio://a:b@127.0.0.1:1?from=+15005550006"
    asked = run("doctor", folder=tmp_path, sms=gateway)
    assert asked.returncode == 1
    assert "BAD  SMS: KALENDS_SMS_COUNTRIES is not set" in asked.stdout
    assert "ok   SMS\n" in run("doctor", folder=tmp_path, sms=gateway, sms_countries="FR,DE").stdout
    assert "KALENDS_SMS_COUNTRIES" not in run("doctor", folder=tmp_path).stdout
    wrong = run("doctor", folder=tmp_path, sms_countries="FR,France")
    assert "KALENDS_SMS_COUNTRIES has 'France', and must have codes of countries such as FR,DE, or be *." in wrong.stderr


def test_replies_by_mail_need_a_domain(tmp_path: Path) -> None:
    refused = run("doctor", folder=tmp_path, inbound="pipe")
    assert refused.returncode != 0
    (line,) = refused.stderr.splitlines()
    assert "KALENDS_INBOUND_DOMAIN must be the name of a domain such as in.example.org: replies" in line
    assert "KALENDS_INBOUND_DOMAIN" not in run("doctor", folder=tmp_path, inbound="pipe", inbound_domain="in.example.org").stderr
    assert "KALENDS_INBOUND_DOMAIN" not in run("doctor", folder=tmp_path, inbound="pipe", base_url="https://example.org").stderr


def test_the_doctor_asks_the_mail_server(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with real_server(mailbox, authenticator=mailbox.authenticate, auth_require_tls=False) as port:
        good = run("doctor", folder=tmp_path, email=f"smtp://{USER}:{quote(MAIL_PASSWORD)}@127.0.0.1:{port}")
        bad = run("doctor", folder=tmp_path, email=f"smtp://{USER}:canary@127.0.0.1:{port}")
    unavailable = run("doctor", folder=tmp_path, email=f"smtp://127.0.0.1:{port}")
    assert "ok   e-mail\n" in good.stdout
    assert "BAD  e-mail: The mail server refused the service's login (535)." in bad.stdout
    assert "BAD  e-mail: The mail server cannot be reached." in unavailable.stdout
    assert "canary" not in good.stdout + good.stderr + bad.stdout + bad.stderr
    assert mailbox.envelopes == []


def test_help_names_every_command(tmp_path: Path) -> None:
    helped = run("--help", folder=tmp_path)
    assert helped.returncode == 0
    for name in ("serve", "work", "migrate", "users", "settings", "doctor", "backup", "restore"):
        assert re.search(rf"^  {name} +\w", helped.stdout, re.MULTILINE), name
    assert "…" not in helped.stdout
    assert "..." not in helped.stdout.partition("Commands:")[2]
    assert "iCalendar file" in " ".join(helped.stdout.split())
    assert run("users", "--help", folder=tmp_path).returncode == 0
    assert run("--version", folder=tmp_path).stdout.startswith("kalends, version ")


def test_an_unknown_command_is_reported_in_one_line(tmp_path: Path) -> None:
    assert "No such command 'serv'." in wrong(tmp_path, "serv")
    assert "--colour" in wrong(tmp_path, "serve", "--colour", "red")


def test_the_doctor_asks_for_the_domain_of_the_sender(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with real_server(mailbox) as port:
        settings = {"email": f"smtp://127.0.0.1:{port}", "email_from": "Kalends <kalends@example.org>"}
        with dns_server({"example.org": ["v=spf1 mx -all"], "mail._domainkey.example.org": ["v=DKIM1; p=AAAA"]}):
            asked = run("doctor", folder=tmp_path, **settings)
        with dns_server({}, rcode=dns.rcode.SERVFAIL):
            silent = run("doctor", folder=tmp_path, **settings)
    assert "ok   SPF\nok   DKIM\nBAD  DMARC: example.org says nothing about mail that is forged in its name." in asked.stdout
    assert "note SPF, DKIM, DMARC: The DNS does not answer" in silent.stdout
    assert "SPF" not in run("doctor", folder=tmp_path).stdout


def test_the_doctor_asks_for_the_service_at_its_base_url_and_for_the_proxy(tmp_path: Path, plain: Running) -> None:
    here = run("doctor", folder=tmp_path, base_url=f"http://127.0.0.1:{plain.port}").stdout
    assert "ok   Base URL\n" in here
    nowhere = run("doctor", folder=tmp_path, base_url="https://127.0.0.1:1").stdout
    assert "note Base URL: https://127.0.0.1:1 cannot be asked from here: it cannot be reached." in nowhere
    assert "BAD  Proxy: The site is at https, so there is a proxy, but KALENDS_TRUSTED_PROXIES does not name it" in nowhere
    assert "ok   Proxy\n" in run("doctor", folder=tmp_path, base_url="https://127.0.0.1:1", trusted_proxies="127.0.0.1").stdout


def test_the_doctor_looks_at_the_age_of_the_newest_backup_and_at_the_clock(tmp_path: Path) -> None:
    put_sqlite(tmp_path / "data")

    def line(name: str) -> str:
        (found,) = [line for line in run("doctor", folder=tmp_path).stdout.splitlines() if f" {name}" in line]
        return found

    def ran(task: str, seconds_ago: int) -> None:
        with sqlite3.connect(tmp_path / "data" / "kalends.sqlite3") as connection:
            connection.execute("DELETE FROM last_runs")
            connection.execute("INSERT INTO last_runs VALUES (?, ?)", (task, timestamps.now() - seconds_ago))

    assert line("Backup").startswith("note Backup: There is no backup yet.")
    run("backup", "now.backup", folder=tmp_path)
    assert (line("Backup"), line("Clock")) == ("ok   Backup", "ok   Clock")
    ran("backup", 12 * 86_400)
    assert line("Backup") == "BAD  Backup: The last backup is 12 days old. Run 'kalends backup' each night."
    ran("worker", -3600)
    assert line("Clock").startswith("BAD  Clock: The clock of this machine is behind")

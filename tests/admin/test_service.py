"""/api/admin/mail and /api/admin/health and their pages: what admins see of the mail and of the state of the service."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import get_args

from kalends.app.worker import record_run
from kalends.core.records.delivery import MessageKind, Notice
from kalends.core.settings import Settings
from kalends.db import last_runs
from kalends.db.backup.take import take
from kalends.http.context import Context
from kalends.mail import sender
from kalends.web import labels
from tests.client import Client
from tests.http.stored_rows import FreshService, fresh_service
from tests.net.dns_server import dns_server
from tests.site.administrator import Admin


def test_a_test_message_waits_in_the_queue_until_it_is_sent(site: FreshService, admin: Admin) -> None:
    assert admin.get("/api/admin/mail").json | {"sender": ""} == {
        "server": None,
        "sender": "",
        "waiting": [],
        "waiting_count": 0,
        "failed": [],
    }
    assert "No mail server is set" in admin.get("/admin/mail").text
    sent = admin.post("/api/admin/test_mail")
    assert (sent.status, sent.json["address"], sent.json["state"]) == (202, admin.email_address, "queued")
    assert admin.post("/admin/mail/test").redirect == ("/admin/mail", "test-sent")
    assert admin.get("/admin/mail").text.count("<td>Test email: it works</td>") == 2
    mail = admin.get("/api/admin/mail").json
    assert (mail["waiting_count"], [each["notice"] for each in mail["waiting"]]) == (2, ["test_message", "test_message"])
    with site.db.write() as tx:
        tx.run(
            "UPDATE deliveries SET state = 'failed', error = '550 no such user', updated_at = :now WHERE id = :id",
            id=sent.json["id"],
            now=site.clock(),
        )
    assert [each["error"] for each in admin.get("/api/admin/mail").json["failed"]] == ["550 no such user"]
    assert "550 no such user" in admin.get("/admin/mail").text


def test_health_counts_what_left_and_not_what_was_written_to_files(site: FreshService, admin: Admin) -> None:
    assert admin.post("/api/admin/test_mail").status == 202
    ctx = Context(site.db, site.settings, site.clock())
    for delivery in sender._due(ctx, "email", 50):
        sender.attempt(site.db, site.settings, delivery)
    health = admin.get("/api/admin/health").json
    assert (health["waiting_count"], health["sent_count"], health["failed_count"]) == (0, 0, 0)
    assert health["written_count"] > 0
    assert "reached nobody" in admin.get("/admin/health").text


def test_every_message_has_a_name_for_people() -> None:
    assert set(labels.MESSAGES) == {*get_args(MessageKind), *get_args(Notice)}


def test_a_mail_server_is_named_without_its_password(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path, email="smtp://ana:geheim@mail.example:587") as service:
        reply = Admin(service.guest, "ada").get("/api/admin/mail")
    assert (reply.json["server"], "geheim" in reply.text) == ("mail.example:587", False)


@contextmanager
def answering(body: bytes) -> Iterator[tuple[str, list[str]]]:
    """A server of one JSON document, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/kalends/json", asked
        finally:
            server.shutdown()
            thread.join()


def _checks(guest: Client, **headers: str) -> dict[str, tuple[str, str | None]]:
    listed = guest.get("/api/admin/health", headers={name.replace("_", "-"): value for name, value in headers.items()}).json["checks"]
    return {each["name"]: (each["state"], each["advice"]) for each in listed}


def test_health_says_what_the_request_shows_of_the_proxy(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path, base_url="https://calendar.example.org") as service:
        checks = _checks(Admin(service.guest, "ada"), X_Forwarded_For="203.0.113.9")
        assert [checks[name][0] for name in ("Base URL", "X-Forwarded-For", "Proxy")] == ["wrong", "wrong", "wrong"]
        assert "links lead to https://calendar.example.org" in str(checks["Base URL"][1])
        assert "KALENDS_TRUSTED_PROXIES" in str(checks["Proxy"][1])


def test_health_says_that_a_trusted_proxy_sends_no_address(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path, trusted_proxies="127.0.0.1") as service:
        admin = Admin(service.guest, "ada")
        checks = _checks(admin)
        assert checks["X-Forwarded-For"][0] == "wrong"
        assert (checks["Base URL"], checks["Proxy"]) == (("ok", None), ("ok", None))
        assert _checks(admin, X_Forwarded_For="203.0.113.9")["X-Forwarded-For"] == ("ok", None)
        assert "Let the proxy set it" in admin.get("/admin/health").text


def test_health_shows_the_records_of_the_senders_domain(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path, email="smtp://mail.example", email_from="kalends@example.org") as service:
        admin = Admin(service.guest, "ada")
        with dns_server({"example.org": ["v=spf1 mx -all"]}):
            checks, page = _checks(admin), admin.get("/admin/health").text
    assert [checks[name][0] for name in ("SPF", "DKIM", "DMARC")] == ["ok", "wrong", "wrong"]
    assert "Publish a TXT record at _dmarc.example.org" in page


def test_nobody_is_asked_for_a_newer_version_unless_the_operator_says_whom(settings: Settings, tmp_path: Path) -> None:
    with answering(b'{"info": {"version": "99.0"}}') as (url, asked), fresh_service(settings, tmp_path / "1") as service:
        assert "Version" not in _checks(Admin(service.guest, "ada"))
        assert asked == []
        with fresh_service(settings, tmp_path / "2", updates_url=url) as other:
            assert "The newest version is 99.0" in str(_checks(Admin(other.guest, "ada"))["Version"][1])
    assert asked == ["/kalends/json"]


def test_health_says_whether_the_worker_runs_and_when_there_was_a_backup(site: FreshService, admin: Admin, tmp_path: Path) -> None:
    health = admin.get("/api/admin/health").json
    assert (health["worker_alive"], health["worker_seen_at"], health["last_backup_at"]) == (False, None, None)
    assert health["disk_total"] >= health["disk_free"] > 0
    assert "Never seen." in admin.get("/admin/health").text
    record_run(Context(site.db, site.settings, site.clock()))
    assert admin.get("/api/admin/health").json["worker_alive"] is True
    site.clock.ahead(180)
    assert admin.get("/api/admin/health").json["worker_alive"] is False
    take(site.db, site.settings, tmp_path / "now.backup", lambda words, rows: lambda done: None)
    assert admin.get("/api/admin/health").json["last_backup_at"] is not None
    with site.db.read() as tx:
        assert last_runs.find(tx, "worker") is not None

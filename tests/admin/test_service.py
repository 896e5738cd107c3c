"""/api/admin/mail and /api/admin/health and their pages: what admins see of the mail and of the state of the service."""

from pathlib import Path
from typing import get_args

from kalends.app.worker import record_run
from kalends.core.records.delivery import MessageKind, Notice
from kalends.core.settings import Settings
from kalends.db import last_runs
from kalends.db.backup.take import take
from kalends.http.context import Context
from kalends.web import labels
from tests.http.stored_rows import FreshService, fresh_service
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


def test_every_message_has_a_name_for_people() -> None:
    assert set(labels.MESSAGES) == {*get_args(MessageKind), *get_args(Notice)}


def test_a_mail_server_is_named_without_its_password(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path, email="smtp://ana:geheim@mail.example:587") as service:
        reply = Admin(service.guest, "ada").get("/api/admin/mail")
    assert (reply.json["server"], "geheim" in reply.text) == ("mail.example:587", False)


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

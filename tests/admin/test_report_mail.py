"""Admins hear of reports by mail."""

from kalends.features.deliveries.store import DAY
from tests.cast import a_report, an_event
from tests.conftest import NOON
from tests.http.stored_rows import FreshService
from tests.site.administrator import Admin


def test_admins_get_mail_about_the_first_report_and_once_a_day(site: FreshService, admin: Admin) -> None:
    event = an_event(admin, public=True)
    sent = []
    for at in (0, 1, DAY - 1, DAY):
        site.clock.now = NOON + at
        a_report(site.guest, event_id=event["id"])
        sent.append(_notified(site))
    assert sent == [1, 1, 1, 2]
    for report in admin.get("/api/reports").json["reports"]:
        assert admin.put(f"/api/reports/{report['id']}", json={"closed": True}).status == 200
    a_report(site.guest, event_id=event["id"])
    assert _notified(site) == 3


def _notified(site: FreshService) -> int:
    with site.db.read() as tx:
        return int(tx.value("SELECT count(*) FROM deliveries WHERE notice = 'report_waiting'"))

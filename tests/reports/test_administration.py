"""GET and PUT /api/reports and their page: admins read what was reported, and close it."""

from typing import Any

import pytest

from kalends.app import worker
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.reports.store import LIFETIME
from kalends.http.context import Context
from tests.cast import Cast, a_calendar, a_comment, a_report, an_event
from tests.client import Client
from tests.conftest import NOON
from tests.site.administrator import Admin

pytestmark = pytest.mark.on_one_database


def listed(admin: Client, sent: list[dict[str, Any]], query: str = "") -> list[dict[str, Any]]:
    """Those of the reports that the admin finds, on all pages."""
    reports, path = [], f"/api/reports?{query}"
    while path:
        reply = admin.get(path).json
        reports += reply["reports"]
        path = reply["next"]
    return [report for report in reports if report["id"] in {each["id"] for each in sent}]


def test_admins_read_what_waits_and_what_is_closed(cast: Cast, settings: Settings) -> None:
    ada = Admin(cast.anonymous, "ada")
    event, calendar = an_event(cast.alice, public=True, title="Pills"), a_calendar(cast.alice, public=True, name="Shop")
    comment = a_comment(cast.alice, event)
    subjects: list[dict[str, int]] = [{"event_id": event["id"]}, {"comment_id": comment["id"]}, {"calendar_id": calendar["id"]}]
    sent = [a_report(cast.bob, **fields) for fields in subjects]
    page, other = f"{settings.url}/events/{event['id']}", f"{settings.url}/calendars/{calendar['id']}"
    assert listed(ada, sent, "limit=2") == [
        report | {"closed_at": None, "subject": subject, "url": url}
        for report, subject, url in zip(sent, ("Pills", comment["comment"], "Shop"), (page, page, other), strict=True)
    ]
    closed = ada.put(f"/api/reports/{sent[0]['id']}", json={"closed": True})
    assert closed.json["closed_at"] is not None
    assert [report["id"] for report in listed(ada, sent)] == [sent[1]["id"], sent[2]["id"]]
    assert listed(ada, sent, "closed=true") == [closed.json]
    assert ada.get("/api/reports?closed=true&count=true&limit=0").json["total"] >= 1
    assert ada.put(f"/api/reports/{sent[0]['id']}", json={"closed": False}).json["closed_at"] is None
    assert len(listed(ada, sent)) == 3


def test_a_report_that_does_not_exist_cannot_be_closed(cast: Cast) -> None:
    assert Admin(cast.anonymous, "ada").put("/api/reports/9999999", json={"closed": True}).status == 404


def test_the_page_links_what_was_reported_and_closes_reports(cast: Cast) -> None:
    ada = Admin(cast.anonymous, "ada")
    event = an_event(cast.alice, public=True, title="Pills & more")
    report = a_report(cast.anonymous, event_id=event["id"], text="It sells <pills>", email_address="gus@example.org")
    assert ['href="/admin/moderation"' in person.get("/account").text for person in (ada, cast.alice)] == [True, False]
    # The reports of other tests may be before it.
    offset = ada.get("/api/reports?count=true&limit=0").json["total"] - 1
    assert ada.get("/reports").redirect == ("/admin/moderation", "")
    page = ada.get(f"/admin/moderation?offset={offset}").text
    for text in (f'/events/{event["id"]}"><bdi>Pills &amp; more', "It sells &lt;pills&gt;", "mailto:gus@example.org"):
        assert text in page
    assert ada.post(f"/reports/{report['id']}/close").redirect == ("/admin/moderation", "report-closed")
    assert f'action="/reports/{report["id"]}/reopen"' in ada.get("/reports?closed=true").text
    assert ada.post(f"/reports/{report['id']}/reopen").redirect == ("/admin/moderation", "report-reopened")
    assert [each["id"] for each in listed(ada, [report])] == [report["id"]]


def test_reports_are_deleted_after_a_year(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    [closed, _] = [a_report(cast.anonymous, event_id=event["id"]) for _ in range(2)]
    assert Admin(cast.anonymous, "ada").put(f"/api/reports/{closed['id']}", json={"closed": True}).status == 200
    assert [_left(db, settings, event, at=NOON + LIFETIME + seconds) for seconds in (0, 1)] == [2, 0]


def _left(db: Database, settings: Settings, event: dict[str, Any], at: int) -> int:
    """How many reports on the event are left when the worker has run."""
    worker.clean_up(Context(db, settings, at))
    with db.read() as tx:
        return int(tx.value("SELECT count(*) FROM reports WHERE event_id = :id", id=event["id"]))

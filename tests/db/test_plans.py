"""No request reads the whole of a table that grows. All tests prove that, when they are over; these prove that it would be noticed."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.db.postgres.dialect import PostgresDialect
from tests import recorded_statements
from tests.cast import Cast, a_calendar, a_comment, an_event
from tests.conftest import POSTGRES_URL
from tests.plans import EXCEPTED, Plans, complaints, opened
from tests.site.administrator import Admin
from tests.sources.server import a_source


@pytest.fixture(scope="session")
def kind(settings: Settings) -> str:
    return "postgres" if settings.database else "sqlite"


@pytest.fixture(scope="session")
def plans(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plans]:
    with opened(kind, tmp_path_factory.mktemp("plans"), os.environ[POSTGRES_URL]) as plans:
        yield plans


@pytest.fixture
def changeable_plans(kind: str, tmp_path: Path) -> Iterator[Plans]:
    """Plans of this test alone, which may change the schema."""
    with opened(kind, tmp_path, os.environ[POSTGRES_URL]) as plans:
        yield plans


@pytest.fixture
def statements(kind: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The statements that the requests of this test run."""
    fresh: dict[str, str] = {}
    monkeypatch.setitem(recorded_statements.statements, kind, fresh)
    return fresh


def test_a_statement_that_reads_a_whole_table_is_reported(plans: Plans) -> None:
    for sql in (
        "SELECT id FROM users WHERE name = 'Alice'",
        "SELECT count(*) FROM events",
        "SELECT e.id FROM events e WHERE lower(e.title) = 'jazz' ORDER BY e.id LIMIT 10",
        "SELECT u.id FROM events e JOIN users u ON u.name = e.title WHERE e.id = 1",
        "SELECT id FROM users WHERE id IN (SELECT user_id FROM comments WHERE name = 'Alice')",
        "WITH named AS (SELECT id FROM series WHERE clock = 1) SELECT id FROM named",
        "UPDATE users SET name = 'Alice' WHERE time_zone = 'UTC'",
        "DELETE FROM comments WHERE name = 'Alice'",
        "INSERT INTO used_digests (digest, expires_at) SELECT token_hash, 1 FROM sessions WHERE created_at = 1",
        # An index that begins with another column, and one of which all is read.
        "SELECT id FROM placements WHERE start_at = 1",
        "SELECT user_id FROM contacts WHERE service IS NOT NULL",
    ):
        assert plans.scans(sql), sql


def test_a_statement_that_uses_an_index_is_not_reported(plans: Plans) -> None:
    for sql in (
        "SELECT name FROM users WHERE id = 1",
        "SELECT max(id) FROM events",
        "SELECT max(number) FROM migrations",
        "SELECT u.name FROM comments c JOIN users u ON u.id = c.user_id WHERE c.event_id = 1 ORDER BY c.id",
        "SELECT id FROM placements WHERE calendar_id = 1 ORDER BY start_at LIMIT 10",
        "WITH few AS (SELECT id FROM keys WHERE user_id = 1) SELECT id FROM few",
        "INSERT INTO failed_logins (subject, failed_at) VALUES ('x', 1)",
        "DELETE FROM users WHERE id = 1",
    ):
        assert plans.scans(sql) == [], sql


def test_a_request_whose_index_is_dropped_is_named(cast: Cast, changeable_plans: Plans, statements: dict[str, str]) -> None:
    cast.alice.get("/api/keys?limit=3")
    assert complaints(changeable_plans, statements) == []
    changeable_plans.change("DROP INDEX keys_of_user")
    matching = [complaint for complaint in complaints(changeable_plans, statements) if "FROM keys WHERE user_id = " in complaint]
    assert matching
    assert all(complaint.startswith("GET /api/keys?limit=3 reads a whole table:\n  ") for complaint in matching)


@pytest.mark.parametrize("count", [1, 2, 3, 8, 20])
@pytest.mark.parametrize("term", ["ab", '"ab cd"', "jazz"])
def test_a_search_has_the_same_plan_however_many_terms_it_has(
    cast: Cast, plans: Plans, statements: dict[str, str], term: str, count: int
) -> None:
    text = " ".join(term.replace("a", "abcdefghijklmnopqrst"[i], 1) for i in range(count))
    for someone in (cast.anonymous, cast.alice):
        assert someone.get("/api/events", query={"text": text, "count": "true"}).status == 200
    assert complaints(plans, statements) == []


@pytest.mark.on_sqlite
def test_a_trigger_and_a_foreign_key_need_their_indexes_too(changeable_plans: Plans) -> None:
    changeable_plans.change("DROP INDEX comments_of_user")
    assert changeable_plans.scans("DELETE FROM users WHERE id = 1")
    changeable_plans.change("DROP INDEX placements_event_id_calendar_id")
    assert changeable_plans.scans("UPDATE events SET title = 'Jazz' WHERE id = 1")


@pytest.mark.on_sqlite
def test_a_statement_that_reads_a_whole_calendar_to_find_a_few_events_is_reported(plans: Plans) -> None:
    for column in ("e.id", "e.series_id"):
        condition = f"p.event_id = e.id AND p.calendar_id = 1 AND {column} IN (SELECT value FROM json_each(:ids))"
        assert plans.scans(f"SELECT p.grants FROM placements p CROSS JOIN events e WHERE {condition}"), column
        assert plans.scans(f"SELECT p.grants FROM events e CROSS JOIN placements p WHERE {condition}") == [], column


@pytest.mark.on_sqlite
def test_what_began_long_before_is_found_by_an_index_of_long_events(cast: Cast, db: Database, statements: dict[str, str]) -> None:
    for path in (
        "/api/events?overlaps=true&start_time=2026-06-01",
        "/?text=ab",
        "/calendar?date=2026-06-01",
        "/calendar?view=week&date=2026-06-01",
    ):
        assert cast.anonymous.get(path).status == 200
    with db.read() as tx:
        for sql in (sql for sql in statements if "e.until_at - e.start_at > 2678400" in sql):
            unbound = dict.fromkeys(re.findall(r":([a-z_]\w*)", sql))
            steps = " ".join(row[3] for row in tx.rows(f"EXPLAIN QUERY PLAN {sql}", **unbound))
            assert "events_lasting_in_public" in steps, sql


def test_the_events_before_an_offset_are_not_loaded(cast: Cast, statements: dict[str, str]) -> None:
    """A statement that skips events selects ids; the calendars of the others are looked up afterwards."""
    calendar = a_calendar(cast.alice)
    for reader, query in ((cast.anonymous, {}), (cast.alice, {"calendar_id": calendar["id"]})):
        assert reader.get("/api/events", query=query | {"offset": "1"}).status == 200
    skipping = [sql for sql in statements if "OFFSET" in sql]
    assert skipping
    assert [sql for sql in skipping if "string_agg" in sql] == []


def test_every_statement_of_a_request_is_recorded(cast: Cast, statements: dict[str, str]) -> None:
    a_calendar(cast.alice)
    event = an_event(cast.alice, public=True)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "end_date": "2026-07-01"})
    a_comment(cast.alice, event)
    # A word that no other test gives to thousands of events.
    cast.alice.get("/api/events", query={"text": "zugzwang"})
    cast.anonymous.get("/metrics", headers={"Authorization": "Bearer figures-please"})
    for beginning, request in {
        "INSERT INTO calendars": "POST /api/calendars",
        "INSERT INTO placements": "POST /api/events",
        # Many rows by one statement.
        "INSERT INTO events (": f"PUT /api/events/{event['id']}/repeat",
        "INSERT INTO series": f"PUT /api/events/{event['id']}/repeat",
        "INSERT INTO comments": "POST /api/comments",
        "WITH hits AS": "GET /api/events?text=zugzwang",
        "SELECT channel, state": "GET /metrics",
    }.items():
        assert request in {source for sql, source in statements.items() if sql.startswith(beginning)}, beginning


def test_statements_outside_requests_are_not_recorded(cast: Cast, db: Database, statements: dict[str, str]) -> None:
    with db.read() as tx:
        tx.rows("SELECT count(*) FROM users")
    assert statements == {}


def test_each_exception_is_needed(cast: Cast, plans: Plans, statements: dict[str, str], monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    cast.anonymous.get("/api/events", query={"text": "ab", "count": "true"})
    cast.anonymous.get("/metrics", headers={"Authorization": "Bearer figures-please"})
    ada = Admin(cast.anonymous, "ada")
    for path in ("reports?", "blocked_senders?count=true", "hidden_events?count=true", "comments?waiting=true&count=true"):
        assert ada.get(f"/api/{path}").status == 200
    assert cast.alice.get("/trash").status == 200
    assert a_source(cast.alice)
    assert cast.alice.get(f"/api/users/{cast.alice.id}/export").status == 200
    statuses = [cast.alice.post("/api/contacts", json={"first_name": "Ana", "unique_id": "7"}).status for _ in range(2)]
    assert statuses == [201, 409]
    assert complaints(plans, statements) == []
    needed = EXCEPTED if kind == "sqlite" else EXCEPTED[:-2]
    for exception in needed:
        monkeypatch.setattr("tests.plans.EXCEPTED", [other for other in EXCEPTED if other is not exception])
        assert complaints(plans, statements)


def test_a_list_of_ids_is_looked_up_by_whichever_join_the_planner_prefers(postgres_url: str, tmp_path: Path) -> None:
    """A merge join would read the placements of all calendars."""
    with opened("postgres", tmp_path, postgres_url) as plans:
        plans.change("SET enable_nestloop = off")
        in_list = PostgresDialect().in_list("ids").replace(":ids", "$1")
        assert plans.scans(f"SELECT event_id FROM placements WHERE lasts AND start_at < 5 AND calendar_id {in_list}") == []

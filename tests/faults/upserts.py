"""64 clients that post responses for the same few addresses at the same time."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from kalends.core.settings import Settings
from kalends.db import open_database
from tests.faults.guests import an_event
from tests.faults.row import Row, kind
from tests.serve.running import Running, ask

CLIENTS = 64
EVENTS = 2
ADDRESSES = 4
GOAL = "0 duplicates, 0 errors"


def show(folder: Path, database: str, each: int) -> Row:
    """Let each client post this number of responses."""
    service = Running(folder, "--no-work", database=database, rate_limits="off", access_log="off").ready()
    try:
        events = [an_event(service, f"ana{number}") for number in range(EVENTS)]

        def post_responses(client: int) -> Counter[int]:
            connection = service.connection()
            statuses: Counter[int] = Counter()
            for number in range(each):
                address = f"gus{(client + number) % ADDRESSES}@example.org"
                body = {"event_id": events[number % EVENTS], "email_address": address, "response": "YES", "comment": f"{client} {number}"}
                statuses[ask(connection, "POST", "/api/responses", body).status] += 1
            connection.close()
            return statuses

        with ThreadPoolExecutor(CLIENTS) as pool:
            statuses = sum(pool.map(post_responses, range(CLIENTS)), Counter[int]())
    finally:
        service.stop()
    with closing(open_database(Settings(data=str(folder / "data"), database=database))) as db, db.read() as tx:
        rows, pairs = tx.rows("SELECT count(*), count(DISTINCT event_id || email_key) FROM responses")[0]
    wrong = statuses.total() - statuses[201]
    figures = f"{statuses.total():,} responses for {pairs} pairs of event and address: {rows - pairs} duplicates, {wrong} errors"
    is_sound = wrong == 0 and rows == pairs == EVENTS * ADDRESSES
    return Row("64 clients upsert responses", kind(database), figures, GOAL, is_sound)

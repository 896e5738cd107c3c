"""The SQL of what guests answered: stored as it was asked, counted by option, and erased in time."""

from msgspec import Struct

from kalends.context import Context
from kalends.db import columns
from kalends.records.question import Answer

# How many answers one run of the worker erases in one transaction.
BATCH = 1_000

_ANSWER = columns(Answer)
Counts = dict[int, dict[str, int]]


class NewAnswer(Struct, frozen=True):
    """An answer to be stored, with the question as it was asked."""

    question_id: int
    person: int | None
    label: str
    kind: str
    answer: str


def of_responses(ctx: Context, response_ids: list[int]) -> dict[int, list[Answer]]:
    """The answers of each response, in the order of the questions."""
    by_response: dict[int, list[Answer]] = {}
    if response_ids:
        sql = f"SELECT {_ANSWER} FROM question_answers WHERE response_id {ctx.db.in_list('ids')} ORDER BY id"
        for answer in ctx.tx.all(Answer, sql, ids=response_ids):
            by_response.setdefault(answer.response_id, []).append(answer)
    return by_response


def count(ctx: Context, event_id: int) -> Counts:
    """How often each answer was given, by question."""
    rows = ctx.tx.rows(
        "SELECT question_id, answer, count(*) FROM question_answers WHERE event_id = :id GROUP BY question_id, answer", id=event_id
    )
    counts: Counts = {}
    for question_id, answer, number in rows:
        counts.setdefault(question_id, {})[answer] = number
    return counts


def delete(ctx: Context, response_id: int) -> None:
    ctx.tx.run("DELETE FROM question_answers WHERE response_id = :id", id=response_id)

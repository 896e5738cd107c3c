"""The SQL of questions: those of an event and those of its home calendar."""

from collections.abc import Sequence
from typing import Any

from msgspec import structs
from msgspec.json import encode

from kalends.core.records.event import Event
from kalends.core.records.question import Question
from kalends.db import columns
from kalends.features.questions.model import QuestionFields
from kalends.http.context import Context


class _Asked(Question, frozen=True):
    """A question, and an event that asks it."""

    asked_by: int


_QUESTION = columns(Question, "q")
_CONTENT = ("origin_id", "label", "kind", "required", "per", "options", "ask_if_origin", "ask_if_answer", "keep_days")
_NAMES = ", ".join(("event_id", "calendar_id", *_CONTENT, "created_at", "updated_at"))


def of_event(ctx: Context, event_id: int, calendar_id: int) -> list[Question]:
    """What is asked of those who come to the event: the questions of its home calendar, then its own."""
    return ctx.tx.all(
        Question,
        f"""SELECT {_QUESTION} FROM questions q WHERE q.event_id = :event_id
            UNION ALL SELECT {_QUESTION} FROM questions q WHERE q.calendar_id = :calendar_id
            ORDER BY 2 NULLS FIRST, 1""",
        event_id=event_id,
        calendar_id=calendar_id,
    )


def of_calendar(ctx: Context, calendar_id: int) -> list[Question]:
    sql = f"SELECT {_QUESTION} FROM questions q WHERE q.calendar_id = :id ORDER BY q.id"
    return ctx.tx.all(Question, sql, id=calendar_id)


def of_events(ctx: Context, event_ids: Sequence[int]) -> list[Question]:
    """The own questions of the events."""
    sql = f"SELECT {_QUESTION} FROM questions q WHERE q.event_id {ctx.db.in_list('ids')} ORDER BY q.id"
    return ctx.tx.all(Question, sql, ids=list(event_ids))


def of_answers(ctx: Context, answer_ids: Sequence[int]) -> list[Question]:
    """The questions to which these are answers."""
    answered = f"SELECT a.question_id FROM question_answers a WHERE a.id {ctx.db.in_list('ids')}"
    return ctx.tx.all(Question, f"SELECT {_QUESTION} FROM questions q WHERE q.id IN ({answered})", ids=list(answer_ids))


def asked_by(ctx: Context, event_ids: Sequence[int]) -> dict[int, list[Question]]:
    """What each of the coming events asks."""
    asked: dict[int, list[Question]] = {}
    rows = ctx.tx.all(
        _Asked,
        f"""SELECT {columns(Question, "q")}, e.id AS asked_by FROM events e JOIN questions q ON q.calendar_id = e.calendar_id
            WHERE e.id {ctx.db.in_list("ids")} AND e.until_at > :now
            UNION ALL SELECT {columns(Question, "q")}, e.id AS asked_by FROM events e JOIN questions q ON q.event_id = e.id
            WHERE e.id {ctx.db.in_list("ids")} AND e.until_at > :now ORDER BY 1""",
        ids=sorted(set(event_ids)),
        now=ctx.now,
    )
    for row in rows:
        asked.setdefault(row.asked_by, []).append(row)
    return asked


def insert(ctx: Context, fields: QuestionFields, ask_if_origin: int | None, **owner: int | None) -> int:
    """Insert a question of the event or of the calendar; returns its id."""
    params = {"event_id": None, "calendar_id": None, "origin_id": None, **_content(fields, ask_if_origin), "created_at": ctx.now}
    question_id: int = ctx.tx.value(
        f"""INSERT INTO questions ({_NAMES}) VALUES ({", ".join(f":{name}" for name in params)}, :created_at) RETURNING id""",
        **params | owner,
    )
    return question_id


def insert_copies(ctx: Context, question_ids: list[int], event_ids: list[int]) -> None:
    """Copy the questions to the events."""
    copied = ", ".join(f"q.{name}" for name in _CONTENT if name != "origin_id")
    ctx.tx.run(
        f"""INSERT INTO questions (event_id, calendar_id, origin_id, {copied.replace("q.", "")}, created_at, updated_at)
            SELECT e.id, NULL, coalesce(q.origin_id, q.id), {copied}, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
            FROM events e CROSS JOIN questions q WHERE e.id {ctx.db.in_list("event_ids")} AND q.id {ctx.db.in_list("question_ids")}
            ORDER BY e.id, q.id""",
        event_ids=event_ids,
        question_ids=question_ids,
        now=ctx.now,
    )


def update(ctx: Context, ids: list[int], fields: QuestionFields, ask_if_origin: int | None) -> None:
    content = _content(fields, ask_if_origin)
    ctx.tx.run(
        f"""UPDATE questions SET {", ".join(f"{name} = :{name}" for name in content)}, updated_at = :now
            WHERE id {ctx.db.in_list("ids")}""",
        **content,
        ids=ids,
        now=ctx.now,
    )


def delete(ctx: Context, ids: list[int]) -> None:
    ctx.tx.run(f"DELETE FROM questions WHERE id {ctx.db.in_list('ids')}", ids=ids)


def copy_to_event(ctx: Context, event: Event, copy_id: int) -> bool:
    """Give the copy of an event the questions of the event; returns whether it has any."""
    question_ids = ids_of_event(ctx, event.id)
    if question_ids:
        insert_copies(ctx, question_ids, [copy_id])
    return bool(question_ids)


def ids_of_event(ctx: Context, event_id: int) -> list[int]:
    """The event's own questions."""
    return [question_id for (question_id,) in ctx.tx.rows("SELECT id FROM questions WHERE event_id = :id ORDER BY id", id=event_id)]


def _content(fields: QuestionFields, ask_if_origin: int | None) -> dict[str, Any]:
    options = encode([structs.asdict(option) for option in fields.options]).decode()
    return {
        "label": fields.label,
        "kind": fields.kind,
        "required": fields.required,
        "per": fields.per,
        "options": options,
        "ask_if_origin": ask_if_origin,
        "ask_if_answer": fields.ask_if.answer if fields.ask_if else None,
        "keep_days": fields.keep_days,
    }

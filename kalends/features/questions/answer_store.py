"""The SQL of what guests answered: stored as it was asked, counted by option, and erased in time."""

from collections import Counter
from collections.abc import Sequence

from msgspec.json import encode

from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import Text, gettext, ngettext
from kalends.core.records.question import Answer, NewAnswer, Question
from kalends.core.records.response import Response
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.features.changes import journal_store as journal
from kalends.http.context import Context

# How many answers one run of the worker erases in one transaction.
BATCH = 1_000

_ANSWER = columns(Answer)
_TYPES = {"question_id": "BIGINT", "person": "BIGINT", "label": "TEXT", "kind": "TEXT", "answer": "TEXT"}
# Whether a response `r` holds the options that it has chosen: it counts, and where places are limited it has one; `s`: the settings of
# its event.
_HOLDS = """(r.confirm_until IS NULL OR r.confirm_until > :now) AND (r.accepted_for IS NULL OR r.accepted_for >= r.number + r.plus_n)
    AND (s.capacity IS NULL OR r.held > 0)"""
Counts = dict[int, dict[str, int]]


def of_responses(ctx: Context, response_ids: list[int]) -> dict[int, list[Answer]]:
    """The answers of each response, in the order of the questions."""
    by_response: dict[int, list[Answer]] = {}
    if response_ids:
        sql = f"SELECT {_ANSWER} FROM question_answers WHERE response_id {ctx.db.in_list('ids')} ORDER BY id"
        for answer in ctx.tx.all(Answer, sql, ids=response_ids):
            by_response.setdefault(answer.response_id, []).append(answer)
    return by_response


def find(ctx: Context, ids: list[int]) -> list[Answer]:
    """The given answers that exist."""
    return ctx.tx.all(Answer, f"SELECT {_ANSWER} FROM question_answers WHERE id {ctx.db.in_list('ids')} ORDER BY id", ids=ids)


def delete_one(ctx: Context, answer_id: int) -> None:
    ctx.tx.run("DELETE FROM question_answers WHERE id = :id", id=answer_id)


def count(ctx: Context, event_id: int, *, but: int | None = None) -> Counts:
    """How often each answer was given, by question, in responses that hold their options; but: not in this response."""
    rows = ctx.tx.rows(
        f"""SELECT a.question_id, a.answer, count(*) FROM question_answers a JOIN responses r ON r.id = a.response_id
            LEFT JOIN response_settings s ON s.event_id = a.event_id
            WHERE a.event_id = :id AND {_HOLDS} {"AND r.id <> :but" if but else ""} GROUP BY a.question_id, a.answer""",
        id=event_id,
        now=ctx.now,
        **({"but": but} if but else {}),
    )
    counts: Counts = {}
    for question_id, answer, number in rows:
        counts.setdefault(question_id, {})[answer] = number
    return counts


def are_held(ctx: Context, event_id: int, email_address: str) -> bool:
    """Whether the address has a response to the event that holds its options."""
    sql = f"""SELECT 1 FROM responses r LEFT JOIN response_settings s ON s.event_id = r.event_id
              WHERE r.event_id = :id AND r.email_key = :key AND r.response = 'YES' AND {_HOLDS}"""
    return bool(ctx.tx.rows(sql, id=event_id, key=fold_case(email_address), now=ctx.now))


def count_of_question(ctx: Context, question_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM question_answers WHERE question_id = :id", id=question_id))


def require_room(
    ctx: Context, event_id: int, questions: Sequence[Question], answers: Sequence[NewAnswer | Answer], response_id: int | None
) -> None:
    """Raise OptionFull if an option would be chosen more often than it may be. The event is locked.

    response_id: the stored response that has these answers instead of its own; None for callers without proof, to whom an error
    must not say whether the address has responded.
    """
    limits = {(each.id, option.label): option.limit for each in questions for option in each.choices if option.limit is not None}
    asked = Counter((answer.question_id, answer.answer) for answer in answers if (answer.question_id, answer.answer) in limits)
    if not asked:
        return
    taken = count(ctx, event_id, but=response_id)
    full = []
    for answer in answers:
        key = answer.question_id, answer.answer
        limit = limits.get(key)
        left = 0 if limit is None else max(limit - taken.get(answer.question_id, {}).get(answer.answer, 0), 0)
        if limit is not None and asked[key] > left:
            field = f"answers[{answer.index}].answer" if isinstance(answer, NewAnswer) else "answers"
            full.append(FieldError(field, _describe_full(answer.answer, left), "conflict"))
    if full:
        raise errors.OptionFull(gettext("%(sentence)s.", sentence=full[0].message), full)


def _describe_full(option: str, left: int) -> Text:
    if not left:
        return gettext("“%(option)s” is full. Choose another option", option=option)
    return ngettext(
        "“%(option)s” has room for only 1 more. Choose another option",
        "“%(option)s” has room for only %(num)s more. Choose another option",
        left,
        option=option,
    )


def delete(ctx: Context, response_ids: list[int]) -> None:
    ctx.tx.run(f"DELETE FROM question_answers WHERE response_id {ctx.db.in_list('ids')}", ids=response_ids)


def save(ctx: Context, response: Response, answers: Sequence[NewAnswer]) -> None:
    """Replace the answers of the response by these."""
    ctx.tx.run("DELETE FROM question_answers WHERE response_id = :id", id=response.id)
    if not answers:
        return
    rows = [{name: getattr(answer, name) for name in _TYPES} for answer in answers]
    ctx.tx.run(
        f"""INSERT INTO question_answers (event_id, response_id, user_id, {", ".join(_TYPES)})
            SELECT CAST(:event_id AS BIGINT), CAST(:response_id AS BIGINT), CAST(:user_id AS BIGINT),
                   {", ".join(f"made.{name}" for name in _TYPES)}
            FROM {ctx.db.records("made", _TYPES)}""",
        made=encode(rows).decode(),
        event_id=response.event_id,
        response_id=response.id,
        user_id=response.user_id,
    )


def link(ctx: Context, response: Response) -> None:
    """Note the account of the response with its answers, which are erased with the account."""
    ctx.tx.run(
        "UPDATE question_answers SET user_id = :user_id WHERE response_id = :id AND user_id IS DISTINCT FROM CAST(:user_id AS BIGINT)",
        user_id=response.user_id,
        id=response.id,
    )


def clean_up(ctx: Context) -> None:
    """Erase answers whose time is over, with the history of all answers to their events."""
    rows = ctx.tx.rows(
        "SELECT id, event_id FROM question_answers WHERE erase_at < :now ORDER BY erase_at LIMIT :limit", now=ctx.now, limit=BATCH
    )
    if rows:
        ctx.tx.run(f"DELETE FROM question_answers WHERE id {ctx.db.in_list('ids')}", ids=[answer_id for answer_id, _ in rows])
        journal.erase_answers_of_events(ctx, sorted({event_id for _, event_id in rows}))

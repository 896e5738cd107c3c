"""What a response does about the questions of its event: it answers them with YES, and drops its answers with MAYBE and NO."""

from collections.abc import Mapping, Sequence

from kalends import errors
from kalends.context import Context
from kalends.i18n import gettext
from kalends.questions import answer_rules, answers, store
from kalends.questions.model import AnswerInput
from kalends.records.event import Event
from kalends.records.question import NewAnswer, Question
from kalends.records.response import Response


def find_questions(ctx: Context, event: Event, response: str, sent: Sequence[AnswerInput] | None) -> list[Question]:
    """What the response is asked. If `is_limited`, the event must be locked before its answers are checked."""
    if response == "YES":
        return store.of_event(ctx, event.id, event.calendar_id)
    if sent:
        raise errors.invalid("answers", gettext("go with YES; leave them out"), "conflict")
    return []


def is_limited(questions: Sequence[Question]) -> bool:
    return any(question.is_limited for question in questions)


def check(ctx: Context, event: Event, questions: Sequence[Question], sent: Sequence[AnswerInput] | None, people: int) -> list[NewAnswer]:
    """The answers of a caller without proof: all that is required must be among them, and count as those of a newcomer, so that an
    error does not say whether the address has responded."""
    rows = answer_rules.read(questions, sent or [], people)
    answer_rules.require_complete(questions, answer_rules.group_by_place(rows), people)
    answers.require_room(ctx, event.id, questions, rows, None)
    return rows


def save(ctx: Context, questions: Sequence[Question], response: Response, checked: list[NewAnswer], *, is_kept: bool) -> None:
    """Store the answers of a caller without proof; is_kept: the stored response was made with proof, and stays as it is."""
    if questions or response.version > 1:
        answers.save(ctx, response, checked, is_kept=is_kept)


def save_proven(
    ctx: Context,
    questions: Sequence[Question],
    response: Response,
    sent: Sequence[AnswerInput] | None,
    *,
    is_new_yes: bool,
    by_editor: bool,
) -> None:
    """Check and store the answers of a caller with proof. What was answered before stays, if they send no answers.

    is_new_yes: what is required must be answered now; a question that was added since a YES is asked later.
    by_editor: an editor who responds for someone need not know the answers: the guest's personal link asks for them.
    """
    if response.response != "YES":
        if response.version > 1:
            answers.delete(ctx, response.id)
        return
    if sent is None:
        if questions:
            stored = answers.of_responses(ctx, [response.id]).get(response.id, [])
            if is_new_yes and not by_editor:
                answer_rules.require_complete(questions, answer_rules.group_by_place(stored), response.people)
            answers.link(ctx, response)
        return
    rows = answer_rules.read(questions, sent, response.people)
    if not by_editor:
        answer_rules.require_complete(questions, answer_rules.group_by_place(rows), response.people)
    answers.require_room(ctx, response.event_id, questions, rows, response.id)
    answers.save(ctx, response, rows)


def drop_beyond_limits(ctx: Context, restored: Mapping[int, list[int]]) -> None:
    """After an undo: of the restored answers, by event, delete those whose options others have chosen since."""
    for event_id, ids in restored.items():
        counts = answers.count(ctx, event_id)
        limits = {(each.id, option.label): option.limit for each in store.of_answers(ctx, ids) for option in each.choices}
        for answer in answers.find(ctx, ids):
            limit = limits.get((answer.question_id, answer.answer))
            taken = counts[answer.question_id]
            if limit is not None and taken[answer.answer] > limit:
                taken[answer.answer] -= 1
                answers.delete_one(ctx, answer.id)

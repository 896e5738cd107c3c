"""What a response does about the questions of its event: it answers them with YES, and drops its answers with MAYBE and NO."""

from collections.abc import Mapping, Sequence

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.question import NewAnswer, Question
from kalends.core.records.response import Response
from kalends.features.questions import answer_rules, store
from kalends.features.questions import answer_store as answers
from kalends.features.questions.model import AnswerInput
from kalends.http.context import Context


def find_questions(ctx: Context, event: Event, response: str, sent: Sequence[AnswerInput] | None) -> list[Question]:
    """What the response is asked. If `is_limited`, the event must be locked before its answers are checked."""
    if response == "YES":
        return store.of_event(ctx, event.id, event.calendar_id)
    if sent:
        raise errors.invalid("answers", gettext("work with YES only. Leave them out"), "conflict")
    return []


def is_limited(questions: Sequence[Question]) -> bool:
    return any(question.is_limited for question in questions)


def has_limits(ctx: Context, event: Event) -> bool:
    """Whether a question of the event has an option with a limit."""
    return is_limited(store.of_event(ctx, event.id, event.calendar_id))


def check(ctx: Context, event: Event, questions: Sequence[Question], sent: Sequence[AnswerInput] | None, people: int) -> list[NewAnswer]:
    """The answers of a caller without proof: all that is required must be among them, and count as those of a newcomer, so that an
    error does not say whether the address has responded."""
    rows = answer_rules.read(questions, sent or [], people)
    answer_rules.require_complete(questions, answer_rules.group_by_place(rows), people)
    answers.require_room(ctx, event.id, questions, rows, None)
    return rows


def save(ctx: Context, questions: Sequence[Question], response: Response, checked: list[NewAnswer]) -> None:
    """Store the answers of a caller without proof."""
    if questions or response.version > 1:
        answers.save(ctx, response, checked)


def save_proven(
    ctx: Context,
    questions: Sequence[Question],
    response: Response,
    sent: Sequence[AnswerInput] | None,
    *,
    is_new_yes: bool,
    asks_later: bool,
) -> None:
    """Check and store the answers of a caller with proof. What was answered before stays, if they send no answers.

    is_new_yes: what is required must be answered now; a question that was added since a YES is asked later.
    asks_later: nothing need be answered now: an editor who responds for someone need not know the answers, and the page of the personal
        link asks for them when the response is stored.
    """
    if response.response != "YES":
        if response.version > 1:
            answers.delete(ctx, [response.id])
        return
    if sent is None:
        if questions:
            stored = answers.of_responses(ctx, [response.id]).get(response.id, [])
            if is_new_yes and not asks_later:
                answer_rules.require_complete(questions, answer_rules.group_by_place(stored), response.people)
            answers.link(ctx, response)
        return
    rows = answer_rules.read(questions, sent, response.people)
    if not asks_later:
        answer_rules.require_complete(questions, answer_rules.group_by_place(rows), response.people)
    answers.require_room(ctx, response.event_id, questions, rows, response.id)
    answers.save(ctx, response, rows)


def require_options(ctx: Context, questions: Sequence[Question], response: Response) -> None:
    """Raise OptionFull if others have chosen the options of the response while it did not hold them. The event is locked."""
    stored = answers.of_responses(ctx, [response.id]).get(response.id, [])
    answers.require_room(ctx, response.event_id, questions, stored, response.id)


def drop_full_options(ctx: Context, event_id: int, response_ids: list[int]) -> None:
    """Delete the answers of these responses whose options others have taken. The event is locked; their guests are
    asked for these answers again."""
    stored = answers.of_responses(ctx, response_ids).values()
    if ids := [answer.id for each in stored for answer in each]:
        drop_beyond_limits(ctx, {event_id: ids})


def drop_beyond_limits(ctx: Context, answer_ids: Mapping[int, list[int]]) -> None:
    """Delete the answers, given by event, whose options others have chosen since."""
    for event_id, ids in answer_ids.items():
        counts = answers.count(ctx, event_id)
        limits = {(each.id, option.label): option.limit for each in store.of_answers(ctx, ids) for option in each.choices}
        for answer in answers.find(ctx, ids):
            limit = limits.get((answer.question_id, answer.answer))
            taken = counts.get(answer.question_id, {})
            if limit is not None and taken.get(answer.answer, 0) > limit:
                taken[answer.answer] -= 1
                answers.delete_one(ctx, answer.id)

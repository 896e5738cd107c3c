"""Responding to an event: the one function for the API, the pages, the personal link and comments with a response."""

from collections.abc import Sequence

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import EditorNotice
from kalends.core.records.event import Event
from kalends.core.records.question import NewAnswer, Question
from kalends.core.records.response import Response
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.deliveries.steps import guest_notice, limits
from kalends.features.questions import answer_store as question_answers
from kalends.features.questions.steps import response_answers
from kalends.features.responses import news_store as news
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses import store
from kalends.features.responses.model import PARTY, SEATING, Author, ResponseInput
from kalends.features.responses.steps import admission
from kalends.features.responses.steps.author import acts_for_guest, sees_result
from kalends.features.responses.store import EventState, Hold
from kalends.features.subscribers.steps.opt_in import opt_in
from kalends.http.context import Context
from kalends.http.input.fields import Params


class _Request(Struct, frozen=True, kw_only=True):
    """Who responds to which event, and how; see `respond`."""

    event: Event
    who: Author
    fields: Params[ResponseInput]
    asks: bool
    from_series: bool
    # Whether an editor of the event responds for someone else.
    by_editor: bool
    # Whether the caller may change the stored response of the address.
    has_proof: bool
    hold: Hold

    @property
    def is_about_places(self) -> bool:
        """Whether the places of the response may change."""
        return self.asks or not self.fields.names.isdisjoint(SEATING)

    @property
    def is_asked(self) -> bool:
        """Whether the questions are asked: of a series, those of the date that the request is about."""
        return not self.from_series or self.fields.value.scope != "this"

    @property
    def keeps_answers(self) -> bool:
        """Whether the answers that are stored stay."""
        return self.fields.value.response == "YES" and self.fields.value.answers is None


def respond(
    ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, asks: bool = True, from_series: bool = False
) -> Response | None:
    """Create the response, or change the fields in `fields.names` of the earlier response of this address.

    The event comes from the policy, which decides whether it is visible. Return None to callers who may not see the stored response,
    whether or not the address has responded before.

    With proof, NO is always possible: anyone who does not come must be able to say so.

    asks: the request says YES, MAYBE or NO itself, which takes an offer; if not, and the party is the same, nobody's seats change.
    from_series: it is one date of a response to a series. It leaves the own response of another date than the one that was asked about
    alone, waits where there is no seat, sends no mail and opts in to nothing; the row is always returned.
    """
    by_editor, has_proof = acts_for_guest(ctx, event, who), who.has_proof or event.can_edit
    if by_editor:
        ctx.via = "owner"
    questions = response_answers.find_questions(ctx, event, fields.value.response, fields.value.answers)
    has_limits = response_answers.is_limited(questions)
    event, locked = admission.lock(ctx, event, exclusive=has_limits)
    hold = admission.hold(ctx, event, locked, who.email_address, has_limits=has_limits)
    request = _Request(
        event=event, who=who, fields=fields, asks=asks, from_series=from_series, by_editor=by_editor, has_proof=has_proof, hold=hold
    )
    _require_admission(ctx, request, locked)
    answers = _check_answers(ctx, request, questions)
    if locked.confirm_responses == "always" and not has_proof and not from_series:
        _propose(ctx, event, who, fields)
        return None
    return _store(ctx, request, locked, questions, answers)


def _require_admission(ctx: Context, request: _Request, locked: EventState) -> None:
    """Raise the error that says why the event does not take the response."""
    if request.fields.value.response != "NO" or not request.has_proof:
        admission.require_open(ctx, request.event, locked)
    _require_seats(ctx, request.event, request.who, request.fields, from_series=request.from_series)


def _require_seats(ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, from_series: bool) -> None:
    """A party that was accepted before may stay when the limit is lowered."""
    limit, value = event.party_limit, fields.value
    if limit is not None and not fields.names.isdisjoint(PARTY) and value.number + value.plus_n > limit:
        if value.plus_n:
            raise errors.invalid("plus_n", gettext("plus number must be at most %(max)s for this event", max=limit))
        raise errors.invalid("number", gettext("must be at most %(max)s. For a larger group, contact the organiser", max=limit))
    if value.response == "YES":
        admission.require_room(ctx, event, who, value.fewest, from_series=from_series)


def _check_answers(ctx: Context, request: _Request, questions: Sequence[Question]) -> list[NewAnswer]:
    """The answers of a caller without proof. Those of others are checked when they are saved, with what they answered before."""
    if request.has_proof or not request.is_asked:
        return []
    value = request.fields.value
    return response_answers.check(ctx, request.event, questions, value.answers, value.number + value.plus_n)


def _propose(ctx: Context, event: Event, who: Author, fields: Params[ResponseInput]) -> None:
    """Leave the response to the owner of the address, who gets a link to confirm it."""
    proposal_id = proposals.upsert(ctx, fields, who)
    languages.remember(ctx, who.email_address)
    if not guest_notice.insert_response(ctx, event, who.email_address, proposal_id=proposal_id):
        raise errors.TooMany(gettext("We’ve sent too many emails to this address, or from your network, recently. RSVP again later."), 3600)


def _store(ctx: Context, request: _Request, locked: EventState, questions: Sequence[Question], answers: list[NewAnswer]) -> Response | None:
    """Write the response with its seats and answers, or without proof what becomes of it if the address confirms it, and notify people."""
    needs_options = _needs_options(ctx, request, questions)
    row = _upsert(ctx, request)
    if request.from_series and not row.by_series:
        return row
    is_proposed = not (request.has_proof or request.from_series) and store.is_guarded(ctx, row, request.who)
    proposal_id = proposals.upsert(ctx, request.fields, request.who) if is_proposed else None
    row = _admit(ctx, request, row, is_proposed=is_proposed)
    _save_answers(ctx, request, row, questions, answers, is_proposed=is_proposed)
    if needs_options and not is_proposed:
        _take_options(ctx, request, row, questions)
    if request.from_series:
        return row
    _follow_up(ctx, request, row, proposal_id, locked)
    return row if request.has_proof or policy.can_see_response(ctx, row, request.event) else None


def _upsert(ctx: Context, request: _Request) -> Response:
    event, who = request.event, request.who
    is_added = request.by_editor and not who.may_change
    return store.upsert(
        ctx,
        request.fields,
        who,
        proven=who.is_proven or event.can_edit,
        added=who.is_added or is_added,
        added_by=policy.me(ctx) if is_added else who.added_by,
        party_limit=event.party_limit,
        hold=request.hold if request.is_about_places else None,
        by_series=request.from_series,
        keeps_own=not request.is_asked,
    )


def _admit(ctx: Context, request: _Request, row: Response, *, is_proposed: bool) -> Response:
    """Give the response its seats, unless it is only proposed."""
    if is_proposed or not request.event.settings_text or not request.is_about_places:
        return row
    return admission.admit(ctx, request.event, row, request.who, takes_offer=request.asks, may_wait=request.from_series)


def _save_answers(
    ctx: Context, request: _Request, row: Response, questions: Sequence[Question], checked: list[NewAnswer], *, is_proposed: bool
) -> None:
    """checked: the answers of a caller without proof."""
    if request.has_proof:
        is_new_yes = request.is_asked and (not request.who.may_change or "response" in request.fields.names)
        sent = request.fields.value.answers
        response_answers.save_proven(
            ctx, questions, row, sent, is_new_yes=is_new_yes, asks_later=request.by_editor or request.who.answers_later
        )
    elif request.is_asked and not is_proposed and not request.keeps_answers:
        response_answers.save(ctx, questions, row, checked)


def _needs_options(ctx: Context, request: _Request, questions: Sequence[Question]) -> bool:
    """Whether the answers that are stored, and stay, may choose options with a limit that the response does not hold yet."""
    if not request.keeps_answers or not response_answers.is_limited(questions):
        return False
    return not question_answers.are_held(ctx, request.event.id, request.who.email_address)


def _take_options(ctx: Context, request: _Request, row: Response, questions: Sequence[Question]) -> None:
    """If the response holds its options from now on, others may have chosen them: the guest chooses again. Of other dates of a series
    these answers are dropped, and without proof, since an error says that the address has responded."""
    if not question_answers.are_held(ctx, row.event_id, row.email_address):
        return
    if request.is_asked and request.has_proof:
        response_answers.require_options(ctx, questions, row)
    else:
        response_answers.drop_full_options(ctx, row.event_id, [row.id])


def _follow_up(ctx: Context, request: _Request, row: Response, proposal_id: int | None, locked: EventState) -> None:
    """Opt in to the organiser's list, record the response for the organiser, and queue mail to the guest."""
    event, fields, by_editor = request.event, request.fields, request.by_editor
    note_reaction(ctx, event, request.who, row)
    if fields.value.opt_in and "opt_in" in fields.names:
        opt_in(ctx, event, "email", request.who.email_address, source="response")
    if not proposal_id and row.confirm_until != 0:
        news.notify_organiser(ctx, event, response_id=row.id)
    languages.remember(ctx, row.email_address)
    must_confirm = not request.has_proof and request.hold.confirm_until(fields.value) is not None
    confirms = locked.confirmations == "on" and not sees_result(ctx, event)
    if (confirms or must_confirm) and (fields.value.notify or not by_editor):
        notice: EditorNotice | None = "response_changed" if by_editor else None
        guest_notice.insert_response(ctx, event, row.email_address, response_id=row.id, proposal_id=proposal_id, notice=notice)


def note_reaction(ctx: Context, event: Event, who: Author, row: Response) -> None:
    """Record that a guest has answered the organiser; or count as invited whom an editor has added."""
    if who.is_proven and who.user_id != event.owner_id:
        reactions.record_answer(ctx, event.owner_id, row.email_address)
    elif row.added and row.version == 1 and row.email_address:
        limits.count_added_guest(ctx, event.owner_id, row.email_address)

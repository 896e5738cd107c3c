"""Responding to an event: the one function for the API, the pages, the personal link and comments with a response."""

from collections.abc import Sequence

from msgspec import Struct

from kalends import errors, policy
from kalends.context import Context
from kalends.deliveries import languages, limits, reactions, response_mail
from kalends.http.input.fields import Params
from kalends.i18n import gettext
from kalends.questions import response_answers
from kalends.records.delivery import EditorNotice
from kalends.records.event import Event
from kalends.records.question import NewAnswer, Question
from kalends.records.response import Response
from kalends.responses import admission, news, proposals, store
from kalends.responses.author import Author, acts_for_guest, sees_result
from kalends.responses.model import PARTY, SEATING, ResponseInput
from kalends.responses.store import EventState, Hold
from kalends.subscribers.opt_in import opt_in


class _Request(Struct, frozen=True, kw_only=True):
    """Who responds to which event, and how; see `respond`."""

    event: Event
    who: Author
    fields: Params[ResponseInput]
    asks: bool
    standing: bool
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
        return not self.standing or self.fields.value.scope != "this"


def respond(
    ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, asks: bool = True, standing: bool = False
) -> Response | None:
    """Create the response, or change the fields in `fields.names` of the earlier response of this address.

    The event comes from the policy, which decides whether it is visible. Return None to callers who may not see the stored response,
    whether or not the address has responded before: they cause the same statements, and as many rows to be written.

    With proof, NO is always possible: anyone who does not come must be able to say so.

    asks: the request says YES, MAYBE or NO itself, which takes an offer; if not, and the party is the same, nobody's seats change.
    standing: it is one date of a response to a series. It leaves the date's own response alone, waits where there is no seat, sends no
    mail and opts in to nothing; the row is always returned.
    """
    by_editor, has_proof = acts_for_guest(ctx, event, who), who.has_proof or event.can_edit
    if by_editor:
        ctx.via = "owner"
    # The statements are the same, but to write a new row takes the database some 40 µs more or less than to write a known one.
    ctx.hides_duration = not has_proof
    questions = response_answers.find_questions(ctx, event, fields.value.response, fields.value.answers)
    event, locked = admission.lock(ctx, event, exclusive=response_answers.is_limited(questions))
    hold = admission.hold(ctx, event, locked)
    request = _Request(
        event=event, who=who, fields=fields, asks=asks, standing=standing, by_editor=by_editor, has_proof=has_proof, hold=hold
    )
    _require_admission(ctx, request, locked)
    answers = _check_answers(ctx, request, questions)
    if locked.confirm_responses == "always" and not has_proof and not standing:
        _propose(ctx, event, who, fields)
        return None
    return _store(ctx, request, locked, questions, answers)


def _require_admission(ctx: Context, request: _Request, locked: EventState) -> None:
    """Raise the error that says why the event does not take the response."""
    if request.fields.value.response != "NO" or not request.has_proof:
        admission.require_open(ctx, request.event, locked)
    _require_seats(ctx, request.event, request.who, request.fields, standing=request.standing)


def _require_seats(ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, standing: bool) -> None:
    """A party that was accepted before may stay when the limit is lowered."""
    limit, value = event.party_limit, fields.value
    party = value.number + value.plus_n
    if limit is not None and not fields.names.isdisjoint(PARTY) and party > limit:
        field, other = ("plus_n", "number") if value.plus_n else ("number", "plus_n")
        raise errors.invalid(field, gettext("and %(other)s together must be at most %(max)s for this event", other=other, max=limit))
    if value.response == "YES":
        admission.require_room(ctx, event, who, value.fewest, standing=standing)


def _check_answers(ctx: Context, request: _Request, questions: Sequence[Question]) -> list[NewAnswer]:
    """The answers of a caller without proof. Those of others are checked when they are saved, with what they answered before."""
    if request.has_proof or not request.is_asked:
        return []
    value = request.fields.value
    return response_answers.check(ctx, request.event, questions, value.answers, value.number + value.plus_n)


def _propose(ctx: Context, event: Event, who: Author, fields: Params[ResponseInput]) -> None:
    """Leave the response to the owner of the address, who gets a link to confirm it."""
    proposal_id = proposals.upsert(ctx, fields, who, waits=True)
    languages.remember(ctx, who.email_address)
    if not response_mail.insert(ctx, event, who.email_address, proposal_id=proposal_id):
        raise errors.TooMany(gettext("We have sent this address, or for your network, many messages lately. Respond again later."), 3600)


def _store(ctx: Context, request: _Request, locked: EventState, questions: Sequence[Question], answers: list[NewAnswer]) -> Response | None:
    """Write the response with its seats and answers, or without proof what becomes of it if the address confirms it, and tell people."""
    row = _upsert(ctx, request)
    if request.standing and not row.by_series:
        return row
    needs_no_proposal = request.has_proof or request.standing
    proposal_id = None if needs_no_proposal else proposals.upsert(ctx, request.fields, request.who, waits=row.proven)
    row = _admit(ctx, request, row, is_proposed=bool(proposal_id))
    _save_answers(ctx, request, row, questions, answers, is_proposed=bool(proposal_id))
    if request.standing:
        return row
    _follow_up(ctx, request, row, proposal_id, locked)
    return row if request.has_proof or policy.can_see_response(ctx, row, request.event) else None


def _upsert(ctx: Context, request: _Request) -> Response:
    event, who = request.event, request.who
    return store.upsert(
        ctx,
        request.fields,
        who,
        proven=who.is_proven or event.can_edit,
        added=who.is_added or (request.by_editor and not who.may_change),
        party_limit=event.party_limit,
        hold=request.hold if request.is_about_places else None,
        standing=request.standing,
    )


def _admit(ctx: Context, request: _Request, row: Response, *, is_proposed: bool) -> Response:
    """Give the response its seats; is_proposed: only cause the statements that do so."""
    event, fields = request.event, request.fields
    if event.settings_text and is_proposed:
        admission.imitate(ctx, event, row, fields.value, request.hold)
    elif event.settings_text and request.is_about_places:
        return admission.admit(ctx, event, row, request.who, takes_offer=request.asks, may_wait=request.standing)
    return row


def _save_answers(
    ctx: Context, request: _Request, row: Response, questions: Sequence[Question], checked: list[NewAnswer], *, is_proposed: bool
) -> None:
    """checked: the answers of a caller without proof."""
    if request.has_proof:
        is_new_yes = request.is_asked and (not request.who.may_change or "response" in request.fields.names)
        sent = request.fields.value.answers
        response_answers.save_proven(ctx, questions, row, sent, is_new_yes=is_new_yes, by_editor=request.by_editor)
    elif request.is_asked:
        response_answers.save(ctx, questions, row, checked, is_kept=is_proposed)


def _follow_up(ctx: Context, request: _Request, row: Response, proposal_id: int | None, locked: EventState) -> None:
    """Opt in to the organiser's list, record the response for the organiser, and queue mail to the guest."""
    event, fields, by_editor = request.event, request.fields, request.by_editor
    note_reaction(ctx, event, request.who, row)
    if fields.value.opt_in and "opt_in" in fields.names:
        opt_in(ctx, event, "email", request.who.email_address, source="response")
    news.tell_organiser(ctx, event, response_id=row.id, is_changed=not proposal_id and row.confirm_until != 0)
    languages.remember(ctx, row.email_address)
    must_confirm = not request.has_proof and request.hold.confirm_until(fields.value) is not None
    confirms = locked.confirmations == "on" and not sees_result(ctx, event)
    if (confirms or must_confirm) and (fields.value.notify or not by_editor):
        notice: EditorNotice | None = "response_changed" if by_editor else None
        response_mail.insert(ctx, event, row.email_address, response_id=row.id, proposal_id=proposal_id, notice=notice)


def note_reaction(ctx: Context, event: Event, who: Author, row: Response) -> None:
    """Record that a guest has answered the organiser; or count as invited whom an editor has added."""
    if who.is_proven and who.user_id != event.owner_id:
        reactions.record_answer(ctx, event.owner_id, row.email_address)
    elif row.added and row.version == 1 and row.email_address:
        limits.count_added_guest(ctx, event.owner_id, row.email_address)

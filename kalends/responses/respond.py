"""Responding to an event: the one function for the API, the pages, the personal link and comments with a response."""

from kalends import errors, policy
from kalends.context import Context
from kalends.deliveries import languages, response_mail
from kalends.http.input.fields import Params
from kalends.i18n import gettext
from kalends.questions import responding
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import admission, news, proposals, store
from kalends.responses.author import Author, is_another
from kalends.responses.model import PARTY, SEATING, ResponseInput
from kalends.subscribers.opt_in import opt_in


def respond(
    ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, asks: bool = True, standing: bool = False
) -> Response | None:
    """Create the response, or change the fields in `fields.names` of the earlier response of this address.

    The event comes from the policy, which decides whether it is visible. Return None to callers who may not see the stored response,
    whether or not the address has responded before: they cause the same statements, and as many rows to be written.

    With proof, NO is always possible: anyone who does not come must be able to say so.

    asks: the request says YES, MAYBE or NO itself, which takes an offer; if not, and the party is the same, nobody's seats change.
    standing: it is one date of a response to a series. It leaves the date's own response alone, waits where there is no seat, and sends
    no mail; the row is always returned.
    """
    by_editor = is_another(ctx, event, who)
    if by_editor:
        ctx.via = "owner"
    value, has_proof = fields.value, who.is_proven or who.may_change or event.can_edit
    # The statements are the same, but to write a new row takes the database some 40 µs more or less than to write a known one.
    ctx.hides_duration = not has_proof
    questions = responding.find_questions(ctx, event, value.response, value.answers)
    event, locked = admission.lock(ctx, event, exclusive=responding.is_limited(questions))
    if value.response != "NO" or not has_proof:
        admission.require_open(ctx, event, locked)
    _require_seats(ctx, event, who, fields, standing=standing)
    # Of a series, the questions of the date are asked that the request is about.
    is_asked = not standing or value.scope != "this"
    answers = [] if has_proof or not is_asked else responding.check(ctx, event, questions, value.answers, value.number + value.plus_n)
    if locked.confirm_responses == "always" and not has_proof and not standing:
        _propose(ctx, event, who, fields)
        return None
    row = store.upsert(
        ctx,
        fields,
        who,
        proven=who.is_proven or event.can_edit,
        added=who.is_added or (by_editor and not who.may_change),
        party_limit=event.party_limit,
        standing=standing,
    )
    if standing and not row.by_series:
        return row
    proposal_id = None if has_proof or standing else proposals.upsert(ctx, fields, who, waits=row.proven)
    if event.settings_text and proposal_id:
        admission.imitate(ctx, event, row, value)
    elif event.settings_text and (asks or not fields.names.isdisjoint(SEATING)):
        row = admission.admit(ctx, event, row, who, takes_offer=asks, may_wait=standing)
    if has_proof:
        is_new_yes = is_asked and (not who.may_change or "response" in fields.names)
        responding.save_proven(ctx, questions, row, value.answers, is_new_yes=is_new_yes, by_editor=by_editor)
    elif is_asked:
        responding.save(ctx, questions, row, answers, is_kept=bool(proposal_id))
    if value.opt_in and "opt_in" in fields.names:
        opt_in(ctx, event, "email", who.email_address, source="response")
    if standing:
        return row
    news.record(ctx, event, response_id=row.id, is_changed=not proposal_id)
    languages.remember(ctx, row.email_address)
    if locked.confirmations == "on" and (value.notify or not by_editor):
        response_mail.insert(ctx, event, row.email_address, row.id, proposal_id, "response_changed" if by_editor else None)
    return row if has_proof or policy.can_see_response(ctx, row, event) else None


def _propose(ctx: Context, event: Event, who: Author, fields: Params[ResponseInput]) -> None:
    """Leave the response to the owner of the address, who gets a link to confirm it."""
    proposal_id = proposals.upsert(ctx, fields, who, waits=True)
    languages.remember(ctx, who.email_address)
    if not response_mail.insert(ctx, event, who.email_address, None, proposal_id):
        raise errors.TooMany(gettext("We have sent this address, or for your network, many messages lately. Respond again later."), 3600)


def _require_seats(ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, standing: bool) -> None:
    """A party that was accepted before may stay when the limit is lowered."""
    limit, value = event.party_limit, fields.value
    party = value.number + value.plus_n
    if limit is not None and not fields.names.isdisjoint(PARTY) and party > limit:
        field, other = ("plus_n", "number") if value.plus_n else ("number", "plus_n")
        raise errors.invalid(field, gettext("and %(other)s together must be at most %(max)s for this event", other=other, max=limit))
    if value.response == "YES":
        admission.require_room(ctx, event, who, party, standing=standing)

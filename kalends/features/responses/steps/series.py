"""Responses to the dates of a series: the standing response, and a row for each date that is to come."""

from msgspec import Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import EditorNotice
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.values.text import fold_case
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries.steps import guest_notice
from kalends.features.events.series.steps.scope import slot_of
from kalends.features.questions.steps import response_answers
from kalends.features.responses import news_store as news
from kalends.features.responses import present, store
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses import series_response_store as series_store
from kalends.features.responses.model import Author, ResponseFields, ResponseInput
from kalends.features.responses.series_response_store import StandingResponse
from kalends.features.responses.steps import admission
from kalends.features.responses.steps.author import acts_for_guest, sees_result
from kalends.features.responses.steps.respond import note_reaction, respond
from kalends.features.subscribers.steps.opt_in import opt_in
from kalends.http.context import Context
from kalends.http.input.fields import Changes, Params


class SeriesRows(Struct, frozen=True):
    """The response to the date that was asked about, else to the first, and those to all dates of the scope."""

    main: Response
    rows: list[Response]


def respond_to_series(
    ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, is_invited: bool = False
) -> SeriesRows | None:
    """Respond to the coming dates of the scope, with one mail. Dates that take no responses are left out, and where there is no seat
    the response waits. Return None to callers who may not see stored responses.

    Without proof, nothing is written for an address that has responded to the series with proof or elsewhere: it gets a proposal. All is
    written and rolled back: many dates take longer than the fixed time of the reply.

    is_invited: the guest is invited to the series, and sees its private dates, too.
    """
    has_proof = who.has_proof or event.can_edit
    state = store.find_state(ctx, event.id)
    if state is None:
        raise errors.NotFound
    if not has_proof and state.confirm_responses == "always":
        respond(ctx, event, who, fields)
        return None
    assert event.series_id is not None
    is_proposed = not has_proof and series_store.is_guarded(ctx, event.series_id, who)
    ctx.tx.run("SAVEPOINT dates")
    responses = _write(ctx, event, who, fields, has_proof=has_proof, is_invited=is_invited)
    if is_proposed:
        ctx.tx.roll_back_to("dates")
    else:
        ctx.tx.run("RELEASE SAVEPOINT dates")
    proposal_id = proposals.upsert(ctx, fields, who) if is_proposed else None
    if fields.value.opt_in and "opt_in" in fields.names:
        opt_in(ctx, event, "email", who.email_address, source="response")
    languages.remember(ctx, who.email_address)
    hold = admission.hold(ctx, event, state, has_limits=response_answers.has_limits(ctx, event))
    must_confirm = not has_proof and hold.confirm_until(fields.value) is not None
    if state.confirmations == "on" or must_confirm:
        _queue_mail(ctx, event, who, fields.value, responses.main.id, proposal_id)
    return responses if has_proof else None


def _write(ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, has_proof: bool, is_invited: bool) -> SeriesRows:
    """Store the standing response and those to the coming dates of the scope, and record them for the organiser."""
    assert event.series_id is not None
    is_added = acts_for_guest(ctx, event, who)
    from_date = slot_of(event) if fields.value.scope == "following" else ""
    is_proven = who.is_proven or event.can_edit
    series_store.upsert(ctx, event, who, fields.value, from_date, is_proven=is_proven, is_added=is_added, keeps_proven=not has_proof)
    since = event.start_at if fields.value.scope == "following" else 0
    rows = _respond_to_dates(ctx, policy.coming_dates(ctx, event.series_id, since, unchecked=is_invited), who, fields)
    main = next((row for row in rows if row.event_id == event.id), rows[0])
    news.notify_organiser(ctx, event, response_id=main.id)
    note_reaction(ctx, event, who, main)
    return SeriesRows(main, rows)


def _queue_mail(ctx: Context, event: Event, who: Author, value: ResponseInput, response_id: int, proposal_id: int | None) -> None:
    """Queue mail to the guest about the response or the proposal; editors may respond for a guest without it."""
    by_editor = acts_for_guest(ctx, event, who)
    if (value.notify or not by_editor) and not sees_result(ctx, event):
        notice: EditorNotice | None = "response_changed" if by_editor else None
        guest_notice.insert_response(ctx, event, who.email_address, response_id=response_id, proposal_id=proposal_id, notice=notice)


def confirm_dates(ctx: Context, event: Event, who: Author) -> None:
    """Confirm the responses of a guest with proof to the other dates of the series, where these still take them."""
    if event.series_id is None:
        return
    series_store.confirm(ctx, event, who.email_address)
    unconfirmed = {row.event_id: row for row in series_store.unconfirmed_dates(ctx, event, who.email_address)}
    for date in policy.coming_dates(ctx, event.series_id, 0, unchecked=True) if unconfirmed else []:
        row = unconfirmed.get(date.id)
        if row:
            fields = present.input_of(row, Changes(ResponseFields, {"response": row.response}))
            _respond_to_dates(ctx, [structs.replace(date, can_edit=False)], who, fields, may_be_none=True)


def extend(ctx: Context, series_id: int) -> None:
    """Write the standing responses to the dates that were created since, in the order in which they were given: as those of the guests,
    the person who extends the series."""
    standing = series_store.find(ctx, series_id)
    if not standing:
        return
    for date in policy.coming_dates(ctx, series_id, 0, unchecked=True):
        known = store.email_keys_of_event(ctx, date.id)
        for each in standing:
            if fold_case(each.email_address) not in known and slot_of(date) >= each.from_date:
                _write_date(ctx, structs.replace(date, can_edit=False), each)


def _write_date(ctx: Context, date: Event, standing: StandingResponse) -> None:
    guest = standing.email_address, standing.name, None, standing.proven
    who = Author(*guest, may_change=True, is_added=standing.added, added_by=standing.added_by)
    value = ResponseInput(event_id=date.id, response=standing.response, name=standing.name, number=standing.number, plus_n=standing.plus_n)
    _respond_to_dates(ctx, [date], who, Params(value, frozenset(("name", "number", "plus_n"))), may_be_none=True)


def _respond_to_dates(
    ctx: Context, dates: list[Event], who: Author, fields: Params[ResponseInput], *, may_be_none: bool = False
) -> list[Response]:
    rows, refusal = [], errors.Conflict(gettext("This series has no upcoming dates."))
    for date in dates:
        value = fields.value
        if date.id != value.event_id:
            value = structs.replace(value, event_id=date.id, answers=None, scope="this")
        try:
            row = respond(ctx, date, who, Params(value, fields.names), from_series=True)
        except errors.OptionFull:
            # The guest must choose another option; with proof, the row is written already.
            raise
        except errors.Conflict as error:
            # Raised before anything is written.
            refusal = error
            continue
        assert row is not None
        rows.append(row)
    if not rows and not may_be_none:
        raise refusal
    return rows

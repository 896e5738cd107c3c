"""Responses to the dates of a series: the standing response, and a row for each date that is to come."""

from typing import Literal

from msgspec import Struct, structs

from kalends import errors, policy
from kalends.context import Context
from kalends.db import columns
from kalends.deliveries import languages, response_mail
from kalends.events.series.scope import slot_of
from kalends.http.input.fields import Changes, Params
from kalends.i18n import gettext
from kalends.records.delivery import EditorNotice
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import admission, news, present, proposals, store
from kalends.responses.author import Author, acts_for_guest, sees_result
from kalends.responses.model import ResponseFields, ResponseInput
from kalends.responses.respond import note_reaction, respond
from kalends.subscribers.opt_in import opt_in
from kalends.values.text import fold_case


class StandingResponse(Struct, frozen=True):
    """A row of the table `series_responses`."""

    series_id: int
    email_address: str
    name: str | None
    response: Literal["YES", "MAYBE", "NO"]
    number: int
    plus_n: int
    from_date: str
    proven: bool
    added: bool


class SeriesRows(Struct, frozen=True):
    """The response to the date that was asked about, else to the first, and those to all dates of the scope."""

    main: Response
    rows: list[Response]


def respond_to_series(
    ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, is_invited: bool = False
) -> SeriesRows | None:
    """Respond to the coming dates of the scope, with one mail. Dates that take no responses are left out, and where there is no seat
    the response waits. Return None to callers who may not see stored responses.

    Without proof, nothing is written for an address that has responded to the series with proof: it gets a proposal. All is written
    and rolled back, so that callers cannot tell the difference by its time.

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
    is_proposed = not has_proof and _has_proof_of(ctx, event.series_id, who.email_address)
    ctx.tx.run("SAVEPOINT dates")
    responses = _write(ctx, event, who, fields, has_proof=has_proof, is_invited=is_invited)
    if is_proposed:
        ctx.tx.roll_back_to("dates")
    else:
        ctx.tx.run("RELEASE SAVEPOINT dates")
    proposal_id = None if has_proof else proposals.upsert(ctx, fields, who, waits=is_proposed)
    if fields.value.opt_in and "opt_in" in fields.names:
        opt_in(ctx, event, "email", who.email_address, source="response")
    languages.remember(ctx, who.email_address)
    must_confirm = not has_proof and admission.hold(ctx, event, state).confirm_until(fields.value) is not None
    if state.confirmations == "on" or must_confirm:
        _queue_mail(ctx, event, who, fields.value, responses.main.id, proposal_id)
    return responses if has_proof else None


def _write(ctx: Context, event: Event, who: Author, fields: Params[ResponseInput], *, has_proof: bool, is_invited: bool) -> SeriesRows:
    """Store the standing response and those to the coming dates of the scope, and record them for the organiser."""
    assert event.series_id is not None
    _upsert(ctx, event, who, fields.value, proven=who.is_proven or event.can_edit, has_proof=has_proof)
    since = event.start_at if fields.value.scope == "following" else 0
    rows = _respond_to_dates(ctx, policy.coming_dates(ctx, event.series_id, since, unchecked=is_invited), who, fields)
    main = next((row for row in rows if row.event_id == event.id), rows[0])
    news.tell_organiser(ctx, event, response_id=main.id)
    note_reaction(ctx, event, who, main)
    return SeriesRows(main, rows)


def _queue_mail(ctx: Context, event: Event, who: Author, value: ResponseInput, response_id: int, proposal_id: int | None) -> None:
    """Queue mail to the guest about the response or the proposal; editors may respond for a guest without it."""
    by_editor = acts_for_guest(ctx, event, who)
    if (value.notify or not by_editor) and not sees_result(ctx, event):
        notice: EditorNotice | None = "response_changed" if by_editor else None
        response_mail.insert(ctx, event, who.email_address, response_id=response_id, proposal_id=proposal_id, notice=notice)


def _has_proof_of(ctx: Context, series_id: int, email_address: str) -> bool:
    """Whether the address has responded to the series, or to one of its dates, with proof."""
    rows = ctx.tx.rows(
        """SELECT 1 FROM series_responses WHERE series_id = :id AND email_key = :key AND proven
           UNION SELECT 1 FROM events e JOIN responses r ON r.event_id = e.id AND r.email_key = :key AND r.proven
           WHERE e.series_id = :id""",
        id=series_id,
        key=fold_case(email_address),
    )
    return bool(rows)


def confirm_dates(ctx: Context, event: Event, who: Author) -> None:
    """Confirm the responses of a guest with proof to the other dates of the series, where these still take them."""
    if event.series_id is None:
        return
    store.confirm_standing(ctx, event, who.email_address)
    unconfirmed = {row.event_id: row for row in store.unconfirmed_dates(ctx, event, who.email_address)}
    for date in policy.coming_dates(ctx, event.series_id, 0, unchecked=True) if unconfirmed else []:
        row = unconfirmed.get(date.id)
        if row:
            fields = present.input_of(row, Changes(ResponseFields, {"response": row.response}))
            _respond_to_dates(ctx, [structs.replace(date, can_edit=False)], who, fields, may_be_none=True)


def extend(ctx: Context, series_id: int) -> None:
    """Write the standing responses to the dates that were created since, in the order in which they were given: as those of the guests,
    the person who extends the series."""
    sql = f"SELECT {columns(StandingResponse)} FROM series_responses WHERE series_id = :id ORDER BY id"
    standing = ctx.tx.all(StandingResponse, sql, id=series_id)
    if not standing:
        return
    for date in policy.coming_dates(ctx, series_id, 0, unchecked=True):
        known = store.email_keys_of_event(ctx, date.id)
        for each in standing:
            if fold_case(each.email_address) not in known and slot_of(date) >= each.from_date:
                _write_date(ctx, structs.replace(date, can_edit=False), each)


def _write_date(ctx: Context, date: Event, standing: StandingResponse) -> None:
    who = Author(standing.email_address, standing.name, None, standing.proven, may_change=True, is_added=standing.added)
    value = ResponseInput(event_id=date.id, response=standing.response, name=standing.name, number=standing.number, plus_n=standing.plus_n)
    _respond_to_dates(ctx, [date], who, Params(value, frozenset(("name", "number", "plus_n"))), may_be_none=True)


def _respond_to_dates(
    ctx: Context, dates: list[Event], who: Author, fields: Params[ResponseInput], *, may_be_none: bool = False
) -> list[Response]:
    rows, refusal = [], errors.Conflict(gettext("No date of this series is to come."))
    for date in dates:
        value = fields.value
        if date.id != value.event_id:
            value = structs.replace(value, event_id=date.id, answers=None, scope="this")
        try:
            row = respond(ctx, date, who, Params(value, fields.names), standing=True)
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


def _upsert(ctx: Context, event: Event, who: Author, value: ResponseInput, *, proven: bool, has_proof: bool) -> None:
    """Store the standing response; without proof, one that was given with proof stays as it is."""
    names = ("email_address", "name", "response", "number", "plus_n", "from_date")
    is_unchanged = "FALSE" if has_proof else "series_responses.proven"
    assignments = ", ".join(f"{name} = CASE WHEN {is_unchanged} THEN series_responses.{name} ELSE excluded.{name} END" for name in names)
    ctx.tx.run(
        f"""INSERT INTO series_responses (series_id, email_address, email_key, name, response, number, plus_n, from_date, proven, added,
                                          created_at, updated_at)
            VALUES (:series_id, :email_address, :email_key, :name, :response, :number, :plus_n, :from_date, :proven, :added, :now, :now)
            ON CONFLICT (series_id, email_key) DO UPDATE
            SET {assignments}, proven = series_responses.proven OR excluded.proven,
                added = series_responses.added OR excluded.added, updated_at = excluded.updated_at""",
        series_id=event.series_id,
        email_address=who.email_address,
        email_key=fold_case(who.email_address),
        name=value.name or who.name,
        response=value.response,
        number=value.number,
        plus_n=value.plus_n,
        from_date=slot_of(event) if value.scope == "following" else "",
        proven=proven,
        added=acts_for_guest(ctx, event, who),
        now=ctx.now,
    )

"""The pages of the personal link: a guest sees, changes, withdraws and forgets a response, and chooses reminders, without an account.

GET changes nothing, since programs follow every link in a mail."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.values.timestamps import format_utc
from kalends.features.comments import store as comments
from kalends.features.deliveries.rules import event_time
from kalends.features.events.rules.visibility import describe_status
from kalends.features.questions import answer_store as answers
from kalends.features.questions import store as questions
from kalends.features.questions.present import describe as describe_answer
from kalends.features.questions.steps import answer_form
from kalends.features.responses import present
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses import reminder_choice_store as choice
from kalends.features.responses.model import Attendance, Erasure, ResponseFields, ResponseInput
from kalends.features.responses.rules import ticket
from kalends.features.responses.rules.seating import require_few
from kalends.features.responses.rules.ticket import mask
from kalends.features.responses.steps import guest_cookie, linked_dates, own_series
from kalends.features.responses.steps.author import by_link, on_page, reset_link
from kalends.features.responses.steps.erase import erase
from kalends.features.responses.steps.guest_cookie import OwnResponse
from kalends.features.responses.steps.respond import respond
from kalends.features.responses.steps.series import confirm_dates, respond_to_series
from kalends.http.context import Context
from kalends.http.endpoint import CALENDAR_FILE, Document
from kalends.http.input.fields import Changes, Params
from kalends.http.input.form import Form
from kalends.policy.site import reader_locale
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

# The URL of the page is a secret: no cache, no other site and no search engine gets it.
PRIVATE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}


class Choice(Struct, kw_only=True):
    """The response that a link in a mail proposes."""

    response: Annotated[Attendance, Meta(description="The response to choose on the page.")] | None = None
    scope: Annotated[Literal["this", "all"], Meta(description="Whether it is for one date of a series, or for all.")] = "this"


NO_CHOICE = Choice()


@page("GET", "/r/{response_token}", guests=True, credentials=False)
def show(ctx: Context, response_token: str, params: Choice = NO_CHOICE, form: FormState | None = None) -> Document:
    """The guest's own response, with a form to change it; with `.ics`, a feed of the dates that the guest said yes to."""
    if response_token.endswith(".ics"):
        return _feed(ctx, response_token.removesuffix(".ics"))
    response, event = _load_next(ctx, response_token, of_hidden=True)
    series = own_series.find(ctx, event, response.email_address)
    is_of_series = series is not None and series.covers(event, response)
    place = present.find_places(ctx, [response]).get(response.id)
    is_asked = present.is_asked(place)
    formats, people = reader_locale(ctx).formats, response.number + response.plus_n
    dates = linked_dates.ALL if params.scope == "all" else str(event.id)
    is_chosen = params.response is not None and (is_asked or params.response != response.response)
    return render(
        "responses/link.html",
        ctx,
        title=gettext("Your RSVP"),
        form=form or filled(present.editable(ctx, response), FormState({"number": people, "plus_n": 0, "dates": dates})),
        response=response,
        event=policy.reveal_to_guest(event, response),
        address=mask(response.email_address),
        time=event_time.long(event, formats),
        short_time=event_time.start(event, formats),
        state=describe_status(event),
        choice=params.response if is_chosen else "YES" if is_asked else None,
        is_over=event.is_over(ctx.now),
        is_visible=policy.sees_event(ctx, response, event),
        is_open=policy.opens_event(ctx, response, event),
        event_url=policy.guest_url(ctx.settings, event),
        place=place,
        ticket=ticket.describe(response.response, people, ticket.place_of(place), event.owner_name, is_series=is_of_series),
        series=series,
        is_of_series=is_of_series,
        departures=series.departures(ctx.now, response) if series and is_of_series else [],
        dates=linked_dates.choices(ctx, event, response, series),
        start=lambda date: event_time.start(date, formats),
        limit=max(event.page_limit, people),
        utc=format_utc,
        link_path=f"/r/{response_token}",
        item=present.item(ctx, response),
        has_questions=bool(questions.of_event(ctx, event.id, event.calendar_id)),
        describe_answer=describe_answer,
    )


@page("POST", "/r/{response_token}", guests=True, credentials=False, by_link=True, rate_limited=True, again=show)
def update(ctx: Context, response_token: str, params: Form) -> Document:
    """Change the response; the page asks the questions of the event afterwards."""
    changes = params.changes(ResponseFields)
    response, event = _load_next(ctx, response_token, of_hidden=changes.get("response") == "NO")
    require_few(changes.get("number", 1) + changes.get("plus_n", 0), max(event.page_limit, response.number + response.plus_n))
    return _change(ctx, response_token, response, event, changes, params.text("dates"))


@page("GET", "/r/{response_token}/questions", guests=True, credentials=False)
def edit_answers(ctx: Context, response_token: str, form: FormState | None = None) -> Document:
    """The questions of the event, with the guest's answers."""
    response, event = _load_next(ctx, response_token)
    stored = answers.of_responses(ctx, [response.id]).get(response.id, [])
    return _ask(ctx, response_token, response, event, form or FormState(answer_form.values_of(stored)))


@page("POST", "/r/{response_token}/questions", guests=True, credentials=False, by_link=True, rate_limited=True, again=edit_answers)
def answer(ctx: Context, response_token: str, params: Form) -> Document:
    """Answer the questions, and say YES."""
    response, event = _load_next(ctx, response_token)
    typed = answer_form.read(ctx, event, params.values, response.number + response.plus_n)
    with typed.naming_inputs():
        changes = Form({"response": "YES", "answers": typed.params}).changes(ResponseFields)
        return _change(ctx, response_token, response, event, changes)


def _ask(ctx: Context, token: str, response: Response, event: Event, form: FormState) -> Document:
    people = response.number + response.plus_n
    is_saved = response.response == "YES"
    return answer_form.render_questions(ctx, event, form, people, action=f"/r/{token}/questions", back=f"/r/{token}", is_saved=is_saved)


@page("POST", "/r/{response_token}/withdraw", guests=True, credentials=False, by_link=True, rate_limited=True, again=show)
def withdraw(ctx: Context, response_token: str, params: Form) -> Document:
    """Change the response to NO."""
    response, event = _load_next(ctx, response_token, of_hidden=True)
    return _change(ctx, response_token, response, event, Changes(ResponseFields, {"response": "NO"}), params.text("dates"))


@page("POST", "/r/{response_token}/forget", guests=True, credentials=False, by_link=True, rate_limited=True, again=show)
def forget(ctx: Context, response_token: str, params: Form) -> Document:
    """Withdraw the response, and erase the personal data in it and in its history, and the comments of the address if they say so."""
    response, event = load(ctx, response_token, of_hidden=True)
    with_comments = params.read(Erasure).erase_comments
    erase(ctx, response, event, with_comments=with_comments)
    guest_cookie.remove(ctx, event.id)
    # Its link leads nowhere now.
    ctx.page_path = "/"
    return render("responses/forgotten.html", ctx, title=gettext("Your details are erased"), with_comments=with_comments)


@page("POST", "/r/{response_token}/reset", guests=True, credentials=False, by_link=True, rate_limited=True, again=show)
def reset(ctx: Context, response_token: str, params: Form) -> Document:
    """Replace the link by a new one, which is mailed: anyone who got hold of the old one must not get it."""
    response, event = load(ctx, response_token, of_hidden=True)
    reset_link(ctx, response, event)
    guest_cookie.remove(ctx, event.id)
    ctx.page_path = "/"
    return render(
        "responses/link_reset.html", ctx, title=gettext("Check your email for the new link"), address=mask(response.email_address)
    )


@page("GET", "/r/confirm/{proposal_token}", guests=True, credentials=False)
def ask(ctx: Context, proposal_token: str, form: FormState | None = None) -> Document:
    """Ask before what was proposed without proof becomes the response of the address."""
    proposal, event = _load_proposal(ctx, proposal_token)
    return render(
        "responses/confirm.html",
        ctx,
        title=gettext("Confirm your RSVP"),
        form=form,
        fields=proposal.params.value,
        rule=own_series.describe_proposed(ctx, event, proposal.params.value.scope),
        reaches=own_series.REACHES,
        event=event,
        event_url=policy.guest_url(ctx.settings, event),
        time=event_time.long(event, reader_locale(ctx).formats),
        address=mask(proposal.email_address),
    )


@page("POST", "/r/confirm/{proposal_token}", guests=True, credentials=False, by_link=True, rate_limited=True, again=ask)
def confirm(ctx: Context, proposal_token: str, params: Form) -> Document:
    """Make what was proposed the response of the address, which the link proves."""
    proposal, event = _load_proposal(ctx, proposal_token)
    try:
        response = _apply(ctx, proposal, event)
    except errors.Invalid as error:
        # The guest cannot correct it here: other questions are asked since, or the parties must be smaller.
        raise errors.Conflict(
            gettext("The organiser has since changed the questions or the group size. Open the event and RSVP again.")
        ) from error
    proposals.delete(ctx, proposal.id)
    comments.confirm_responses(ctx, event.id, proposal.email_address)
    is_series = proposal.params.value.scope != "this"
    return _redirect(ctx, policy.response_token(ctx.settings, response), response, event, is_series=is_series)


@page("GET", "/r/{response_token}/reminders", guests=True, credentials=False)
def ask_about_reminders(ctx: Context, response_token: str, form: FormState | None = None) -> Document:
    """Whether the guest is reminded of the event, with a button to change it."""
    response, event = load(ctx, response_token, of_hidden=True)
    return render(
        "responses/reminders.html",
        ctx,
        title=gettext("Reminders"),
        form=form,
        event=event,
        is_visible=policy.sees_event(ctx, response, event),
        is_wanted=choice.is_wanted(ctx, event, response),
        link_path=f"/r/{response_token}",
    )


@page("POST", "/r/{response_token}/reminders", guests=True, credentials=False, by_link=True, rate_limited=True, again=ask_about_reminders)
def choose_reminders(ctx: Context, response_token: str, params: Form) -> Document:
    """Switch the reminders off; with `reminders=on`, on again. Mail programs send it without the guest, by List-Unsubscribe."""
    response, event = load(ctx, response_token, of_hidden=True)
    choice.save(ctx, event, response, is_wanted=params.text("reminders") == "on")
    if "List-Unsubscribe" in params.values:
        # RFC 8058: no redirect, which programs may not follow.
        return ask_about_reminders(ctx, response_token)
    return redirect(ctx, f"/r/{response_token}/reminders", done="saved")


def _apply(ctx: Context, proposal: proposals.Proposal, event: Event) -> Response:
    fields = proposal.params
    who = by_link(proposal.email_address, fields.value.name)
    if fields.value.scope != "this" and event.series_id is not None:
        responses = respond_to_series(ctx, event, who, fields)
        response = responses.main if responses else None
    else:
        response = respond(ctx, event, who, fields)
    assert response is not None
    return response


def _feed(ctx: Context, response_token: str) -> Document:
    """A calendar file of the dates to which the guest has said yes: those of the series, else of the event."""
    response, event = load(ctx, response_token, of_hidden=True)
    return Document(own_series.build_feed(ctx, event, response), CALENDAR_FILE)


def _change(ctx: Context, token: str, response: Response, event: Event, changes: Changes[ResponseFields], dates: str = "") -> Document:
    """Change the response of the page, or of a series all or another one of the guest's dates."""
    if dates == linked_dates.ALL and event.series_id is not None:
        return _change_all(ctx, token, response, event, changes)
    chosen = linked_dates.find_chosen(ctx, event, response, dates)
    if chosen.id != response.id:
        _, event = load(ctx, policy.response_token(ctx.settings, chosen), of_hidden=changes.get("response") == "NO")
    fields: Params[ResponseInput] = present.input_of(chosen, changes)
    who = on_page(chosen.email_address, chosen.name)
    changed = respond(ctx, event, who, fields, asks="response" in changes or chosen.confirm_until is not None)
    assert changed is not None
    confirm_dates(ctx, event, who)
    if chosen.id != response.id:
        return redirect(ctx, f"/r/{token}", done="saved")
    return _redirect(ctx, token, changed, event)


def _change_all(ctx: Context, token: str, response: Response, event: Event, changes: Changes[ResponseFields]) -> Document:
    """Change the response to all coming dates of the series, also to those that only its guests see."""
    fields: Params[ResponseInput] = present.input_of(response, changes)
    value = structs.replace(fields.value, scope="all")
    is_invited = own_series.find(ctx, event, response.email_address) is not None
    who = on_page(response.email_address, response.name)
    changed = respond_to_series(ctx, event, who, Params(value, fields.names), is_invited=is_invited)
    assert changed is not None
    return _redirect(ctx, token, changed.main, event, is_series=True)


def _redirect(ctx: Context, token: str, response: Response, event: Event, *, is_series: bool = False) -> Document:
    """To the page of the link, which the browser remembers."""
    guest_cookie.put(ctx, event.id, OwnResponse(response.response, token, is_series=is_series))
    return redirect(ctx, f"/r/{token}")


def _load_next(ctx: Context, token: str, *, of_hidden: bool = False) -> tuple[Response, Event]:
    """The response of the link, or that to the next date of the series once its own is over."""
    response, event = load(ctx, token, of_hidden=of_hidden)
    later = linked_dates.find_next(ctx, response, event)
    return load(ctx, policy.response_token(ctx.settings, later), of_hidden=of_hidden) if later else (response, event)


def load(ctx: Context, token: str, *, of_hidden: bool = False) -> tuple[Response, Event]:
    """The response of the link, and its event as the guest sees it; of_hidden: also if the guest cannot see it any more."""
    with private(ctx):
        return policy.linked_response(ctx, token, of_hidden=of_hidden)


def _load_proposal(ctx: Context, token: str) -> tuple[proposals.Proposal, Event]:
    with private(ctx):
        proposal = proposals.by_token(ctx, token)
        return proposal, policy.event_of_guest(ctx, proposal.event_id)


@contextmanager
def private(ctx: Context) -> Iterator[None]:
    """Send the header fields of a page with a secret URL, also if the link does not work."""
    ctx.headers.update(PRIVATE)
    try:
        yield
    except errors.NotFound as problem:
        problem.headers.update(PRIVATE)
        raise

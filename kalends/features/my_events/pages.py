"""The pages of what a member goes to, is invited to and hosts, with the answers in the rows."""

from datetime import timedelta

from msgspec import Struct

from kalends import policy
from kalends.core.i18n import Text, gettext
from kalends.core.values import datetimes
from kalends.features.my_events import api, store
from kalends.features.my_events.model import MyAnswer, MyEventQuery
from kalends.features.my_events.steps.rows import Row, find_rows, path_of
from kalends.features.questions import store as questions
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy.site import reader_locale
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render
from kalends.web.times import reader_zone

TABS = [("going", gettext("Going")), ("invited", gettext("Invited")), ("hosting", gettext("Hosting")), ("past", gettext("Past"))]
PAGE_SIZE = 20
# What the first list shows above itself.
MAX_ASKED = 10


class Group(Struct, frozen=True):
    """Events under a heading."""

    title: Text | None
    rows: list[Row]


@page("GET", "/my-events")
def index(ctx: Context, params: MyEventQuery, form: FormState | None = None) -> Document:
    """What the member goes to, is invited to, hosts, or went to."""
    policy.user(ctx)
    listed = api.index(ctx, MyEventQuery(show=params.show, limit=min(params.limit, PAGE_SIZE), offset=params.offset))
    asks = api.index(ctx, MyEventQuery(show="invited", limit=MAX_ASKED)).events if params.show == "going" and not params.offset else []
    rows = find_rows(ctx, listed.events, with_guests=params.show == "hosting")
    return render(
        "my_events/index.html",
        ctx,
        title=gettext("My events"),
        form=form,
        tabs=TABS,
        show=params.show,
        counts=store.count_all(ctx),
        max_count=store.MAX_COUNT,
        asks=find_rows(ctx, asks),
        groups=_group(ctx, rows) if params.show in ("going", "hosting") else [Group(None, rows)] if rows else [],
        next_page=listed.next,
        offset=params.offset,
    )


@page("GET", "/my-events/{event_id}")
def show(ctx: Context, event_id: int) -> Document:
    """Lead the member to the page on which they can open the event."""
    return redirect(ctx, path_of(ctx, api.show(ctx, event_id)))


def ask_again(ctx: Context, event_id: int, form: FormState) -> Document:
    """The invitations, with what is wrong with an answer."""
    return index(ctx, MyEventQuery(show="invited"), form)


@page("POST", "/my-events/{event_id}", again=ask_again)
def update(ctx: Context, event_id: int, params: Form) -> Document:
    """Answer an invitation. A YES to an event with questions goes on there."""
    answer = params.read(MyAnswer)
    event, _ = policy.my_event(ctx, event_id)
    if answer.response == "YES" and any(each.required for each in questions.of_event(ctx, event.id, event.calendar_id)):
        return redirect(ctx, f"{path_of(ctx, api.show(ctx, event_id))}?response=YES")
    mine = api.update(ctx, event_id, answer)
    done = "saved" if answer.response is None else f"said-{answer.response.lower()}"
    if mine.place and mine.place.place != "held":
        done = "said-yes-or-waits"
    return redirect(ctx, "/my-events", done=done, can_undo=True)


def _group(ctx: Context, rows: list[Row]) -> list[Group]:
    """What is on up to the end of this week, and what is later."""
    today = datetimes.to_local(ctx.now, reader_zone(ctx)).date()
    days_left = 6 - (today.weekday() - reader_locale(ctx).first_weekday) % 7
    last = (today + timedelta(days=days_left)).isoformat()
    soon = [row for row in rows if row.event.start_time[:10] <= last]
    later = [row for row in rows if row.event.start_time[:10] > last]
    return [Group(title, part) for title, part in [(gettext("This week"), soon), (gettext("Next"), later)] if part]

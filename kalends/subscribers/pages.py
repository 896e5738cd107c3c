"""Pages of an owner's list: who wants to hear of their events."""

from kalends import policy
from kalends.context import Context
from kalends.events.by_id import named
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.subscribers import api, store
from kalends.web.render import redirect, render


@endpoint("GET", "/subscribers", format="html")
def index(ctx: Context, params: Paging) -> Document:
    """The list, each with where and when they opted in."""
    found = api.index(ctx, params)
    events = named(ctx, [each.event_id for each in found.subscribers])
    owner = policy.user(ctx)
    total, unconfirmed = store.count(ctx, owner.id), store.count_unconfirmed(ctx, owner.id)
    return render("subscribers/index.html", ctx, title="Subscribers", found=found, events=events, total=total, unconfirmed=unconfirmed)


@endpoint("GET", "/subscribers/{subscriber_id}/delete", format="html")
def ask_removal(ctx: Context, subscriber_id: int) -> Document:
    """Ask before somebody is taken off the list."""
    subscriber = policy.subscriber(ctx, subscriber_id)
    return render("subscribers/ask_removal.html", ctx, title="Remove from the list", subscriber=subscriber)


@endpoint("POST", "/subscribers/{subscriber_id}/delete", format="html")
def destroy(ctx: Context, subscriber_id: int, params: Form) -> Document:
    """Take somebody off the list."""
    api.destroy(ctx, subscriber_id)
    return redirect(ctx, "/subscribers", done="removed")

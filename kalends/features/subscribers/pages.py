"""Pages of the subscribers on an owner's list."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.subscribers import api, store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/subscribers")
def index(ctx: Context, params: Paging) -> Document:
    """The list, each with where and when they opted in."""
    subscribers = api.index(ctx, params)
    events = policy.visible_events(ctx, [each.event_id for each in subscribers.subscribers])
    owner = policy.user(ctx)
    total, unconfirmed = store.count(ctx, owner.id), store.count_unconfirmed(ctx, owner.id)
    return render(
        "subscribers/index.html", ctx, title=gettext("Subscribers"), index=subscribers, events=events, total=total, unconfirmed=unconfirmed
    )


@page("GET", "/subscribers/{subscriber_id}/delete")
def ask(ctx: Context, subscriber_id: int) -> Document:
    """Ask before someone is taken off the list."""
    subscriber = policy.subscriber(ctx, subscriber_id)
    return render("subscribers/delete.html", ctx, title=gettext("Remove from the list"), subscriber=subscriber)


@page("POST", "/subscribers/{subscriber_id}/delete")
def destroy(ctx: Context, subscriber_id: int, params: Form) -> Document:
    """Take someone off the list."""
    api.destroy(ctx, subscriber_id)
    return redirect(ctx, "/subscribers", done="removed")

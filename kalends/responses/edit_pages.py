"""Pages on which a response is corrected and removed, by the event's editors and the responder."""

from kalends import policy
from kalends.context import Context
from kalends.events.model import Event
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.responses import api
from kalends.responses.model import ResponseFields
from kalends.web.forms import FormState, filled, submit
from kalends.web.render import redirect, render


@endpoint("GET", "/responses/{response_id}/edit", format="html")
def edit(ctx: Context, response_id: int) -> Document:
    """The form to correct a response."""
    return _form(ctx, response_id, filled(api.edit(ctx, response_id)))


@endpoint("POST", "/responses/{response_id}/edit", transaction=False, format="html")
def update(ctx: Context, response_id: int, params: Form) -> Document:
    """Correct a response."""

    def act() -> Document:
        _, event = policy.response(ctx, response_id)
        api.update(ctx, response_id, params.changes(ResponseFields))
        return redirect(ctx, _back(event), done="saved")

    return submit(ctx, params, act, lambda state: _form(ctx, response_id, state))


@endpoint("GET", "/responses/{response_id}/delete", format="html")
def ask(ctx: Context, response_id: int) -> Document:
    """Ask before a response is removed."""
    response, event = policy.response(ctx, response_id)
    return render("responses/delete.html", ctx, title="Remove the response", response=response, event=event, back=_back(event))


@endpoint("POST", "/responses/{response_id}/delete", format="html")
def destroy(ctx: Context, response_id: int, params: Form) -> Document:
    """Remove a response."""
    _, event = policy.response(ctx, response_id)
    api.destroy(ctx, response_id)
    return redirect(ctx, _back(event), done="response-removed")


def _form(ctx: Context, response_id: int, state: FormState) -> Document:
    response, event = policy.response(ctx, response_id)
    return render("responses/edit.html", ctx, title="Correct the response", form=state, response=response, event=event, back=_back(event))


def _back(event: Event) -> str:
    return f"/events/{event.id}/answers" if event.can_edit else f"/events/{event.id}"

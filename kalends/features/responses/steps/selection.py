"""What organisers do with several people on the list of guests at once: remind the invited, write to them, set their answer."""

import re
from typing import Any, cast, get_args

from msgspec import Struct

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Attendance, Invitation, Response
from kalends.features.events.invitations import store as invitations
from kalends.features.events.invitations.steps import invite
from kalends.features.responses import store
from kalends.features.responses.model import COLUMNS, ResponseInput
from kalends.features.responses.steps.author import author, author_of
from kalends.features.responses.steps.respond import respond
from kalends.http.context import Context
from kalends.http.input.fields import Params

MAX_SELECTED = 500
ATTENDANCES = get_args(Attendance)
# A response or an invitation, as the boxes of the list name them.
_NAME = re.compile("([ri])([0-9]{1,18})")


class Selected(Struct, frozen=True):
    """The people who were selected: those who have responded, and those who are invited and have not."""

    event: Event
    responses: list[Response]
    invitations: list[Invitation]


def names(value: Any) -> list[str]:
    """The boxes that were ticked; a single one is not a list."""
    return [str(each) for each in (value if isinstance(value, list) else [value]) if _NAME.fullmatch(str(each))]


def read(ctx: Context, event: Event, value: Any) -> Selected:
    """The selected people of the event; whoever is no longer on its list is left out."""
    ids: dict[str, set[int]] = {"r": set(), "i": set()}
    for kind, number in (_NAME.fullmatch(name).groups() for name in names(value)):  # type: ignore[union-attr]
        ids[kind].add(int(number))
    if len(ids["r"]) + len(ids["i"]) > MAX_SELECTED:
        raise errors.invalid("guests", gettext("can be at most %(max)s at once", max=MAX_SELECTED), "too_many")
    responses = [response for response in store.find_by_ids(ctx, sorted(ids["r"])) if response.event_id == event.id] if ids["r"] else []
    invited = invitations.unanswered(ctx, event, MAX_SELECTED, ids=sorted(ids["i"])) if ids["i"] else []
    if not responses and not invited:
        raise errors.invalid("guests", gettext("are required: select at least one"), "required")
    return Selected(event, responses, invited)


def remind(ctx: Context, selected: Selected) -> int:
    """Send their invitations again, and return how many."""
    if not selected.invitations:
        raise errors.invalid("guests", gettext("have all answered: select people who are invited"), "invalid")
    for invitation in selected.invitations:
        invite.resend(ctx, selected.event.id, invitation.id)
    return len(selected.invitations)


def recipients(selected: Selected) -> list[str]:
    """Those to whom a message can be written, by the ids of their responses."""
    if not selected.responses:
        raise errors.invalid("guests", gettext("have not answered yet: remind them instead"), "invalid")
    return [str(response.id) for response in selected.responses]


def set_answer(ctx: Context, selected: Selected, answer: str) -> int:
    """Set the answer of each, without a mail, and return how many were changed."""
    if answer not in ATTENDANCES:
        raise errors.invalid("action", gettext("must be one of the choices"), "not_a_choice")
    names, choice = frozenset(("response", "email_address")), cast(Attendance, answer)
    changed = [response for response in selected.responses if response.response != answer]
    for response in changed:
        stored = {name: getattr(response, name) for name in COLUMNS} | {"response": answer}
        fields = Params(ResponseInput(event_id=selected.event.id, notify=False, **stored), frozenset(("response",)))
        respond(ctx, selected.event, author_of(ctx, response), fields)
    for invitation in selected.invitations:
        new = ResponseInput(event_id=selected.event.id, response=choice, email_address=invitation.address, notify=False)
        respond(ctx, selected.event, author(ctx, invitation.address, invitation.name), Params(new, names))
    return len(changed) + len(selected.invitations)

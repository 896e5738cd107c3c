"""The errors that actions raise, each with its HTTP status; http/error_handler.py turns them into HTTP responses."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

from msgspec import Meta, Struct

from kalends.core.i18n import gettext

Code = Literal[
    "invalid",
    "required",
    "unknown",
    "repeated",
    "wrong_type",
    "invalid_format",
    "not_a_choice",
    "too_short",
    "too_long",
    "too_small",
    "too_large",
    "too_many",
    "taken",
    "wrong",
    "not_found",
    "forbidden",
    "conflict",
]

# What each code of a field error means; docs/reports/errors.md and /docs/errors list them.
CODES: dict[Code, str] = {
    "invalid": "The value breaks a rule that has no code of its own; read the message.",
    "required": "The field is missing or empty.",
    "unknown": "The action has no such parameter.",
    "repeated": "The parameter takes one value and was sent more than once.",
    "wrong_type": "The value has another type, such as text instead of a number.",
    "invalid_format": "The value is not written in the form that the field takes, such as an e-mail address or a time.",
    "not_a_choice": "The value is not one of the choices, which the message lists.",
    "too_short": "The text has too few characters.",
    "too_long": "The text has too many characters.",
    "too_small": "The number or time is below the smallest one.",
    "too_large": "The number or time is above the largest one, or there is too much of it.",
    "too_many": "The list has too many items.",
    "taken": "Another record has this value, which must be unique.",
    "wrong": "The password or other secret is not the right one.",
    "not_found": "The value names a record that does not exist, or that you may not see.",
    "forbidden": "The value names a record that you may see but not use in this way.",
    "conflict": "The value does not go with another field, or with the state of the record.",
}


class FieldError(Struct, frozen=True):
    """One broken field: what is wrong with it, for people and as a code for programs."""

    field: Annotated[str, Meta(description="Name of the field.")]
    message: Annotated[str, Meta(description="What is wrong with it.")]
    code: Annotated[Code, Meta(description="The same as a code, for programs.")] = "invalid"


class Problem(Exception):
    """Something went wrong on the server. The log has the details under the `request_id`."""

    status = 500
    title: str = gettext("Internal error")
    # The last part of the problem's `type` (RFC 9457). The docstring is its meaning in docs/reports/errors.md and at /docs/errors.
    kind = "internal-error"
    # The event that stands in the way.
    event_id: int | None = None
    # What the second step of a login sends back.
    ticket: str | None = None

    def __init__(self, detail: str = "", errors: Iterable[FieldError] = (), headers: dict[str, str] | None = None):
        super().__init__(detail)
        self.detail = detail
        self.errors = list(errors)
        self.headers = headers or {}


class BadRequest(Problem):
    """The request cannot be read: its JSON, form, encoding or one of its headers is malformed."""

    status = 400
    title = gettext("The request can’t be read")
    kind = "bad-request"


class Unauthorized(Problem):
    """The action needs a signed-in user, and the request has no credential."""

    status = 401
    title = gettext("Sign in first")
    kind = "sign-in-required"

    def __init__(self, detail: str = "Send a session token or a key as 'Authorization: Bearer …'."):
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class InvalidToken(Unauthorized):
    """The token or key of the request is wrong, has expired or was revoked. Sign in again."""

    title = gettext("The token isn’t valid")
    kind = "invalid-token"


class WrongCredentials(Unauthorized):
    """The user name and password, the key or the digest of a login are wrong."""

    title = gettext("Wrong credentials")
    kind = "wrong-credentials"


class TicketExpired(WrongCredentials):
    """The second step of a login came more than five minutes after the password, or from another network. Start again."""

    title = gettext("The login has expired")
    kind = "ticket-expired"


class SecondFactorRequired(Unauthorized):
    """The password is right, and the account wants a one-time code too: send `ticket`, which is valid for five minutes, and `code`."""

    title = gettext("A one-time code is needed")
    kind = "second-factor-required"

    def __init__(self, ticket: str):
        super().__init__(gettext("Send the ticket and a code from your authenticator app, or a recovery code."))
        self.ticket = ticket


class SignInFailed(Problem):
    """What came back from the provider of OpenID Connect cannot be trusted, or came too late. Nobody was signed in. Start again."""

    status = 400
    title = gettext("Signing in failed")
    kind = "sign-in-failed"


class Forbidden(Problem):
    """You may see the record but not do this to it, or the request came from another site."""

    status = 403
    title = gettext("Not allowed")
    kind = "forbidden"


class SignInAgain(Forbidden):
    """What you ask for needs a recent login: within the last hour, or 15 minutes for roles and accounts of others. Sign in again."""

    title = gettext("Sign in again")
    kind = "recent-sign-in-required"


class InsufficientScope(Forbidden):
    """The API key or app password has scopes, and what you ask for needs another one, or a key without scopes."""

    title = gettext("The key does not open this")
    kind = "insufficient-scope"


class SendingStopped(Forbidden):
    """Many people refused the mail of the organiser, or an admin stopped it. Ask an admin of the site to allow it again."""

    title = gettext("Sending is stopped")
    kind = "sending-stopped"


class NotFound(Problem):
    """There is no such path or record, or you may not see it."""

    status = 404
    title = gettext("Not found")
    kind = "not-found"

    def __init__(
        self, detail: str = gettext("This record doesn’t exist, or you don’t have access to it."), errors: Iterable[FieldError] = ()
    ):
        super().__init__(detail, errors)


class MethodNotAllowed(Problem):
    """The path does not take this method; `Allow` lists those that it takes."""

    status = 405
    title = gettext("Method not allowed")
    kind = "method-not-allowed"

    def __init__(self, allowed: Iterable[str]):
        names = ", ".join(sorted(allowed))
        super().__init__(f"This path accepts {names}.", headers={"Allow": names})


class Gone(Problem):
    """The public event was deleted in the last 90 days. `detail` has its title, and why it was cancelled or postponed."""

    status = 410
    title = gettext("The event was deleted")
    kind = "gone"


class CursorExpired(Problem):
    """The cursor of a follower is older than the history, or the database was restored since. Start again without a cursor."""

    status = 410
    title = gettext("The cursor has expired")
    kind = "cursor-expired"


class HistoryExpired(Problem):
    """`as_of` is older than the history, which the operator limits (`KALENDS_HISTORY_DAYS`)."""

    status = 410
    title = gettext("Older than the history")
    kind = "history-expired"


class TooSlow(Problem):
    """The body took too long to arrive."""

    status = 408
    title = gettext("The request took too long to arrive")
    kind = "request-timeout"


class Conflict(Problem):
    """The state of the record forbids the action, or another record has a value that must be unique."""

    status = 409
    title = gettext("Conflict with the current state")
    kind = "conflict"


class UidTaken(Conflict):
    """The calendar has an event with this `uid` already; `event_id` is its id, if you may see it. Change it with `PUT /api/events?uid=`."""

    title = gettext("The uid is already taken")
    kind = "uid-taken"

    def __init__(self, event_id: int | None = None, field: str = "uid"):
        detail = gettext("This calendar already has an event with this uid. To change it, use PUT /api/events?uid=….")
        super().__init__(detail, [FieldError(field, gettext("is already taken"), "taken")])
        self.event_id = event_id


class QuotaReached(Conflict):
    """The account holds as much as it may. Delete something, or ask the operator for more."""

    title = gettext("The quota has been reached")
    kind = "quota-reached"


class EventCancelled(Conflict):
    """The event is cancelled, so nobody can respond."""

    title = gettext("The event has been cancelled")
    kind = "event-cancelled"


class EventPostponed(Conflict):
    """The event has no new date yet, so nobody can respond."""

    title = gettext("The event has been postponed")
    kind = "event-postponed"


class ResponsesClosed(Conflict):
    """The organiser has closed the responses to the event."""

    title = gettext("RSVPs are closed")
    kind = "responses-closed"


class DeadlineOver(Conflict):
    """The event's `responses_until` is over."""

    title = gettext("The RSVP deadline has passed")
    kind = "deadline-over"


class Full(Conflict):
    """The event has too few free places, and no waiting list."""

    title = gettext("The event is full")
    kind = "full"


class PartyTooLarge(Conflict):
    """More people than the event has places."""

    title = gettext("The group is too large")
    kind = "party-too-large"


class OptionFull(Conflict):
    """An option of a question has been chosen as often as it may be. `errors` names the answer; choose another option."""

    title = gettext("The option is full")
    kind = "option-full"


class Stale(Problem):
    """The record has changed since you read it (`If-Match`). Read it again."""

    status = 412
    title = gettext("The record has changed")
    kind = "stale"


class TooLarge(Problem):
    """The body is too large."""

    status = 413
    title = gettext("Too large")
    kind = "too-large"


class UnsupportedMediaType(Problem):
    """The media type or the encoding of the body is not supported."""

    status = 415
    title = gettext("Unsupported media type")
    kind = "unsupported-media-type"


class Invalid(Problem):
    """Some values break a rule; `errors` names every broken field with a code."""

    status = 422
    title = gettext("Some values aren’t valid")
    kind = "invalid"

    def __init__(self, errors: Iterable[FieldError], detail: str = ""):
        broken = list(errors)
        super().__init__(detail or "; ".join(f"{e.field}: {e.message}" for e in broken), broken)


class TooMany(Problem):
    """There were too many requests. Wait for `Retry-After` seconds."""

    status = 429
    title = gettext("Too many requests")
    kind = "rate-limited"

    def __init__(self, detail: str, retry_after: int, headers: dict[str, str] | None = None):
        super().__init__(detail, headers={"Retry-After": str(retry_after)} | (headers or {}))
        self.retry_after = retry_after


class HeadTooLarge(Problem):
    status = 431
    title = gettext("The headers are too large")


class Unavailable(Problem):
    """The service is busy, or its database cannot be used right now. Try again after `Retry-After` seconds."""

    status = 503
    title = gettext("Temporarily unavailable")
    kind = "unavailable"

    def __init__(self, detail: str, retry_after: int = 2):
        super().__init__(detail, headers={"Retry-After": str(retry_after)})


class Overloaded(Unavailable):
    """A server process has reached a limit of its own; `resource` names what it limits in the metrics."""

    def __init__(self, resource: str, detail: str, retry_after: int = 2):
        super().__init__(detail, retry_after)
        self.resource = resource


@contextmanager
def naming(field: str) -> Iterator[None]:
    """Name the parameter that a record was looked up by, in the error of one that is hidden or not allowed."""
    try:
        yield
    except NotFound as error:
        raise NotFound(error.detail, error.errors or [FieldError(field, gettext("is not there"), "not_found")]) from None
    except Forbidden as error:
        raise Forbidden(error.detail, error.errors or [FieldError(field, gettext("is not yours to use"), "forbidden")]) from None


def invalid(field: str, message: str, code: Code = "invalid") -> Invalid:
    """The common case: one broken field."""
    return Invalid([FieldError(field, message, code)])

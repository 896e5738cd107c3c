"""Declare pages: endpoints in HTML whose forms are shown again with what was typed when something is wrong with it."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, TypeVar, Unpack

from msgspec import structs

from kalends.core import errors
from kalends.http.context import Context
from kalends.http.endpoint import Document, Options, attach, declaration, declared_on
from kalends.http.input.form import Form
from kalends.web import forms
from kalends.web.forms import FormState

F = TypeVar("F", bound=Callable[..., Document])
Action = Callable[..., Document]

# Errors that people can correct in the form; any other becomes an error page.
CORRECTABLE = (errors.Invalid, errors.Conflict, errors.Forbidden, errors.TooMany, errors.TooLarge, errors.Unavailable)


def page(
    method: Literal["GET", "POST"],
    path: str,
    *,
    again: Action | None = None,
    form: str = "form",
    is_guest_form: bool = False,
    **options: Unpack[Options],
) -> Callable[[F], F]:
    """Declare the function as the page behind method and path, in a transaction of its own.

    again: shows the form again after an error that people can correct, in a read transaction after the rollback. It gets the same
        variables of the path, and the FormState as the argument that `form` names.
    is_guest_form: guests send it, so its template has the inputs of `f.guest_form` against spam, which are checked first.
    transaction: by default False for the pools `hash`, `upload` and `file`: such pages open their transactions themselves.
    """
    transaction = options.get("transaction", options.get("pool", "request") == "request")
    # A form that is shown again has its own transaction, which has to be rolled back before.
    options["transaction"] = transaction and again is None

    def declare(function: F) -> F:
        run = _form_action(function, again, form, transaction, is_guest_form) if again else function
        attach(function, declaration(run, method, path, format="html", **options))
        return function

    return declare


def _form_action(function: Action, again: Action, form: str, transaction: bool, is_guest_form: bool) -> Action:
    """The function with the handling of its form around it."""

    @wraps(function)
    def run(ctx: Context, params: Form, **variables: Any) -> Document:
        try:
            if ctx.refusal:
                raise ctx.refusal
            if is_guest_form:
                forms.check(ctx, params)
            if not transaction:
                return function(ctx, params=params, **variables)
            with ctx.write():
                return function(ctx, params=params, **variables)
        except (*CORRECTABLE, errors.NotFound) as problem:
            if isinstance(problem, errors.NotFound) and not problem.errors:
                # The record of the page does not exist. A NotFound with a field is about a name that was typed.
                raise
            state = FormState(params.values, problem.errors, "" if problem.errors else problem.detail)
            ctx.headers.update(problem.headers)
            status = problem.status
        ctx.page_path = ctx.page_path or _path_of(again, variables)
        with ctx.read():
            document = again(ctx, **variables, **{form: state})
        return structs.replace(document, status=status)

    return run


def _path_of(again: Action, variables: dict[str, Any]) -> str:
    """The path of the page that has the form; empty if `again` is not a page itself."""
    paths = (each.path for each in declared_on(again) if each.method == "GET" and each.variables.keys() <= variables.keys())
    return next(paths, "").format(**variables)

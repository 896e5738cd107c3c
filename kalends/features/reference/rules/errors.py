"""The catalogue of errors: every problem type and its meaning, from the error classes."""

from collections.abc import Iterator

from kalends.core.errors import Problem


def problems() -> list[type[Problem]]:
    """Every problem that has a type of its own, by status."""
    return sorted(_with_kind(Problem), key=lambda problem: (problem.status, problem.kind))


def meaning(problem: type[Problem]) -> str:
    return " ".join((problem.__doc__ or "").split())


def _with_kind(problem: type[Problem]) -> Iterator[type[Problem]]:
    if "kind" in vars(problem):
        yield problem
    for each in problem.__subclasses__():
        yield from _with_kind(each)

"""Hypothesis strategies for parsers: any text, and the characters that mean something to a parser."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.http.test_properties import any_text

# Plain chance would seldom put them together.
signs = st.text(st.sampled_from("aZ09 .,;:@<>\"'()[]{}%/\\?#&=+-*_~\t\n\r\x00é١\u0301\U0001f3b7"), max_size=40)
arbitrary_text = any_text | signs


def urls(*beginnings: str) -> st.SearchStrategy[str]:
    """Texts that begin like these addresses, and any others."""
    return (
        st.tuples(st.sampled_from([*beginnings, ""]), arbitrary_text, st.sampled_from(["", "@"]), arbitrary_text).map("".join)
        | arbitrary_text
    )


def listed(*items: str) -> st.SearchStrategy[str]:
    """Some of the items, in a list."""
    return st.lists(st.sampled_from(items), max_size=8).map(",".join)


def reading(reader: Callable[[Any], Any], value: Any, *refusals: type[Exception]) -> tuple[Any, str | None]:
    """The parsed value, or the error by which the parser refuses it; any other error fails the test."""
    try:
        return reader(value), None
    except refusals as refusal:
        return None, str(refusal)

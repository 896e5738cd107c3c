"""Cleaning and case-folding of text."""

import re
from typing import Literal
from unicodedata import category, is_normalized, normalize

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from kalends.core.values import text

anything = st.text()
# Short, so that no letter gets more accents than are allowed.
sound = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029"), max_size=15)
FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")


@given(value=anything, lines=st.booleans(), strip=st.booleans())
def test_cleaned_text_is_normalized_and_stays_the_same_when_cleaned_again(value: str, lines: bool, strip: bool) -> None:
    try:
        cleaned = text.clean(value, lines=lines, strip=strip)
    except ValueError:
        return
    assert text.clean(cleaned, lines=lines, strip=strip) == cleaned
    assert is_normalized("NFC", cleaned)
    assert cleaned.encode().decode() == cleaned
    assert [c for c in cleaned if category(c) == "Cc" and not (lines and c in "\t\n")] == []
    if strip:
        assert cleaned == cleaned.strip()


@given(value=sound)
def test_text_without_control_characters_is_never_refused(value: str) -> None:
    for form in FORMS:
        assert text.clean(normalize(form, value)) == normalize("NFC", value).strip()


@given(before=sound, after=sound, bad=st.characters(categories=["Cc", "Cs"]))
def test_text_with_a_control_character_or_a_lone_surrogate_is_refused(before: str, after: str, bad: str) -> None:
    with pytest.raises(ValueError, match=r"control characters|surrogates"):
        text.clean(f"x{before}{bad}{after}x")


@given(lines=st.lists(sound), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_all_line_ends_become_newlines(lines: list[str], end: str) -> None:
    assert text.clean(end.join(lines), lines=True, strip=False) == normalize("NFC", "\n".join(lines))


@given(value=sound)
def test_folded_text_does_not_depend_on_the_unicode_normal_form(value: str) -> None:
    for form in FORMS:
        assert text.fold_case(normalize(form, value)) == text.fold_case(value)


@given(value=sound)
@example("ᾳ\u0345")
@example("ŉ\u0331")
def test_folding_folded_text_changes_nothing(value: str) -> None:
    assert text.fold_case(text.fold_case(value)) == text.fold_case(value)
    assert is_normalized("NFC", text.fold_case(value))


@given(value=sound)
def test_folded_text_does_not_depend_on_case(value: str) -> None:
    """But for two letters whose upper case is that of another: the dotless i, and the iota that stands below a letter."""
    assume(not re.search("[ı\u0345]", normalize("NFD", value)))
    assert text.fold_case(value.upper()) == text.fold_case(value)


@given(value=st.text(st.characters(max_codepoint=127)))
def test_folded_ascii_is_lower_case(value: str) -> None:
    assert text.fold_case(value) == value.lower()

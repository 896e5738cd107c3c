"""The number of SMS segments of a text, by GSM 03.38."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.features.deliveries.rules.segments import plain, segments


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 1),
        ("a" * 160, 1),
        ("a" * 161, 2),
        ("a" * 306, 2),
        ("a" * 307, 3),
        ("€" * 80, 1),
        ("€" * 80 + "a", 2),
        # The 153rd place of the first segment stays empty, since an escape is not parted from its character.
        ("€" * 152, 2),
        ("€" * 153, 3),
        ("a" + "€" * 152, 2),
        ("ê" + "a" * 69, 1),
        ("ê" + "a" * 70, 2),
        ("ê" + "a" * 133, 2),
        ("ê" + "a" * 134, 3),
        ("🎷" * 35, 1),
        ("🎷" * 36, 2),
        ("🎷" * 66, 2),
        ("🎷" * 67, 3),
        ("éàùèìòñÄ@\n", 1),
    ],
)
def test_the_number_of_sms_segments_is_computed(text: str, count: int) -> None:
    assert segments(text) == count


def test_typographic_characters_do_not_force_ucs_2() -> None:
    assert plain("“Jazz” – it’s on…") == '"Jazz" - it\'s on...'
    assert segments(plain("“" + "a" * 158 + "”")) == 1


@given(st.text(max_size=400), st.characters(codec="utf-8"))
def test_more_text_never_takes_fewer_segments(text: str, more: str) -> None:
    assert segments(text) <= segments(text + more)

"""Reject easily guessed passwords: common words, keyboard runs, repetitions, dates, and the account's own names."""

import re
from functools import cache
from importlib.resources import files
from typing import Protocol
from urllib.parse import urlsplit

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values.text import fold_case
from kalends.http.context import Context

COMMON = gettext("must not be one of the first passwords people guess. Use several unrelated words")
OWN = gettext("must not contain the name of the account, its address or this site. Use several unrelated words")

_MIN_NAME = 3
_MIN_RUN = 3
_LEET = str.maketrans("013457@$!", "oieastasi")
_RUNS = ("abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertz", "azerty")
# Columns of a keyboard, and alternating rows.
_COLUMNS = (
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "qazwsxedcrfvtgbyhnujm",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
    "12qwaszx",
    "a1b2c3d4e5f6",
    "1a2b3c4d5e6f",
    "!@#$%^&*()",
    *("147258369", "741852963", "147852369", "14789632", "147896325", "159357", "123698745", "1029384756", "192837465"),
    *("1122334455667788990", "1123581321", "31415926535", "4815162342"),
)
# A password of this length with this many parts may have two common words: violet-stone-77.
_MIN_PHRASE, _MIN_PARTS = 15, 3
_EDGES = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_SEPARATORS = re.compile(r"[\W_]+")
_PART = re.compile(r"[^\W_]+")
_REPEATED = re.compile(r"(.{1,4})\1+.?")
_DAY = r"(0?[1-9]|[12]\d|3[01])"
_YEAR = r"(19|20)\d\d"
_DATE = re.compile(f"{_DAY}{_DAY}{_YEAR}|{_YEAR}{_DAY}{_DAY}|({_YEAR}){{2}}")


class Named(Protocol):
    """The owner of the password: a registration, a profile or a user."""

    @property
    def user_name(self) -> str: ...
    @property
    def email_address(self) -> str: ...
    @property
    def name(self) -> str | None: ...


def refuse(ctx: Context, password: str, owner: Named) -> None:
    """Raise Invalid for an easily guessed password."""
    if is_common(password):
        raise errors.invalid("password", COMMON)
    site = urlsplit(ctx.settings.url).hostname or ""
    names = [owner.user_name, owner.email_address, owner.email_address.rpartition("@")[0], owner.name or "", "kalends", site]
    if any(_is_name(password, name) for name in [*names, *site.split(".")]):
        raise errors.invalid("password", OWN)


def is_common(password: str) -> bool:
    """Whether it is one or two common words with digits and signs around them, a keyboard run, a repetition or a date."""
    lower = fold_case(password)
    plain = _SEPARATORS.sub("", lower)
    if _REPEATED.fullmatch(plain) or _DATE.fullmatch(plain) or _is_runs(lower) or _is_runs(plain[1:]) or _is_runs(plain[:-1]):
        return True
    stem = _EDGES.sub("", lower)
    spellings = {_SEPARATORS.sub("", spelling) for spelling in (lower, lower.translate(_LEET), stem, stem.translate(_LEET))}
    is_phrase = len(password) >= _MIN_PHRASE and len(_PART.findall(password)) >= _MIN_PARTS
    return any(_is_word(each) or (not is_phrase and _is_pair(each)) for each in spellings)


def _is_word(stem: str) -> bool:
    """Whether it is a listed word, also backwards or cut off at eight letters."""
    words, beginnings = _words()
    return stem in words or stem[::-1] in words or stem in beginnings or (_is_runs(stem) and len(stem) > _MIN_RUN)


def _is_pair(stem: str) -> bool:
    """Whether it is two listed words."""
    words, _ = _words()
    return any(stem[:cut] in words and stem[cut:] in words for cut in range(3, len(stem) - 2))


def _is_runs(password: str) -> bool:
    """Whether it is made of nothing but runs along a row or column, either way, such as qwerty123 or 1q2w3e4r."""
    rest = password
    while rest:
        # Every prefix of a run is a run, so the first letters rule out most passwords.
        if len(rest) < _MIN_RUN or not _is_run(rest[:_MIN_RUN]):
            return False
        rest = rest[next(n for n in range(len(rest), 0, -1) if _is_run(rest[:n])) :]
    return bool(password)


def _is_run(part: str) -> bool:
    return len(set(part)) == 1 or any(part in line or part in line[::-1] for line in (*_RUNS, *_COLUMNS))


def _is_name(password: str, name: str) -> bool:
    """Whether it is the name, also in other letters, spelled otherwise or with digits at its end."""
    bare, own = _SEPARATORS.sub("", fold_case(password)), _SEPARATORS.sub("", fold_case(name))
    if len(own) < _MIN_NAME:
        return False
    is_followed_by_digits = bare.startswith(own) and (bare[len(own) :] or "0").isdigit()
    return is_followed_by_digits or own == bare.translate(_LEET) or bare == own * 2


@cache
def _words() -> tuple[frozenset[str], frozenset[str]]:
    """The common words, and the first eight letters of longer ones (old systems truncated there). Loaded at first use, since
    many processes never need them."""
    words = frozenset((files("kalends.features.users") / "common_words.txt").read_text().split())
    return words, frozenset(word[:8] for word in words if len(word) > 8)

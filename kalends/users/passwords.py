"""Passwords: Argon2id, and never more than a few at once, since each takes 64 MiB."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from kalends.errors import Unavailable

AT_ONCE = 2
PATIENCE = 10

_hasher = PasswordHasher()
_room = threading.BoundedSemaphore(AT_ONCE)


def hashed(password: str) -> str:
    """What is stored of a password."""
    with _place():
        return _hasher.hash(password)


def matches(password: str, known: str | None) -> bool:
    """Whether it is the password; an unknown user takes the same time as a wrong password."""
    with _place():
        try:
            return _hasher.verify(known or _nobody(), password) and known is not None
        except (VerificationError, InvalidHashError):
            return False


def _nobody() -> str:
    """What no password hashes to, by the figures of any other: it takes as long to compare with, from the first time on."""
    return f"$argon2id$v=19$m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}${'A' * 22}${'A' * 43}"


@contextmanager
def _place() -> Iterator[None]:
    if not _room.acquire(timeout=PATIENCE):
        raise Unavailable("Too many people are signing in at once. Try again.")
    try:
        yield
    finally:
        _room.release()

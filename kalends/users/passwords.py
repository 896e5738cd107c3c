"""Passwords: Argon2id, and never more than a few at once, since each takes 64 MiB."""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from kalends.errors import Unavailable

AT_ONCE = 2
PATIENCE = 10
NICE = 10


def _lower_priority() -> None:
    """Let other threads have the core first. Linux has a priority for each thread; elsewhere it would be that of the process."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


_hasher = PasswordHasher()
_room = threading.BoundedSemaphore(AT_ONCE)
# They do nothing but hash: a thread of low priority that held a lock would make others wait for it.
_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="argon2", initializer=_lower_priority)


def hashed(password: str) -> str:
    """What is stored of a password."""
    with _place():
        return _threads.submit(_hasher.hash, password).result()


def matches(password: str, known: str | None) -> bool:
    """Whether it is the password; an unknown user takes the same time as a wrong password."""
    with _place():
        try:
            return _threads.submit(_hasher.verify, known or _nobody(), password).result() and known is not None
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

"""Password hashing with Argon2id, limited in concurrency: each hash takes 64 MiB."""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from kalends.core.errors import Unavailable
from kalends.core.i18n import gettext
from kalends.core.tokens import new_token

MAX_CONCURRENT = 2
SLOT_TIMEOUT = 10
NICE = 10
_WITHOUT = "!"


def _lower_priority() -> None:
    """Lower this thread's priority. Linux has one per thread; elsewhere it would be the whole process's."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


_hasher = PasswordHasher()
_slots = threading.BoundedSemaphore(MAX_CONCURRENT)
# They do nothing but hash: a low-priority thread that held a lock would block others (priority inversion).
_threads = ThreadPoolExecutor(MAX_CONCURRENT, thread_name_prefix="argon2", initializer=_lower_priority)


def hash_password(password: str) -> str:
    """The Argon2id hash of a password."""
    with _slot():
        return _threads.submit(_hasher.hash, password).result()


def matches(password: str, stored_hash: str | None) -> bool:
    """Whether the password matches. An unknown user (None), and one without a password, take as long as a wrong password."""
    has_hash = stored_hash is not None and is_set(stored_hash)
    with _slot():
        try:
            return _threads.submit(_hasher.verify, (has_hash and stored_hash) or _dummy_hash(), password).result() and has_hash
        except (VerificationError, InvalidHashError):
            return False


def new_without() -> str:
    """What is stored instead of a hash for an account without a password. It is random, so that links that cover it work once."""
    return _WITHOUT + new_token()


def is_set(stored_hash: str) -> bool:
    """Whether the account has a password."""
    return not stored_hash.startswith(_WITHOUT)


def _dummy_hash() -> str:
    """A hash that no password has, with the usual parameters, so that verifying it takes the usual time."""
    return f"$argon2id$v=19$m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}${'A' * 22}${'A' * 43}"


@contextmanager
def _slot() -> Iterator[None]:
    if not _slots.acquire(timeout=SLOT_TIMEOUT):
        raise Unavailable(gettext("Too many people are signing in at once. Try again in a few seconds."))
    try:
        yield
    finally:
        _slots.release()
